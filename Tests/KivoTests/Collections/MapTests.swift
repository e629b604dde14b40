import Kivo
import XCTest

final class MapTests: RealmTestCase {
    private func compare(_ map: Map<String, Int>, _ random: inout RandomSource, steps: Int) {
        var model = Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) })
        for _ in 0..<steps {
            let (key, value) = ("key \(random.below(30))", random.below(100))
            switch random.below(6) {
            case 0, 1:
                map[key] = value
                model[key] = value
            case 2:
                map.updateValue(value, forKey: key)
                model[key] = value
            case 3:
                map[key] = nil
                model[key] = nil
            case 4:
                map.merge([(key: key, value: value)]) { $0 + $1 }
                model.merge([key: value]) { $0 + $1 }
            default:
                if random.chance(10) {
                    map.removeAll()
                    model = [:]
                } else {
                    map.removeObject(for: key)
                    model[key] = nil
                }
            }
            XCTAssertEqual(map.count, model.count)
            XCTAssertEqual(map.keys, model.keys.sorted())
            XCTAssertEqual(map.values, model.keys.sorted().map { model[$0]! })
            XCTAssertEqual(map[key], model[key])
        }
    }

    func testMapsAreDictionaries() throws {
        var random = RandomSource()
        compare(Map<String, Int>(), &random, steps: 300)
        let realm = try openRealm()
        let bag = Bag()
        try realm.write { realm.add(bag) }
        for _ in 0..<5 { try realm.write { compare(bag.counts, &random, steps: 60) } }
    }

    func testNilRemovesAndStoredNilStays() throws {
        let realm = try openRealm()
        let bag = Bag()
        realm.beginWrite()
        realm.add(bag)
        for map in [Map<String, Int?>(), bag.maybeCounts] {
            map["a"] = 1
            map["b"] = .some(nil)
            XCTAssertEqual(map.count, 2)
            XCTAssertEqual(map["a"], 1)
            XCTAssertNotNil(map["b"] as Any?)
            XCTAssertEqual(map["b"], .some(nil))
            XCTAssertNil(map["c"] as Any?)
            map["a"] = nil
            XCTAssertEqual(map.keys, ["b"])
        }
        realm.cancelWrite()
    }

    func testDeletedObjectsLeaveTheirKeys() throws {
        let realm = try openRealm()
        let bag = Bag()
        let dog = Dog(value: ["name": "Rex"])
        try realm.write {
            realm.add(bag)
            bag.dogsByName["rex"] = dog
            bag.dogsByName["max"] = Dog(value: ["name": "Max"])
            bag.dogsByName["nobody"] = .some(nil)
        }
        XCTAssertEqual(bag.dogsByName["rex"]??.name, "Rex")
        try realm.write { realm.delete(dog) }
        XCTAssertEqual(bag.dogsByName.keys, ["max", "nobody", "rex"])
        XCTAssertEqual(bag.dogsByName["rex"], .some(nil))
        XCTAssertEqual(bag.dogsByName["max"]??.name, "Max")
    }

    func testTheMapStaysTheSameWhenItsObjectIsAdded() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["counts": ["b": 2, "a": 1]])
        let map = bag.counts
        try realm.write {
            realm.add(bag)
            map["c"] = 3
            bag.counts = bag.counts
        }
        XCTAssertTrue(map === bag.counts)
        XCTAssertEqual(map.values, [1, 2, 3])
        let frozen = map.freeze()
        try realm.write { map.removeAll() }
        XCTAssertEqual(frozen.keys, ["a", "b", "c"])
    }
}
