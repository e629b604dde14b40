import Foundation
import Kivo
import TestRandomness
import XCTest

/// Values of any type as properties and in collections.
final class AnyRealmValueTests: RealmTestCase {
    func testPropertiesHoldValuesOfEveryType() throws {
        let realm = try openRealm()
        for (id, value) in AnySamples.plain.enumerated() {
            let note = AnyNote(value: ["id": id])
            XCTAssertEqual(note.content, .none)
            note.content = value
            XCTAssertEqual(note.content, value)
            try realm.write { realm.add(note) }
            XCTAssertEqual(note.content, value)
            XCTAssertEqual(note.label, .none)
        }
        let note = try XCTUnwrap(realm.object(ofType: AnyNote.self, forPrimaryKey: 0))
        for value in AnySamples.plain + AnySamples.plain.reversed() {
            try realm.write {
                note.content = value
                note.label = value
                XCTAssertEqual(note.content, value)
            }
            XCTAssertEqual(note.content, value)
            XCTAssertEqual(note.label, value)
        }
    }

    func testACancelledWriteLeavesTheOldValue() throws {
        let realm = try openRealm()
        let note = AnyNote(value: [
            "content": "a string of more than fifteen bytes", "list": ["another such string, first"],
        ])
        try realm.write { realm.add(note) }
        realm.beginWrite()
        for value in AnySamples.plain {
            note.content = value
            note.list[0] = value
            note.list.append(value)
        }
        realm.cancelWrite()
        XCTAssertEqual(note.content, .string("a string of more than fifteen bytes"))
        XCTAssertEqual(Array(note.list), [.string("another such string, first")])
    }

    func testAnotherThreadSeesTheOldVersionUntilItRefreshes() throws {
        let realm = try openRealm()
        let note = AnyNote()
        note.content = .string("a string of more than fifteen bytes")
        try realm.write { realm.add(note) }
        let frozen = note.freeze()
        try writeElsewhere { realm in
            let note = realm.objects(AnyNote.self)[0]
            note.content = .data(Data([1, 2]))
            note.content = .string("a second string of more than fifteen bytes")
        }
        XCTAssertEqual(frozen.content, .string("a string of more than fifteen bytes"))
        realm.refresh()
        XCTAssertEqual(note.content, .string("a second string of more than fifteen bytes"))
        XCTAssertEqual(frozen.content, .string("a string of more than fifteen bytes"))
    }

    func testDefaultsAreWritten() throws {
        let realm = try openRealm()
        let object = AnyDefault()
        XCTAssertEqual(object.content, .string("a default"))
        try realm.write { realm.add(object) }
        XCTAssertEqual(object.content, .string("a default"))
        try realm.write { XCTAssertEqual(realm.create(AnyDefault.self).content, .string("a default")) }
    }

    func testTypedAccessors() {
        XCTAssertEqual(AnyRealmValue.int(5).intValue, 5)
        XCTAssertNil(AnyRealmValue.int(5).doubleValue)
        XCTAssertEqual(AnyRealmValue.bool(true).boolValue, true)
        XCTAssertEqual(AnyRealmValue.float(1.5).floatValue, 1.5)
        XCTAssertEqual(AnyRealmValue.double(1.5).doubleValue, 1.5)
        XCTAssertEqual(AnyRealmValue.string("a").stringValue, "a")
        XCTAssertEqual(AnyRealmValue.data(Data([1])).dataValue, Data([1]))
        XCTAssertEqual(AnyRealmValue.date(.distantPast).dateValue, .distantPast)
        XCTAssertEqual(AnyRealmValue.decimal128(2).decimal128Value, 2)
        let (id, uuid, target) = (ObjectId.generate(), UUID(), AnyTarget())
        XCTAssertEqual(AnyRealmValue.objectId(id).objectIdValue, id)
        XCTAssertEqual(AnyRealmValue.uuid(uuid).uuidValue, uuid)
        XCTAssertIdentical(AnyRealmValue.object(target).object(AnyTarget.self), target)
        XCTAssertNil(AnyRealmValue.object(target).object(AnyNote.self))
        XCTAssertEqual(AnyRealmValue.fromArray([.int(1)]).listValue?.count, 1)
        XCTAssertEqual(AnyRealmValue.fromDictionary(["a": .int(1)]).dictionaryValue?["a"], .int(1))
        XCTAssertNil(AnyRealmValue.none.listValue)
        XCTAssertNil(AnyRealmValue.none.dictionaryValue)
    }

