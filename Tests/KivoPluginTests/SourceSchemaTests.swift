import Foundation
import KivoSchemaDrawing
import XCTest

@testable import KivoSchemaTool
@testable import KivoSourceModel

final class SourceSchemaTests: XCTestCase {
    private func schema(_ text: String) throws -> SourceSchema {
        let loaded = try Fixture.loader().load([SourceText(path: "Models.swift", "import Kivo\n" + text)])
        return SourceSchema(loaded.program, warnings: loaded.warnings)
    }

    private func difference(_ old: String, _ new: String) throws -> SchemaDifference {
        SchemaDifference(from: try schema(old), to: try schema(new))
    }

    func testTheOutlineHasAllThatClassesDeclare() throws {
        let schema = try schema(
            """
            enum Mood: String, PersistableEnum { case calm }
            class Animal: Object { @Persisted(primaryKey: true) var id: Int; @Persisted(indexed: true) var name: String? }
            final class Dog: Animal {
                @Persisted var mood: Mood
                @Persisted var pups: Map<String, Dog?>
                @Persisted var tags: MutableSet<String>
                @Persisted var home: Home?
                @Persisted(originProperty: "pups") var parents: LinkingObjects<Dog>
                var note = ""
                override class func propertiesMapping() -> [String: String] { ["mood": "dog_mood"] }
            }
            class Home: EmbeddedObject { @Persisted var street = "" }
            class Unlisted: Object { override class func shouldIncludeInDefaultSchema() -> Bool { false } }
            """)
        typealias Property = SchemaOutline.Property
        let animal = [
            Property("id", type: "Int", isPrimaryKey: true),
            Property("name", type: "String", isOptional: true, isIndexed: true),
        ]
        XCTAssertEqual(
            schema.outline,
            SchemaOutline([
                SchemaOutline.Class("Animal", animal),
                SchemaOutline.Class(
                    "Dog",
                    animal + [
                        Property("mood", storedName: "dog_mood", type: "Mood"),
                        Property("pups", type: "Dog", isOptional: true, target: "Dog", collection: .map),
                        Property("tags", type: "String", collection: .set),
                        Property("home", type: "Home", isOptional: true, target: "Home"),
                        Property("parents", type: "Dog", target: "Dog", collection: .inverse, origin: "pups"),
                    ]),
                SchemaOutline.Class("Home", isEmbedded: true, [Property("street", type: "String")]),
            ]))
        for format in SchemaFormat.allCases {
            XCTAssertTrue(schema.outline.drawn(as: format).contains("Dog"))
        }
    }

    /// A class whose declarations were rewritten is what it was.
    func testOlderDeclarationsAreTheSameSchema() throws {
        let old = """
            class Dog: Object {
                let age = RealmOptional<Int>()
                let any = RealmProperty<AnyRealmValue>()
                let pups = List<Dog>()
                let counts = Map<String, Int>()
                let parents = LinkingObjects(fromType: Dog.self, property: "pups")
                let scratch = List<Int>()
                override class func primaryKey() -> String? { "age" }
                override class func ignoredProperties() -> [String] { ["scratch"] }
            }
            """
        let new = """
            class Dog: Object {
                @Persisted(primaryKey: true) var age: Int?
                @Persisted var any: AnyRealmValue
                @Persisted var pups: List<Dog>
                @Persisted var counts: Map<String, Int>
                @Persisted(originProperty: "pups") var parents: LinkingObjects<Dog>
            }
            """
        XCTAssertEqual(try schema(old).outline, try schema(new).outline)
        XCTAssertTrue(try difference(old, new).classes.isEmpty)
    }

    func testWhatIsStoredAlikeNeedsNoMigration() throws {
        let found = try difference(
            """
            class Dog: Object { @Persisted var mood: String; @Persisted var age: Int }
            """,
            """
            enum Mood: String, PersistableEnum { case calm }
            class Dog: Object {
                @Persisted var years: Int
                @Persisted var mood: Mood
                override class func _realmColumnNames() -> [String: String] { ["years": "age"] }
            }
            class Cat: Object { @Persisted var name: String }
            """)
        XCTAssertEqual(found.effort, .none)
        XCTAssertEqual(found.classes.map(\.name), ["Cat", "Dog"])
        XCTAssertEqual(found.migrationBlock, [])
        XCTAssertTrue(found.text(from: "a", to: "b").contains("The file opens as it is"))
    }

    func testWhatOnlyNeedsAVersion() throws {
        let found = try difference(
            "class Dog: Object { @Persisted var a: String?; @Persisted var b: Int; @Persisted var gone: Bool }",
            "class Dog: Object { @Persisted var a: String; @Persisted(indexed: true) var b: Int; @Persisted var new: Data }"
        )
        XCTAssertEqual(found.effort, .version)
        XCTAssertEqual(found.classes[0].changes.compactMap(\.property), ["a", "b", "new", "gone"])
        XCTAssertEqual(found.classes[0].changes.map(\.sign), [.changed, .changed, .added, .removed])
        XCTAssertEqual(found.migrationBlock, [])
    }

