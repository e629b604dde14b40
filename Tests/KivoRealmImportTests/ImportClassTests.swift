import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport
import XCTest

/// Files come into realms by the application's own classes.
final class ImportClassTests: ImportTestCase {
    func testEmbeddedObjectsComeWithTheirOwners() throws {
        let realm = try makeRealm()
        let report = try realm.importObjects(
            fromRealmFile: ImportFixtures.url("embedded-1"),
            options: .init(classes: .types([OrderModels.Order.self])))
        XCTAssertEqual(report.issueCount, 0, "\(report)")
        let expected = ExpectedValues(try ImportFixtures.expected("embedded-1"))
        for name in ["Order", "Line", "Address", "Geo"] {
            XCTAssertEqual(report[name]?.inserted, expected.table(name).objects.count, name)
            XCTAssertEqual(report[name]?.leftOut, 0, name)
        }
        XCTAssertEqual(report.missingProperties.map(\.description), ["Address.country"])
        let orders = realm.objects(OrderModels.Order.self)
        for (order, json) in zip(orders, expected.table("Order").objects) {
            let values = json["values"] as! [String: Any]
            XCTAssertEqual("\(order.id)", values["id"] as? String)
            XCTAssertEqual(order.lines.count, (values["lines"] as! [Any]).count)
            XCTAssertEqual(order.extra.count, (values["extra"] as! [Any]).count)
            for line in order.lines { XCTAssertEqual(line.orders.first?.id, order.id) }
            if let address = order.addr {
                let key = (values["addr"] as! [String: Any])["key"] as! Int
                let source = expected.table("Address").objects.first { $0["key"] as! Int == key }!
                XCTAssertEqual(address.street, (source["values"] as! [String: Any])["street"] as? String)
                XCTAssertEqual(address.country, "DE")
            } else {
                XCTAssert(values["addr"] is NSNull)
            }
        }
        // They are owned: they go with their owners.
        try realm.write { realm.delete(orders) }
        XCTAssert(realm.dynamicObjects("Geo").isEmpty)
        XCTAssert(realm.dynamicObjects("Line").isEmpty)
    }

    func testLinksForwardsAndInCircles() throws {
        for transactions in [RealmFileImport.Transactions.one, .batches(of: 2)] {
            let realm = try makeRealm("\(transactions)")
            let report = try realm.importObjects(
                fromRealmFile: ImportFixtures.url("links-1"),
                options: .init(classes: .types([PersonModels.Person.self]), transactions: transactions))
            XCTAssertEqual(report.issueCount, 0, "\(report)")
            let expected = ExpectedValues(try ImportFixtures.expected("links-1"))
            let table = expected.table("Person")
            func id(_ key: Any) -> Int {
                (table.objects[table.places["\(key)"]!]["values"] as! [String: Any])["id"] as! Int
            }
            let people = realm.objects(PersonModels.Person.self)
            XCTAssertEqual(people.count, table.objects.count)
            var linkCount = 0
            for (person, json) in zip(people, table.objects) {
                let values = json["values"] as! [String: Any]
                XCTAssertEqual(person.id, values["id"] as? Int)
                XCTAssertEqual(person.best?.id, (values["best"] as? [String: Any]).map { id($0["key"]!) })
                XCTAssertEqual(
                    person.friends.map(\.id), (values["friends"] as! [[String: Any]]).map { id($0["key"]!) })
                XCTAssertEqual(person.pets.count, (values["pets"] as! [Any]).count)
                XCTAssertEqual(
                    person.friendOf.count,
                    ((json["backlinks"] as? [[String: Any]]) ?? [])
                        .filter { $0["property"] as! String == "friends" }
                        .reduce(0) { $0 + ($1["keys"] as! [Any]).count })
                linkCount += person.friends.count
                if let any = values["any"] as? [String: Any], any["type"] as? String == "link" {
                    let link = any["value"] as! [String: Any]
                    if link["class"] as! String == "Person" {
                        XCTAssertEqual(person.any.object(PersonModels.Person.self)?.id, id(link["key"]!))
                    } else {
                        XCTAssertNotNil(person.any.object(PersonModels.Pet.self))
                    }
                }
            }
            XCTAssertGreaterThan(linkCount, 10)
        }
    }

