import Foundation
import Kivo
import XCTest

/// Lists and dictionaries as values of any type.
final class AnyContainerTests: MapNotificationTestCase {
    private func note(_ content: AnyRealmValue, in realm: Realm) throws -> AnyNote {
        let note = AnyNote()
        note.content = content
        try realm.write { realm.add(note) }
        return note
    }

    func testNestedContainersAreLive() throws {
        let realm = try openRealm()
        let note = try note(
            .fromDictionary(["a": .fromArray([.int(1), .fromDictionary(["b": .string("deep")])])]), in: realm)
        let list = try XCTUnwrap(note.content.dictionaryValue?["a"]?.listValue)
        XCTAssertEqual(list, note.content.dictionaryValue?["a"]?.listValue, "read twice it is the same list")
        try realm.write {
            list.append(.int(2))
            list[1].dictionaryValue?["c"] = .bool(true)
        }
        XCTAssertEqual(note.content.dictionaryValue?["a"]?.listValue?.count, 3)
        XCTAssertEqual(list[1].dictionaryValue?.keys, ["b", "c"])
    }

    /// Each read of an object without a primary key makes another accessor, which is not equal to the first.
    func testObjectsInsideAreEqualIfTheyAreTheSameOfTheRealm() throws {
        func content(_ target: AnyTarget) -> AnyRealmValue {
            .fromDictionary(["a": .fromArray([.object(target), .int(1)]), "b": .object(target)])
        }
        let realm = try openRealm()
        let (first, second) = (AnyTarget(value: ["name": "first"]), AnyTarget(value: ["name": "first"]))
        let notes = [first, first, second].enumerated().map { id, target in
            AnyNote(value: ["id": id, "content": content(target)] as [String: Any])
        }
        try realm.write { realm.add(notes) }
        let (note, same, other) = (notes[0], notes[1], notes[2])
        XCTAssertEqual(note.content, note.content)
        XCTAssertEqual(note.content.dictionaryValue?["a"], note.content.dictionaryValue?["a"])
        XCTAssertEqual(note.content, same.content)
        XCTAssertEqual(Set([note.content, same.content, other.content]).count, 2)
        XCTAssertNotEqual(note.content, other.content)
    }

    func testGivenContainersAreCopied() throws {
        let realm = try openRealm()
        let given = AnyRealmValue.fromArray([.fromArray([.int(1)])])
        let (a, b) = (try note(given, in: realm), AnyNote(value: ["id": 1]))
        b.content = a.content
        try realm.write {
            realm.add(b)
            b.content.listValue?[0].listValue?.append(.int(2))
        }
        XCTAssertEqual(a.content.listValue?[0].listValue?.count, 1)
        XCTAssertEqual(b.content.listValue?[0].listValue?.count, 2)
        XCTAssertEqual(given.listValue?[0].listValue?.count, 1)
        try realm.write { a.content = a.content }
        XCTAssertEqual(a.content.listValue?[0].listValue?.count, 1)
    }

    func testReplacingEndsWhatWasNested() throws {
        let realm = try openRealm()
        let note = try note(.fromArray([.fromDictionary(["a": .int(1)])]), in: realm)
        let list = try XCTUnwrap(note.content.listValue)
        let dictionary = try XCTUnwrap(list[0].dictionaryValue)
        try realm.write { note.content = .fromArray([.int(7)]) }
        XCTAssertFalse(list.isInvalidated, "a list that takes the place of a list is put into it")
        XCTAssertEqual(Array(list), [.int(7)])
        XCTAssert(dictionary.isInvalidated)
        try realm.write { note.content = .none }
        XCTAssert(list.isInvalidated)
        XCTAssertEqual(list.count, 0)
    }

    func testDeletingTheOwnerEndsEverything() throws {
        let realm = try openRealm()
        let target = AnyTarget()
        let note = try note(
            .fromArray([.fromArray([.object(target), .fromDictionary(["a": .object(target)])])]), in: realm)
        let inner = try XCTUnwrap(note.content.listValue?[0].listValue)
        try realm.write { realm.delete(note) }
        XCTAssert(inner.isInvalidated)
        XCTAssertFalse(target.isInvalidated)
        try realm.write { realm.delete(target) }
    }

