import Foundation
import Kivo
import XCTest

// The article begins.
class Hiker: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var fullName = ""
    @Persisted var age = 18
    @Persisted var nickname: String?
}

func hikers(_ file: URL) -> Realm.Configuration {
    Realm.Configuration(fileURL: file, schemaVersion: 1, migrationBlock: joinNames)
}
// The article ends.

// The article begins.
nonisolated func joinNames(_ migration: Migration, _ oldVersion: UInt64) {
    migration.enumerateObjects(ofType: "Hiker") { old, new in
        let first = old?["firstName"] as? String ?? ""
        let last = old?["lastName"] as? String ?? ""
        new?["fullName"] = "\(first) \(last)"
    }
}
// The article ends.

// The article begins.
class Route: Object {
    @Persisted var title = ""
    @Persisted var stops: List<String>
}

nonisolated func renameRoutes(_ migration: Migration, _ oldVersion: UInt64) {
    migration.renameProperty(onType: "Route", from: "name", to: "title")
    migration.renameProperty(onType: "Route", from: "places", to: "stops")
}
// The article ends.

// The article begins.
class Hut: Object {
    @Persisted var altitude = 0
    @Persisted var guests: MutableSet<String>
}

nonisolated func readAltitudes(_ migration: Migration, _ oldVersion: UInt64) {
    migration.enumerateObjects(ofType: "Hut") { old, new in
        new?["altitude"] = Int(old?["altitude"] as? String ?? "") ?? 0
        new?["guests"] = old?["guests"]
    }
}
// The article ends.

// The article begins.
class Forecast: Object {
    @Persisted var text = ""
    @Persisted var degrees: Double?
}

nonisolated func fillForecasts(_ migration: Migration, _ oldVersion: UInt64) {
    migration.enumerateObjects(ofType: "Forecast") { old, new in
        if old?["text"] as? String == nil { new?["text"] = "unknown" }
    }
}
// The article ends.

// The article begins.
class Permit: Object {
    @Persisted(primaryKey: true) var code = ""
    @Persisted var holder = ""
}

nonisolated func codePermits(_ migration: Migration, _ oldVersion: UInt64) {
    var known: Set<Int> = []
    migration.enumerateObjects(ofType: "Permit") { old, new in
        guard let new, let number = old?["number"] as? Int else { return }
        if known.insert(number).inserted { new["code"] = "P\(number)" } else { migration.delete(new) }
    }
}
// The article ends.

// The article begins.
class Valley: Object {
    @Persisted(primaryKey: true) var name = ""
}

class Summit: Object {
    @Persisted var name = ""
    @Persisted var valley: Valley?
}

nonisolated func makeValleys(_ migration: Migration, _ oldVersion: UInt64) {
    var valleys: [String: MigrationObject] = [:]
    migration.enumerateObjects(ofType: "Summit") { old, new in
        guard let name = old?["valleyName"] as? String, !name.isEmpty else { return }
        let valley = valleys[name] ?? migration.create("Valley", value: ["name": name])
        valleys[name] = valley
        new?["valley"] = valley
    }
}
// The article ends.

// The article begins.
class Tent: Object {
    @Persisted var owner = ""
    @Persisted var size: TentSize?
}

class TentSize: EmbeddedObject {
    @Persisted var persons = 0
}

nonisolated func ownSizes(_ migration: Migration, _ oldVersion: UInt64) {
    var taken: Set<Int> = []
    migration.enumerateObjects(ofType: "Tent") { _, new in
        guard let new, let size = new["size"] as? MigrationObject else { return }
        let persons = size["persons"] as? Int ?? 0
        // What several tents shared, each has now for itself.
        if !taken.insert(persons).inserted {
            new["size"] = migration.create("TentSize", value: ["persons": persons])
        }
    }
}
// The article ends.

// The article begins.
nonisolated func forgetDiaries(_ migration: Migration, _ oldVersion: UInt64) {
    migration.enumerateObjects(ofType: "Diary") { old, _ in
        migration.create("Route", value: ["title": old?["title"] ?? ""])
    }
    migration.deleteData(forType: "Diary")
}
// The article ends.

// The article begins.
nonisolated func migrateAll(_ migration: Migration, _ oldVersion: UInt64) {
    if oldVersion < 1 { joinNames(migration, oldVersion) }
    if oldVersion < 2 { renameRoutes(migration, oldVersion) }
}
// The article ends.

