import Kivo
import XCTest

/// Positions and all elements of lists of any values, and all values of maps of them: the first step picks from the collection, the
/// next ones go into its elements.
final class AnyPositionQueryTests: RealmTestCase {
    private func notes() -> [AnyNote] {
        func list(_ values: AnyRealmValue...) -> AnyRealmValue {
            .list(values.reduce(into: List()) { $0.append($1) })
        }
        let contents: [[AnyRealmValue]] = [
            [.int(3), .string("b")], [list(.int(3), .string("c"))], [],
            [.int(1), list(.int(7), .int(3)), .int(3)],
            [.none, .int(3)],
        ]
        return contents.enumerated().map { id, content in
            let note = AnyNote(value: ["id": id])
            note.list.append(objectsIn: content)
            for (place, value) in content.enumerated() { note.map["k\(place)"] = value }
            return note
        }
    }

    /// Checks the results of a condition among managed objects and, one by one, among unmanaged ones.
    private func check(_ format: String, _ expected: [Int], line: UInt = #line) throws {
        let realm = try openRealm()
        if realm.objects(AnyNote.self).isEmpty { try realm.write { realm.add(notes()) } }
        XCTAssertEqual(realm.objects(AnyNote.self).filter(format).map(\.id), expected, format, line: line)
        let unmanaged = notes().filter { note in
            let list = List<AnyNote>()
            list.append(note)
            return list.index(matching: format) != nil
        }
        XCTAssertEqual(unmanaged.map(\.id), expected, "unmanaged: \(format)", line: line)
    }

    func testPositionsOfLists() throws {
        try check("list[0] == 3", [0])
        try check("list[FIRST] == 3", [0])
        try check("list[1] == 3", [4])
        try check("list[LAST] == 3", [3, 4])
        try check("list[LAST] != 3", [0, 1, 2])
        try check("list[0] == nil", [2, 4])
        try check("NOT list[9] == 3", [0, 1, 2, 3, 4])
        try check("list[0].@type == 'int'", [0, 3])
        try check("list[0] + 1 == 4", [0])
    }

    func testPositionsWithin() throws {
        try check("list[0][0] == 3", [1])
        try check("list[1][LAST] == 3", [3])
        try check("list[0][*] == 'c'", [1])
        try check("list[0].@count == 2", [1])
    }

    func testAllElements() throws {
        try check("list[*] == 3", [0, 3, 4])
        try check("ALL list[*] == 3", [2])
        try check("NONE list[*] == 3", [1, 2])
        try check("list[*][*] == 3", [1, 3])
        try check("list[*][0] == 3", [1])
        try check("list[*].@count == 2", [1, 3])
        try check("list.@count == 2", [0, 4])
    }

    func testAllValuesOfMaps() throws {
        try check("map[*] == 3", [0, 3, 4])
        try check("map[*][*] == 3", [1, 3])
        try check("map['k0'] == 3", [0])
        try check("map['k0'][0] == 3", [1])
        try check("map.@allValues == 3", [0, 3, 4])
    }

    /// An observer of what a position holds is notified of edits of the list.
    func testTheyAreFollowed() throws {
        let realm = try openRealm()
        try realm.write { realm.add(notes()) }
        let found = realm.objects(AnyNote.self).filter("list[0] == 3")
        var calls: [String] = []
        let token = found.observe { calls.append(self.text($0)) }
        realm.refresh()
        try realm.write { realm.objects(AnyNote.self)[2].list.append(.int(3)) }
        realm.refresh()
        try realm.write { realm.objects(AnyNote.self)[0].list.remove(at: 0) }
        realm.refresh()
        XCTAssertEqual(calls, ["initial", "-[] +[1] ~[]", "-[0] +[] ~[]"])
        XCTAssertEqual(found.map(\.id), [2])
        token.invalidate()
    }
}
