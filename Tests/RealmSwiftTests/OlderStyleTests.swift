import Foundation
import RealmSwift
import XCTest

/// Models of the older style behave like those with wrappers: alone, in a realm, by name and in queries.
final class OlderStyleTests: OlderStyleTestCase {
    /// A collection that is another object's already gives its elements, and stays where it is.
    func testACollectionIsNotShared() throws {
        let realm = try openRealm()
        let (first, list) = (Borrower(), RealmSwift.List<Int>())
        first.numbers.append(1)
        try realm.write { realm.add(first) }
        list.append(2)
        let (second, third, fourth) = (
            Borrower(numbers: first.numbers), Borrower(numbers: list), Borrower(numbers: list)
        )
        try realm.write {
            realm.add([second, third, fourth])
            for (number, borrower) in [second, third, fourth].enumerated() {
                borrower.numbers.append(number + 7)
            }
        }
        XCTAssertEqual(
            realm.objects(Borrower.self).map { Array($0.numbers) }, [[1], [1, 7], [2, 8], [2, 9]])
        XCTAssertTrue(third.numbers === list)
    }
}

class Borrower: Object {
    let numbers: RealmSwift.List<Int>

    required init() {
        numbers = List()
        super.init()
    }

    init(numbers: RealmSwift.List<Int>) {
        self.numbers = numbers
        super.init()
    }
}

@available(*, deprecated, message: "They use deprecated forms, and no others.")
extension OlderStyleTests {
    /// Makes a club with two members, one of whom has a dog.
    private func makeClub() -> Club {
        let club = Club()
        club.code.value = 7
        club.founded.value = 1899
        club.motto.value = .string("Sit")
        club.colours.insert(objectsIn: ["red", "blue"])
        club.rooms["hall"] = 2
        let (ann, ben) = (Keeper(value: ["name": "Ann"]), Keeper())
        ben.name = "Ben"
        ben.age.value = nil
        ann.dogs.append(Hound(value: ["name": "Rex", "temper": Temper.lively]))
        club.members.append(objectsIn: [ann, ben])
        return club
    }

    private func check(_ club: Club, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(club.code.value, 7, file: file, line: line)
        XCTAssertEqual(club.founded.value, 1899, file: file, line: line)
        XCTAssertEqual(club.motto.value, .string("Sit"), file: file, line: line)
        XCTAssertEqual(club.colours.sorted(), ["blue", "red"], file: file, line: line)
        XCTAssertEqual(club.rooms["hall"], 2, file: file, line: line)
        XCTAssertEqual(club.members.map { $0.name }, ["Ann", "Ben"], file: file, line: line)
        XCTAssertEqual(club.members.map { $0.age.value }, [18, nil], file: file, line: line)
        XCTAssertEqual(club.members.first?.dogs.first?.temper.value, .lively, file: file, line: line)
    }

    // MARK: Declarations

    func testTheSchemaHasTheProperties() throws {
        let schema = try openRealm().schema(of: Club.self)
        XCTAssertEqual(
            schema.properties.map(\.name), ["code", "members", "colours", "rooms", "founded", "motto"])
        XCTAssertEqual(schema.properties.map(\.type), [.int, .object, .string, .int, .int, .any])
        XCTAssertEqual(schema.properties.dropLast().map(\.isOptional), [true, false, false, false, true])
        XCTAssertEqual(schema.primaryKeyProperty?.name, "code")
        XCTAssertEqual(schema.properties.filter(\.isIndexed).map(\.name), ["code", "founded"])
        XCTAssertTrue(schema["members"]!.isArray && schema["colours"]!.isSet && schema["rooms"]!.isMap)
        XCTAssertEqual(schema["members"]?.objectClassName, "Keeper")
        let keeper = try openRealm().schema(of: Keeper.self)
        XCTAssertEqual(keeper.properties.map(\.name), ["name", "dogs", "visits", "age"])
        XCTAssertEqual(keeper["clubs"]?.type, .linkingObjects)
        let champion = try openRealm().schema(of: Champion.self)
        XCTAssertEqual(champion.properties.map(\.name), ["name", "temper", "titles", "best"])
    }

    // MARK: Values