    func testMappedNames() throws {
        let realm = try makeRealm()
        let report = try realm.importObjects(
            fromRealmFile: ImportFixtures.url("mapped-names-1"),
            options: .init(classes: .types([MappedModels.DB_Person.self])))
        XCTAssertEqual(realm.objects(MappedModels.DB_Person.self).map(\.name), ["Ann", "Bob"])
        XCTAssertEqual(realm.objects(MappedModels.DB_Person.self).map(\.age), [31, 0])
        XCTAssertEqual(realm.objects(MappedModels.DB_Person.self).map { $0.link?.name }, [nil, "Ann"])
        XCTAssertEqual(report.skippedClasses.map(\.className).sorted(), ["Class.With.Dots", "Ümläut"])
        XCTAssertEqual(report.skippedClasses.map(\.count), [1, 1])
    }

    #if compiler(>=6.2)
    func testANameThatIsNoIdentifier() throws {
        let realm = try makeRealm()
        try realm.importObjects(
            fromRealmFile: ImportFixtures.url("mapped-names-1"),
            options: .init(classes: .types([DottedModels.`Class.With.Dots`.self])))
        XCTAssertEqual(realm.objects(DottedModels.`Class.With.Dots`.self).map(\.number), [1])
        XCTAssertEqual(DottedModels.`Class.With.Dots`.className(), "Class.With.Dots")
    }
    #endif

    func testNumbersAreConvertedIfTheyStayTheSame() throws {
        let realm = try makeRealm()
        let file = try ImportFixtures.file("scalars-required-1")
        var asked: [String: Int] = [:]
        let report = try realm.importObjects(
            fromRealmFile: file, options: .init(classes: .types([NumberModels.All.self])),
            convert: { unfit in
                asked[unfit.propertyName, default: 0] += 1
                XCTAssertEqual(unfit.className, "All")
                if unfit.propertyName == "string", case .string(let text) = unfit.value {
                    return text.utf8.count
                }
                if unfit.propertyName == "uuid" {
                    return "\(unfit.value)".prefix(4) == "uuid" ? "an id" : nil
                }
                return nil
            })
        let objects = realm.objects(NumberModels.All.self)
        var expected = (int: 0, double: 0, decimal: 0)
        let table = try XCTUnwrap(file.table(forClass: "All"))
        XCTAssertEqual(objects.count, table.count)
        for (place, object) in objects.enumerated() {
            let source = try XCTUnwrap(table.object(at: place))
            func value(_ name: String) throws -> RealmFile.Value { try source.value(named: name)! }
            if case .int(let value) = try value("int") {
                XCTAssertEqual(object.int, Int16(exactly: value) ?? 0)
                if Int16(exactly: value) == nil { expected.int += 1 }
            }
            if case .bool(let value) = try value("bool") { XCTAssertEqual(object.bool, value ? 1 : 0) }
            if case .float(let value) = try value("float") {
                XCTAssert(object.float == Double(value) || value.isNaN && object.float.isNaN)
            }
            if case .double(let value) = try value("double") {
                let isExact = Double(Float(value)) == value
                if value.isNaN {
                    XCTAssert(object.double.isNaN)
                } else {
                    XCTAssertEqual(object.double, isExact ? Float(value) : 0)
                    expected.double += isExact ? 0 : 1
                }
            }
            if case .string(let text) = try value("string") { XCTAssertEqual(object.string, text.utf8.count) }
            if case .data(let bytes) = try value("data") { XCTAssertEqual(object.data, .data(Data(bytes))) }
            XCTAssertEqual(object.uuid, "an id")
            XCTAssertEqual(object.added, "as declared")
            XCTAssertEqual(Array(object.words), ["a", "b"])
            XCTAssertEqual(object.home?.city, "Köln")
        }
        XCTAssertEqual(Set(objects.map(\.identifier)).count, objects.count)
        XCTAssertGreaterThan(expected.int, 3)
        XCTAssertGreaterThan(expected.double, 3)
        let issues = Dictionary(grouping: report.issues, by: \.propertyName)
        XCTAssertEqual(issues["int"]?.count, expected.int)
        XCTAssertEqual(issues["double"]?.count, expected.double)
        XCTAssert(issues["int"]!.allSatisfy { $0.reason == .inexact })
        XCTAssertEqual(asked["string"], objects.count)
        XCTAssertEqual(asked["uuid"], objects.count)
        XCTAssertNil(issues["string"])
        XCTAssertEqual(report.issueCount, report.issues.count)
        XCTAssertEqual(
            Set(report.missingProperties.map(\.propertyName)), ["added", "identifier", "words", "home"])
        XCTAssertEqual(Set(report.unusedProperties.map(\.propertyName)), ["date", "objectId", "mixed"])
        XCTAssert("\(report)".contains("only in the file: All.date"))
    }