// The article begins.
func scratch(_ file: URL) -> Realm.Configuration {
    Realm.Configuration(fileURL: file, schemaVersion: 2, deleteRealmIfMigrationNeeded: true)
}

func migrateAhead(_ file: URL) throws {
    if try schemaVersionAtURL(file) < 1 { try Realm.performMigration(for: hikers(file)) }
}
// The article ends.

/// The classes of the article as they were before.
private enum ArticleBefore {
    class Hiker: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var firstName = ""
        @Persisted var lastName = ""
    }

    class Route: Object {
        @Persisted var name = ""
        @Persisted var places: List<String>
    }

    class Hut: Object {
        @Persisted var altitude = ""
        @Persisted var guests: List<String>
    }

    class Forecast: Object {
        @Persisted var text: String?
        @Persisted var degrees = 0.0
    }

    class Permit: Object {
        @Persisted var number = 0
        @Persisted var holder = ""
    }

    class Summit: Object {
        @Persisted var name = ""
        @Persisted var valleyName = ""
    }

    class Tent: Object {
        @Persisted var owner = ""
        @Persisted var size: TentSize?
    }

    class TentSize: Object {
        @Persisted var persons = 0
    }

    class Diary: Object {
        @Persisted var title = ""
    }
}

/// The examples of the article about migrations, in the article's own words.
final class MigrationArticleTests: MigrationTestCase {
    private typealias Before = ArticleBefore

    private func open(
        _ types: [ObjectBase.Type], _ configuration: Realm.Configuration, _ body: (Realm) throws -> Void
    ) throws {
        // The classes of before are in this program as well.
        var configuration = configuration
        configuration.objectTypes = types
        try withRealm(configuration, body)
        configuration.migrationBlock = { _, _ in XCTFail("migrated again") }
        try withRealm(configuration, body)
    }

    func testNewPropertiesAndTheirValues() throws {
        try write([Before.Hiker.self]) { realm in
            realm.add(Before.Hiker(value: ["id": 1, "firstName": "Ida", "lastName": "Berg"]))
        }
        try open([Hiker.self], hikers(file)) { realm in
            let hiker = try XCTUnwrap(realm.object(ofType: Hiker.self, forPrimaryKey: 1))
            XCTAssertEqual(hiker.fullName, "Ida Berg")
            XCTAssertEqual(hiker.age, 0)
            XCTAssertNil(hiker.nickname)
        }
    }

    func testAnotherName() throws {
        try write([Before.Route.self]) { realm in
            realm.add(Before.Route(value: ["name": "Ridge", "places": ["A", "B"]]))
        }
        try migrate([Route.self], renameRoutes) { realm in
            XCTAssertEqual(realm.objects(Route.self).map(\.title), ["Ridge"])
            XCTAssertEqual(realm.objects(Route.self).map { Array($0.stops) }, [["A", "B"]])
        }
    }

    func testAnotherType() throws {
        try write([Before.Hut.self]) { realm in
            realm.add(Before.Hut(value: ["altitude": "2500", "guests": ["b", "a", "b"]]))
        }
        try migrate([Hut.self], readAltitudes) { realm in
            XCTAssertEqual(realm.objects(Hut.self).map(\.altitude), [2500])
            XCTAssertEqual(realm.objects(Hut.self).map { $0.guests.sorted() }, [["a", "b"]])
        }
    }

    func testOptionalAndRequired() throws {
        try write([Before.Forecast.self]) { realm in
            realm.add(Before.Forecast(value: ["degrees": 1.5]))
            realm.add(Before.Forecast(value: ["text": "sun", "degrees": 20]))
        }
        try migrate([Forecast.self], fillForecasts) { realm in
            XCTAssertEqual(realm.objects(Forecast.self).map(\.text), ["unknown", "sun"])
            XCTAssertEqual(realm.objects(Forecast.self).map(\.degrees), [1.5, 20])
        }
    }

    func testAnotherPrimaryKey() throws {
        try write([Before.Permit.self]) { realm in
            for number in [7, 8, 7] {
                realm.add(Before.Permit(value: ["number": number, "holder": "h\(number)"]))
            }
        }
        try assertRefused(.invalidInput, [Permit.self], version: 1, says: ["'Permit.code'"])
        try migrate([Permit.self], codePermits) { realm in
            XCTAssertEqual(realm.objects(Permit.self).map(\.code), ["P7", "P8"])
            XCTAssertEqual(realm.object(ofType: Permit.self, forPrimaryKey: "P8")?.holder, "h8")
        }
    }

