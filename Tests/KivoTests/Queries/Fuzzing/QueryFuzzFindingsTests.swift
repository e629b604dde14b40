import Foundation
import Kivo
import XCTest

/// The findings of the query fuzz tests, each as small as possible.
final class QueryFuzzFindingsTests: RealmTestCase {
    /// Integers compared with a number that is none: NaN differs from all of them.
    func testIntegersAreComparedWithNaN() throws {
        let realm = try openRealm()
        try realm.write { _ = realm.create(QueryFuzzThing.self) }
        let things = realm.objects(QueryFuzzThing.self)
        XCTAssertEqual(things.filter("int != %@", Double.nan).count, 1)
        XCTAssertEqual(things.filter("int < %@", Double.nan).count, 0)
        XCTAssertEqual(things.filter("int IN %@", [Double.nan]).count, 0)
    }

    /// An element with a nil link on the way to a value is left out; a nil link at the end is a value.
    func testWhatIsBehindALinkThatIsNilIsInNoGroup() throws {
        let realm = try openRealm()
        try realm.write {
            let target = realm.create(QueryFuzzThing.self, value: ["id": 1])
            realm.create(QueryFuzzThing.self, value: ["id": 2, "link": target] as [String: Any])
        }
        let things = realm.objects(QueryFuzzThing.self)
        let distinct = things.distinct(by: ["link.link"])
        XCTAssertEqual(distinct.map(\.id), [2])
        // Before the elements are evaluated, too.
        XCTAssertEqual(things.distinct(by: ["link.link"]).first?.id, 2)
        XCTAssertTrue(things.filter("id == 1").distinct(by: ["link.link"]).isEmpty)
        XCTAssertEqual(things.distinct(by: ["text", "link.owner"]).map(\.id), [2])
        XCTAssertEqual(things.distinct(by: ["link.id"]).map(\.id), [2])
        XCTAssertEqual(things.distinct(by: ["link"]).map(\.id), [1, 2])
    }

    /// Options do not change what null equals.
    func testPropertiesWithoutValueAreComparedWithOptions() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(QueryFuzzThing.self, value: ["id": 1, "text": "a"])
            realm.create(QueryFuzzThing.self, value: ["id": 2, "text": "a", "optText": "A"])
            realm.create(QueryFuzzHolder.self, value: ["id": 3])
        }
        let things = realm.objects(QueryFuzzThing.self)
        XCTAssertEqual(things.filter("optText ==[c] text").map(\.id), [2])
        XCTAssertEqual(things.filter("optText !=[c] text").map(\.id), [1])
        XCTAssertEqual(things.filter("text !=[c] optText").map(\.id), [1])
        XCTAssertEqual(things.filter("optText ==[c] optText").map(\.id), [1, 2])
        XCTAssertEqual(
            things.where { $0.text.notEquals($0.optText, options: .caseInsensitive) }.map(\.id), [1])
    }

    /// The first element of distinct results for which a condition holds is one of them, not one that they
    /// left out.
    func testIndexOfTheFirstMatchInDistinctResults() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(QueryFuzzThing.self, value: ["id": 1, "text": "a", "int": 0])
            realm.create(QueryFuzzThing.self, value: ["id": 2, "text": "a", "int": 1])
            realm.create(QueryFuzzThing.self, value: ["id": 3, "text": "b", "int": 1])
        }
        let distinct = realm.objects(QueryFuzzThing.self).distinct(by: ["text"])
        XCTAssertEqual(distinct.map(\.id), [1, 3])
        XCTAssertEqual(distinct.index(matching: "int == 1"), 1)
        XCTAssertEqual(distinct.index(matching: { $0.int == 1 }), 1)
    }

    /// NaN differs from every number, of whatever type the property is that it is compared with.
    func testNaNDiffersFromTheIntegersOfAnotherProperty() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(QueryFuzzThing.self, value: ["double": Double.nan, "optDouble": Double.nan])
        }
        let things = realm.objects(QueryFuzzThing.self)
        XCTAssertEqual(things.filter("double == optDouble").count, 0)
        XCTAssertEqual(things.filter("double == int").count, 0)
        XCTAssertEqual(things.filter("int <= double").count, 0)
        XCTAssertEqual(things.filter("int != double").count, 1)
    }
}
