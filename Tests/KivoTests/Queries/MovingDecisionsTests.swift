import Foundation
import Kivo
import XCTest

/// The decisions about values and conditions on the page about migrating to Kivo.
final class MovingDecisionsTests: RealmTestCase {
    func testDecimalsAreKeptAsNumbers() throws {
        let realm = try openRealm()
        let price = try Decimal128(string: "1.50")
        let box = try realm.write { realm.create(NumberBox.self, value: ["decimal": price]) }
        XCTAssertEqual(box.decimal, price)
        XCTAssertEqual("\(price)", "1.5")
        XCTAssertEqual("\(box.decimal)", "1.5")
        XCTAssertEqual(realm.objects(NumberBox.self).filter("decimal == %@", price).count, 1)
    }

    func testSetsOfDecimalsAreSortedByValueWhenAsked() throws {
        let realm = try openRealm()
        let thing = try realm.write { realm.create(TrialThing.self) }
        let numbers: [Decimal128] = [10, -3, 200, try Decimal128(string: "0.5")]
        try realm.write { thing.decimals.insert(objectsIn: numbers) }
        XCTAssertEqual(Set(thing.decimals), Set(numbers))
        XCTAssertEqual(Array(thing.decimals.sorted(ascending: true)), numbers.sorted())
    }

    func testAnAssignedElementThatMovesInItsSectionIsAModification() throws {
        let realm = try openRealm()
        try realm.write {
            for name in ["apple", "banana", "box"] { realm.create(SectionsItem.self, value: ["name": name]) }
        }
        let items = realm.objects(SectionsItem.self)
        let sections = items.sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "name")])
        var calls: [[[IndexPath]]] = []
        func note<C>(_ change: SectionedResultsChange<C>) {
            guard case .update(_, let deletions, let insertions, let modifications, _, _) = change else {
                return
            }
            calls.append([deletions, insertions, modifications])
        }
        let tokens = [sections.observe { note($0) }, sections[1].observe { note($0) }]
        realm.refresh()
        try realm.write {
            realm.delete(items.filter("name == 'banana'"))
            items.filter("name == 'box'").first?.name = "bog"
        }
        realm.refresh()
        let (first, second) = (IndexPath(item: 0, section: 1), IndexPath(item: 1, section: 1))
        XCTAssertEqual(calls, [[[first], [], [second]], [[first], [], [second]]])
        calls = []
        try realm.write {
            items.filter("name == 'bog'").first?.name = "box"
            realm.create(SectionsItem.self, value: ["name": "bag"])
        }
        realm.refresh()
        XCTAssertEqual(calls, [[[], [first], [first]], [[], [first], [first]]])
        tokens.forEach { $0.invalidate() }
    }

    func testAMissingKeyIsNil() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(Bag.self, value: ["name": "none"])
            realm.create(
                Bag.self,
                value: ["name": "nil", "maybeCounts": ["a": NSNull()], "dogsByName": ["a": NSNull()]]
                    as [String: Any])
            realm.create(
                Bag.self,
                value: ["name": "one", "maybeCounts": ["a": 1], "dogsByName": ["a": ["age": 1]]]
                    as [String: Any])
        }
        func names(_ format: String) -> [String] { realm.objects(Bag.self).filter(format).map(\.name) }
        XCTAssertEqual(names("maybeCounts['a'] == nil"), ["none", "nil"])
        XCTAssertEqual(names("maybeCounts['a'] != 2"), ["none", "nil", "one"])
        XCTAssertEqual(names("maybeCounts['a'] < 2"), ["one"])
        XCTAssertEqual(names("dogsByName['a'] == nil"), ["none", "nil"])
        XCTAssertEqual(names("dogsByName['a'] != nil"), ["one"])
        XCTAssertEqual(names("dogsByName['a'].age != 2"), ["none", "nil", "one"])
    }

    func testAggregatesThroughTwoCollectionsAreOfEachByItself() throws {
        let realm = try openRealm()
        try realm.write {
            let things = (0..<4).map { realm.create(TrialThing.self, value: ["id": $0]) }
            things[0].things.append(objectsIn: [things[1], things[2]])
            for thing in things[1...2] { thing.ints.append(objectsIn: [1, 2]) }
        }
        func ids(_ format: String) -> [Int] { realm.objects(TrialThing.self).filter(format).map(\.id) }
        XCTAssertEqual(ids("things.ints.@count == 2"), [0])
        XCTAssertEqual(ids("things.ints.@sum == 3"), [0])
        XCTAssertEqual(ids("things.ints.@count == 4"), [])
        XCTAssertEqual(ids("link.ints.@sum == 0"), [0, 1, 2, 3])
    }
}