    func testWhatAMigrationBlockHasToDo() throws {
        let found = try difference(
            """
            class Dog: Object { @Persisted var weight: Int; @Persisted var nick: String; @Persisted var code: String? }
            class Town: Object { @Persisted var name: String; @Persisted var size: Int }
            """,
            """
            class Dog: Object {
                @Persisted var weight: Double
                @Persisted var nickname: String
                @Persisted var code: Int?
                @Persisted(primaryKey: true) var id: UUID
            }
            class City: Object { @Persisted var name: String; @Persisted var size: Int }
            """)
        XCTAssertEqual(found.effort, .block)
        XCTAssertEqual(
            found.migrationBlock,
            [
                "// If 'City' is what 'Town' was:",
                "migration.enumerateObjects(ofType: \"Town\") { old, _ in",
                "    migration.create(\"City\", value: old!)",
                "}",
                "migration.deleteData(forType: \"Town\")",
                "migration.renameProperty(onType: \"Dog\", from: \"nick\", to: \"nickname\")",
                "migration.enumerateObjects(ofType: \"Dog\") { old, new in",
                "    new![\"weight\"] = (old![\"weight\"] as? Int).map { Double($0) } ?? 0",
                "    new![\"code\"] = (old![\"code\"] as? String).flatMap { Int($0) }",
                "    new![\"id\"] = <#a value that no other object has#>",
                "}",
            ])
    }

    func testSameSchemas() throws {
        let found = try difference(
            "class A: Object { @Persisted var a: Int }", "class A: Object { @Persisted var a: Int }")
        XCTAssertTrue(found.classes.isEmpty)
        XCTAssertTrue(found.text(from: "x", to: "y").contains("are the same"))
        let json =
            try JSONSerialization.jsonObject(with: Data(found.json(from: "x\"", to: "y").utf8))
            as? [String: Any]
        XCTAssertEqual(json?["from"] as? String, "x\"")
        XCTAssertEqual(json?["needs"] as? String, "none")
    }

    func testRevisionsOfARepository() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        let sources = directory.appendingPathComponent("Package/Sources/App")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func git(_ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                [
                    "git", "-C", directory.path, "-c", "user.name=A", "-c", "user.email=a@b.c", "-c",
                    "commit.gpgsign=false",
                ]
                + arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 { throw XCTSkip("git \(arguments[0]) does not work here") }
        }
        let file = sources.appendingPathComponent("Dog.swift")
        func write(_ text: String) throws { try text.write(to: file, atomically: true, encoding: .utf8) }
        try git("init", "-q")
        try write("import Kivo\nclass Dog: Object { @Persisted var age: Int }")
        try git("add", "-A")
        try git("commit", "-qm", "1")
        try write("import Kivo\nclass Dog: Object { @Persisted var age: Double }")
        try git("commit", "-qam", "2")
        try write(
            "import Kivo\nclass Dog: Object { @Persisted var age: Double; @Persisted var name: String }")
        let compiler = try XCTUnwrap(ParserDump.installedCompiler()).path
        func run(_ arguments: String...) throws -> String {
            try SchemaTool.run(
                SchemaOptions(
                    arguments + [
                        "--compiler", compiler, "--package", directory.appendingPathComponent("Package").path,
                        "--directory", sources.path, "--source", file.path,
                    ])
            ).text
        }
        XCTAssertTrue(try run("--from", "HEAD~1", "--to", "HEAD").contains("Int is Double now"))
        XCTAssertFalse(try run("--from", "HEAD~1", "--to", "HEAD").contains("name"))
        XCTAssertTrue(
            try run("--from", "HEAD").contains("+ name  String added: \"\" in objects that are there"))
        XCTAssertTrue(
            try run("--from", "HEAD~1", "--format", "json").contains("\"needs\": \"migrationBlock\""))
        XCTAssertTrue(try run("--to", "HEAD~1", "--format", "text").contains("age  Int"))
        XCTAssertThrowsError(try run("--from", "nothing")) { XCTAssertTrue("\($0)".contains("git"), "\($0)") }
    }

    func testSuperclassesOfOtherTargetsCount() throws {
        let own = SourceText(path: "A.swift", "import Kivo\nclass A: Base { @Persisted var a: Int }")
        let other = SourceText(
            path: "B.swift", "import Kivo\nopen class Base: Object { @Persisted var b: Int }")
        let loaded = try Fixture.loader().load([own], dependencies: [other])
        let outline = SourceSchema(loaded.program).outline
        XCTAssertEqual(outline.classes.map(\.name), ["A"])
        XCTAssertEqual(outline.classes.first?.properties.map(\.name), ["b", "a"])
    }

    func testMisuseIsTold() {
        for (arguments, complaint) in [
            (["--format", "png"], "'png' is no format"), (["--form"], "'--form' is not known"),
            (["--from"], "'--from' needs a value"),
            (["--from", "a", "--format", "svg"], "printed as text or json"),
        ] {
            XCTAssertThrowsError(try SchemaOptions(arguments)) {
                XCTAssertTrue("\($0)".contains(complaint), "\($0)")
            }
        }
    }
}
