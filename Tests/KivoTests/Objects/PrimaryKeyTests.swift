import Foundation
import Kivo
import XCTest

class NamedThing: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var size = 0
}

class IdentifiedThing: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var size = 0
}

class OptionalKeyThing: Object {
    @Persisted(primaryKey: true) var key: Int?
    @Persisted var size = 0
}

class ObjectIdThing: Object {
    @Persisted(primaryKey: true) var id: ObjectId
}

final class PrimaryKeyTests: RealmTestCase {
    private func assertDuplicate(
        _ realm: Realm, file: StaticString = #filePath, line: UInt = #line, _ edit: () -> Void
    ) {
        XCTAssertThrowsError(try realm.write(edit), file: file, line: line) { error in
            XCTAssertEqual((error as? Realm.Error)?.code, .invalidInput, file: file, line: line)
            XCTAssertTrue("\(error)".contains("primary key"), "\(error)", file: file, line: line)
        }
        XCTAssertFalse(realm.isInWriteTransaction, file: file, line: line)
    }

    func testLookingUp() throws {
        let realm = try openRealm()
        let id = UUID()
        let objectId = ObjectId.generate()
        try realm.write {
            for code in 0..<600 { realm.create(Chip.self, value: ["code": code * 3, "label": "\(code)"]) }
            realm.create(NamedThing.self, value: ["name": "a", "size": 1])
            realm.create(IdentifiedThing.self, value: ["id": id, "size": 2])
            realm.create(OptionalKeyThing.self, value: ["size": 3])
            realm.create(OptionalKeyThing.self, value: ["key": 0, "size": 4])
            realm.create(ObjectIdThing.self, value: [objectId])
        }
        for code in 0..<1800 {
            let found = realm.object(ofType: Chip.self, forPrimaryKey: code)
            XCTAssertEqual(found?.label, code % 3 == 0 ? "\(code / 3)" : nil)
        }
        XCTAssertEqual(realm.object(ofType: NamedThing.self, forPrimaryKey: "a")?.size, 1)
        XCTAssertNil(realm.object(ofType: NamedThing.self, forPrimaryKey: "b"))
        XCTAssertEqual(realm.object(ofType: IdentifiedThing.self, forPrimaryKey: id)?.size, 2)
        XCTAssertNil(realm.object(ofType: IdentifiedThing.self, forPrimaryKey: UUID()))
        XCTAssertEqual(realm.object(ofType: OptionalKeyThing.self, forPrimaryKey: nil as Int?)?.size, 3)
        XCTAssertEqual(realm.object(ofType: OptionalKeyThing.self, forPrimaryKey: 0)?.size, 4)
        XCTAssertNotNil(realm.object(ofType: ObjectIdThing.self, forPrimaryKey: objectId))
    }

    func testADuplicateFailsTheWholeTransaction() throws {
        let realm = try openRealm()
        try realm.write { realm.create(Chip.self, value: ["code": 1, "label": "one"]) }
        assertDuplicate(realm) {
            realm.create(Chip.self, value: ["code": 2])
            realm.objects(Chip.self)[0].label = "changed"
            realm.add(Chip(value: ["code": 1, "label": "two"]))
            realm.create(Chip.self, value: ["code": 3])
        }
        XCTAssertEqual(realm.objects(Chip.self).map(\.label), ["one"])
        XCTAssertNil(realm.object(ofType: Chip.self, forPrimaryKey: 2))
        assertDuplicate(realm) { realm.create(Chip.self, value: ["code": 1]) }
        assertDuplicate(realm) { realm.add([Chip(value: ["code": 9]), Chip(value: ["code": 9])]) }
        assertDuplicate(realm) {
            realm.add(Chip(value: ["code": 5, "next": ["code": 1]]))
        }
        try realm.write { realm.create(Chip.self, value: ["code": 2]) }
        XCTAssertEqual(realm.objects(Chip.self).count, 2)
    }

    func testAFailedTransactionIsForgotten() throws {
        let realm = try openRealm()
        try realm.write { realm.create(Chip.self, value: ["code": 1]) }
        realm.beginWrite()
        realm.create(Chip.self, value: ["code": 1])
        realm.cancelWrite()
        try realm.write { realm.create(Chip.self, value: ["code": 2]) }
        XCTAssertEqual(realm.objects(Chip.self).map(\.code), [1, 2])
    }

