import Foundation
import Kivo
import XCTest

/// Values of any type in files.
final class AnyRealmValueFileTests: FileTestCase {
    func testValuesAreThereAfterReopening() throws {
        let target = AnyTarget(value: ["name": "t"])
        try withRealm { realm in
            try realm.write {
                for (id, value) in AnySamples.plain.enumerated() {
                    let note = AnyNote(value: ["id": id])
                    (note.content, note.label) = (value, value)
                    realm.add(note)
                }
                let note = AnyNote(value: ["id": 100])
                note.list.append(
                    objectsIn: AnySamples.plain + [.object(target), .fromArray([.int(1), .object(target)])])
                note.set.insert(objectsIn: AnySamples.plain + [.object(target), .object(AnyOtherTarget())])
                for (index, value) in AnySamples.plain.enumerated() { note.map["\(index)"] = value }
                note.map["dictionary"] = .fromDictionary(["a": .fromArray([.object(target)]), "b": .none])
                note.content = .object(target)
                realm.add(note)
            }
            try realm.write {
                let note = try XCTUnwrap(realm.object(ofType: AnyNote.self, forPrimaryKey: 100))
                note.list.removeFirst(3)
                note.list.append(.string("appended, and longer than fifteen bytes"))
                note.map["dictionary"]?.dictionaryValue?["a"]?.listValue?.append(.int(7))
                note.set.remove(.string("short"))
                note.set.insert(.object(AnyTarget(value: ["name": "u"])))
            }
        }
        for _ in 0..<2 {
            try withRealm { realm in
                for (id, value) in AnySamples.plain.enumerated() {
                    let note = try XCTUnwrap(realm.object(ofType: AnyNote.self, forPrimaryKey: id))
                    XCTAssertEqual(note.content, value)
                    XCTAssertEqual(
                        realm.objects(AnyNote.self).where { $0.label == value }.first?.id ?? -1, id)
                }
                let note = try XCTUnwrap(realm.object(ofType: AnyNote.self, forPrimaryKey: 100))
                XCTAssertEqual(note.content.object(AnyTarget.self)?.name, "t")
                XCTAssertEqual(
                    Array(note.list.prefix(AnySamples.plain.count - 3)), Array(AnySamples.plain.dropFirst(3)))
                XCTAssertEqual(note.list.last, .string("appended, and longer than fifteen bytes"))
                XCTAssertEqual(note.list[note.list.count - 2].listValue?[1].object(AnyTarget.self)?.name, "t")
                XCTAssertEqual(note.set.count, AnySamples.plain.count - 1 + 3)
                XCTAssertFalse(note.set.contains(.string("short")))
                for value in AnySamples.plain where value != .string("short") {
                    XCTAssert(note.set.contains(value))
                }
                let nested = note.map["dictionary"]?.dictionaryValue?["a"]?.listValue
                XCTAssertEqual(nested?.count, 2)
                XCTAssertEqual(nested?[1], .int(7))
                XCTAssertEqual(nested?[0].object(AnyTarget.self)?.name, "t")
                // Deleting finds the way back to everything.
                if note.number == 0 {
                    try realm.write {
                        realm.delete(realm.objects(AnyTarget.self).where { $0.name == "u" })
                        XCTAssert(note.set.contains(.none))
                        note.number = 1
                        note.set.insert(.object(AnyTarget(value: ["name": "v"])))
                    }
                }
            }
        }
    }

    /// The order of links in a set depends on the numbers of the tables, which differ between sessions.
    func testSetsOfLinksAreReadWhicheverClassComesFirst() throws {
        try withRealm { realm in
            try realm.write {
                realm.add(AnyOtherTarget())
                let note = AnyNote()
                note.set.insert(objectsIn: [
                    .object(AnyTarget()), .object(AnyOtherTarget(value: ["id": 1])), .int(1),
                ])
                realm.add(note)
            }
        }
        var other = configuration
        other.objectTypes = [AnyTarget.self, AnyOtherTarget.self, AnyNote.self]
        for types in [
            [AnyTarget.self, AnyOtherTarget.self, AnyNote.self],
            [AnyNote.self, AnyOtherTarget.self, AnyTarget.self],
        ] {
            other.objectTypes = types
            try withRealm(other) { realm in
                let set = realm.objects(AnyNote.self)[0].set
                XCTAssertEqual(set.filter { $0.object(AnyTarget.self) != nil }.count, 1)
                XCTAssert(set.contains(.object(realm.objects(AnyOtherTarget.self).where { $0.id == 1 }[0])))
                try realm.write {
                    set.remove(.int(1))
                    set.insert(.int(1))
                    set.insert(.object(AnyTarget()))
                    realm.delete(realm.objects(AnyTarget.self)[0])
                    set.remove(.none)
                }
                XCTAssertEqual(set.count, 3)
            }
        }
    }
}
