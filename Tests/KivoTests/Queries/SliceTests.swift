import Kivo
import XCTest

/// Slices read their collection: they show what it has now.
final class SliceTests: RealmTestCase {
    func testSlicesReadTheirCollection() throws {
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self, value: ["numbers": [1, 2, 3, 4, 5]]) }
        let (list, sorted) = (bag.numbers, bag.numbers.sorted(ascending: false))
        let (slice, first) = (list[1..<3], sorted.prefix(2))
        XCTAssertEqual(Array(slice), [2, 3])
        XCTAssertEqual(Array(first), [5, 4])
        XCTAssertEqual(Array(list[...2].dropFirst().suffix(1)), [3])
        XCTAssertEqual(Array(list.suffix(2)), [4, 5])
        XCTAssertEqual(list.dropLast(2).count, 3)
        XCTAssertEqual(list.index(0, offsetBy: 7, limitedBy: 5), nil)
        XCTAssertEqual(list.index(3, offsetBy: -3, limitedBy: 0), 0)
        XCTAssertEqual(list.index(3, offsetBy: -4, limitedBy: 0), nil)
        XCTAssertEqual(list.index(3, offsetBy: 2, limitedBy: 0), 5, "a limit on the other side is none")
        XCTAssertEqual(list.distance(from: 4, to: 1), -3)
        try realm.write { list.insert(9, at: 0) }
        XCTAssertEqual(Array(slice), [1, 2])
        XCTAssertEqual(Array(first), [9, 5])
    }

    func testSlicesOfUnmanagedListsAndOfSections() throws {
        let list = List<Int>()
        list.append(objectsIn: [1, 2, 3])
        XCTAssertEqual(Array(list.prefix(2)), [1, 2])
        let realm = try openRealm()
        try realm.write { for age in [1, 1, 2] { realm.create(Dog.self, value: ["age": age]) } }
        let sections = realm.objects(Dog.self).sectioned(by: \.age)
        XCTAssertEqual(sections.prefix(1).map(\.key), [1])
        XCTAssertEqual(sections[0].suffix(1).map(\.age), [1])
    }
}
