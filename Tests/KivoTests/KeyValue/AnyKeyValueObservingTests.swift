import Foundation
import Kivo
import XCTest

/// Key-value observing of properties of any type.
final class AnyKeyValueObservingTests: RealmTestCase {
    private typealias Change = (old: AnyRealmValue?, new: AnyRealmValue?)

    func testAssignmentsAreToldWithOldAndNewValues() throws {
        let realm = try openRealm()
        for isManaged in [false, true] {
            let note = AnyNote()
            if isManaged { try realm.write { realm.add(note) } }
            var told: [Change] = []
            let token = note.observe(\.content, options: [.old, .new]) { _, change in
                told.append((change.oldValue, change.newValue))
            }
            func write(_ body: () -> Void) throws { if isManaged { try realm.write(body) } else { body() } }
            try write {
                note.content = .int(1)
                note.content = .string("a")
                note.content = .none
            }
            XCTAssertEqual(told.map(\.old), [AnyRealmValue.none, .int(1), .string("a")])
            XCTAssertEqual(told.map(\.new), [.int(1), .string("a"), AnyRealmValue.none])
            let target = AnyTarget()
            try write { note.content = .object(target) }
            XCTAssert(told.last?.new?.object(AnyTarget.self)?.isSameObject(as: target) ?? false)
            token.invalidate()
            try write { note.content = .none }
            XCTAssertEqual(told.count, 4)
        }
    }

    func testByName() throws {
        let realm = try openRealm()
        let note = AnyNote()
        try realm.write { realm.add(note) }
        let recorder = observe(note, "content")
        try realm.write { note.setValue(5, forKey: "content") }
        XCTAssertEqual(recorder.calls.last, "content 1 old null new 5")
        note.removeObserver(recorder, forKeyPath: "content")
    }

    func testChangesFromElsewhereAreTold() throws {
        let realm = try openRealm()
        let note = AnyNote()
        try realm.write { realm.add(note) }
        var told: [Change] = []
        let token = note.observe(\.content, options: [.old, .new]) { _, change in
            told.append((change.oldValue, change.newValue))
        }
        try writeElsewhere { realm in realm.objects(AnyNote.self)[0].content = .double(2.5) }
        realm.refresh()
        XCTAssertEqual(told.map(\.old), [AnyRealmValue.none])
        XCTAssertEqual(told.map(\.new), [.double(2.5)])
        token.invalidate()
    }

    func testADeletedTargetIsAChange() throws {
        let realm = try openRealm()
        let (note, target) = (AnyNote(), AnyTarget())
        note.content = .object(target)
        note.list.append(objectsIn: [.int(1), .object(target)])
        try realm.write { realm.add(note) }
        var told: [String] = []
        let tokens = [
            note.observe(\.content, options: .new) { _, change in told.append("content \(change.newValue!)")
            },
            note.observe(\.list) { _, change in told.append("list \(change.kind)") },
        ]
        try realm.write { realm.delete(target) }
        XCTAssert(told.contains("content none"), "\(told)")
        XCTAssertEqual(told.filter { $0.hasPrefix("list") }.count, 1, "\(told)")
        tokens.forEach { $0.invalidate() }
    }

    func testNestedChangesAreChangesOfTheProperty() throws {
        let realm = try openRealm()
        let note = AnyNote()
        note.content = .fromArray([.fromDictionary(["a": .fromArray([])])])
        note.list.append(objectsIn: [.int(1), .fromArray([])])
        try realm.write { realm.add(note) }
        var (content, list) = (0, [IndexSet?]())
        let tokens = [
            note.observe(\.content) { _, _ in content += 1 },
            note.observe(\.list) { _, change in list.append(change.indexes) },
        ]
        try realm.write {
            note.content.listValue?[0].dictionaryValue?["a"]?.listValue?.append(.int(1))
            note.list[1].listValue?.append(.int(1))
        }
        XCTAssertEqual(content, 1)
        XCTAssertEqual(list, [IndexSet(integer: 1)])
        try writeElsewhere { realm in
            realm.objects(AnyNote.self)[0].content.listValue?[0].dictionaryValue?["b"] = .int(1)
        }
        realm.refresh()
        XCTAssertEqual(content, 2)
        try realm.write { note.content = .fromArray([]) }
        XCTAssertEqual(content, 3, "replacing the contents is one change")
        tokens.forEach { $0.invalidate() }
    }

    func testNestedListsAreObservedThemselves() throws {
        let realm = try openRealm()
        let note = AnyNote()
        note.content = .fromArray([.int(1)])
        try realm.write { realm.add(note) }
        let list = try XCTUnwrap(note.content.listValue)
        let recorder = ValueRecorder()
        list.addObserver(recorder, forKeyPath: "isInvalidated", options: .new)
        try realm.write { note.content = .none }
        XCTAssertEqual(recorder.calls, ["isInvalidated 1 new true"])
        list.removeObserver(recorder, forKeyPath: "isInvalidated")
    }

    func testObjectListenersAreToldOldAndNewValues() throws {
        let realm = try openRealm()
        let note = AnyNote()
        note.content = .int(1)
        try realm.write { realm.add(note) }
        var told: [PropertyChange] = []
        let token = note.observe { if case .change(_, let changes) = $0 { told += changes } }
        realm.refresh()
        try writeElsewhere { realm in realm.objects(AnyNote.self)[0].content = .string("new") }
        realm.refresh()
        XCTAssertEqual(told.map(\.name), ["content"])
        XCTAssertEqual(told.first?.oldValue as? Int, 1)
        XCTAssertEqual(told.first?.newValue as? String, "new")
        told = []
        let filtered = note.observe(keyPaths: ["number"]) {
            if case .change(_, let changes) = $0 { told += changes }
        }
        realm.refresh()
        try writeElsewhere { realm in realm.objects(AnyNote.self)[0].content = .none }
        realm.refresh()
        XCTAssertEqual(told.map(\.name), ["content"])
        token.invalidate()
        filtered.invalidate()
    }
}
