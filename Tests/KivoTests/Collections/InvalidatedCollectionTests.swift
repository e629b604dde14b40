import Foundation
import Kivo
import XCTest

/// The collections of an invalidated realm read as empty from then on.
final class InvalidatedCollectionTests: RealmTestCase {
    func testCollectionsReadEmpty() throws {
        let realm = try openRealm()
        let bag = Bag(value: [
            "numbers": [1, 2], "dogs": [["name": "Rex"]], "wordSet": ["a"], "counts": ["k": 1],
        ])
        try realm.write { realm.add(bag) }
        let (numbers, dogs, words, counts) = (bag.numbers, bag.dogs, bag.wordSet, bag.counts)
        realm.invalidate()
        XCTAssertTrue(numbers.isInvalidated)
        for _ in 0..<2 {
            XCTAssertEqual(numbers.count, 0)
            XCTAssertEqual(Array(numbers), [])
            XCTAssertNil(numbers.first)
            XCTAssertNil(numbers.last)
            XCTAssertNil(numbers.index(of: 1))
            XCTAssertEqual(dogs.count, 0)
            XCTAssertEqual(dogs.map(\.name), [])
            XCTAssertEqual(words.count, 0)
            XCTAssertFalse(words.contains("a"))
            XCTAssertEqual(counts.count, 0)
            XCTAssertNil(counts["k"])
            // They stay so when the realm reads again.
            XCTAssertEqual(realm.objects(Bag.self).first.map { Array($0.numbers) }, [1, 2])
        }
    }

    /// Results of objects stay valid, wherever they come from.
    func testResultsOfCollectionsOfADeletedObjectAreEmpty() throws {
        let realm = try openRealm()
        let person = Person(value: ["dogs": [["age": 1]], "owned": []] as [String: Any])
        try realm.write {
            realm.add(person)
            person.dogs[0].owner = person
        }
        let all = [
            person.dogs.where { $0.age > 0 }, person.owned.where { $0.age > 0 },
            person.owned.sorted(byKeyPath: "age"),
        ]
        let sections = person.dogs.sectioned(by: \.age)
        XCTAssertEqual(all.map(\.count), [1, 1, 1])
        try realm.write { realm.delete(person) }
        for results in all {
            XCTAssertFalse(results.isInvalidated)
            XCTAssertEqual(results.count, 0)
            XCTAssertEqual(Array(results), [])
            XCTAssertEqual(results.freeze().count, 0)
        }
        XCTAssertFalse(sections.isInvalidated)
        XCTAssertEqual(sections.count, 0)
        realm.invalidate()
        XCTAssert(all.allSatisfy(\.isInvalidated))
        XCTAssert(sections.isInvalidated)
    }

    func testCollectionsOfADeletedObjectReadEmpty() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1, 2]])
        try realm.write { realm.add(bag) }
        let numbers = bag.numbers
        try realm.write { realm.delete(bag) }
        XCTAssertTrue(numbers.isInvalidated)
        XCTAssertEqual(numbers.count, 0)
        XCTAssertEqual(Array(numbers), [])
    }
}
