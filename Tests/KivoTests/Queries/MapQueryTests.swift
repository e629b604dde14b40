import Kivo
import XCTest

/// Queries and aggregates of maps' values.
final class MapQueryTests: RealmTestCase {
    private func fill(_ bag: Bag) {
        for (key, age) in [("c", 3), ("a", 7), ("b", 5), ("e", 3)] {
            let dog = Dog(value: ["name": key, "age": age])
            bag.dogsByName[key] = dog
            bag.counts[key] = age
            bag.maybeCounts[key] = .some(age)
        }
        bag.dogsByName["d"] = .some(nil)
        bag.maybeCounts["d"] = .some(nil)
    }

    private func checkAggregates(_ bag: Bag) {
        XCTAssertEqual(bag.counts.min(), 3)
        XCTAssertEqual(bag.counts.max(), 7)
        XCTAssertEqual(bag.counts.sum(), 18)
        XCTAssertEqual(bag.counts.average(), 4.5)
        XCTAssertEqual(bag.maybeCounts.min(), 3)
        XCTAssertEqual(bag.maybeCounts.max(), 7)
        XCTAssertEqual(bag.maybeCounts.sum(), 18)
        XCTAssertEqual(bag.maybeCounts.average(), 4.5)
        XCTAssertEqual(bag.dogsByName.min(of: \Dog.age), 3)
        XCTAssertEqual(bag.dogsByName.max(ofProperty: "age"), 7)
        XCTAssertEqual(bag.dogsByName.sum(of: \Dog.age), 18)
        XCTAssertEqual(bag.dogsByName.average(of: \Dog.age), 4.5)
        XCTAssertNil(Bag().counts.min())
        XCTAssertEqual(Bag().counts.sum(), 0)
    }

    func testAggregates() throws {
        let bag = Bag()
        fill(bag)
        checkAggregates(bag)
        let realm = try openRealm()
        try realm.write { realm.add(bag) }
        checkAggregates(bag)
        // A number of another type is converted, not taken for one.
        XCTAssertEqual(bag.dogsByName.min(ofProperty: "age") as Double?, 3)
        XCTAssertEqual(realm.objects(Dog.self).sum(ofProperty: "age") as Double, 18)
    }

    func testValuesAreFilteredAndSorted() throws {
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self) }
        try realm.write { fill(bag) }
        let names = { (results: Results<Dog?>) in results.map { $0?.name } as [String?] }
        XCTAssertEqual(names(bag.dogsByName.where { $0.age > 4 }), ["a", "b"])
        XCTAssertEqual(names(bag.dogsByName.filter("age < %@", 5)), ["c", "e"])
        XCTAssertEqual(names(bag.dogsByName.sorted(byKeyPath: "age")), ["c", "e", "b", "a"])
        XCTAssertEqual(names(bag.dogsByName.sorted(by: \Dog.age, ascending: false)), ["a", "b", "c", "e"])
        XCTAssertEqual(names(bag.dogsByName.sorted(by: ["age", "name"])), ["c", "e", "b", "a"])
        XCTAssertEqual(Array(bag.counts.sorted()), [3, 3, 5, 7])
        XCTAssertEqual(Array(bag.maybeCounts.sorted(ascending: false)), [7, 5, 3, 3, nil])
        func generic<M: RealmKeyedCollection>(_ map: M) -> Int where M.Value: SortableType {
            map.sorted().count
        }
        XCTAssertEqual(generic(bag.counts), 4)
    }

    func testResultsOfAMapFollowIt() throws {
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self) }
        try realm.write { fill(bag) }
        let young = bag.dogsByName.where { $0.age < 6 }.sorted(byKeyPath: "name")
        var updates: [String] = []
        let token = young.observe { updates.append(self.text($0)) }
        realm.refresh()
        try realm.write {
            bag.dogsByName["a"]??.age = 1
            realm.delete(bag.dogsByName["b"]!!)
            bag.dogsByName["c"] = nil
            bag.dogsByName["f"] = Dog(value: ["name": "f"])
        }
        realm.refresh()
        XCTAssertEqual(young.map { $0?.name }, ["a", "e", "f"])
        XCTAssertEqual(updates, ["initial", "-[0, 1] +[0, 2] ~[]"])
        try realm.write { while let dog = young.first { realm.delete(dog!) } }
        XCTAssertEqual(bag.dogsByName.keys, ["a", "b", "d", "e", "f"])
        XCTAssertEqual(young.count, 0)
        token.invalidate()
    }
}