    func testEqualityIsByCaseAndValue() {
        XCTAssertNotEqual(AnyRealmValue.int(1), .double(1))
        XCTAssertNotEqual(AnyRealmValue.int(1), .bool(true))
        XCTAssertNotEqual(AnyRealmValue.float(1), .double(1))
        XCTAssertNotEqual(AnyRealmValue.string("a"), .data(Data("a".utf8)))
        XCTAssertEqual(AnyRealmValue.fromArray([.int(1), .none]), .fromArray([.int(1), .none]))
        XCTAssertNotEqual(AnyRealmValue.fromArray([.int(1)]), .fromArray([.int(2)]))
        XCTAssertEqual(Set(AnySamples.plain + AnySamples.plain).count, AnySamples.plain.count)
    }

    func testLinksToObjectsOfSeveralClasses() throws {
        let realm = try openRealm()
        let note = AnyNote()
        let (first, second) = (AnyTarget(value: ["name": "first"]), AnyOtherTarget(value: ["id": 5]))
        note.content = .object(first)
        note.list.append(objectsIn: [.object(second), .int(1), .object(first), .object(first)])
        note.map["a"] = .object(second)
        note.set.insert(.object(first))
        note.set.insert(.object(second))
        try realm.write { realm.add(note) }
        XCTAssert(first.realm != nil && second.realm != nil)
        XCTAssertEqual(note.content.object(AnyTarget.self)?.name, "first")
        XCTAssertEqual(note.map["a"]?.object(AnyOtherTarget.self)?.id, 5)
        XCTAssert(note.set.contains(.object(second)))
        XCTAssertEqual(note.list.index(of: .object(first)), 2)
        try realm.write { realm.delete(first) }
        XCTAssertEqual(note.content, .none)
        XCTAssertEqual(note.list.map { $0.object(AnyOtherTarget.self)?.id }, [5, nil])
        XCTAssertEqual(note.list[1], .int(1))
        XCTAssertEqual(note.set.count, 2)
        XCTAssert(note.set.contains(.none))
        try realm.write { realm.delete(second) }
        XCTAssertEqual(Array(note.set), [.none])
        XCTAssertEqual(note.map["a"], AnyRealmValue.none)
        XCTAssertEqual(Array(note.list), [.int(1)])
    }

    /// Objects leave the lists that hold them, however they are deleted, and observers are notified of deletions.
    func testDeletedObjectsLeaveLists() throws {
        let realm = try openRealm()
        let note = AnyNote()
        let targets = (0..<40).map { AnyOtherTarget(value: ["id": $0]) }
        for (place, target) in targets.enumerated() {
            note.list.append(.object(target))
            if place % 3 == 0 { note.list.append(.int(place)) }
            note.list.append(.object(targets[0]))
        }
        try realm.write { realm.add(note) }
        var shown = Array(note.list)
        var calls = 0
        let token = note.list.observe { change in
            guard case .update(_, let deletions, let insertions, let modifications) = change else { return }
            XCTAssertEqual(insertions + modifications, [])
            for index in deletions.reversed() { shown.remove(at: index) }
            XCTAssertEqual(shown.count, note.list.count)
            calls += 1
        }
        realm.refresh()
        func check(_ gone: Set<Int>) {
            var expected: [String] = []
            for place in 0..<40 {
                if !gone.contains(place) { expected.append("o\(place)") }
                if place % 3 == 0 { expected.append("\(place)") }
                if !gone.contains(0) { expected.append("o0") }
            }
            let found = note.list.map { (value: AnyRealmValue) -> String in
                value.object(AnyOtherTarget.self).map { "o\($0.id)" } ?? "\(value.intValue!)"
            }
            XCTAssertEqual(Array(found), expected)
        }
        try realm.write { realm.delete(targets[5]) }
        realm.refresh()
        check([5])
        try realm.write { realm.delete(targets[0]) }
        realm.refresh()
        check([0, 5])
        try realm.write { realm.delete(realm.objects(AnyOtherTarget.self).where { $0.id > 8 && $0.id < 30 }) }
        realm.refresh()
        check(Set([0, 5] + Array(9..<30)))
        realm.beginWrite()
        realm.delete(targets[31])
        realm.cancelWrite()
        check(Set([0, 5] + Array(9..<30)))
        try realm.write { realm.delete(realm.objects(AnyOtherTarget.self)) }
        realm.refresh()
        check(Set(0..<40))
        XCTAssertEqual(calls, 4)
        token.invalidate()
    }

