import Foundation
import Kivo
import XCTest

/// Predicate strings about the type and the number of elements of values of any type.
final class AnyTypePredicateTests: RealmTestCase {
    private static let names = [
        "null", "int", "int", "bool", "bool", "float", "double", "string", "string", "string", "data", "data",
        "date", "objectId", "decimal128", "uuid", "list", "list", "dictionary", "object",
    ]

    private func notes(_ target: AnyTarget) -> [AnyNote] {
        let containers: [AnyRealmValue] = [
            .fromArray([]), .fromArray([.int(1), .string("two"), .fromArray([.int(3)])]),
            .fromDictionary(["a": .none, "b": .fromArray([.int(1), .int(2)])]), .object(target),
        ]
        return (AnySamples.plain + containers).enumerated().map { id, value in
            let note = AnyNote(value: ["id": id])
            note.content = value
            note.list.append(objectsIn: [value, .int(id)])
            note.map["m"] = value
            return note
        }
    }

    /// Calls a body with what finds the notes, managed and unmanaged, for which a predicate holds.
    private func forBoth(_ body: (@escaping (String, Any?) -> [Int]) -> Void) throws {
        let realm = try openRealm()
        let managed = notes(AnyTarget())
        try realm.write { realm.add(managed) }
        let results = realm.objects(AnyNote.self)
        body { format, argument in
            (argument.map { results.filter(format, $0) } ?? results.filter(format)).map(\.id).sorted()
        }
        let list = List<AnyTypeHolder>()
        list.append(
            objectsIn: notes(AnyTarget()).map { note in
                let holder = AnyTypeHolder()
                (holder.id, holder.content) = (note.id, note.content)
                holder.list.append(objectsIn: Array(note.list))
                holder.map["m"] = note.content
                return holder
            })
        body { format, argument in
            var (found, rest) = ([Int](), list)
            while let index = argument.map({ rest.index(matching: format, $0) })
                ?? rest.index(matching: format)
            {
                found.append(rest[index].id)
                let next = List<AnyTypeHolder>()
                next.append(objectsIn: rest.dropFirst(index + 1))
                rest = next
            }
            return found.sorted()
        }
    }

    private func ids(_ names: String...) -> [Int] {
        Self.names.indices.filter { names.contains(Self.names[$0]) }
    }

    func testTypes() throws {
        try forBoth { search in
            let find = { (format: String) in search(format, nil) }
            for name in Set(Self.names) {
                XCTAssertEqual(find("content.@type == '\(name)'"), ids(name), name)
                XCTAssertEqual(search("content.@type == %@", name.uppercased()), ids(name), name)
                XCTAssertEqual(
                    find("content.@type != '\(name)'"), Self.names.indices.filter { Self.names[$0] != name },
                    name)
                XCTAssertEqual(find("map['m'].@type == '\(name)'"), ids(name), name)
            }
            XCTAssertEqual(
                find("content.@type == 'numeric'"), ids("int", "float", "double", "decimal128"))
            XCTAssertEqual(find("content.@type IN {'string', 'link'}"), ids("string", "object"))
            XCTAssertEqual(search("NOT content.@type IN %@", ["array", "timestamp"]).count, 17)
            XCTAssertEqual(find("ALL list.@type == 'int'"), ids("int"))
            XCTAssertEqual(find("ANY list.@type == 'binary'"), ids("data"))
            XCTAssertEqual(find("NONE list.@type == 'boolean'").count, 18)
            XCTAssertEqual(find("content[0].@type == 'int'"), [17])
            XCTAssertEqual(find("content['b'][*].@type == 'integer'"), [18])
            // A missing value is null.
            XCTAssertEqual(find("content['b'].@type == 'null'").count, 19)
        }
    }

