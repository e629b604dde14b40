import Foundation
import Kivo
import XCTest

/// Each kind of change of a property, and what becomes of its values.
final class MigrationTests: EitherWayMigrationTestCase {
    private typealias Old = MigrationClasses.Old
    private typealias New = MigrationClasses.New

    // MARK: Properties

    func testPropertiesThatAreAddedAndRemovedNeedNoCode() throws {
        try write(Old.people, Old.addPeople)
        try migrate(New.people) { realm in
            let people = realm.objects(New.Person.self)
            XCTAssertEqual(people.count, 300)
            let person = try XCTUnwrap(realm.object(ofType: New.Person.self, forPrimaryKey: 7))
            XCTAssertEqual(person.fullName, "")
            XCTAssertEqual(person.weight, 0)
            XCTAssertNil(person.note)
            XCTAssertEqual(person.last, "L7")
            XCTAssertEqual(person.age, 7)
            XCTAssertEqual(person.friend?.id, 6)
            XCTAssertEqual(person.admirers.map(\.id), [8])
            XCTAssertEqual(Array(person.scores), [7, 8])
            XCTAssertEqual(person.tags["k"], "v7")
            XCTAssertEqual(person.home?.city, "C7")
            XCTAssertEqual(person.more.count, 0)
            XCTAssertEqual(person.added.count, 0)
            XCTAssertEqual(realm.object(ofType: New.Person.self, forPrimaryKey: 9)?.age, 0, "nil before")
            XCTAssertEqual(people.where { $0.last == "L250" }.map(\.id), [250])
        }
        try withRealm(configuration(New.people, version: 1)) { realm in
            try realm.write {
                let person = try XCTUnwrap(realm.object(ofType: New.Person.self, forPrimaryKey: 3))
                person.more.append("x")
                person.fullName = "changed"
                realm.delete(try XCTUnwrap(realm.object(ofType: New.Person.self, forPrimaryKey: 4)))
                realm.add(New.Person(value: ["id": 1000]))
            }
        }
        try withRealm(configuration(New.people, version: 1)) { realm in
            let person = try XCTUnwrap(realm.object(ofType: New.Person.self, forPrimaryKey: 3))
            XCTAssertEqual(Array(person.more), ["x"])
            XCTAssertEqual(person.fullName, "changed")
            XCTAssertNil(realm.object(ofType: New.Person.self, forPrimaryKey: 5)?.friend)
            XCTAssertEqual(realm.objects(New.Person.self).last?.id, 1000)
            XCTAssertEqual(realm.dynamicObjects("Place").count, 299)
        }
    }

    func testTheBlockFillsNewPropertiesFromOldObjects() throws {
        try write(Old.people, Old.addPeople)
        try migrate(New.people) { migration, version in
            XCTAssertEqual(version, 0)
            var count = 0
            migration.enumerateObjects(ofType: "Person") { old, new in
                count += 1
                let (first, last) = (old?["first"] as? String ?? "", old?["last"] as? String ?? "")
                new?["fullName"] = "\(first) \(last)"
                if old?["age"] as? Int == nil { new?["age"] = -1 }
            }
            XCTAssertEqual(count, 300)
        } check: { realm in
            XCTAssertEqual(
                realm.objects(New.Person.self).prefix(2).map(\.fullName), ["F0 L0", "F1 L1"])
            XCTAssertEqual(realm.object(ofType: New.Person.self, forPrimaryKey: 9)?.age, -1)
            XCTAssertEqual(realm.object(ofType: New.Person.self, forPrimaryKey: 8)?.age, 8)
        }
    }

    func testRenamingToTheNameInSwiftOrInTheFile() throws {
        for newName in ["title", "item_title"] {
            try? FileManager.default.removeItem(at: file)
            try write([MigrationClasses.Unmapped.Item.self]) { realm in
                realm.create(MigrationClasses.Unmapped.Item.self, value: ["label": "a", "count": 2])
            }
            try migrate([MigrationClasses.Mapped.One.Item.self]) { migration, _ in
                migration.renameProperty(onType: "Item", from: "label", to: newName)
                migration.renameProperty(onType: "Item", from: "count", to: "item_count")
            } check: { realm in
                let items = realm.objects(MigrationClasses.Mapped.One.Item.self)
                XCTAssertEqual(items.map(\.title), ["a"], newName)
                XCTAssertEqual(items.map(\.count), [2], newName)
            }
            try waitUntilClosed()
        }
    }

