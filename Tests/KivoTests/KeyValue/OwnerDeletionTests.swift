import Kivo
import XCTest

/// Results of collections whose owner is deleted.
final class OwnerDeletionTests: RealmTestCase {
    /// As in realm-swift: three empty arrays would say nothing.
    func testEmptyResultsAreNotNotified() throws {
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self) }
        var calls: [String] = []
        let tokens = [
            bag.numbers.sorted().observe { calls.append("sorted \(self.text($0))") },
            bag.numbers.distinct(by: ["self"]).observe { calls.append("distinct \(self.text($0))") },
            bag.numbers.where { $0 > 1 }.observe { calls.append("filtered \(self.text($0))") },
            bag.dogs.sorted(by: \.age).observe { calls.append("objects \(self.text($0))") },
        ]
        realm.refresh()
        calls = []
        try realm.write { realm.create(Bag.self) }
        realm.refresh()
        XCTAssertEqual(calls, [])
        try realm.write { realm.delete(bag) }
        realm.refresh()
        XCTAssertEqual(calls, [])
        try realm.write { realm.create(Bag.self) }
        realm.refresh()
        XCTAssertEqual(calls, [])
        tokens.forEach { $0.invalidate() }
    }

    /// As in realm-swift: clearing is recorded, even if it takes back what the same transaction did. Results compare.
    func testCollectionsThatAreFilledAndClearedReportNoElements() throws {
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self) }
        var calls: [String] = []
        let tokens = [
            bag.numbers.observe { calls.append("numbers \(self.text($0))") },
            bag.dogs.observe { calls.append("dogs \(self.text($0))") },
            bag.dogSet.observe { calls.append("set \(self.text($0))") },
            bag.numbers.sorted().observe { calls.append("sorted \(self.text($0))") },
            realm.objects(Dog.self).observe { calls.append("results \(self.text($0))") },
        ]
        realm.refresh()
        calls = []
        try realm.write {
            bag.numbers.append(1)
            bag.numbers.removeAll()
            let dog = Dog(value: ["name": "a"])
            bag.dogs.append(dog)
            bag.dogSet.insert(dog)
            bag.dogs.removeAll()
            bag.dogSet.removeAll()
            realm.delete(dog)
        }
        realm.refresh()
        XCTAssertEqual(calls, ["numbers -[] +[] ~[]", "dogs -[] +[] ~[]", "set -[] +[] ~[]"])
        tokens.forEach { $0.invalidate() }
    }

    func testResultsOfObjectsAreValidAndEmpty() throws {
        let realm = try openRealm()
        let bag = try realm.write {
            realm.create(Bag.self, value: ["dogs": [["age": 3]], "dogSet": [["age": 4]]])
        }
        let (list, set) = (bag.dogs.where { $0.age > 1 }, bag.dogSet.sorted(by: \.age))
        let values = bag.numbers.sorted()
        var calls: [String] = []
        let token = set.observe { calls.append(self.text($0)) }
        realm.refresh()
        XCTAssertEqual([list.count, set.count], [1, 1])
        try realm.write {
            realm.delete(bag)
            XCTAssertEqual([list.count, set.count, values.count], [0, 0, 0])
        }
        realm.refresh()
        XCTAssertEqual(calls, ["initial", "-[0] +[] ~[]"])
        for results in [list, set] {
            XCTAssertFalse(results.isInvalidated)
            XCTAssertEqual(results.count, 0)
            XCTAssertNil(results.first)
            XCTAssertEqual(Array(results).count, 0)
            XCTAssertNil(results.max(of: \.age))
            XCTAssertEqual(results.where { $0.age > 0 }.count, 0)
            XCTAssertEqual(results.freeze().count, 0)
            results.observe { _ in }.invalidate()
        }
        XCTAssertTrue(values.isInvalidated)
        token.invalidate()
    }
}
