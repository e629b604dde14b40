import Foundation
import KivoObserving
import XCTest

/// A class as it is written for Cocoa: its members override those of the base class.
private class Person: KeyValueObject {
    @Observed var first = ""
    @Observed var last = ""
    @Observed var draft = 0
    var full: String { "\(first) \(last)" }
    var notices: [String] = []

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "full" ? ["first", "last"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }

    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        key != "draft" && super.automaticallyNotifiesObservers(forKey: key)
    }

    override class func computedProperties() -> [String: AnyKeyPath] { ["full": \Person.full] }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        notices.append("\(keyPath!) \(change![.newKey]!)")
    }
}

private final class Employee: Person {
    @Observed var number = 0

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "badge" ? ["number"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }

    override func value(forUndefinedKey key: String) -> Any? {
        key == "badge" ? "#\(number)" : super.value(forUndefinedKey: key)
    }

    override func value(forKey key: String) -> Any? { key == "shown" ? full : super.value(forKey: key) }

    override func setNilValueForKey(_ key: String) { setValue(-1, forKey: key) }
}

private final class Work: KeyValueOperation, @unchecked Sendable {
    @Observed var fraction = 0.0
    var body: () -> Void = {}

    override func main() {
        fraction = 1
        body()
    }
}

final class BaseClassTests: XCTestCase {
    func testMembersAreOverriddenAlongTheClasses() {
        let (employee, observer) = (Employee(), Person())
        for key in ["full", "badge", "draft"] {
            employee.addObserver(observer, forKeyPath: key, options: .new, context: nil)
        }
        employee.first = "Ann"
        employee.number = 7
        employee.draft = 1
        XCTAssertEqual(observer.notices, ["full Ann ", "badge #7"])
        employee.setValue(nil, forKey: "number")
        XCTAssertEqual(observer.notices.last, "badge #-1")
        XCTAssertEqual(employee.value(forKey: "shown") as? String, "Ann ")
        for key in ["full", "badge", "draft"] {
            employee.removeObserver(observer, forKeyPath: key, context: nil)
        }
    }

    func testDependenciesOfTheBaseClassAreThoseDeclaredAtRunTime() {
        final class Late: KeyValueObject {
            @Observed var source = 0
            override func value(forUndefinedKey key: String) -> Any? { source * 2 }
        }
        Late.setKeys(["source"], triggerChangeNotificationsForDependentKey: "double")
        let (late, observer) = (Late(), Person())
        late.addObserver(observer, forKeyPath: "double", options: .new, context: nil)
        late.source = 4
        XCTAssertEqual(observer.notices, ["double 8"])
    }

    #if !canImport(ObjectiveC)
    func testAnOperationAnnouncesItsEndAndItsCancellation() {
        let (work, observer) = (Work(), Recorder())
        work.addObserver(observer, forKeyPath: "isFinished", options: [.old, .new])
        work.addObserver(observer, forKeyPath: "isCancelled", options: [.old, .new])
        work.body = { XCTAssertTrue(observer.notices.isEmpty) }
        let isNotified = expectation(description: "notified")
        observer.onNotice = { isNotified.fulfill() }
        let queue = OperationQueue()
        queue.addOperation(work)
        // The queue may continue before the observers are notified.
        wait(for: [isNotified], timeout: 60)
        observer.onNotice = nil
        XCTAssertEqual(work.fraction, 1)
        XCTAssertEqual(observer.notices.map(\.keyPath), ["isFinished"])
        XCTAssertEqual(observer.notices.first?.old as? Bool, false)
        XCTAssertEqual(observer.notices.first?.new as? Bool, true)
        // A finished operation neither runs nor is cancelled any more.
        work.start()
        work.cancel()
        XCTAssertEqual(observer.notices.count, 1)
    }

    func testStatesAreObservedByTypedKeyPath() {
        let work = Work()
        var seen: [String] = []
        work.body = { seen.append("main") }
        let tokens = [
            work.observe(\.isFinished, options: [.old, .new]) {
                seen.append("finished \($1.oldValue!) \($1.newValue!)")
            },
            work.observe(\.isExecuting, options: [.old, .new]) {
                seen.append("executing \($1.oldValue!) \($1.newValue!)")
            },
        ]
        work.start()
        XCTAssertEqual(
            seen, ["executing false true", "main", "executing true false", "finished false true"])
        XCTAssertTrue(work.isFinished)
        tokens.forEach { $0.invalidate() }
    }

    func testACancelledOperationDoesNotExecute() {
        let (work, observer) = (Work(), Recorder())
        for key in ["isCancelled", "isExecuting", "isFinished"] {
            work.addObserver(observer, forKeyPath: key, options: .new)
        }
        work.cancel()
        work.start()
        XCTAssertEqual(observer.notices.map(\.keyPath), ["isCancelled", "isFinished"])
        XCTAssertEqual(observer.notices.map { $0.new as? Bool }, [true, true])
    }

    func testAnOperationOverridesItsStates() {
        final class Own: KeyValueOperation, @unchecked Sendable {
            private var isOver = false
            override var isFinished: Bool { isOver }
            override func start() {
                willChangeValue(for: \.isFinished)
                isOver = true
                didChangeValue(for: \.isFinished)
            }
        }
        let (own, observer) = (Own(), Recorder())
        own.addObserver(observer, forKeyPath: "isFinished", options: [.old, .new])
        var seen: [Bool] = []
        let token = own.observe(\.isFinished, options: [.old, .new]) {
            seen += [$1.oldValue!, $1.newValue!]
        }
        own.start()
        XCTAssertEqual(seen, [false, true])
        XCTAssertEqual(observer.notices.map { $0.new as? Bool }, [true])
        token.invalidate()
    }

    func testACancelledOperationNotifiesOnce() {
        let (work, observer) = (Work(), Recorder())
        work.addObserver(observer, forKeyPath: "isCancelled", options: [.old, .new])
        work.cancel()
        work.cancel()
        XCTAssertEqual(observer.notices.map { $0.new as? Bool }, [true])
        XCTAssertEqual(observer.notices.first?.old as? Bool, false)
    }
    #endif
}
