import Kivo
import XCTest

/// Nil equals nil, so that it is also at least and at most nil, whether the other nil is in a property or a constant. A path through
/// a nil link is nil.
final class QueryNilTests: RealmTestCase {
    private func fill() throws -> Results<QueryFuzzThing> {
        let realm = try openRealm()
        try realm.write {
            let target = realm.create(
                QueryFuzzThing.self, value: ["id": 1, "optInt": 5, "optText": "a"] as [String: Any])
            realm.create(QueryFuzzThing.self, value: ["id": 2, "link": target] as [String: Any])
        }
        return realm.objects(QueryFuzzThing.self)
    }

    private func ids(_ results: Results<QueryFuzzThing>) -> [Int] { results.map(\.id) }

    func testTwoPropertiesWithoutValueAreEqual() throws {
        let things = try fill()
        XCTAssertEqual(ids(things.where { $0.optInt >= $0.optInt }), [1, 2])
        XCTAssertEqual(ids(things.where { $0.optInt <= $0.optInt }), [1, 2])
        XCTAssertEqual(ids(things.where { $0.optInt == $0.optInt }), [1, 2])
        XCTAssertEqual(ids(things.where { $0.optInt > $0.optInt }), [])
        XCTAssertEqual(ids(things.where { $0.optInt != $0.optInt }), [])
        XCTAssertEqual(ids(things.filter("optInt >= optDouble")), [2])
        XCTAssertEqual(ids(things.filter("optInt != optDouble")), [1])
        XCTAssertEqual(ids(things.filter("optText >=[c] optText")), [1, 2])
        XCTAssertEqual(ids(things.filter("optText CONTAINS optText")), [1])
        XCTAssertEqual(ids(things.filter("optText LIKE optText")), [1, 2])
    }

    func testNilIsAtLeastAndAtMostNil() throws {
        let things = try fill()
        XCTAssertEqual(ids(things.where { $0.optInt >= nil }), [2])
        XCTAssertEqual(ids(things.where { $0.optInt <= nil }), [2])
        XCTAssertEqual(ids(things.where { $0.optInt > nil }), [])
        XCTAssertEqual(ids(things.where { $0.optInt < nil }), [])
        for name in ["optInt", "optDouble", "optText"] {
            let expected = name == "optDouble" ? [1, 2] : [2]
            for sign in ["==", "<=", ">=", "LIKE", "LIKE[c]"] where name == "optText" || sign.count == 2 {
                XCTAssertEqual(ids(things.filter("\(name) \(sign) nil")), expected, "\(name) \(sign)")
                XCTAssertEqual(ids(things.filter("NOT \(name) \(sign) nil")).count, 2 - expected.count)
            }
            for sign in ["<", ">"] { XCTAssertEqual(ids(things.filter("\(name) \(sign) nil")), []) }
        }
        XCTAssertEqual(ids(things.filter("nil <= optInt")), [2])
        XCTAssertEqual(ids(things.filter("link.optInt >= nil")), [1])
        XCTAssertEqual(ids(things.filter("link.numbers.@max <= nil")), [1, 2])
        XCTAssertEqual(ids(things.filter("optInt BETWEEN {nil, 9}")), [])
        XCTAssertEqual(ids(things.filter("optInt BETWEEN {nil, nil}")), [2])
    }

    func testWhatIsBehindALinkThatIsNilIsNilForAnotherProperty() throws {
        let things = try fill()
        XCTAssertEqual(ids(things.where { $0.link.int == $0.link.int }), [1, 2])
        XCTAssertEqual(ids(things.where { $0.link.int != $0.link.int }), [])
        XCTAssertEqual(ids(things.where { $0.link.link == $0.link.link }), [1, 2])
        XCTAssertEqual(ids(things.where { $0.link == $0.link.link }), [1])
        XCTAssertEqual(ids(things.filter("optInt == link.optInt")), [])
        XCTAssertEqual(ids(things.filter("optInt != link.optInt")), [1, 2])
        XCTAssertEqual(ids(things.filter("link.things.@count == link.things.@count")), [1, 2])
        // Behind a collection there are as many values as there are.
        XCTAssertEqual(ids(things.filter("things.int == things.int")), [])
    }

    func testAPathThroughANilLinkIsNil() throws {
        let things = try fill()
        XCTAssertEqual(ids(things.filter("link.optText == nil")), [1])
        XCTAssertEqual(ids(things.filter("link.optText != nil")), [2])
        XCTAssertEqual(ids(things.filter("link.optInt != 7")), [1, 2])
        XCTAssertEqual(ids(things.filter("link.int < 7")), [2])
        XCTAssertEqual(ids(things.filter("NOT link.int < 7")), [1])
        XCTAssertEqual(ids(things.filter("link.optText != 'b'")), [1, 2])
        XCTAssertEqual(ids(things.filter("NOT link.optText == 'b'")), [1, 2])
        XCTAssertEqual(ids(things.filter("link.optText !=[c] 'A'")), [1])
        XCTAssertEqual(ids(things.filter("link.optText BEGINSWITH 'a'")), [2])
        XCTAssertEqual(ids(things.filter("link.optInt IN {5, nil}")), [1, 2])
        XCTAssertEqual(ids(things.filter("link.optInt BETWEEN {0, 9}")), [2])
        XCTAssertEqual(ids(things.filter("link.int + 1 == nil")), [1])
        XCTAssertEqual(ids(things.where { $0.link.link == nil }), [1, 2])
        XCTAssertEqual(ids(things.where { $0.link.link.link == nil }), [1, 2])
        XCTAssertEqual(ids(things.where { $0.link.optInt == nil }), [1])
        XCTAssertEqual(ids(things.where { $0.link.text != "" }), [1])
        XCTAssertEqual(ids(things.filter("link.map['a'] == nil")), [1, 2])
        XCTAssertEqual(ids(things.filter("link.link IN %@", [nil] as [QueryFuzzThing?])), [1, 2])
    }

