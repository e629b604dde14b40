import Foundation
import KivoObserving
import XCTest

/// The dictionaries that observers by name receive. An observation fills one of them again and again.
final class ChangeRecordTests: XCTestCase {
    private final class Box {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private enum State { case waiting, running }

    private final class Values: KeyValueObservable, @unchecked Sendable {
        @Observed var int = 0
        @Observed var float: Float = 0
        @Observed var small: Int8 = 0
        @Observed var text = ""
        @Observed var state = State.waiting
        @Observed var date: Date?
        @Observed var maybe: Int?
        @Observed var twice: Int?? = .some(nil)
        @Observed var narrow: Int16?
        @Observed var any: Any = 0
        @Observed var anyOrNil: Any?
        @Observed var box: Box?
        @Observed var boxes: [Box] = []
        @Observed var null: NSNull?
    }

    /// Keeps what it receives.
    private final class Keeper: KeyValueObserver {
        var records: [[NSKeyValueChangeKey: Any]] = []
        var onRecord: (() -> Void)?

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            records.append(change!)
            onRecord?()
        }
    }

    /// Looks at the entries and keeps nothing.
    private final class Reader: KeyValueObserver {
        var read: ([NSKeyValueChangeKey: Any]) -> Void = { _ in }

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            read(change!)
        }
    }

    private func records(
        _ key: String, _ options: NSKeyValueObservingOptions = [.old, .new], _ change: (Values) -> Void
    ) -> [[NSKeyValueChangeKey: Any]] {
        let (values, keeper) = (Values(), Keeper())
        values.addObserver(keeper, forKeyPath: key, options: options)
        change(values)
        values.removeObserver(keeper, forKeyPath: key)
        return keeper.records
    }

    func testEachRecordHasTheValuesOfItsChange() {
        let all = records("int") { values in for number in 1...5 { values.int = number } }
        XCTAssertEqual(all.map { $0[.oldKey] as? Int }, [0, 1, 2, 3, 4])
        XCTAssertEqual(all.map { $0[.newKey] as? Int }, [1, 2, 3, 4, 5])
        XCTAssertEqual(all.map { $0[.kindKey] as? UInt }, Array(repeating: 1, count: 5))
        XCTAssertEqual(all.map(\.count), Array(repeating: 3, count: 5))
    }

    func testOptionsDecideWhichEntriesThereAre() {
        let all: [NSKeyValueObservingOptions] = [
            [], .old, .new, [.old, .new], [.new, .prior], [.new, .initial],
        ]
        for options in all {
            let last = records("text", options) { $0.text = "a" }.last!
            XCTAssertEqual(last[.oldKey] != nil, options.contains(.old), "\(options)")
            XCTAssertEqual(last[.newKey] as? String, options.contains(.new) ? "a" : nil, "\(options)")
            XCTAssertNil(last[.notificationIsPriorKey])
            XCTAssertNil(last[.indexesKey])
        }
    }

    func testValuesHaveTheFormOfTheirType() {
        let states = records("state") { $0.state = .running }
        XCTAssertEqual(states[0][.oldKey] as? State, .waiting)
        XCTAssertEqual(states[0][.newKey] as? State, .running)
        // Foundation's numbers can be read as other types.
        XCTAssertEqual(records("float") { $0.float = 1.5 }[0][.newKey] as? Double, 1.5)
        XCTAssertEqual(records("small") { $0.small = 3 }[0][.newKey] as? Int, 3)
        let boxes = records("boxes") { $0.boxes = [Box(1), Box(2)] }
        XCTAssertEqual((boxes[0][.oldKey] as? [Box])?.count, 0)
        XCTAssertEqual((boxes[0][.newKey] as? [Box])?.map(\.number), [1, 2])
    }

    func testNilIsTheNullMarker() {
        let day = Date(timeIntervalSince1970: 1)
        let dates = records("date") { values in for date in [nil, day, nil] { values.date = date } }
        XCTAssertEqual(dates.map { $0[.newKey] as? Date }, [nil, day, nil])
        XCTAssertEqual(dates.map { $0[.newKey] is NSNull }, [true, false, true])
        XCTAssertEqual(dates.map { $0[.oldKey] is NSNull }, [true, true, false])
        let numbers = records("maybe") { values in
            for number in [1, nil, 2] { values.maybe = number }
        }
        XCTAssertEqual(numbers.map { $0[.newKey] as? Int }, [1, nil, 2])
        XCTAssertTrue(numbers[1][.newKey] is NSNull)
        let narrow = records("narrow") { values in for number: Int16? in [nil, 4] { values.narrow = number } }
        XCTAssertTrue(narrow[0][.newKey] is NSNull)
        XCTAssertEqual(narrow[1][.newKey] as? Int, 4)
        let nested = records("twice") { values in
            for number: Int?? in [nil, .some(nil), 5] { values.twice = number }
        }
        XCTAssertEqual(nested.map { $0[.newKey] is NSNull }, [true, true, false])
        XCTAssertEqual(nested[2][.newKey] as? Int, 5)
        XCTAssertTrue(records("null") { $0.null = NSNull() }[0][.newKey] is NSNull)
    }

    func testValuesOfAnyTypeChangeTheirType() {
        let all = records("any") { values in
            for value: Any in [1, "a", Optional<Int>.none as Any, Int8(2), [1, 2]] { values.any = value }
        }
        XCTAssertEqual(all[0][.newKey] as? Int, 1)
        XCTAssertEqual(all[1][.newKey] as? String, "a")
        XCTAssertTrue(all[2][.newKey] is NSNull)
        XCTAssertEqual(all[3][.newKey] as? Int, 2)
        XCTAssertEqual(all[4][.newKey] as? [Int], [1, 2])
        let optional = records("anyOrNil") { values in
            for value: Any? in ["a", nil, Float(1)] { values.anyOrNil = value }
        }
        XCTAssertEqual(optional[0][.newKey] as? String, "a")
        XCTAssertTrue(optional[1][.newKey] is NSNull)
        XCTAssertEqual(optional[2][.newKey] as? Double, 1)
    }

    func testAChangeInsideOfANotificationHasItsOwnRecord() {
        let (values, keeper) = (Values(), Keeper())
        values.addObserver(keeper, forKeyPath: "int", options: [.old, .new])
        keeper.onRecord = { if values.int < 3 { values.int += 1 } }
        values.int = 1
        XCTAssertEqual(keeper.records.map { $0[.oldKey] as? Int }, [0, 1, 2])
        XCTAssertEqual(keeper.records.map { $0[.newKey] as? Int }, [1, 2, 3])
        values.int = 9
        XCTAssertEqual(keeper.records.last?[.oldKey] as? Int, 3)
        values.removeObserver(keeper, forKeyPath: "int")
    }

    func testValuesAreReleasedAfterTheNotification() {
        let (values, reader) = (Values(), Reader())
        var numbers: [Int?] = []
        reader.read = { record in numbers.append((record[.oldKey] as? Box)?.number) }
        values.addObserver(reader, forKeyPath: "box", options: [.old, .new])
        weak var released: Box?
        do {
            let box = Box(1)
            released = box
            values.box = box
        }
        XCTAssertNotNil(released)
        values.box = nil
        XCTAssertNil(released)
        XCTAssertEqual(numbers, [nil, 1])
        values.removeObserver(reader, forKeyPath: "box")
    }

    func testAValueThatAssignsWhenItIsReleased() {
        final class Assigning {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
            deinit { body() }
        }
        let (values, reader) = (Values(), Reader())
        var seen: [String?] = []
        reader.read = { record in seen.append(record[.newKey] as? String) }
        values.addObserver(reader, forKeyPath: "any", options: [.old, .new])
        values.any = Assigning { values.any = "released" }
        values.any = "next"
        XCTAssertEqual(seen, [nil, "next", "released"])
        XCTAssertEqual(values.any as? String, "released")
        values.removeObserver(reader, forKeyPath: "any")
    }

    func testRecordsOnSeveralThreads() {
        // Each thread has its own property, and all have one observer; what an observer sees must belong together.
        final class Checker: KeyValueObserver, @unchecked Sendable {
            let lock = NSLock()
            var wrong = 0
            var count = 0

            func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                let (old, new) = (change?[.oldKey] as? Int, change?[.newKey] as? Int)
                lock.withLock {
                    count += 1
                    if old == nil || new == nil { wrong += 1 }
                }
            }
        }
        final class Guarded: KeyValueObservable, @unchecked Sendable {
            let lock = NSRecursiveLock()
            @Observed var value = 0
        }
        let (guarded, checker) = (Guarded(), Checker())
        guarded.addObserver(checker, forKeyPath: "value", options: [.old, .new])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<1000 { guarded.lock.withLock { guarded.value = thread * 1000 + round } }
        }
        XCTAssertEqual(checker.count, 4000)
        XCTAssertEqual(checker.wrong, 0)
        guarded.removeObserver(checker, forKeyPath: "value")
    }

    func testKeysOfEntriesAreTheirNames() {
        for key in [NSKeyValueChangeKey.kindKey, .newKey, .oldKey, .indexesKey, .notificationIsPriorKey] {
            XCTAssertEqual(NSKeyValueChangeKey(rawValue: key.rawValue), key)
            XCTAssertEqual(NSKeyValueChangeKey(rawValue: key.rawValue).hashValue, key.hashValue)
        }
        XCTAssertEqual(NSKeyValueChangeKey(rawValue: "other"), NSKeyValueChangeKey(rawValue: "other"))
        XCTAssertNotEqual(NSKeyValueChangeKey(rawValue: "other"), NSKeyValueChangeKey(rawValue: "another"))
        XCTAssertNotEqual(NSKeyValueChangeKey(rawValue: "new"), .oldKey)
    }
}
