#if !canImport(ObjectiveC)
import Foundation
import KivoObserving
import XCTest

/// The usual asynchronous operation of Apple code: one state, and rules that say what depends on it.
private class Stated: KeyValueOperation, @unchecked Sendable {
    @Observed fileprivate var state = "waiting"

    override var isExecuting: Bool { state == "executing" }
    override var isFinished: Bool { state == "finished" }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        ["isExecuting", "isFinished"].contains(key)
            ? ["state"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }

    override func start() {
        state = "executing"
        perform()
    }

    func perform() { Thread { self.state = "finished" }.start() }
}

final class OperationStateTests: XCTestCase {
    /// Runs operations on a queue, and fails if they do not end.
    private func run(_ operations: [Operation], _ line: UInt = #line) {
        let (queue, ended) = (OperationQueue(), DispatchSemaphore(value: 0))
        queue.addOperations(operations, waitUntilFinished: false)
        Thread {
            queue.waitUntilAllOperationsAreFinished()
            ended.signal()
        }.start()
        XCTAssertEqual(ended.wait(timeout: .now() + 60), .success, "the queue waits", line: line)
    }

    func testAStateReachesTheQueueWithoutObservers() {
        let (first, second) = (Stated(), Stated())
        second.addDependency(first)
        run([second, first])
        XCTAssertTrue(second.isFinished)
    }

    func testObserversAreNotifiedBeforeTheQueue() {
        let (operation, recorder) = (Stated(), Recorder())
        var finished: [Bool] = []
        let token = operation.observe(\.isFinished, options: .new) { finished.append($1.newValue!) }
        operation.addObserver(recorder, forKeyPath: "isExecuting", options: .new)
        run([operation])
        // One assignment each: the observers were notified when the queue continued.
        XCTAssertEqual(recorder.notices.map { $0.new as? Bool }, [true, false])
        XCTAssertEqual(finished, [false, true])
        operation.removeObserver(recorder, forKeyPath: "isExecuting")
        token.invalidate()
    }

    func testInheritedRulesReachTheQueue() {
        final class Derived: Stated, @unchecked Sendable {
            @Observed var pages = 0
            override func perform() {
                pages = 3
                super.perform()
            }
        }
        run([Derived()])
    }

    func testAStateThatIsSetByNameReachesTheQueue() {
        final class ByName: Stated, @unchecked Sendable {
            override func start() {
                setValue("executing", forKey: "state")
                Thread { self.setValue("finished", forKeyPath: "state") }.start()
            }
        }
        run([ByName()])
    }