    func testObjectsKeepTheirValuesWhenTheyAreAdded() throws {
        let realm = try openRealm()
        let club = makeClub()
        check(club)
        let (members, colours, rooms, founded) = (club.members, club.colours, club.rooms, club.founded)
        try realm.write { realm.add(club) }
        check(club)
        XCTAssertTrue(
            members === club.members && colours === club.colours && rooms === club.rooms
                && founded === club.founded)
        for collection in [members.realm, colours.realm, rooms.realm, club.members[0].clubs.realm] {
            XCTAssertEqual(collection, realm)
        }
        check(try XCTUnwrap(realm.objects(Club.self).first))
        for found in realm.objects(Club.self) { check(found) }
        check(try XCTUnwrap(realm.object(ofType: Club.self, forPrimaryKey: 7)))
        let frozen = club.freeze()
        try writeElsewhere { realm in
            let club = realm.objects(Club.self)[0]
            club.founded.value = nil
            club.members.removeLast()
            club.colours.removeAll()
            club.rooms["hall"] = 3
            club.motto.value = .object(club.members[0])
        }
        check(club)
        realm.refresh()
        XCTAssertNil(founded.value)
        XCTAssertEqual([members.count, colours.count, rooms["hall"] ?? 0], [1, 0, 3])
        XCTAssertEqual(club.motto.value.object(Keeper.self)?.name, "Ann")
        check(frozen)
        XCTAssertNil(frozen.thaw()?.founded.value)
    }

    func testInverseLinksBelongToTheirObject() throws {
        let realm = try openRealm()
        let club = makeClub()
        let rex = club.members[0].dogs[0]
        let keepers = rex.keepers
        XCTAssertTrue(keepers.isEmpty)
        try realm.write { realm.add(club) }
        XCTAssertEqual(keepers.map { $0.name }, ["Ann"])
        XCTAssertEqual(rex.keepers.first?.clubs.first?.code.value, 7)
        try realm.write { club.members[1].dogs.append(rex) }
        XCTAssertEqual(Set(rex.keepers.map { $0.name }), ["Ann", "Ben"])
        XCTAssertEqual(realm.objects(Hound.self)[0].freeze().keepers.count, 2)
        var calls: [Int] = []
        let token = rex.keepers.observe { change in
            if case .update(let keepers, _, _, _) = change { calls.append(keepers.count) }
        }
        realm.refresh()
        try realm.write { realm.delete(club.members[0]) }
        realm.refresh()
        XCTAssertEqual(calls, [1])
        token.invalidate()
    }

    func testObjectsAreMadeOfValues() throws {
        let realm = try openRealm()
        let values: [String: Any] = [
            "code": 3, "founded": NSNull(), "colours": ["green"], "rooms": ["bar": 1], "motto": 5,
            "members": [["name": "Cleo", "visits": [["notes": ["fine"], "weight": 2.5]]]],
        ]
        let made = try realm.write { realm.create(Club.self, value: values) }
        for club in [Club(value: values), made, realm.objects(Club.self)[0]] {
            XCTAssertEqual(club.code.value, 3)
            XCTAssertNil(club.founded.value)
            XCTAssertEqual(Array(club.colours), ["green"])
            XCTAssertEqual(club.rooms["bar"], 1)
            XCTAssertEqual(club.motto.value, .int(5))
            XCTAssertEqual(club.members[0].name, "Cleo")
            XCTAssertEqual(club.members[0].age.value, 18)
            XCTAssertEqual(Array(club.members[0].visits[0].notes), ["fine"])
            XCTAssertEqual(club.members[0].visits[0].weight.value, 2.5)
        }
        let champion = Champion(value: ["Rex", 4, ["first"], 9.5] as [Any])
        XCTAssertEqual(champion.temper.value, .lively)
        XCTAssertEqual(Array(champion.titles), ["first"])
        XCTAssertEqual(Champion(value: champion).best.value, 9.5)
        try realm.write {
            let updated = realm.create(
                Club.self, value: ["code": 3, "founded": 1900, "colours": ["blue"]], update: .modified)
            XCTAssertEqual(updated.founded.value, 1900)
            XCTAssertEqual(updated.rooms["bar"], 1, "what is given no value stays")
            XCTAssertEqual(updated.members.count, 1)
            updated.members.removeAll()
        }
        XCTAssertEqual(made.colours.sorted(), ["blue", "green"], "an update unites sets")
        XCTAssertEqual(made.members.count, 0)
    }

    func testEnumsInBoxesAreRawValuesByName() throws {
        let realm = try openRealm()
        let (alone, stored) = (MoodBox(), MoodBox())
        try realm.write { realm.add(stored) }
        for box in [alone, stored] {
            try realm.write {
                box.mood.value = .lively
                box.temper.value = .calm
            }
            for (name, raw) in [("mood", 4), ("temper", 1)] {
                XCTAssertEqual(box[name] as? Int, raw)
                XCTAssertEqual(box.value(forKey: name) as? Int, raw)
            }
            try realm.write {
                box["mood"] = 1
                box.setValue(Temper.lively, forKey: "temper")
            }
            XCTAssertEqual(box.mood.value, .calm)
            XCTAssertEqual(box.temper.value, .lively)
            try realm.write { box["mood"] = nil }
            XCTAssertNil(box["mood"])
        }
        XCTAssertEqual(realm.dynamicObjects("MoodBox").first?["temper"] as? Int, 4)
    }

