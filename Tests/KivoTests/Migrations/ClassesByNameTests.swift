import Foundation
import Kivo
import XCTest

/// Classes that the program declares, and that are first mentioned by their names.
final class ClassesByNameTests: RealmTestCase {
    func testAClassOfTheSchemaNeedNotBeUsedBefore() throws {
        let realm = try openRealm()
        let schema = try XCTUnwrap(realm.schema["MetInSchema"])
        XCTAssertEqual(schema.properties.map(\.name), ["title", "link"])
        XCTAssertEqual(schema["link"]?.objectClassName, "MetInSchema")
        XCTAssertNil(realm.schema["MetNowhere"])
        XCTAssertNil(realm.schema["Object"], "models derive from it")
        let narrow = Realm.Configuration(inMemoryIdentifier: "narrow", objectTypes: [Dog.self, Person.self])
        XCTAssertNil(try Realm(configuration: narrow).schema["MetInSchema"])
        XCTAssertEqual(realm.schema, try openRealm().schema)
    }

    func testObjectsOfAClassThatWasNotUsedBefore() throws {
        let realm = try openRealm()
        XCTAssertEqual(realm.dynamicObjects("MetInQuery").count, 0)
        try realm.write {
            let made = realm.dynamicCreate("MetInCreation", value: ["title": "a", "link": ["title": "b"]])
            XCTAssertEqual(made["title"] as? String, "a")
        }
        XCTAssertEqual(realm.objects(MetInCreation.self).map(\.title).sorted(), ["a", "b"])
    }

    // MARK: One name for several classes

    func testClassesThatSayOneNameShareTheirObjects() throws {
        let realm = try openRealm()
        try realm.write { realm.create(SharedNameOne.self, value: ["first": 3]) }
        let other = try XCTUnwrap(realm.objects(SharedNameTwo.self).first)
        XCTAssertEqual(other.second, 3)
        try realm.write { other.second = 4 }
        XCTAssertEqual(realm.objects(SharedNameOne.self).map(\.first), [4])
        XCTAssertEqual(realm.schema.objectSchema.filter { $0.className == "SharedName" }.count, 1)
    }

    func testSharingAFileOverTwoOpenings() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-\(UUID()).kivo")
        let types: [ObjectBase.Type] = [SharedNameOne.self, SharedNameTwo.self]
        let configuration = Realm.Configuration(fileURL: file, objectTypes: types)
        defer { _ = try? Realm.deleteFiles(for: configuration) }
        for count in 1...2 {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(SharedNameTwo.self, value: ["second": count]) }
            XCTAssertEqual(realm.objects(SharedNameOne.self).map(\.first), Array(1...count))
        }
    }
}

class MetInSchema: Object {
    @Persisted var title = ""
    @Persisted var link: MetInSchema?
}

class MetInQuery: Object {
    @Persisted var title = ""
}

class MetInCreation: Object {
    @Persisted var title = ""
    @Persisted var link: MetInCreation?
}

class SharedNameOne: Object {
    @Persisted var first = 0
    override class func _realmObjectName() -> String? { "SharedName" }
    override class func propertiesMapping() -> [String: String] { ["first": "stored"] }
}

class SharedNameTwo: Object {
    @Persisted var second = 0
    override class func _realmObjectName() -> String? { "SharedName" }
    override class func _realmColumnNames() -> [String: String] { ["second": "stored"] }
}