    func testObjectsOfOtherClasses() throws {
        try write([Before.Summit.self]) { realm in
            for (name, valley) in [("a", "V"), ("b", "W"), ("c", "V"), ("d", "")] {
                realm.add(Before.Summit(value: ["name": name, "valleyName": valley]))
            }
        }
        try migrate([Summit.self, Valley.self], makeValleys) { realm in
            XCTAssertEqual(realm.objects(Valley.self).map(\.name), ["V", "W"])
            XCTAssertEqual(realm.objects(Summit.self).map { $0.valley?.name }, ["V", "W", "V", nil])
        }
    }

    private func migrateTents(_ block: MigrationBlock?) throws {
        let before = [Before.Tent.self, Before.TentSize.self] as [ObjectBase.Type]
        try write(before) { realm in
            let size = Before.TentSize(value: ["persons": 2])
            for owner in ["a", "b"] { realm.add(Before.Tent(value: ["owner": owner, "size": size])) }
        }
        try migrate([Tent.self, TentSize.self], block) { realm in
            XCTAssertEqual(realm.objects(Tent.self).map { $0.size?.persons }, [2, 2])
            XCTAssertEqual(realm.dynamicObjects("TentSize").count, 2)
        }
        try migrate(before, version: 2) { realm in
            XCTAssertEqual(realm.objects(Before.TentSize.self).count, 2)
        }
    }

    func testEmbeddedObjects() throws { try migrateTents(ownSizes) }

    func testEmbeddedObjectsAreCopiedForTheirOwners() throws { try migrateTents(nil) }

    func testClassesThatAreGone() throws {
        try write([Before.Diary.self]) { $0.add(Before.Diary(value: ["title": "t"])) }
        try migrate([Route.self], forgetDiaries) { realm in
            XCTAssertEqual(realm.objects(Route.self).map(\.title), ["t"])
            XCTAssertNil(realm.schema["Diary"])
        }
    }

    func testSeveralVersions() throws {
        for version in [0, 1] as [UInt64] {
            try? FileManager.default.removeItem(at: file)
            if version == 0 {
                try write([Before.Hiker.self, Before.Route.self]) { realm in
                    realm.add(Before.Hiker(value: ["id": 1, "firstName": "Ida", "lastName": "Berg"]))
                    realm.add(Before.Route(value: ["name": "Ridge"]))
                }
            } else {
                try write([Hiker.self, Before.Route.self], version: 1) { realm in
                    realm.add(Hiker(value: ["id": 1, "fullName": "Ida Berg"]))
                    realm.add(Before.Route(value: ["name": "Ridge"]))
                }
            }
            try migrate([Hiker.self, Route.self], version: 2, migrateAll) { realm in
                XCTAssertEqual(realm.objects(Hiker.self).first?.fullName, "Ida Berg")
                XCTAssertEqual(realm.objects(Route.self).first?.title, "Ridge")
            }
        }
    }

    func testWithoutAMigration() throws {
        try write([Before.Route.self]) { $0.add(Before.Route(value: ["name": "Ridge"])) }
        try open([Route.self], scratch(file)) { XCTAssertEqual($0.objects(Route.self).count, 0) }
        try FileManager.default.removeItem(at: file)
        try write([Before.Diary.self]) { $0.add(Before.Diary(value: ["title": "t"])) }
        try migrateAhead(file)
        XCTAssertEqual(try schemaVersionAtURL(file), 1)
        try migrateAhead(file)
    }

    func testTheArticleShowsTheCodeThatRuns() throws {
        let file = URL(fileURLWithPath: #filePath)
        let article = try DocumentedExamples(page: PackageFolder.article("Migrations"))
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let begins = lines.indices.filter { lines[$0] == "// The article begins." }
        let running = begins.map { begin in
            lines[(begin + 1)...].prefix { $0 != "// The article ends." }.joined(separator: "\n") + "\n"
        }
        XCTAssertEqual(running.count, 11)
        let imports = "import Foundation\nimport Kivo\n\n"
        XCTAssertEqual(
            article.blocks, running.enumerated().map { $0.offset == 0 ? imports + $0.element : $0.element })
    }
}