    func testDeletingWhatRefersLeavesTheTargets() throws {
        let realm = try openRealm()
        let (note, target) = (AnyNote(), AnyTarget())
        note.content = .object(target)
        note.list.append(.object(target))
        note.map["a"] = .object(target)
        try realm.write { realm.add(note) }
        try realm.write { realm.delete(note) }
        XCTAssertFalse(target.isInvalidated)
        try realm.write { realm.delete(target) }
        XCTAssertEqual(realm.objects(AnyTarget.self).count, 0)
    }

    func testCyclesAreAddedOnce() throws {
        let realm = try openRealm()
        let (a, b) = (AnyOtherTarget(value: ["id": 1]), AnyOtherTarget(value: ["id": 2]))
        a.content = .object(b)
        b.content = .fromArray([.object(a)])
        try realm.write { realm.add(a) }
        XCTAssertEqual(realm.objects(AnyOtherTarget.self).count, 2)
        XCTAssertEqual(b.content.listValue?[0].object(AnyOtherTarget.self)?.id, 1)
        XCTAssert(a.description.contains("content"))
    }

    func testAChainMayBeLong() throws {
        let realm = try openRealm()
        let count = TestEffort.size(5_000, full: 20_000)
        let first = AnyOtherTarget()
        var last = first
        for id in 1..<count {
            let next = AnyOtherTarget(value: ["id": id])
            last.content = .object(next)
            last = next
        }
        try realm.write { realm.add(first) }
        XCTAssertEqual(realm.objects(AnyOtherTarget.self).count, count)
        XCTAssertEqual(first.content.object(AnyOtherTarget.self)?.id, 1)
        do {
            let dropped = AnyOtherTarget()
            var last = dropped
            for _ in 1..<5 * count {
                let next = AnyOtherTarget()
                last.content = .object(next)
                last = next
            }
        }
    }

    func testLists() throws {
        let realm = try openRealm()
        let note = AnyNote()
        note.list.append(objectsIn: AnySamples.plain)
        try realm.write { realm.add(note) }
        XCTAssertEqual(Array(note.list), AnySamples.plain)
        var model = AnySamples.plain
        try realm.write {
            note.list.remove(at: 3)
            model.remove(at: 3)
            note.list.insert(.string("inserted, and longer than fifteen bytes"), at: 2)
            model.insert(.string("inserted, and longer than fifteen bytes"), at: 2)
            note.list.swapAt(0, 5)
            model.swapAt(0, 5)
            note.list.move(from: 1, to: 8)
            model.insert(model.remove(at: 1), at: 8)
            note.list[4] = .none
            model[4] = .none
        }
        XCTAssertEqual(Array(note.list), model)
        try realm.write { note.list.removeAll() }
        XCTAssert(note.list.isEmpty)
    }

    func testMaps() throws {
        let realm = try openRealm()
        let note = AnyNote()
        for (index, value) in AnySamples.plain.enumerated() { note.map["\(index)"] = value }
        try realm.write { realm.add(note) }
        for (index, value) in AnySamples.plain.enumerated() { XCTAssertEqual(note.map["\(index)"], value) }
        try realm.write {
            note.map["3"] = nil
            note.map["0"] = .string("a string of more than fifteen bytes")
        }
        XCTAssertNil(note.map["3"])
        XCTAssertEqual(note.map["0"], .string("a string of more than fifteen bytes"))
        try realm.write { note.map.removeAll() }
        XCTAssertEqual(note.map.count, 0)
    }