    func testAnAnnouncedStateReachesTheQueue() {
        final class Announcing: KeyValueOperation, @unchecked Sendable {
            private let lock = NSLock()
            private var state = 0
            override var isFinished: Bool { lock.withLock { state == 1 } }
            override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                key == "isFinished" ? ["state"] : []
            }
            override func start() {
                willChangeValue(forKey: "state")
                lock.withLock { state = 1 }
                didChangeValue(forKey: "state")
            }
        }
        run([Announcing()])
    }

    func testADependencyOfADependencyReachesTheQueue() {
        final class Deep: KeyValueOperation, @unchecked Sendable {
            @Observed private var steps = 0
            var isOver: Bool { steps == 2 }
            override var isFinished: Bool { isOver }
            override class func computedProperties() -> [String: AnyKeyPath] { ["isOver": \Deep.isOver] }
            override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                ["isFinished": ["isOver"], "isOver": ["steps"]][key] ?? []
            }
            override func start() { Thread { for _ in 0..<2 { self.steps += 1 } }.start() }
        }
        run([Deep()])
    }

    private final class Session: KeyValueObservable, @unchecked Sendable { @Observed var isOver = false }

    func testAStateOfAnotherObjectReachesTheQueue() {
        final class Following: KeyValueOperation, @unchecked Sendable {
            @Observed var session = Session()
            override var isFinished: Bool { session.isOver }
            override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                key == "isFinished" ? ["session.isOver"] : []
            }
            override func start() { Thread { self.session.isOver = true }.start() }
        }
        run([Following()])
    }

    func testReadinessThatDependsOnAProperty() {
        final class Patient: Stated, @unchecked Sendable {
            @Observed var mayStart = false
            override var isReady: Bool { super.isReady && mayStart }
            override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                key == "isReady" ? ["mayStart"] : super.keyPathsForValuesAffectingValue(forKey: key)
            }
        }
        let patient = Patient()
        let starter = BlockOperation { patient.mayStart = true }
        run([patient, starter])
    }

    func testPlainOperationsReachTheQueue() {
        final class Plain: Operation, KeyValueObservable, @unchecked Sendable {
            @Observed private var state = 0
            override var isFinished: Bool { state == 1 }
            class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                key == "isFinished" ? ["state"] : []
            }
            override func start() { Thread { self.state = 1 }.start() }
        }
        run([Plain()])
    }

    func testDependenciesThatAreDeclaredAtRunTimeReachTheQueue() {
        final class Declared: Operation, KeyValueObservable, @unchecked Sendable {
            @Observed var state = 0
            override var isFinished: Bool { state == 1 }
            override func start() { Thread { self.state = 1 }.start() }
        }
        let early = Declared()
        early.state = 0
        Declared.setKeys(["state"], triggerChangeNotificationsForDependentKey: "isFinished")
        run([early, Declared()])
    }

    private class Typed: KeyValueOperation, KeyValueObservingCustomization, @unchecked Sendable {
        @Observed fileprivate var state = 0
        override var isFinished: Bool { state == 1 }
        static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
            key == \Typed.isFinished ? [\Typed.state] : []
        }
        static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { true }
        override func start() { Thread { self.state = 1 }.start() }
    }

    func testTypedRulesReachTheQueue() {
        final class Derived: Typed, @unchecked Sendable {}
        run([Typed(), Derived()])
    }

    func testAChangeWithoutAutomaticNotificationDoesNotReachTheQueue() {
        final class Manual: Stated, @unchecked Sendable {
            override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "state" }
        }
        let (manual, next, queue) = (Manual(), BlockOperation {}, OperationQueue())
        next.addDependency(manual)
        queue.addOperation(next)
        manual.state = "finished"
        XCTAssertFalse(next.isReady)
        manual.willChangeValue(forKey: "state")
        manual.didChangeValue(forKey: "state")
        XCTAssertTrue(next.isReady)
        queue.waitUntilAllOperationsAreFinished()
    }

    /// An operation that runs until the test lets it end.
    private final class Work: KeyValueOperation, @unchecked Sendable {
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        override func main() {
            began.signal()
            mayEnd.wait()
        }
    }

    func testAnObserverThatComesWhileTheOperationRunsLearnsOfItsEnd() {
        let (work, recorder, queue) = (Work(), Recorder(), OperationQueue())
        queue.addOperation(work)
        work.began.wait()
        for key in ["isExecuting", "isFinished"] {
            work.addObserver(recorder, forKeyPath: key, options: [.initial, .old, .new])
        }
        work.mayEnd.signal()
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(
            recorder.notices.map(\.keyPath), ["isExecuting", "isFinished", "isExecuting", "isFinished"])
        XCTAssertEqual(recorder.notices.map { $0.old as? Bool }, [nil, nil, true, false])
        XCTAssertEqual(recorder.notices.map { $0.new as? Bool }, [true, false, false, true])
        for key in ["isExecuting", "isFinished"] { work.removeObserver(recorder, forKeyPath: key) }
    }

    func testAnOperationThatWasCancelledIsFinishedWithoutRunning() {
        let (work, recorder) = (Work(), Recorder())
        for key in ["isExecuting", "isFinished"] {
            work.addObserver(recorder, forKeyPath: key, options: .new)
        }
        work.cancel()
        work.start()
        XCTAssertEqual(recorder.notices.map(\.keyPath), ["isFinished"])
        XCTAssertEqual(recorder.notices.map { $0.new as? Bool }, [true])
        for key in ["isExecuting", "isFinished"] { work.removeObserver(recorder, forKeyPath: key) }
    }
}
#endif
