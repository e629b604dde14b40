import Foundation
import KivoObserving
import XCTest

/// An asynchronous operation in the manner of Cocoa's guide, which ends when the test says so.
private final class Transfer: Operation, KeyValueObservable, @unchecked Sendable {
    @Observed var fraction = 0.0
    private let lock = NSLock()
    private var executing = false
    private var finished = false

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { executing } }
    override var isFinished: Bool { lock.withLock { finished } }

    override func start() {
        willChangeValue(for: \.isExecuting)
        lock.withLock { executing = true }
        didChangeValue(for: \.isExecuting)
    }

    func finish() {
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        lock.withLock { (executing, finished) = (false, true) }
        didChangeValue(for: \.isFinished)
        didChangeValue(for: \.isExecuting)
    }
}

final class OperationTests: XCTestCase {
    func testAnOperationAnnouncesItsStates() {
        let (transfer, recorder) = (Transfer(), Recorder())
        var finished: [Bool] = []
        let token = transfer.observe(\.isFinished, options: [.old, .new]) {
            finished += [$1.oldValue!, $1.newValue!]
        }
        transfer.addObserver(recorder, forKeyPath: "isExecuting", options: .new)
        let queue = OperationQueue()
        let isStarted = expectation(description: "started")
        recorder.onNotice = { if transfer.isExecuting { isStarted.fulfill() } }
        queue.addOperation(transfer)
        wait(for: [isStarted], timeout: 60)
        recorder.onNotice = nil
        transfer.fraction = 1
        transfer.finish()
        // The queue has learned of it, too.
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(finished, [false, true])
        XCTAssertEqual(transfer.value(forKey: "isFinished") as? Bool, true)
        XCTAssertEqual(transfer.value(forKey: "isReady") as? Bool, true)
        XCTAssertEqual(recorder.notices.map { $0.new as? Bool }, [true, false])
        token.invalidate()
        transfer.removeObserver(recorder, forKeyPath: "isExecuting")
    }

    #if !canImport(ObjectiveC)
    /// Announces by name, as most programs do that were written for Cocoa.
    private final class Named: Operation, KeyValueObservable, @unchecked Sendable {
        @Observed var fraction = 0.0
        var tags: Set<String> = []
        private let lock = NSLock()
        private var finished = false
        override var isFinished: Bool { lock.withLock { finished } }

        static func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "tags" }

        override func start() {
            self.willChangeValue(forKey: "isFinished")
            lock.withLock { finished = true }
            didChangeValue(forKey: "isFinished")
        }

        func announce() {
            willChangeValue(for: \.fraction)
            didChangeValue(for: \.fraction)
            willChangeValue(forKey: "tags", withSetMutation: .union, using: ["a"])
            tags.insert("a")
            didChangeValue(forKey: "tags", withSetMutation: .union, using: ["a"])
        }
    }

    func testAnnouncementsByNameReachTheQueueAndObservers() {
        let (operation, recorder) = (Named(), Recorder())
        operation.addObserver(recorder, forKeyPath: "isFinished", options: [.old, .new])
        let queue = OperationQueue()
        queue.addOperation(operation)
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(recorder.notices.map { $0.old as? Bool }, [false])
        XCTAssertEqual(recorder.notices.map { $0.new as? Bool }, [true])
        operation.removeObserver(recorder, forKeyPath: "isFinished")
        for key in ["fraction", "tags"] { operation.addObserver(recorder, forKeyPath: key, options: .new) }
        operation.announce()
        XCTAssertEqual(recorder.notices.map(\.keyPath), ["isFinished", "fraction", "tags"])
        for key in ["fraction", "tags"] { operation.removeObserver(recorder, forKeyPath: key) }
    }

    func testAnOperationWithoutObservingReachesItsQueue() {
        final class Plain: Operation, @unchecked Sendable {
            private let lock = NSLock()
            private var finished = false
            override var isFinished: Bool { lock.withLock { finished } }

            override func start() {
                willChangeValue(forKey: "isFinished")
                lock.withLock { finished = true }
                didChangeValue(forKey: "isFinished")
            }
        }
        let (first, second, queue) = (Plain(), Plain(), OperationQueue())
        second.addDependency(first)
        queue.addOperations([second, first], waitUntilFinished: true)
        XCTAssertTrue(second.isFinished)
    }

    /// The states of an operation in the order in which its observers learn of them.
    private final class States: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [[Bool]] = []
        func append(_ states: [Bool]) { lock.withLock { all.append(states) } }
        var changes: [[Bool]] { lock.withLock { all } }
    }

    func testAnOperationIsReadyWhenThoseBeforeItHaveFinished() {
        final class Step: KeyValueOperation, @unchecked Sendable {}
        let (first, second, last, states) = (Step(), Step(), Step(), States())
        let token = last.observe(\.isReady, options: [.old, .new, .prior]) { step, change in
            states.append(change.isPrior ? [change.oldValue!, step.isReady] : [change.newValue!])
        }
        last.addDependency(first)
        last.addDependency(second)
        XCTAssertEqual(states.changes, [[true, true], [false]])
        let queue = OperationQueue()
        queue.addOperations([first, second, last], waitUntilFinished: true)
        XCTAssertEqual(states.changes, [[true, true], [false], [false, false], [true]])
        token.invalidate()
    }

    func testACancelledOperationIsReady() {
        final class Step: KeyValueOperation, @unchecked Sendable {}
        let (first, last, recorder) = (Step(), Step(), Recorder())
        last.addObserver(recorder, forKeyPath: "isReady", options: [.old, .new])
        last.addDependency(first)
        last.removeDependency(first)
        last.addDependency(first)
        XCTAssertFalse(last.isReady)
        last.cancel()
        XCTAssertTrue(last.isReady)
        XCTAssertEqual(recorder.notices.last?.old as? Bool, false)
        XCTAssertEqual(recorder.notices.last?.new as? Bool, true)
        XCTAssertFalse(recorder.notices.contains { $0.old as? Bool == $0.new as? Bool })
        last.removeObserver(recorder, forKeyPath: "isReady")
    }
    #endif
}