    func testABoxOutlivesItsObject() throws {
        let realm = try openRealm()
        try realm.write { realm.add(makeClub()) }
        let founded = realm.objects(Club.self)[0].founded
        try realm.write { founded.value = 5 }
        XCTAssertEqual(realm.objects(Club.self)[0].founded.value, 5)
        realm.beginWrite()
        founded.value = 6
        realm.cancelWrite()
        XCTAssertEqual(founded.value, 5)
    }

    func testEmbeddedObjects() throws {
        let realm = try openRealm()
        let keeper = Keeper()
        keeper.visits.append(Visit(value: ["notes": ["a", "b"]]))
        try realm.write { realm.add(keeper) }
        let visit = keeper.visits[0]
        try realm.write {
            visit.notes.append("c")
            visit.weight.value = 3
        }
        XCTAssertEqual(Array(realm.objects(Keeper.self)[0].visits[0].notes), ["a", "b", "c"])
        let copy = Visit(value: visit)
        XCTAssertNil(copy.notes.realm)
        XCTAssertEqual(copy.weight.value, 3)
        try realm.write { keeper.visits.removeAll() }
        XCTAssertTrue(visit.isInvalidated)
    }

    // MARK: By name

    func testValuesByName() throws {
        let realm = try openRealm()
        let club = makeClub()
        for isManaged in [false, true] {
            if isManaged { try realm.write { realm.add(club) } }
            let edit = {
                XCTAssertEqual(club["founded"] as? Int, isManaged ? 5 : 1899)
                XCTAssertEqual(club.value(forKeyPath: "members.@count") as? Int, 2)
                XCTAssertTrue(club["members"] as AnyObject === club.members)
                club["founded"] = 4
                XCTAssertEqual(club.founded.value, 4)
                club.setValue(5.0, forKey: "founded")
                XCTAssertEqual(club.value(forKey: "founded") as? Int, 5)
                club["colours"] = ["pink"]
                XCTAssertEqual(Array(club.colours), ["pink"])
            }
            if isManaged { try realm.write(edit) } else { edit() }
        }
        XCTAssertEqual((club.members[0].value(forKey: "clubs") as? LinkingObjects<Club>)?.count, 1)
        XCTAssertTrue(club.description.contains("founded = 5"), club.description)
        XCTAssertEqual(realm.dynamicObjects("Club").first?["founded"] as? Int, 5)
    }

    func testQueries() throws {
        let realm = try openRealm()
        try realm.write {
            realm.add(makeClub())
            realm.create(Club.self, value: ["code": 8])
        }
        let clubs = realm.objects(Club.self)
        XCTAssertEqual(clubs.filter("founded == 1899").count, 1)
        XCTAssertEqual(clubs.filter("ANY members.name == 'Ben' AND 'red' IN colours").count, 1)
        XCTAssertEqual(clubs.where { $0.founded.value > 1800 }.count, 1)
        XCTAssertEqual(clubs.where { $0.founded.value == nil }.count, 1)
        XCTAssertEqual(clubs.where { $0.members.count == 2 && $0.members.name == "Ann" }.count, 1)
        XCTAssertEqual(clubs.where { $0.rooms["hall"] == 2 && $0.motto.value == .string("Sit") }.count, 1)
        XCTAssertEqual(clubs.sorted(byKeyPath: "code", ascending: false).first?.code.value, 8)
        XCTAssertEqual(clubs.sorted(by: \.code.value).first?.code.value, 7)
        XCTAssertEqual(clubs.max(of: \.code.value) ?? nil, 8)
        XCTAssertEqual(realm.objects(Keeper.self).where { $0.clubs.code.value == 7 }.count, 2)
        XCTAssertEqual(realm.objects(Keeper.self).filter("clubs.@count == 1 AND age == 18").count, 1)
        XCTAssertEqual(realm.objects(Hound.self).where { $0.temper.value == .lively }.count, 1)
    }

    // MARK: Coding

    func testBoxesAreCoded() throws {
        struct Coded: Codable {
            let age: RealmOptional<Int>
            let height: RealmProperty<Double?>
        }
        let text = Data(#"{"age":null,"height":1.5}"#.utf8)
        let coded = try JSONDecoder().decode(Coded.self, from: text)
        XCTAssertNil(coded.age.value)
        XCTAssertEqual(coded.height.value, 1.5)
        coded.age.value = 4
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        XCTAssertEqual(
            String(bytes: try encoder.encode(coded), encoding: .utf8), #"{"age":4,"height":1.5}"#)
        XCTAssertEqual(RealmOptional(4), coded.age)
        XCTAssertNotEqual(RealmOptional<Int>(), coded.age)
    }
}

extension Realm {
    /// The schema of a class, which the realm gets to know by it.
    func schema<T: Object>(of type: T.Type) throws -> ObjectSchema {
        _ = objects(type)
        return try XCTUnwrap(schema[type.className()])
    }
}
