import Foundation
import Kivo
import XCTest

/// Objects and collections in words.
final class DescriptionTests: RealmTestCase {
    /// The text with the same digits for all addresses.
    private func text(_ value: Any) -> String {
        var parts = "\(value)".components(separatedBy: "<0x")
        for index in parts.indices.dropFirst() {
            let digits = parts[index].prefix { $0.isHexDigit }
            XCTAssertGreaterThan(digits.count, 4, parts[index])
            parts[index] = "…" + parts[index].dropFirst(digits.count)
        }
        return parts.joined(separator: "<0x")
    }

    func testDatesTooFarForFoundation() {
        for seconds in [1e300, -.infinity, .nan] {
            let date = Date(timeIntervalSince1970: seconds)
            XCTAssertEqual("\(AnyRealmValue.date(date))", "\(date.timeIntervalSince1970) s since 1970")
        }
        let date = Date(timeIntervalSince1970: 60)
        XCTAssertEqual("\(AnyRealmValue.date(date))", "\(date)")
    }

    func testObjects() throws {
        let person = Person(value: [
            "name": "Ann", "dogs": [["name": "Rex", "age": 3]], "favourite": ["name": "Max"],
        ])
        let words = """
            Person {
            \tname = Ann;
            \tdogs = List<Dog> <0x…> (
            \t\t[0] Dog {
            \t\t\tname = Rex;
            \t\t\tage = 3;
            \t\t\towner = (null);
            \t\t}
            \t);
            \tfavourite = Dog {
            \t\tname = Max;
            \t\tage = 0;
            \t\towner = (null);
            \t};
            \tfriend = (null);
            }
            """
        XCTAssertEqual(text(person), words)
        XCTAssertEqual(text(person.description), words)
        let realm = try openRealm()
        try realm.write { realm.add(person) }
        XCTAssertEqual(text(person), words)
        XCTAssertEqual(
            text(person.dogs[0].holders),
            "LinkingObjects<Person> <0x…> (\n\t[0] "
                + words.replacingOccurrences(of: "\n", with: "\n\t") + "\n)")
        let dog = person.dogs[0]
        try realm.write { realm.delete(dog) }
        XCTAssertEqual(dog.description, "[invalid object]")
    }

    func testValues() {
        let object = AllTypes()
        object.bool = true
        object.double = 12
        object.float = 1.5
        object.mood = .barking
        object.rank = .high
        object.data = Data([0, 1, 254])
        object.date = Date(timeIntervalSince1970: 1)
        object.decimal = "123E4"
        let words = object.description
        for line in [
            "bool = 1;", "double = 12;", "float = 1.5;", "mood = barking;", "rank = 2;",
            "data = <0001fe — 3 total bytes>;", "date = 1970-01-01 00:00:01 +0000;",
            "decimal = 1230000;",
        ] {
            XCTAssertTrue(words.contains("\t\(line)\n"), "\(line) in \(words)")
        }
        object.data = Data(repeating: 7, count: 100)
        let bytes = String(repeating: "07", count: 24)
        XCTAssertTrue(object.description.contains("data = <\(bytes) — 100 total bytes>;"), object.description)
    }

    func testCollections() throws {
        let bag = Bag(value: [
            "numbers": [1, 2], "counts": ["a": 1], "gaps": [nil, 3] as [Any?], "numberSet": [7],
            "maybeCounts": ["k": NSNull()],
        ])
        func check() {
            XCTAssertEqual(text(bag.numbers), "List<int> <0x…> (\n\t[0] 1,\n\t[1] 2\n)")
            XCTAssertEqual(text(bag.words), "List<string> <0x…> (\n\n)")
            XCTAssertEqual(text(bag.gaps), "List<int> <0x…> (\n\t[0] <null>,\n\t[1] 3\n)")
            XCTAssertEqual(text(bag.numberSet), "MutableSet<int> <0x…> (\n\t[0] 7\n)")
            XCTAssertEqual(text(bag.counts), "Map<string, int> <0x…> (\n\t[a]: 1\n)")
            XCTAssertEqual(text(bag.maybeCounts), "Map<string, int> <0x…> (\n\t[k]: <null>\n)")
            XCTAssertTrue(text(bag).contains("\twords = List<string> <0x…> (\n\t\n\t);\n"), text(bag))
        }
        check()
        let realm = try openRealm()
        try realm.write { realm.add(bag) }
        check()
        XCTAssertEqual(
            text(bag.numbers.filter("self > 1")), "Results<int> <0x…> (\n\t[0] 2\n)")
        XCTAssertEqual(text(realm.objects(Dog.self)), "Results<Dog> <0x…> (\n\n)")
        XCTAssertEqual(text(realm.dynamicObjects("Dog")), "Results<Dog> <0x…> (\n\n)")
        XCTAssertEqual(text(AnyRealmCollection(bag.numbers)), text(bag.numbers))
        try realm.write { bag.numbers.append(objectsIn: 3...130) }
        XCTAssertTrue(
            text(bag.numbers).hasSuffix("\t[99] 100\n\t... 30 objects skipped.\n)"), text(bag.numbers))
    }

    func testCyclesEnd() throws {
        let person = Person(value: ["name": "Ann"])
        person.friend = person
        for _ in 0..<3 { person.dogs.append(Dog(value: ["owner": person])) }
        XCTAssertTrue(person.description.contains("friend = <Maximum depth exceeded>;"), person.description)
        XCTAssertTrue(person.description.contains("[0] <Maximum depth exceeded>"), person.description)
        let realm = try openRealm()
        try realm.write { realm.add(person) }
        XCTAssertLessThan(person.description.count, 100_000)
    }

    func testStoredFormsOfMappedTypes() throws {
        let room = MappedRoom()
        room.gaps.append(MappedTag("a"))
        room.gaps.append(nil)
        XCTAssertTrue(room.description.contains("\ttemperature = 20;\n"), room.description)
        XCTAssertEqual(text(room.gaps), "List<string> <0x…> (\n\t[0] <a>,\n\t[1] <null>\n)")
        XCTAssertTrue(
            text(MappedTrip()).contains("\tstart = MappedPlace {\n\t\tlatitude = 1;"), text(MappedTrip()))
    }

    func testProjectedCollections() throws {
        let realm = try openRealm()
        try realm.write { realm.create(Person.self, value: ["dogs": [["name": "Rex"], ["name": "Bo"]]]) }
        let names = realm.objects(DescribedOwner.self)[0].names
        XCTAssertEqual(names.description, "ProjectedCollection<String> {\n\t[0] Rex\n\t[1] Bo\n}")
    }
}

private final class DescribedOwner: Projection<Person> {
    @Projected(\Person.dogs.projectTo.name) var names: ProjectedCollection<String>
}
