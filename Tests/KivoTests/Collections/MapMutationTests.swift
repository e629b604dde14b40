import Foundation
import Kivo
import XCTest

/// Changes of maps, and the notifications of the property's observers.
final class MapMutationTests: RealmTestCase {
    private func map<T: RealmCollectionValue>(_ entries: [String: T]) -> Map<String, T> {
        let map = Map<String, T>()
        map.merge(entries.map { (key: $0.key, value: $0.value) }) { $1 }
        return map
    }

    private func entries<T: RealmCollectionValue>(_ map: Map<String, T>) -> [String: T] {
        Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) })
    }

    // MARK: Single entries

    func testUpdating() throws {
        try onBothKinds({ Bag() }) { bag in
            let recorder = observe(bag, "counts")
            bag.counts.updateValue(1, forKey: "a")
            XCTAssertEqual(told(recorder), ["counts 1 old [:] new [\"a\": 1]"])
            bag.counts["a"] = 2
            XCTAssertEqual(told(recorder), ["counts 1 old [\"a\": 1] new [\"a\": 2]"])
            bag.counts.updateValue(2, forKey: "a")
            XCTAssertEqual(told(recorder), ["counts 1 old [\"a\": 2] new [\"a\": 2]"], "an equal one")
            bag.counts.setValue(3, forKey: "a")
            XCTAssertEqual(told(recorder), ["counts 1 old [\"a\": 2] new [\"a\": 3]"])
            bag.removeObserver(recorder, forKeyPath: "counts")
        }
    }

    func testRemoving() throws {
        try onBothKinds({ Bag(value: ["counts": ["a": 1, "b": 2, "c": 3, "d": 4]]) }) { bag in
            let recorder = observe(bag, "counts", [])
            bag.counts.removeObject(for: "a")
            XCTAssertEqual(told(recorder), ["counts 1"])
            bag.counts["b"] = nil
            XCTAssertEqual(told(recorder), ["counts 1"])
            bag.counts.setValue(nil, forKey: "c")
            XCTAssertEqual(told(recorder), ["counts 1"])
            bag.counts.removeObject(for: "a")
            bag.counts["b"] = nil
            bag.counts.setValue(NSNull(), forKey: "x")
            XCTAssertEqual(told(recorder), [], "there is no such entry")
            XCTAssertEqual(bag.counts.keys, ["d"])
            bag.counts.removeAll()
            XCTAssertEqual(told(recorder), ["counts 1"])
            XCTAssertTrue(bag.counts.isEmpty)
            bag.counts.removeAll()
            XCTAssertEqual(told(recorder), [], "there is nothing")
            bag.removeObserver(recorder, forKeyPath: "counts")
        }
    }

    func testStoredNil() throws {
        try onBothKinds({ Bag() }) { bag in
            let recorder = observe(bag, "maybeCounts", [])
            bag.maybeCounts["a"] = .some(nil)
            bag.maybeCounts.updateValue(nil, forKey: "b")
            XCTAssertEqual(told(recorder).count, 2)
            XCTAssertEqual(bag.maybeCounts.keys, ["a", "b"])
            bag.maybeCounts["a"] = .none
            bag.maybeCounts.removeObject(for: "b")
            XCTAssertEqual(told(recorder).count, 2)
            XCTAssertTrue(bag.maybeCounts.isEmpty)
            bag.removeObserver(recorder, forKeyPath: "maybeCounts")
        }
    }

    // MARK: Merging

    func testMergingIsOneChange() throws {
        try onBothKinds({ Bag(value: ["counts": ["a": 1, "b": 2]]) }) { bag in
            let recorder = observe(bag, "counts", [.prior])
            bag.counts.merge([(key: "c", value: 3), (key: "a", value: 10), (key: "c", value: 4)]) { $0 + $1 }
            XCTAssertEqual(told(recorder), ["counts 1 prior", "counts 1"])
            XCTAssertEqual(entries(bag.counts), ["a": 11, "b": 2, "c": 7])
            bag.counts.merge([]) { $1 }
            XCTAssertEqual(told(recorder), [], "there is nothing to merge")
            bag.counts.merge(bag.counts) { $0 * $1 }
            XCTAssertEqual(told(recorder).count, 2)
            XCTAssertEqual(entries(bag.counts), ["a": 121, "b": 4, "c": 49])
            bag.counts.merge(map(["b": 0])) { old, _ in old }
            XCTAssertEqual(told(recorder).count, 2, "whatever the values are")
            XCTAssertEqual(bag.counts["b"], 4)
            bag.removeObserver(recorder, forKeyPath: "counts")
        }
    }

    func testMergingThatFails() throws {
        struct Refusal: Error {}
        try onBothKinds({ Bag(value: ["counts": ["b": 2]]) }) { bag in
            let recorder = observe(bag, "counts")
            XCTAssertThrowsError(
                try bag.counts.merge([(key: "a", value: 1), (key: "b", value: 3)]) { _, _ in throw Refusal() }
            )
            XCTAssertEqual(entries(bag.counts), ["b": 2])
            XCTAssertEqual(told(recorder), [])
            bag.removeObserver(recorder, forKeyPath: "counts")
        }
    }

    func testMergingObjects() throws {
        try onBothKinds({ Bag() }) { bag in
            let recorder = observe(bag, "dogsByName", [])
            let (rex, max) = (Dog(value: ["name": "Rex"]), Dog(value: ["name": "Max"]))
            bag.dogsByName.merge([(key: "r", value: rex), (key: "m", value: max), (key: "n", value: nil)]) {
                $1
            }
            XCTAssertEqual(told(recorder), ["dogsByName 1"])
            XCTAssertEqual(bag.dogsByName.keys, ["m", "n", "r"])
            XCTAssertEqual(bag.dogsByName.values.map { $0?.name }, ["Max", nil, "Rex"])
            bag.dogsByName.merge([(key: "m", value: rex)]) { old, _ in old }
            XCTAssertEqual(bag.dogsByName["m"]??.name, "Max")
            bag.removeObserver(recorder, forKeyPath: "dogsByName")
        }
    }

    func testMergingElsewhere() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["counts": ["a": 1]])
        try realm.write { realm.add(bag) }
        let recorder = observe(bag, "counts", [])
        try writeElsewhere { realm in
            realm.objects(Bag.self)[0].counts.merge([(key: "a", value: 2), (key: "b", value: 3)]) { $1 }
        }
        realm.refresh()
        XCTAssertEqual(told(recorder), ["counts 1"])
        XCTAssertEqual(entries(bag.counts), ["a": 2, "b": 3])
    }

    // MARK: Whole assignment

    func testAssigning() throws {
        try onBothKinds({ Bag(value: ["counts": ["a": 1]]) }) { bag in
            let recorder = observe(bag, "counts", [.new])
            let counts = bag.counts
            bag.counts = map(["b": 2])
            XCTAssertEqual(told(recorder), ["counts 1 new [\"b\": 2]"])
            bag.counts = bag.counts
            XCTAssertEqual(told(recorder), ["counts 1 new [\"b\": 2]"], "itself")
            bag.counts = map(["b": 2])
            XCTAssertEqual(told(recorder), ["counts 1 new [\"b\": 2]"], "an equal one")
            bag["counts"] = ["c": 3]
            XCTAssertEqual(told(recorder), ["counts 1 new [\"c\": 3]"])
            bag.setValue(["d": 4.0], forKey: "counts")
            XCTAssertEqual(told(recorder), ["counts 1 new [\"d\": 4]"])
            bag.counts = Map()
            XCTAssertEqual(told(recorder), ["counts 1 new [:]"])
            bag.counts = Map()
            XCTAssertEqual(told(recorder), ["counts 1 new [:]"])
            XCTAssertTrue(counts === bag.counts)
            bag.removeObserver(recorder, forKeyPath: "counts")
        }
    }

    func testAssigningTheMapOfAnotherObject() throws {
        let realm = try openRealm()
        let (bag, other) = (Bag(), Bag(value: ["counts": ["a": 1], "dogsByName": ["r": ["name": "Rex"]]]))
        try realm.write {
            realm.add([bag, other])
            bag.counts = other.counts
            bag.dogsByName = other.dogsByName
            other.counts["b"] = 2
        }
        XCTAssertEqual(entries(bag.counts), ["a": 1], "only the content was taken over")
        XCTAssertEqual(bag.dogsByName["r"]??.name, "Rex")
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        let same = realm.objects(Bag.self)[0]
        let recorder = observe(bag, "counts", [])
        try realm.write { same.counts = bag.counts }
        XCTAssertEqual(told(recorder), ["counts 1"])
        XCTAssertEqual(entries(bag.counts), ["a": 1])
    }

    // MARK: Random operations

    private func compare(_ bag: Bag, _ random: inout RandomSource, steps: Int) {
        let recorder = observe(bag, "counts", [])
        var model = entries(bag.counts)
        for step in 0..<steps {
            let (key, value) = ("key \(random.below(20))", random.below(100))
            let other = (0..<random.below(5)).map { _ in
                (key: "key \(random.below(20))", value: random.below(100))
            }
            var isChange = true
            switch random.below(9) {
            case 0, 1:
                bag.counts[key] = value
                model[key] = value
            case 2:
                bag.counts.updateValue(value, forKey: key)
                model.updateValue(value, forKey: key)
            case 3:
                bag.counts.removeObject(for: key)
                isChange = model.removeValue(forKey: key) != nil
            case 4:
                bag.counts.merge(other) { $0 &* 3 &+ $1 }
                model.merge(other.map { ($0.key, $0.value) }) { $0 &* 3 &+ $1 }
                isChange = !other.isEmpty
            case 5 where random.chance(30):
                bag.counts.removeAll()
                isChange = !model.isEmpty
                model = [:]
            case 6 where random.chance(30):
                model = Dictionary(other.map { ($0.key, $0.value) }) { $1 }
                bag.counts = map(model)
            case 7:
                bag.counts = bag.counts
            default:
                bag.counts[key] = nil
                isChange = model.removeValue(forKey: key) != nil
            }
            XCTAssertEqual(told(recorder), isChange ? ["counts 1"] : [], "step \(step)")
            XCTAssertEqual(entries(bag.counts), model, "step \(step)")
            XCTAssertEqual(bag.counts.keys, model.keys.sorted(), "step \(step)")
            XCTAssertEqual(bag.counts.count, model.count, "step \(step)")
        }
        bag.removeObserver(recorder, forKeyPath: "counts")
    }

    func testRandomOperations() throws {
        var random = RandomSource()
        compare(Bag(), &random, steps: 2000)
        let realm = try openRealm()
        let bag = Bag()
        try realm.write { realm.add(bag) }
        for _ in 0..<10 {
            try realm.write { compare(bag, &random, steps: 200) }
            let copy = entries(bag.counts)
            realm.beginWrite()
            compare(bag, &random, steps: 20)
            realm.cancelWrite()
            XCTAssertEqual(entries(bag.counts), copy)
        }
    }
}