    /// A missing collection counts as empty, and has no smallest element.
    func testACollectionBehindANilLinkIsEmpty() throws {
        let things = try fill()
        XCTAssertEqual(ids(things.filter("link.things.@count == 0")), [1, 2])
        XCTAssertEqual(ids(things.filter("link.numbers.@sum == 0")), [1, 2])
        XCTAssertEqual(ids(things.filter("link.numbers.@max == nil")), [1, 2])
        XCTAssertEqual(ids(things.filter("SUBQUERY(link.things, $t, $t.int == 0).@count == 0")), [1, 2])
        XCTAssertEqual(ids(things.filter("ANY link.numbers == 0 OR ANY link.numbers != 0")), [])
        XCTAssertEqual(ids(things.filter("ALL link.numbers == 0")), [1, 2])
    }

    /// Objects in no realm, and observed results, have the same rules.
    func testUnmanagedAndObserved() throws {
        let things = try fill()
        let list = List<QueryFuzzThing>()
        list.append(QueryFuzzThing())
        list.append(QueryFuzzThing(value: ["link": QueryFuzzThing()]))
        for (format, index) in [
            ("link.optText != 'a'", 0), ("link.int == nil", 0), ("link.int != nil", 1), ("link.int < 7", 1),
            ("link.things.@count == 0", 0), ("link.numbers.@max == nil", 0), ("link.link.link == nil", 0),
            ("SUBQUERY(link.things, $t, $t.int == 0).@count == 0", 0), ("link.int + 1 == 1", 1),
        ] { XCTAssertEqual(list.index(matching: format), index, format) }
        let without = things.filter("link.optText == nil")
        var calls: [String] = []
        let token = without.observe { calls.append(self.text($0)) }
        try things.realm!.write { things[1].link = nil }
        things.realm!.refresh()
        XCTAssertEqual(ids(without), [1, 2])
        try things.realm!.write { things[0].link = things[0] }
        things.realm!.refresh()
        XCTAssertEqual(calls, ["initial", "-[] +[1] ~[]", "-[0] +[] ~[]"])
        token.invalidate()
    }
}

/// Subqueries within subqueries.
final class NestedSubqueryTests: QueryTestCase {
    func testBothWaysToSayItAgreeWithTheStandardLibrary() {
        let owners = realm.objects(YardOwner.self)
        let expected = self.owners.filter { owner in
            owner.dogs.filter { dog in dog.keepers.filter { $0.age > 10 }.count >= 2 && dog.age < 8 }.count
                >= 1
        }.map(\.id)
        let typed = owners.where { (($0.dogs.keepers.age > 10).count >= 2 && $0.dogs.age < 8).count >= 1 }
        XCTAssertEqual(typed.map(\.id), expected)
        let text = owners.filter(
            "SUBQUERY(dogs, $d, SUBQUERY($d.keepers, $k, $k.age > 10).@count >= 2 AND $d.age < 8).@count >= 1"
        )
        XCTAssertEqual(text.map(\.id), expected)
        XCTAssertFalse(expected.isEmpty)
        XCTAssertNotEqual(expected.count, self.owners.count)
    }

    func testThreeDeep() {
        let owners = realm.objects(YardOwner.self)
        let typed = owners.where {
            ((($0.dogs.keepers.dogs.age > 4).count >= 2 && $0.dogs.keepers.age > 20).count >= 1
                && $0.dogs.age < 8).count >= 2
        }
        let expected = self.owners.filter { owner in
            owner.dogs.filter { dog in
                dog.age < 8
                    && dog.keepers.filter { keeper in
                        keeper.age > 20 && keeper.dogs.filter { $0.age > 4 }.count >= 2
                    }.count >= 1
            }.count >= 2
        }.map(\.id)
        XCTAssertEqual(typed.map(\.id), expected)
        XCTAssertFalse(expected.isEmpty)
    }

    /// An observed query follows what both levels look at.
    func testTheyAreFollowed() throws {
        let found = realm.objects(YardOwner.self).where {
            (($0.dogs.keepers.age > 100).count >= 1 && $0.dogs.age > 100).count >= 1
        }
        var updates: [String] = []
        let token = found.observe { updates.append(self.text($0)) }
        realm.refresh()
        try realm.write { owners[1].dogs.first!.age = 101 }
        realm.refresh()
        XCTAssertEqual(found.count, 0)
        try realm.write { owners[1].age = 101 }
        realm.refresh()
        XCTAssertTrue(found.contains(owners[1]))
        XCTAssertEqual(updates.count, 2)
        token.invalidate()
    }
}
