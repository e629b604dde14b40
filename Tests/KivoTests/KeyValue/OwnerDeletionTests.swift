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
