import Foundation
import Kivo
import XCTest

/// Classes that come, go or become embedded, and what becomes of their objects.
final class MigrationOfClassesTests: EitherWayMigrationTestCase {
    private typealias Old = MigrationClasses.Old
    private typealias New = MigrationClasses.New

    // MARK: Embedded objects

    func testEmbeddedObjectsBecomeOthersAndBack() throws {
        try write(Old.owners) { realm in
            for index in 0..<3 {
                let owner = Old.Owner()
                owner.part = Old.Part(value: ["number": index])
                owner.parts.append(Old.Part(value: ["number": 10 + index]))
                realm.add(owner)
            }
        }
        try assertRefused(
            .schemaMismatch, New.owners, version: 0, says: ["'Part' differs", "not embedded any more"])
        try migrate(New.owners) { migration, _ in
            migration.enumerateObjects(ofType: "Owner") { old, new in
                XCTAssertEqual(
                    (new?["part"] as? DynamicObject)?["number"] as? Int,
                    (old?["part"] as? DynamicObject)?["number"] as? Int)
            }
        } check: { realm in
            XCTAssertEqual(realm.objects(New.Part.self).map(\.number), [0, 10, 1, 11, 2, 12])
            XCTAssertEqual(realm.objects(New.Owner.self).map { $0.part?.number }, [0, 1, 2])
        }
        try withRealm(configuration(New.owners, version: 1)) { realm in
            try realm.write {
                realm.objects(New.Owner.self)[1].part = nil
                realm.objects(New.Owner.self)[2].parts.append(realm.objects(New.Part.self)[0])
            }
            XCTAssertEqual(realm.objects(New.Part.self).count, 6)
        }
        try migrate(Old.owners, version: 2) { migration, _ in
            migration.enumerateObjects(ofType: "Owner") { _, new in
                guard let parts = new?.dynamicList("parts") else { return XCTFail("a list") }
                if parts.count > 1 { parts.remove(at: 1) }
            }
            migration.enumerateObjects(ofType: "Part") { _, new in
                if new?["number"] as? Int == 1 { migration.delete(new!) }
            }
        } check: { realm in
            XCTAssertEqual(realm.objects(Old.Owner.self).map { $0.part?.number }, [0, nil, 2])
            XCTAssertEqual(realm.dynamicObjects("Part").count, 5)
        }
        try withRealm(configuration(Old.owners, version: 2)) { realm in
            try realm.write { realm.delete(realm.objects(Old.Owner.self)[0]) }
            XCTAssertEqual(realm.dynamicObjects("Part").map { $0["number"] as? Int }, [11, 2, 12])
        }
    }

    /// Also by a class whose own properties are as before.
    func testObjectsThatWereEmbeddedAreLinkedToAndNotCopied() throws {
        try write(Old.owners) { realm in
            let owner = Old.Owner()
            owner.part = Old.Part(value: ["number": 7])
            realm.add(owner)
        }
        try migrate(New.owners) { migration, _ in
            var parts: [Any] = []
            migration.enumerateObjects(ofType: "Part") { _, new in if let new { parts.append(new) } }
            guard let part = parts.first else { return XCTFail("there is a part") }
            migration.create("Owner", value: ["part": part])
        } check: { realm in
            XCTAssertEqual(realm.objects(New.Part.self).map(\.number), [7])
            XCTAssertEqual(realm.objects(New.Owner.self).map { $0.part?.number }, [7, 7])
        }
    }

    func testACircleCannotBecomeEmbedded() throws {
        try write([New.Ring.self]) { realm in
            let (a, b) = (New.Ring(), New.Ring())
            (a.next, b.next) = (b, a)
            realm.add(a)
        }
        try assertRefused(
            .invalidInput, [Old.Ring.self, Old.RingHolder.self], version: 1, says: ["'Ring'", "in a circle"])
    }

    // MARK: Classes

    func testClassesAreAddedAtTheSameVersion() throws {
        try write([Old.Keyed.self]) { $0.add(Old.Keyed(value: ["code": "a"])) }
        try withRealm(configuration([Old.Keyed.self] + Old.owners, version: 0)) { realm in
            try realm.write { realm.add(Old.Owner()) }
        }
        try withRealm(configuration([Old.Keyed.self], version: 0)) { realm in
            XCTAssertEqual(realm.objects(Old.Keyed.self).count, 1)
        }
    }