    func testUpdatingWithCreate() throws {
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let realm = try openRealm()
            let chip = Chip(value: [
                "code": 1, "label": "one", "count": 5, "notes": ["a"], "next": ["code": 7],
            ])
            try realm.write {
                realm.deleteAll()
                realm.add(chip)
            }
            try realm.write {
                let updated = realm.create(
                    Chip.self, value: ["code": 1, "label": "new", "notes": ["b", "c"]], update: policy)
                XCTAssertTrue(updated.isSameObject(as: chip))
                let created = realm.create(
                    Chip.self, value: ["code": 2, "next": ["code": 1, "count": 6]], update: policy)
                XCTAssertEqual(created.next, chip)
            }
            XCTAssertEqual(chip.label, "new")
            XCTAssertEqual(chip.count, 6)
            XCTAssertEqual(Array(chip.notes), ["b", "c"])
            XCTAssertEqual(chip.next?.code, 7, "what is not given stays")
            XCTAssertEqual(realm.objects(Chip.self).count, 3)
            try realm.write {
                realm.create(Chip.self, value: ["code": 1, "next": nil] as [String: Any?], update: policy)
            }
            XCTAssertNil(chip.next)
        }
    }

    func testUpdatingWithAdd() throws {
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let realm = try openRealm()
            let chip = Chip(value: ["code": 1, "label": "one", "count": 5, "notes": ["a"]])
            try realm.write {
                realm.deleteAll()
                realm.add(chip)
            }
            let other = Chip(value: ["code": 1, "label": "two"])
            try realm.write { realm.add(other, update: policy) }
            XCTAssertEqual(other, chip)
            XCTAssertEqual(chip.label, "two")
            XCTAssertEqual(chip.count, 0, "an object has all its values")
            XCTAssertEqual(realm.objects(Chip.self).count, 1)
        }
    }

    func testPoliciesDifferInWhatCounts() throws {
        let realm = try openRealm()
        let chip = Chip(value: ["code": 1, "label": "one", "count": 5, "notes": ["a"]])
        try realm.write { realm.add(chip) }
        var told: [[String]] = []
        let token = chip.observe { (change: ObjectChange<Chip>) in
            if case .change(_, let properties) = change { told.append(properties.map(\.name)) }
        }
        let values: [String: Any] = ["code": 1, "label": "one", "count": 6, "notes": ["a"]]
        try realm.write { realm.create(Chip.self, value: values, update: .modified) }
        realm.refresh()
        try realm.write { realm.create(Chip.self, value: values, update: .modified) }
        realm.refresh()
        try realm.write { realm.create(Chip.self, value: values, update: .all) }
        realm.refresh()
        XCTAssertEqual(told, [["count"], ["label", "count", "notes"]])
        token.invalidate()
    }

    func testKeysOfDeletedObjectsAreFree() throws {
        let realm = try openRealm()
        try realm.write { for code in 0..<300 { realm.create(Chip.self, value: ["code": code]) } }
        try realm.write {
            realm.delete(realm.objects(Chip.self).where { $0.code < 200 })
            XCTAssertNil(realm.object(ofType: Chip.self, forPrimaryKey: 5))
            realm.create(Chip.self, value: ["code": 5, "label": "again"])
        }
        XCTAssertEqual(realm.object(ofType: Chip.self, forPrimaryKey: 5)?.label, "again")
        XCTAssertEqual(realm.object(ofType: Chip.self, forPrimaryKey: 250)?.code, 250)
        XCTAssertNil(realm.object(ofType: Chip.self, forPrimaryKey: 6))
    }

    func testAssigningTheSameKeyIsAllowed() throws {
        let realm = try openRealm()
        let chip = Chip(value: ["code": 1])
        chip.code = 2
        try realm.write {
            realm.add(chip)
            chip.code = 2
        }
        XCTAssertEqual(chip.code, 2)
    }

    func testEqualityAndHashingFollowTheRow() throws {
        let realm = try openRealm()
        let chip = Chip(value: ["code": 1])
        XCTAssertNotEqual(chip, Chip(value: ["code": 1]))
        try realm.write { realm.add(chip) }
        let same = try XCTUnwrap(realm.object(ofType: Chip.self, forPrimaryKey: 1))
        XCTAssertFalse(chip === same)
        XCTAssertEqual(chip, same)
        XCTAssertEqual(Set([chip, same]).count, 1)
    }
}