    func testSizes() throws {
        try forBoth { search in
            let find = { (format: String) in search(format, nil) }
            for size in ["content[SIZE]", "content.@size", "content.@count", "map['m'][size]"] {
                XCTAssertEqual(find("\(size) == 0"), [16], size)
                XCTAssertEqual(find("\(size) == 3"), [17], size)
                XCTAssertEqual(find("\(size) >= 2"), [17, 18], size)
                XCTAssertEqual(find("\(size) IN {0, 2}"), [16, 18], size)
                XCTAssertEqual(find("\(size) == nil").count, 17, size)
            }
            XCTAssertEqual(find("content['b'][SIZE] == 2"), [18])
            XCTAssertEqual(find("content[LAST][SIZE] == 1"), [17])
            XCTAssertEqual(find("ANY content[*].@size == 1"), [17])
            XCTAssertEqual(find("list[SIZE] == 2").count, 20, "of the list itself")
            XCTAssertEqual(find("ANY list[0].@size > 2"), [17])
            XCTAssertEqual(find("list[*].@size == 1"), [])
        }
    }

    func testValuesOfALiveList() throws {
        let realm = try openRealm()
        let note = AnyNote()
        try realm.write {
            realm.add(note)
            note.list.append(objectsIn: AnySamples.plain + [.fromArray([.int(1)]), .object(AnyTarget())])
        }
        let strings = note.list.filter("self.@type == 'string'")
        XCTAssertEqual(strings.map(\.stringValue), ["", "a string of more than fifteen bytes", "short"])
        XCTAssertEqual(note.list.filter("self.@type == 'list'").count, 1)
        XCTAssertEqual(note.list.filter("self.@type == 'object'").count, 1)
        try realm.write { note.list.append(.string("new")) }
        XCTAssertEqual(strings.count, 4)
    }

    /// Conditions on types depend only on the properties that they read.
    func testObservedTypes() throws {
        let realm = try openRealm()
        let note = AnyNote()
        try realm.write { realm.add(note) }
        var told: [String] = []
        let lists = realm.objects(AnyNote.self).filter("content.@type == 'list' AND content[SIZE] > 0")
        let token = lists.observe { told.append(self.text($0)) }
        wait("the first call") { told == ["initial"] }
        try realm.write { note.content = .fromArray([]) }
        realm.refresh()
        XCTAssertEqual(told, ["initial"])
        try realm.write { note.content.listValue!.append(.int(1)) }
        realm.refresh()
        XCTAssertEqual(told, ["initial", "-[] +[0] ~[]"])
        try realm.write { note.content = .int(1) }
        realm.refresh()
        XCTAssertEqual(told, ["initial", "-[] +[0] ~[]", "-[0] +[] ~[]"])
        token.invalidate()
    }

    /// A value that is not a number equals nothing, with and without an index.
    func testIndexedNumbersThatAreNone() throws {
        let realm = try openRealm()
        let values: [AnyRealmValue] = [
            .double(.nan), .double(-.nan), .float(.nan), .decimal128(.nan), .int(0), .double(-0.0), .none,
            .double(.signalingNaN), .string("nan"),
        ]
        try realm.write {
            for (id, value) in values.enumerated() {
                let note = realm.create(AnyNote.self, value: ["id": id])
                (note.label, note.content) = (value, value)
            }
        }
        let notes = realm.objects(AnyNote.self)
        for value in values {
            let formats = [
                "%K == %@", "%K != %@", "%K < %@", "%K >= %@", "NOT %K == %@", "%K IN {%@, 0}", "%K IN {%@}",
            ]
            for format in formats {
                XCTAssertEqual(
                    notes.filter(format, "label", value).map(\.id),
                    notes.filter(format, "content", value).map(\.id), "\(format) \(value)")
            }
            XCTAssertEqual(
                notes.where { $0.label == value }.map(\.id), notes.where { $0.content == value }.map(\.id))
            XCTAssertEqual(
                notes.where { $0.label.in([value, .int(7)]) }.map(\.id),
                notes.where { $0.content.in([value, .int(7)]) }.map(\.id))
        }
        XCTAssertEqual(notes.where { $0.label == .double(.nan) }.count, 0)
        try realm.write { notes[0].label = .double(.nan) }
        XCTAssertEqual(notes.where { $0.label == .decimal128(.nan) }.count, 0)
        XCTAssertEqual(
            Set(notes.distinct(by: ["label"]).map(\.id)), Set(notes.distinct(by: ["content"]).map(\.id)))
    }
}

final class AnyTypeHolder: Object {
    @Persisted var id = 0
    @Persisted var content: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}