    func testADeletedTargetLeavesNestedListsAndIsNoneInDictionaries() throws {
        let realm = try openRealm()
        let target = AnyTarget()
        let note = try note(
            .fromArray([.object(target), .fromDictionary(["a": .object(target)]), .object(target)]), in: realm
        )
        let list = try XCTUnwrap(note.content.listValue)
        var told: [String] = []
        let token = list.observe { told.append(self.text($0)) }
        realm.refresh()
        try realm.write { realm.delete(target) }
        realm.refresh()
        XCTAssertEqual(told, ["initial", "-[0, 2] +[] ~[1]"])
        XCTAssertEqual(list.count, 1)
        XCTAssertEqual(list[0].dictionaryValue?["a"], AnyRealmValue.none)
        token.invalidate()
    }

    func testContainersInCollections() throws {
        let realm = try openRealm()
        let note = try note(.none, in: realm)
        try realm.write {
            note.list.append(.fromArray([.int(1)]))
            note.list.append(.int(5))
            note.list.append(.fromDictionary(["a": .fromArray([])]))
            note.map["x"] = .fromArray([.int(2)])
        }
        let first = try XCTUnwrap(note.list[0].listValue)
        let inMap = try XCTUnwrap(note.map["x"]?.listValue)
        try realm.write {
            note.list.swapAt(0, 1)
            note.list.move(from: 2, to: 0)
            note.list[2].listValue?.append(.int(9))
        }
        XCTAssertEqual(Array(first), [.int(1), .int(9)], "what is moved lives on")
        XCTAssertEqual(note.list.index(of: .list(first)), 2)
        try realm.write {
            note.map["x"] = .fromArray([.int(3)])
            note.list.remove(at: 2)
        }
        XCTAssertEqual(Array(inMap), [.int(3)])
        XCTAssert(first.isInvalidated)
        try realm.write {
            note.map.removeAll()
            note.list.removeAll()
        }
        XCTAssert(inMap.isInvalidated)
    }

    func testFrozenContainersStayWhatTheyAre() throws {
        let realm = try openRealm()
        let note = try note(.fromArray([.fromArray([.int(1)])]), in: realm)
        let frozen = try XCTUnwrap(note.freeze().content.listValue)
        let frozenList = try XCTUnwrap(note.content.listValue).freeze()
        try realm.write { note.content.listValue?[0].listValue?.append(.int(2)) }
        XCTAssertEqual(frozen[0].listValue?.count, 1)
        XCTAssertEqual(frozenList[0].listValue?.count, 1)
        XCTAssertEqual(try XCTUnwrap(frozenList.thaw())[0].listValue?.count, 2)
    }

    func testACancelledWriteTakesContainersBack() throws {
        let realm = try openRealm()
        let note = try note(.fromArray([.string("a string of more than fifteen bytes")]), in: realm)
        realm.beginWrite()
        note.content.listValue?.append(.fromDictionary(["a": .string("another string, longer than fifteen")]))
        note.content = .fromDictionary(["b": .fromArray([.int(1)])])
        note.content = .none
        realm.cancelWrite()
        XCTAssertEqual(
            note.content.listValue.map(Array.init), [.string("a string of more than fifteen bytes")])
    }

    func testDeleteAllTakesContainers() throws {
        let realm = try openRealm()
        let note = try note(
            .fromArray([.fromArray([.string("a string of more than fifteen bytes")])]), in: realm)
        let list = try XCTUnwrap(note.content.listValue)
        try realm.write { realm.deleteAll() }
        XCTAssert(list.isInvalidated)
    }

    func testTheirClassesAreNotPartOfTheSchema() throws {
        let realm = try openRealm()
        _ = try note(.fromArray([.fromDictionary([:])]), in: realm)
        XCTAssertNotNil(realm.schema["AnyNote"])
        XCTAssertEqual(realm.schema.objectSchema.map(\.className).filter { $0.hasPrefix("_") }, [])
    }

    // MARK: Observers

    func testNestedListsAreObserved() throws {
        let realm = try openRealm()
        let note = try note(.fromArray([.fromArray([.int(1), .int(2)])]), in: realm)
        let list = try XCTUnwrap(note.content.listValue?[0].listValue)
        var told: [String] = []
        var outer: [String] = []
        tokens.append(list.observe { told.append(self.text($0)) })
        tokens.append(note.content.listValue!.observe { outer.append(self.text($0)) })
        realm.refresh()
        try writeElsewhere { realm in
            let list = realm.objects(AnyNote.self)[0].content.listValue![0].listValue!
            list.remove(at: 0)
            list.append(.int(3))
            list.append(.int(4))
        }
        realm.refresh()
        XCTAssertEqual(told, ["initial", "-[0] +[1, 2] ~[]"])
        XCTAssertEqual(outer, ["initial", "-[] +[] ~[0]"], "a change in an element is one of the element")
        try realm.write { note.content = .fromArray([.int(1)]) }
        realm.refresh()
        XCTAssertEqual(told.last, "-[0, 1, 2] +[] ~[]")
        XCTAssertEqual(outer.last, "-[0] +[0] ~[]")
    }

