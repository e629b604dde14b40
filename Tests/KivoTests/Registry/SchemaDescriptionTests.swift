import Foundation
import Kivo
import XCTest

final class SchemaDescriptionTests: RealmTestCase {
    override var configuration: Realm.Configuration {
        Realm.Configuration(
            inMemoryIdentifier: name,
            objectTypes: [
                DynamicDog.self, DynamicPerson.self, DynamicChip.self, AllTypes.self, MappedRoom.self,
            ])
    }

    func testARealmSaysWhatItHolds() throws {
        let schema = try openRealm().schema
        XCTAssertEqual(
            schema.objectSchema.map(\.className),
            ["AllTypes", "DynamicChip", "DynamicDog", "DynamicPerson", "MappedRoom"])
        XCTAssertNil(schema["Nothing"])
        let dog = try XCTUnwrap(schema["DynamicDog"])
        XCTAssertTrue(dog.objectClass == DynamicDog.self)
        XCTAssertEqual(dog.primaryKeyProperty?.name, "tag")
        XCTAssertEqual(
            dog.properties.map(\.name),
            [
                "tag", "name", "age", "mood", "temperature", "id", "born", "owner", "chip", "friends",
                "chips",
                "numbers", "gaps", "pack", "words", "byName", "scores",
            ])
        func text(_ name: String) -> String {
            guard let property = dog[name] else { return "none" }
            return [
                "\(property.type)", property.isOptional ? "optional" : "",
                property.isIndexed ? "indexed" : "",
                property.isArray ? "array" : "", property.isSet ? "set" : "", property.isMap ? "map" : "",
                property.objectClassName ?? "",
            ].filter { !$0.isEmpty }.joined(separator: " ")
        }
        XCTAssertEqual(text("tag"), "int indexed")
        XCTAssertEqual(text("name"), "string indexed")
        XCTAssertEqual(text("age"), "int optional")
        XCTAssertEqual(text("mood"), "string")
        XCTAssertEqual(text("temperature"), "double")
        XCTAssertEqual(text("id"), "uuid")
        XCTAssertEqual(text("owner"), "object optional DynamicPerson")
        XCTAssertEqual(text("chip"), "object optional DynamicChip")
        XCTAssertEqual(text("friends"), "object array DynamicDog")
        XCTAssertEqual(text("gaps"), "string optional array")
        XCTAssertEqual(text("pack"), "object set DynamicDog")
        XCTAssertEqual(text("byName"), "object optional map DynamicDog")
        XCTAssertEqual(text("scores"), "int map")
        let dogs = try XCTUnwrap(schema["DynamicPerson"]?["dogs"])
        XCTAssertEqual(dogs.type, .linkingObjects)
        XCTAssertEqual(dogs.objectClassName, "DynamicDog")
        XCTAssertFalse(dogs.isArray)
        XCTAssertTrue(schema["DynamicChip"]!.isEmbedded)
        XCTAssertNil(schema["DynamicChip"]!.primaryKeyProperty)
    }

    func testAllTypesHaveTheirNames() throws {
        let schema = try XCTUnwrap(openRealm().schema["AllTypes"])
        let types = Dictionary(uniqueKeysWithValues: schema.properties.map { ($0.name, $0.type) })
        XCTAssertEqual(
            types,
            [
                "bool": .bool, "int": .int, "int8": .int, "int16": .int, "int32": .int, "int64": .int,
                "float": .float, "double": .double, "string": .string, "data": .data, "date": .date,
                "uuid": .UUID, "objectId": .objectId, "decimal": .decimal128, "mood": .string, "rank": .int,
                "link": .object,
            ])
    }

    func testSchemasAreCompared() throws {
        let realm = try openRealm()
        XCTAssertEqual(realm.schema, try openRealm().schema)
        XCTAssertEqual(realm.schema["DynamicDog"], DynamicDog().objectSchema)
        XCTAssertNotEqual(realm.schema["DynamicDog"], realm.schema["DynamicPerson"])
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "\(name) other"))
        XCTAssertNotEqual(realm.schema, other.schema)
        XCTAssertEqual(realm.schema["DynamicDog"]?["name"], DynamicDog().objectSchema["name"])
        XCTAssertNotEqual(realm.schema["DynamicDog"]?["name"], realm.schema["DynamicPerson"]?["name"])
    }

    func testDescriptions() throws {
        let schema = try openRealm().schema
        XCTAssertTrue(
            schema.description.hasPrefix("Schema {\n\tAllTypes {\n\t\tbool {\n\t\t\ttype = bool;\n"))
        let property = try XCTUnwrap(schema["DynamicPerson"]?["dogs"]).description
        XCTAssertTrue(property.contains("linkOriginPropertyName = owner;"), property)
        let link = try XCTUnwrap(schema["DynamicDog"]?["owner"]).description
        XCTAssertTrue(link.contains("linkOriginPropertyName = (null);"), link)
    }

    func testObjectsSayWhatTheirClassIs() throws {
        let dog = DynamicDog()
        XCTAssertEqual(dog.objectSchema["owner"]?.objectClassName, "DynamicPerson")
        let realm = try openRealm()
        try realm.write { realm.add(dog) }
        XCTAssertEqual(dog.objectSchema.properties.count, 17)
        XCTAssertEqual(realm.dynamicObjects("DynamicDog")[0].objectSchema, dog.objectSchema)
    }
}