    func testRenaming() throws {
        try write(Old.people, Old.addPeople)
        for isFirst in [true, false] {
            let copy = try Data(contentsOf: file)
            try migrate(New.renamed) { migration, _ in
                if isFirst { migration.renameProperty(onType: "Person", from: "first", to: "name") }
                migration.enumerateObjects(ofType: "Person") { old, new in
                    new?["isOld"] = (old?["age"] as? Int ?? 0) > 100
                }
                if !isFirst { migration.renameProperty(onType: "Person", from: "first", to: "name") }
                for (old, new) in [
                    ("scores", "points"), ("tags", "labels"), ("home", "house"), ("friend", "pal"),
                ] {
                    migration.renameProperty(onType: "Person", from: old, to: new)
                }
                migration.renameProperty(onType: "Person", from: "age", to: "years")
                migration.enumerateObjects(ofType: "Person") { old, new in
                    XCTAssertEqual(new?["name"] as? String, old?["first"] as? String)
                }
            } check: { realm in
                let people = realm.objects(New.Renamed.self)
                XCTAssertEqual(people.map(\.name).last, "F299")
                XCTAssertEqual(people.map(\.years).prefix(4), [0, 1, 2, 0], "nil is zero")
                XCTAssertEqual(people.map { Array($0.points) }.last, [299, 300])
                XCTAssertEqual(people[5].labels["k"], "v5")
                XCTAssertEqual(people[5].house?.city, "C5")
                XCTAssertEqual(people[5].pal?.id, 4)
                XCTAssertEqual(people[5].pals.map(\.id), [6])
                XCTAssertEqual(people.where { $0.isOld }.count, 133)
                XCTAssertEqual(realm.dynamicObjects("Place").count, 300)
            }
            try copy.write(to: file)
        }
    }

    func testAnotherType() throws {
        try write(Old.kinds) { realm in
            let value = Old.Kinds(value: ["retyped": 5, "linked": ["city": "X"]])
            value.list.append(objectsIn: [3, 3, 1])
            value.map["a"] = 1
            value.text.append(objectsIn: ["b", "a", "b"])
            value.places.append(Old.Place(value: ["city": "Y"]))
            realm.add(value)
        }
        try migrate(New.kinds) { migration, _ in
            migration.enumerateObjects(ofType: "Kinds") { old, new in
                guard let old, let new else { return XCTFail("both are there") }
                XCTAssertEqual(new["retyped"] as? String, "")
                new["retyped"] = "\(old["retyped"] as? Int ?? 0)"
                let list = (old["list"] as? List<Int>).map(Array.init) ?? []
                new["list"] = Set(list)
                new["map"] = ["a": "\((old["map"] as? Map<String, Int>)?["a"] ?? 0)"]
            }
        } check: { realm in
            let value = try XCTUnwrap(realm.objects(New.Kinds.self).first)
            XCTAssertEqual(value.retyped, "5")
            XCTAssertEqual(Array(value.list), [1, 3])
            XCTAssertEqual(value.map["a"], "1")
            XCTAssertEqual(value.text.count, 0, "a list has become a set")
            XCTAssertEqual(value.places.count, 0, "a list has become a map")
            XCTAssertNil(value.linked)
            XCTAssertEqual(realm.dynamicObjects("Place").count, 0, "what belonged to it is gone")
        }
    }