    func testNullsInRequiredPropertiesAreNamed() throws {
        let realm = try makeRealm()
        let file = try ImportFixtures.file("scalars-optional-1")
        let report = try realm.importObjects(
            fromRealmFile: file, options: .init(classes: .types([RequiredModels.All.self]), issueLimit: 3))
        let table = try XCTUnwrap(file.table(forClass: "All"))
        var nulls = 0
        try table.forEachObject { object in
            for name in ["int", "string"] { if case .null? = try object.value(named: name) { nulls += 1 } }
        }
        XCTAssertGreaterThan(nulls, 5)
        XCTAssertEqual(report.issueCount, nulls)
        XCTAssertEqual(report.issues.count, 3)
        XCTAssertEqual(report.issues[0].reason, .null)
        XCTAssertEqual(report.issues[0].description, "All #0.int: null: the property needs a value")
        XCTAssert("\(report)".contains("and \(nulls - 3) more"), "\(report)")
        // A property whose value was left out has the default that the class declares.
        let first = try XCTUnwrap(realm.objects(RequiredModels.All.self).first)
        XCTAssertEqual(first.string, "none")
        XCTAssertNil(first.date)
    }

    func testSetsBecomeLists() throws {
        let realm = try makeRealm()
        let report = try realm.importObjects(
            fromRealmFile: ImportFixtures.url("sets-1"),
            options: .init(classes: .types([SetModels.CollS.self])))
        let expected = ExpectedValues(try ImportFixtures.expected("sets-1")).table("CollS")
        XCTAssertEqual(
            realm.objects(SetModels.CollS.self).map { Array($0.string) },
            expected.objects.map { ($0["values"] as! [String: Any])["string"] as! [String] })
        XCTAssertEqual(report.issueCount, 0)
    }

    func testAnEmbeddedObjectHasOneOwner() throws {
        let realm = try makeRealm()
        let report = try realm.importObjects(
            fromRealmFile: ImportFixtures.url("backlinks-many-1"),
            options: .init(classes: .types([OwnedModels.Src.self])))
        let owners = realm.objects(OwnedModels.Src.self).filter { $0.to != nil }
        XCTAssertEqual(Array(owners).count, realm.dynamicObjects("Dst").count)
        XCTAssertEqual(report["Dst"]?.inserted, realm.dynamicObjects("Dst").count)
        let twice = report.issues.filter { $0.reason == .ownedTwice }.count
        let expected = ExpectedValues(try ImportFixtures.expected("backlinks-many-1"))
        let links = expected.table("Src").objects
            .filter { !((($0["values"] as! [String: Any])["to"]) is NSNull) }
        XCTAssertEqual(twice, links.count - realm.dynamicObjects("Dst").count)
        let unlinked = expected.table("Dst").objects.filter { $0["backlinks"] == nil }.count
        XCTAssertEqual(report.issues.filter { $0.reason == .withoutOwner }.count, unlinked)
        XCTAssertEqual(report.issueCount, twice + unlinked)
    }

    func testKeysOfDictionariesThatAMapCannotHave() throws {
        var bytes = Array(try Data(contentsOf: ImportFixtures.url("dictionaries-1")))
        for start in bytes.indices.dropLast(3) where bytes[start..<start + 3].elementsEqual("key".utf8) {
            bytes[start + 1] = UInt8(ascii: ".")
        }
        let file = try RealmFile(bytes: bytes)
        let withoutDots: @Sendable (String) -> String? = { $0.replacingOccurrences(of: ".", with: "e") }
        for (index, mapKey) in [nil, withoutDots].enumerated() {
            let realm = try makeRealm("\(index)")
            try realm.storeClasses(of: file)
            let report = try realm.importObjects(
                fromRealmFile: file, options: .init(classes: .all, mapKey: mapKey))
            if mapKey == nil {
                XCTAssertGreaterThan(report.issueCount, 10)
                XCTAssert(
                    report.issues.allSatisfy { $0.reason == .mapKey && $0.key?.hasPrefix("k.y") == true })
            } else {
                XCTAssertEqual(report.issueCount, 0, "\(report)")
                let keys = realm.dynamicObjects("CollD").flatMap { object -> [String] in
                    (object["int"] as! Map<String, Int>).keys.filter { $0.hasPrefix("key") }
                }
                XCTAssertFalse(keys.isEmpty)
            }
        }
    }
}