    func testClassesThatTheProgramDoesNotKnowAreKept() throws {
        try write(Old.owners + Old.people + Old.kinds) { realm in
            let owner = Old.Owner()
            owner.parts.append(Old.Part(value: ["number": 7]))
            realm.add(owner)
            realm.add(Old.Person(value: ["id": 1, "home": ["city": "X"]]))
            realm.add(Old.Kinds(value: ["retyped": 5, "linked": ["city": "Y"]]))
        }
        try migrate(New.people) { migration, _ in
            XCTAssertEqual(
                migration.oldSchema.objectSchema.map(\.className),
                ["Kinds", "Owner", "Part", "Person", "Place"])
            XCTAssertEqual(migration.newSchema.objectSchema.map(\.className), ["Person", "Place"])
            var numbers: [Int?] = []
            migration.enumerateObjects(ofType: "Kinds") { old, new in
                numbers.append(old?["retyped"] as? Int)
                XCTAssertNil(new)
            }
            XCTAssertEqual(numbers, [5])
            migration.enumerateObjects(ofType: "Nowhere") { _, _ in XCTFail("there is none") }
        } check: { realm in
            XCTAssertEqual(realm.dynamicObjects("Owner").count, 1)
            XCTAssertEqual(realm.dynamicObjects("Part").first?["number"] as? Int, 7)
        }
        try migrate(Old.owners + Old.kinds, version: 2) { realm in
            XCTAssertEqual(realm.objects(Old.Owner.self).first?.parts.map(\.number), [7])
            XCTAssertEqual(realm.objects(Old.Kinds.self).first?.linked?.city, "Y")
        }
    }

    func testDataOfAClassIsDeleted() throws {
        try write(Old.owners + Old.kinds + [Old.Keyed.self]) { realm in
            realm.add(Old.Owner(value: ["part": ["number": 1]]))
            realm.add(Old.Kinds(value: ["retyped": 5]))
            realm.add(Old.Keyed(value: ["code": "c"]))
        }
        try migrate([Old.Keyed.self]) { migration, _ in
            XCTAssertTrue(migration.deleteData(forType: "Kinds"))
            XCTAssertTrue(migration.deleteData(forType: "Part"))
            XCTAssertTrue(migration.deleteData(forType: "Keyed"))
            XCTAssertFalse(migration.deleteData(forType: "Nowhere"))
            migration.create("Keyed", value: ["code": "new"])
        } check: { realm in
            XCTAssertNil(realm.schema["Kinds"])
            XCTAssertNotNil(realm.schema["Part"], "a class that another links to stays")
            XCTAssertEqual(realm.dynamicObjects("Part").count, 0)
            XCTAssertEqual(realm.objects(Old.Keyed.self).map(\.code), ["new"])
        }
        // The name is free for another class, without a migration.
        try withRealm(configuration(New.kinds, version: 1)) { realm in
            try realm.write { realm.add(New.Kinds(value: ["retyped": "text"])) }
        }
        try withRealm(configuration(New.kinds, version: 1)) { realm in
            XCTAssertEqual(realm.objects(New.Kinds.self).map(\.retyped), ["text"])
        }
    }

    func testObjectsOfNewClassesAreCreated() throws {
        try write(Old.people, Old.addPeople)
        try migrate(New.people + [New.City.self]) { migration, _ in
            migration.enumerateObjects(ofType: "City") { _, _ in XCTFail("there is none yet") }
            migration.enumerateObjects(ofType: "Person") { old, new in
                guard let old, let new, (old["id"] as? Int ?? 0) < 3 else { return }
                let home = old["home"] as? DynamicObject
                let city = migration.create("City", value: ["name": home?["city"] ?? ""])
                city.dynamicList("people").append(new)
                // Old objects stand for what they have become.
                if let friend = old["friend"] { city["mayor"] = friend }
                // Objects of declared classes are copied, as values are.
                if city["name"] as? String == "C0" { city["mayor"] = New.Person(value: ["id": 500]) }
            }
            var names: [String?] = []
            migration.enumerateObjects(ofType: "City") { old, new in
                XCTAssertNil(old)
                names.append(new?["name"] as? String)
            }
            XCTAssertEqual(names, ["C0", "C1", "C2"])
        } check: { realm in
            let cities = realm.objects(New.City.self)
            XCTAssertEqual(cities.map(\.name), ["C0", "C1", "C2"])
            XCTAssertEqual(cities.map { $0.people.map(\.id) }, [[0], [1], [2]])
            XCTAssertEqual(cities.map { $0.mayor?.id }, [500, 0, 1])
            XCTAssertEqual(realm.objects(New.Person.self).count, 301)
        }
    }

    func testDeletingInEnumerations() throws {
        try write(Old.people, Old.addPeople)
        try migrate(New.people) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { old, new in
                if let id = old?["id"] as? Int, id % 2 == 1 { migration.delete(new!) }
            }
            var count = 0
            migration.enumerateObjects(ofType: "Person") { _, new in
                XCTAssertNotNil(new)
                count += 1
            }
            XCTAssertEqual(count, 150)
        } check: { realm in
            XCTAssertEqual(realm.objects(New.Person.self).count, 150)
            XCTAssertEqual(realm.dynamicObjects("Place").count, 150)
            XCTAssertNil(realm.objects(New.Person.self)[3].friend)
        }
    }
}