    func testOptionality() throws {
        try write([Old.Optionals.self]) { realm in
            for isNil in [true, false] {
                let value = Old.Optionals()
                value.word = isNil ? nil : 1
                value.text = isNil ? nil : "t"
                value.data = isNil ? nil : Data([1])
                value.wide = isNil ? nil : UUID(uuidString: "00000000-0000-0000-0000-000000000009")
                value.toOptional = 4
                value.textToOptional = "u"
                value.words.append(objectsIn: isNil ? [1, nil, 0, nil] : [1, 2])
                value.texts.insert(objectsIn: isNil ? ["", nil, "b"] : ["b"])
                value.map["k"] = isNil ? .some(nil) : 5
                value.plain.append(objectsIn: [1, 2])
                value.plainTexts.append("p")
                realm.add(value)
            }
        }
        try migrate([New.Optionals.self]) { realm in
            let values = realm.objects(New.Optionals.self)
            XCTAssertEqual(values.map(\.word), [0, 1])
            XCTAssertEqual(values.map(\.text), ["", "t"])
            XCTAssertEqual(values.map(\.data), [Data(), Data([1])])
            XCTAssertEqual(
                values.map(\.wide.uuidString),
                ["00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000009"])
            XCTAssertEqual(values.map(\.toOptional), [4, 4])
            XCTAssertEqual(values.map(\.textToOptional), ["u", "u"])
            XCTAssertEqual(values.map { Array($0.words) }, [[1, 0, 0, 0], [1, 2]])
            XCTAssertEqual(values.map { Array($0.texts) }, [["", "b"], ["b"]])
            XCTAssertEqual(values.map { $0.map["k"] }, [0, 5])
            XCTAssertEqual(values.map { Array($0.plain) }, [[1, 2], [1, 2]])
            XCTAssertEqual(values.map { Array($0.plainTexts) }, [["p"], ["p"]])
            XCTAssertEqual(values.where { $0.text == "t" }.count, 1)
        }
        try withRealm(configuration([New.Optionals.self], version: 1)) { realm in
            try realm.write {
                for value in realm.objects(New.Optionals.self) {
                    value.toOptional = nil
                    value.plain.append(nil)
                    value.plainTexts.append(nil)
                }
            }
        }
        try migrate([Old.Optionals.self], version: 2) { realm in
            let values = realm.objects(Old.Optionals.self)
            XCTAssertEqual(values.map(\.toOptional), [0, 0])
            XCTAssertEqual(values.map { Array($0.plain) }, [[1, 2, 0], [1, 2, 0]])
            XCTAssertEqual(values.map { Array($0.plainTexts) }, [["p", ""], ["p", ""]])
            XCTAssertEqual(values.map(\.word), [0, 1])
        }
    }

    // MARK: Keys and indexes

    func testIndexesComeAndGo() throws {
        try write([Old.Keyed.self]) { realm in
            for index in 0..<50 { realm.add(Old.Keyed(value: ["code": "c\(index)", "number": index % 5])) }
        }
        try assertRefused(.schemaMismatch, [New.Indexed.self], version: 0, says: ["'number' is indexed now"])
        try migrate([New.Indexed.self]) { realm in
            XCTAssertEqual(realm.objects(New.Indexed.self).where { $0.number == 3 }.count, 10)
            XCTAssertEqual(realm.objects(New.Indexed.self).where { $0.code == "c7" }.count, 1)
        }
        try migrate([Old.Keyed.self], version: 2) { realm in
            XCTAssertEqual(realm.objects(Old.Keyed.self).where { $0.number == 3 }.count, 10)
        }
    }

    func testAnotherPrimaryKey() throws {
        try write([Old.Keyed.self]) { realm in
            for index in 0..<50 { realm.add(Old.Keyed(value: ["code": "c\(index)", "number": index])) }
        }
        try assertRefused(
            .schemaMismatch, [New.Keyed.self], version: 0,
            says: ["'number' is the primary key now", "'code' is not the primary key now"])
        try migrate([New.Keyed.self]) { realm in
            XCTAssertEqual(realm.object(ofType: New.Keyed.self, forPrimaryKey: 31)?.code, "c31")
            XCTAssertNil(realm.object(ofType: New.Keyed.self, forPrimaryKey: 50))
        }
        try migrate([New.Unkeyed.self], version: 2) { realm in
            XCTAssertEqual(realm.objects(New.Unkeyed.self).count, 50)
        }
    }

