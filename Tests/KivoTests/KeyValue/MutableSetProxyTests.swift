import Foundation
import Kivo
import TestRandomness
import XCTest

/// Live sets that stand for keys.
final class MutableSetProxyTests: RealmTestCase {
    private func ints(_ value: Any?) -> [Int] {
        if let set = value as? MutableSet<Int> { return set.sorted() }
        if let set = value as? NSMutableSet { return set.allObjects.compactMap { $0 as? Int }.sorted() }
        return ((value as? Set<Int>) ?? []).sorted()
    }

    /// Each operation on a set of values, and the notification that its observers receive: with set kinds, or as a setting.
    private let operations: [(name: String, work: (NSMutableSet) -> Void, result: [Int], told: String)] = [
        ("add", { $0.add(4) }, [1, 2, 3, 4], "2 new [4]"),
        ("add a member", { $0.add(3) }, [1, 2, 3], "2 new []"),
        ("add from", { $0.addObjects(from: [3, 4, 5, 4]) }, [1, 2, 3, 4, 5], "2 new [4, 5]"),
        ("union", { $0.union([0, 1]) }, [0, 1, 2, 3], "2 new [0]"),
        ("remove", { $0.remove(2) }, [1, 3], "3 old [2]"),
        ("remove a stranger", { $0.remove(9) }, [1, 2, 3], "3 old []"),
        ("minus", { $0.minus([2, 3, 4]) }, [1], "3 old [2, 3]"),
        ("intersect", { $0.intersect([2, 4]) }, [2], "3 old [1, 3]"),
        ("intersect with a superset", { $0.intersect([1, 2, 3, 4]) }, [1, 2, 3], "3 old []"),
        ("assign", { $0.setSet([3, 4]) }, [3, 4], "4 old [1, 2] new [4]"),
        ("assign an equal one", { $0.setSet([1, 2, 3]) }, [1, 2, 3], "4 old [] new []"),
        ("remove all", { $0.removeAllObjects() }, [], "3 old [1, 2, 3]"),
    ]

    func testEveryOperation() throws {
        let keys = [
            "members", "maybeMembers", "labels", "ownSet", "maybeOwnSet", "liveSet", "maybeLiveSet",
        ]
        try withEvery("key", in: keys) { key in
            for operation in operations {
                try onBothKinds({ Shelf() }) { shelf in
                    shelf.setValue(Set([1, 2, 3]), forKey: key)
                    let recorder = MemberRecorder()
                    shelf.addObserver(recorder, forKeyPath: key, options: [.old, .new])
                    operation.work(shelf.mutableSetValue(forKey: key))
                    XCTAssertEqual(ints(shelf.value(forKey: key)), operation.result, operation.name)
                    XCTAssertEqual(recorder.calls, [operation.told], operation.name)
                    shelf.removeObserver(recorder, forKeyPath: key)
                }
            }
        }
    }

    func testSetsOfTheModelAreSettings() throws {
        for operation in operations {
            try onBothKinds({ Shelf(value: ["set": [1, 2, 3]]) }) { shelf in
                let recorder = MemberRecorder()
                shelf.addObserver(recorder, forKeyPath: "set", options: [.old, .new])
                operation.work(shelf.mutableSetValue(forKey: "set"))
                XCTAssertEqual(ints(shelf.set), operation.result, operation.name)
                XCTAssertEqual(recorder.calls, ["1 old [1, 2, 3] new \(operation.result)"], operation.name)
                shelf.removeObserver(recorder, forKeyPath: "set")
            }
        }
    }

    func testFiltering() throws {
        for key in ["members", "set"] {
            try onBothKinds({ Shelf() }) { shelf in
                shelf.setValue(Set([1, 2, 3]), forKey: key)
                let recorder = MemberRecorder()
                shelf.addObserver(recorder, forKeyPath: key, options: [.old])
                shelf.mutableSetValue(forKey: key)
                    .filter(using: NSPredicate { value, _ in (value as? Int ?? 0) > 1 })
                XCTAssertEqual(ints(shelf.value(forKey: key)), [2, 3])
                XCTAssertEqual(recorder.calls.count, 1, key)
                shelf.removeObserver(recorder, forKeyPath: key)
            }
        }
    }

