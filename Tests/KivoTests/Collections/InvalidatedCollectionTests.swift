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
