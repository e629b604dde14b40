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

    func testASchemaListsTheClassesThatWereNotUsedBefore() throws {
        #if os(Linux) || os(Android)
        let realm = try openRealm()
        let schema = realm.schema
        let names = schema.objectSchema.map(\.className)
        for name in ["MetInSchema", "NamedByItself", "UnusedPart"] { XCTAssert(names.contains(name), name) }
        XCTAssertEqual(names, names.sorted())
        XCTAssertEqual(Set(names).count, names.count)
        for name in ["UnusedToldOf", "InsideOfAType", "Object", "EmbeddedObject", "DynamicObject"] {
            XCTAssertFalse(names.contains(name), name)
        }
        XCTAssertEqual(names.filter { $0.hasPrefix("_") }, [])
        let listed = try XCTUnwrap(schema.objectSchema.first { $0.className == "UnusedPart" })
        XCTAssertTrue(listed.isEmbedded && listed.objectClass == UnusedModels.Part.self)
        XCTAssertEqual(listed.properties.map(\.name), ["number"])
        XCTAssertEqual(schema, try openRealm().schema)
        let narrow = Realm.Configuration(inMemoryIdentifier: "narrow 2", objectTypes: [Dog.self])
        XCTAssertEqual(
            try Realm(configuration: narrow).schema.objectSchema.map(\.className), ["Dog", "Person"])
        XCTAssertNotEqual(schema, try Realm(configuration: narrow).schema)
        #endif
    }

    func testANestedClassIsFoundByTheNameThatItDefines() throws {
        #if os(Linux) || os(Android)
        let realm = try openRealm()
        XCTAssertEqual(realm.schema["NamedByItself"]?.properties.map(\.name), ["title"])
        XCTAssertNil(realm.schema["InsideOfAType"])
        try realm.write { realm.dynamicCreate("NamedByItself", value: ["title": "a"]) }
        XCTAssertEqual(realm.objects(UnusedModels.InsideOfAType.self).map(\.title), ["a"])
        #endif
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

    func testEachReadsItsOwnNamesByName() throws {
        let realm = try openRealm()
        try realm.write {
            let values: [String: Any] = ["numbers1": [1, 2], "texts1": ["a"], "counts1": ["k": 1]]
            realm.create(SharedCollectionsOne.self, value: values)
        }
        let one = try XCTUnwrap(realm.objects(SharedCollectionsOne.self).first)
        let two = try XCTUnwrap(realm.objects(SharedCollectionsTwo.self).first)
        for (object, suffix) in [(one, "1"), (two, "2")] as [(Object, String)] {
            XCTAssertEqual(object.dynamicList("numbers" + suffix).count, 2)
            XCTAssertEqual(object.dynamicMutableSet("texts" + suffix).count, 1)
            let counts: Map<String, DynamicObject?> = object.dynamicMap("counts" + suffix)
            XCTAssertEqual(counts.count, 1)
        }
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

class SharedCollectionsOne: Object {
    @Persisted var numbers1: List<Int>
    @Persisted var texts1: MutableSet<String>
    @Persisted var counts1: Map<String, Int>
    override class func _realmObjectName() -> String? { "SharedCollections" }
    override class func propertiesMapping() -> [String: String] {
        ["numbers1": "numbers", "texts1": "texts", "counts1": "counts"]
    }
}

class SharedCollectionsTwo: Object {
    @Persisted var numbers2: List<Int>
    @Persisted var texts2: MutableSet<String>
    @Persisted var counts2: Map<String, Int>
    override class func _realmObjectName() -> String? { "SharedCollections" }
    override class func propertiesMapping() -> [String: String] {
        ["numbers2": "numbers", "texts2": "texts", "counts2": "counts"]
    }
}

/// Classes that no test uses: only the schema names them.
enum UnusedModels {
    final class InsideOfAType: Object {
        @Persisted var title = ""
        override class func _realmObjectName() -> String? { "NamedByItself" }
    }

    final class Part: EmbeddedObject {
        @Persisted var number = 0
        override class func _realmObjectName() -> String? { "UnusedPart" }
    }

    final class ToldOf: Object {
        @Persisted var number = 0
        override class func _realmObjectName() -> String? { "UnusedToldOf" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