    func testPriors() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let recorder = MemberRecorder()
            shelf.addObserver(recorder, forKeyPath: "members", options: [.old, .new, .prior])
            let proxy = shelf.mutableSetValue(forKey: "members")
            proxy.union([1, 2])
            proxy.remove(2)
            proxy.setSet([3])
            XCTAssertEqual(
                recorder.calls,
                [
                    "2 prior", "2 new [1, 2]", "3 old [2] prior", "3 old [2]", "4 old [1] prior",
                    "4 old [1] new [3]",
                ])
            shelf.removeObserver(recorder, forKeyPath: "members")
        }
    }

    func testReading() throws {
        for key in ["set", "members", "labels"] {
            try onBothKinds({ Shelf() }) { shelf in
                shelf.setValue(Set([1, 2, 3]), forKey: key)
                let proxy = shelf.mutableSetValue(forKey: key)
                XCTAssertEqual(proxy.count, 3)
                XCTAssertTrue(proxy.contains(2))
                XCTAssertTrue(proxy.contains(NSNumber(value: 2)))
                XCTAssertFalse(proxy.contains(4))
                XCTAssertEqual(proxy.member(3) as? Int, 3)
                XCTAssertEqual(proxy.compactMap { $0 as? Int }.sorted(), [1, 2, 3])
                XCTAssertEqual(proxy.value(forKeyPath: "@sum.self") as? Int, 6)
                XCTAssertFalse(proxy.intersects([7]))
            }
        }
    }

    func testRandomOperations() throws {
        var random = RandomSource()
        for key in ["set", "members", "labels"] {
            try onBothKinds({ Shelf() }) { shelf in
                let recorder = MemberRecorder()
                shelf.addObserver(recorder, forKeyPath: key)
                let proxy = shelf.mutableSetValue(forKey: key)
                var model: Set<Int> = []
                for step in 1...400 {
                    let other = Set((0..<random.below(6)).map { _ in random.below(12) })
                    let one = random.below(12)
                    switch random.below(7) {
                    case 0: proxy.add(one); model.insert(one)
                    case 1: proxy.remove(one); model.remove(one)
                    case 2: proxy.union(other); model.formUnion(other)
                    case 3: proxy.minus(other); model.subtract(other)
                    case 4: proxy.intersect(other); model.formIntersection(other)
                    case 5: proxy.setSet(other); model = other
                    default: proxy.addObjects(from: Array(other)); model.formUnion(other)
                    }
                    XCTAssertEqual(ints(shelf.value(forKey: key)), model.sorted(), "\(key), step \(step)")
                    XCTAssertEqual(recorder.calls.count, step, "\(key), step \(step)")
                }
                shelf.removeObserver(recorder, forKeyPath: key)
            }
        }
    }
}

/// Records the notifications of a set of integers, with the members in ascending order.
private final class MemberRecorder: KeyValueObserver {
    private(set) var calls: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        var parts = ["\(change?[.kindKey] ?? "no kind")"]
        if let old = change?[.oldKey] { parts.append("old \(members(old))") }
        if let new = change?[.newKey] { parts.append("new \(members(new))") }
        if change?[.indexesKey] != nil { parts.append("with positions") }
        if change?[.notificationIsPriorKey] != nil { parts.append("prior") }
        calls.append(parts.joined(separator: " "))
    }

    private func members(_ value: Any) -> [Int] {
        if let array = value as? [Int] { return array.sorted() }
        return ((value as? Set<AnyHashable>) ?? []).compactMap { $0.base as? Int }.sorted()
    }
}