    func testValuesOfSwiftTypesAreConverted() throws {
        let realm = try openRealm()
        let id = ObjectId.generate()
        let given: [(Any, AnyRealmValue)] = [
            (5, .int(5)), (Int8(3), .int(3)), (true, .bool(true)), (1.5, .double(1.5)), (Float(2), .float(2)),
            ("a", .string("a")), (Data([1]), .data(Data([1]))), (Date.distantPast, .date(.distantPast)),
            (id, .objectId(id)),
            (Decimal128(3), .decimal128(3)), (NSNull(), .none), (AnyRealmValue.int(4), .int(4)),
        ]
        for (key, (value, expected)) in given.enumerated() {
            XCTAssertEqual(AnyNote(value: ["content": value]).content, expected)
            try realm.write {
                let note = realm.create(
                    AnyNote.self, value: ["id": key, "content": value, "list": [value], "map": ["a": value]])
                XCTAssertEqual(note.content, expected)
                XCTAssertEqual(Array(note.list), [expected])
                XCTAssertEqual(note.map["a"], expected)
                note.setValue(value, forKey: "label")
                XCTAssertEqual(note.label, expected)
                note["label"] = value
                // By name it is what it holds, which means the value again.
                XCTAssertFalse(note["label"] is AnyRealmValue)
                XCTAssertEqual(AnyNote(value: ["label": note["label"] as Any]).label, expected)
                XCTAssertEqual(AnyNote(value: ["label": note.value(forKey: "label") as Any]).label, expected)
            }
        }
        try realm.write {
            let nested: [String: Any] = ["id": 100, "content": ["a": [1, "b", ["c": 2.5]], "d": NSNull()]]
            let content = realm.create(AnyNote.self, value: nested).content.dictionaryValue
            XCTAssertEqual(content?["a"]?.listValue?[1], .string("b"))
            XCTAssertEqual(content?["a"]?.listValue?[2].dictionaryValue?["c"], .double(2.5))
            XCTAssertEqual(content?["d"], AnyRealmValue.none)
        }
    }

    func testUpdatesCompareValues() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(AnyNote.self, value: ["id": 1, "content": 5, "label": ["a", "b"]])
        }
        let note = realm.objects(AnyNote.self)[0]
        var told: [[String]] = []
        let token = note.observe { if case .change(_, let changes) = $0 { told.append(changes.map(\.name)) } }
        realm.refresh()
        let value: [String: Any] = ["id": 1, "content": 5, "label": ["a", "b"]]
        try realm.write { realm.create(AnyNote.self, value: value, update: .modified) }
        realm.refresh()
        XCTAssertEqual(told, [])
        try realm.write {
            realm.create(
                AnyNote.self, value: ["id": 1, "content": 5.0, "label": ["a", "c"]], update: .modified)
        }
        realm.refresh()
        XCTAssertEqual(told, [["content", "label"]])
        XCTAssertEqual(note.content, .double(5))
        token.invalidate()
    }

    func testIndexedValuesAreFound() throws {
        let realm = try openRealm()
        let target = AnyTarget()
        let labels: [AnyRealmValue] = [
            .int(5), .double(5), .string("5"), .none, .data(Data("5".utf8)), .object(target), .bool(true),
        ]
        try realm.write {
            for (id, label) in labels.enumerated() {
                let note = AnyNote(value: ["id": id])
                note.label = label
                realm.add(note)
            }
        }
        func ids(_ value: AnyRealmValue) -> [Int] {
            realm.objects(AnyNote.self).where { $0.label == value }.map(\.id)
        }
        XCTAssertEqual(ids(.int(5)), [0, 1])
        XCTAssertEqual(ids(.decimal128(5)), [0, 1])
        XCTAssertEqual(ids(.string("5")), [2])
        XCTAssertEqual(ids(.none), [3])
        XCTAssertEqual(ids(.data(Data("5".utf8))), [4])
        XCTAssertEqual(ids(.object(target)), [5])
        XCTAssertEqual(ids(.int(1)), [])
        try realm.write { realm.delete(target) }
        XCTAssertEqual(ids(.none), [3, 5])
    }
}