    func testAPrimaryKeyThatIsThereTwiceIsAnError() throws {
        try write([Old.Keyed.self]) { realm in
            for index in 0..<4 { realm.add(Old.Keyed(value: ["code": "c\(index)", "number": index / 2])) }
        }
        try assertRefused(
            .invalidInput, [New.Keyed.self], version: 1, says: ["'Keyed.number'", "'0'", "more than once"])
        // A new primary key is the same for all.
        try assertRefused(.invalidInput, [New.Rekeyed.self], version: 1, says: ["'Keyed.id'"])
        try migrate([New.Keyed.self]) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                let code = old?["code"] as? String ?? ""
                new?["number"] = Int(code.dropFirst()) ?? -1
            }
        } check: { realm in
            XCTAssertEqual(realm.objects(New.Keyed.self).map(\.number), [0, 1, 2, 3])
            XCTAssertEqual(realm.object(ofType: New.Keyed.self, forPrimaryKey: 3)?.code, "c3")
        }
        let id = "made of the old key"
        try migrate([New.Rekeyed.self], version: 2) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                new?["id"] = "\(id) \(old?["number"] as? Int ?? 0)"
            }
        } check: { realm in
            XCTAssertEqual(realm.object(ofType: New.Rekeyed.self, forPrimaryKey: id + " 2")?.code, "c2")
        }
    }

    // MARK: Names

    func testMappedNames() throws {
        try write([MigrationClasses.Mapped.One.Item.self]) { realm in
            realm.add(MigrationClasses.Mapped.One.Item(value: ["title": "t", "count": 3]))
        }
        // The stored names are the same, with other names in Swift: nothing has changed.
        try withRealm(configuration([MigrationClasses.Mapped.Two.Thing.self], version: 0)) { realm in
            XCTAssertEqual(realm.objects(MigrationClasses.Mapped.Two.Thing.self).first?.heading, "t")
            XCTAssertEqual(realm.schema.objectSchema.map(\.className), ["Item"])
        }
        try migrate([MigrationClasses.Mapped.Three.Thing.self]) { migration, _ in
            XCTAssertEqual(migration.oldSchema["Item"]?.properties.map(\.name), ["item_title", "item_count"])
            migration.renameProperty(onType: "Item", from: "item_count", to: "number")
            migration.enumerateObjects(ofType: "Item") { old, new in
                XCTAssertEqual(old?["item_title"] as? String, "t")
                XCTAssertEqual(old?["heading"] as? String, "t")
                XCTAssertEqual(new?["number"] as? Int, 3)
                new?["heading"] = "u"
            }
        } check: { realm in
            let thing = try XCTUnwrap(realm.objects(MigrationClasses.Mapped.Three.Thing.self).first)
            XCTAssertEqual(thing.heading, "u")
            XCTAssertEqual(thing.number, 3)
            XCTAssertEqual(realm.schema["Item"]?["number"]?.columnName, "n")
        }
    }

    // MARK: Values of any type

    func testValuesOfAnyTypeAreKept() throws {
        typealias Boxes = MigrationClasses.AnyValues
        try write([Boxes.One.Box.self]) { realm in
            let box = Boxes.One.Box()
            let other = Boxes.One.Box(value: ["name": "other"])
            realm.add(box)
            realm.add(other)
            box.value = .object(other)
            box.values.append(objectsIn: [
                .int(1), .string("a long string that is not stored inline"), .object(other), .none,
            ])
            box.set.insert(objectsIn: [.int(1), .object(other)])
            box.gone = .fromArray([.int(1), .object(other)])
            box.nested = .fromDictionary(["k": .fromArray([.string("deep"), .object(other)])])
        }
        try migrate([Boxes.Two.Box.self]) { realm in
            let boxes = realm.objects(Boxes.Two.Box.self)
            let box = boxes[0]
            XCTAssertEqual(box.value.object(Boxes.Two.Box.self)?.name, "other")
            XCTAssertEqual(box.values.count, 4)
            XCTAssertEqual(box.values[1].stringValue, "a long string that is not stored inline")
            XCTAssertEqual(box.values[2].object(Boxes.Two.Box.self)?.name, "other")
            XCTAssertEqual(box.set.count, 2)
            XCTAssertEqual(box.nested.dictionaryValue?["k"]?.listValue?[0].stringValue, "deep")
            XCTAssertEqual(box.more, .none)
        }
        try withRealm(configuration([Boxes.Two.Box.self], version: 1)) { realm in
            try realm.write { realm.delete(realm.objects(Boxes.Two.Box.self)[1]) }
            let box = realm.objects(Boxes.Two.Box.self)[0]
            XCTAssertEqual(box.value, .none)
            XCTAssertEqual(box.values[2], .none)
        }
    }

    // MARK: Many properties

    /// The leaves of wide tables cover fewer keys.
    func testATableBecomesWideAndNarrow() throws {
        try write([MigrationClasses.Narrow.Sheet.self]) { realm in
            for index in 0..<700 { realm.add(MigrationClasses.Narrow.Sheet(value: ["a": index])) }
            for index in 0..<200 { realm.delete(realm.objects(MigrationClasses.Narrow.Sheet.self)[index]) }
        }
        try migrate([MigrationClasses.Wide.Sheet.self]) { realm in
            XCTAssertEqual(realm.objects(MigrationClasses.Wide.Sheet.self).count, 500)
            XCTAssertEqual(realm.objects(MigrationClasses.Wide.Sheet.self).sum(of: \.a), 204_850)
        }
        try migrate([MigrationClasses.Narrow.Sheet.self], version: 2) { realm in
            XCTAssertEqual(realm.objects(MigrationClasses.Narrow.Sheet.self).sum(of: \.a), 204_850)
        }
    }
}