    /// Subtlety 28.
    func testReplacingANestedDictionaryDeletesAllKeysAndInsertsAll() throws {
        let realm = try openRealm()
        let note = try note(.fromDictionary(["a": .int(1), "b": .int(2)]), in: realm)
        let told = observe(try XCTUnwrap(note.content.dictionaryValue))
        try realm.write { note.content = .fromDictionary(["b": .int(3), "c": .int(4)]) }
        realm.refresh()
        XCTAssertEqual(told.value, ["-[\"a\", \"b\"] +[\"b\", \"c\"] ~[]"])
        try realm.write { note.content.dictionaryValue?["b"] = .int(5) }
        realm.refresh()
        XCTAssertEqual(told.value.last, "-[] +[] ~[\"b\"]")
        try realm.write { note.content = .none }
        realm.refresh()
        XCTAssertEqual(told.value.last, "-[\"b\", \"c\"] +[] ~[]")
    }

    func testANestedChangeIsAChangeOfTheProperty() throws {
        let realm = try openRealm()
        let note = try note(.fromArray([.fromDictionary(["a": .fromArray([])])]), in: realm)
        var told: [[String]] = []
        var results: [String] = []
        tokens.append(
            note.observe { if case .change(_, let changes) = $0 { told.append(changes.map(\.name)) } })
        tokens.append(
            realm.objects(AnyNote.self).where { $0.number == 0 }.observe { results.append(self.text($0)) })
        realm.refresh()
        try writeElsewhere { realm in
            realm.objects(AnyNote.self)[0].content.listValue![0].dictionaryValue!["a"]!.listValue!.append(
                .int(1))
        }
        realm.refresh()
        XCTAssertEqual(told, [["content"]])
        XCTAssertEqual(results, ["initial", "-[] +[] ~[0]"])
    }

    func testChangesBehindAnyLinksAreModifications() throws {
        let realm = try openRealm()
        let (note, target) = (AnyNote(), AnyTarget())
        note.list.append(.object(target))
        try realm.write { realm.add(note) }
        var results: [String] = []
        tokens.append(realm.objects(AnyNote.self).observe { results.append(self.text($0)) })
        realm.refresh()
        try writeElsewhere { realm in realm.objects(AnyTarget.self)[0].name = "changed" }
        realm.refresh()
        XCTAssertEqual(results, ["initial", "-[] +[] ~[0]"])
        try realm.write {
            note.list.removeAll()
            note.content = .object(target)
        }
        realm.refresh()
        results = []
        try realm.write { target.name = "again" }
        realm.refresh()
        XCTAssertEqual(results, ["-[] +[] ~[0]"])
    }

    func testListsMapsAndSetsOfAnyValuesAreObserved() throws {
        let realm = try openRealm()
        let note = try note(.none, in: realm)
        var (list, set): ([String], [String]) = ([], [])
        tokens.append(note.list.observe { list.append(self.text($0)) })
        tokens.append(note.set.observe { set.append(self.text($0)) })
        let map = observe(note.map)
        realm.refresh()
        try realm.write {
            note.list.append(.int(1))
            note.list.append(.string("b"))
            note.set.insert(.string("x"))
            note.set.insert(.int(3))
            note.map["k"] = AnyRealmValue.none
        }
        realm.refresh()
        XCTAssertEqual(list.last, "-[] +[0, 1] ~[]")
        XCTAssertEqual(set.last, "-[] +[0, 1] ~[]")
        XCTAssertEqual(map.value.last, "-[] +[\"k\"] ~[]")
        try realm.write {
            note.list[0] = .bool(true)
            note.set.remove(.double(3))
            note.map["k"] = .int(1)
        }
        realm.refresh()
        XCTAssertEqual(list.last, "-[] +[] ~[0]")
        XCTAssertEqual(set.last, "-[0] +[] ~[]")
        XCTAssertEqual(map.value.last, "-[] +[] ~[\"k\"]")
    }
}
