import Foundation
import TestRandomness
import XCTest

/// The compiler's messages about common mistakes with models and queries say what to do instead.
final class CompileErrorTests: XCTestCase {
    /// A line of a program, and what is said of it.
    private struct Mistake {
        let line: String
        let message: String

        init(_ line: String, _ message: String) {
            self.line = line
            self.message = message
        }
    }

    private static let models = """
        import Foundation
        import Kivo
        class Dog: Object { @Persisted var name = ""; @Persisted var age = 0; @Persisted var owner: Person? }
        class Person: Object { @Persisted var name = ""; @Persisted var home: Place? }
        class Place: EmbeddedObject { @Persisted var city = "" }
        struct Size { var width = 0.0 }
        enum Mood: String { case good, bad }

        """

    /// Compiles all lines in one go, and checks what is said of each.
    private func check(_ mistakes: [Mistake], file: StaticString = #filePath, line: UInt = #line) throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let source = Self.models + mistakes.map(\.line).joined(separator: "\n") + "\n"
        let problems = try XCTUnwrap(
            compiler.problems(inSource: source), "all of it compiles", file: file, line: line)
        let first = Self.models.components(separatedBy: "\n").count
        for (offset, mistake) in mistakes.enumerated() {
            let place = "Example.swift:\(first + offset):"
            let said = problems.components(separatedBy: "\n").filter {
                $0.contains(place) && $0.contains(": error: ")
            }
            XCTAssertTrue(
                said.contains { $0.contains(mistake.message) },
                "of '\(mistake.line)' is said: \(said.isEmpty ? [problems] : said)", file: file, line: line)
        }
    }

    func testPropertiesThatCannotBeStored() throws {
        try check([
            Mistake(
                "class A1: Object { @Persisted var x: UInt }", "unsigned integers cannot be stored: use Int"),
            Mistake("class A2: Object { @Persisted var x = UInt8(1) }", "unsigned integers cannot be stored"),
            Mistake(
                "class A3: Object { @Persisted var x: [String] }", "an array cannot be stored: declare a list"
            ),
            Mistake("class A4: Object { @Persisted var x: [String] = [] }", "an array cannot be stored"),
            Mistake("class A5: Object { @Persisted var x: [String: Int] = [:] }", "declare a map"),
            Mistake("class A6: Object { @Persisted var x: Set<Int> = [] }", "MutableSet<String>"),
            Mistake(
                "class A7: Object { @Persisted var x: Mood = .good }", "declare the enum with PersistableEnum"
            ),
            Mistake("class A8: Object { @Persisted var x: Size }", "cannot be stored"),
            Mistake(
                "class A9: Object { @Persisted var x = Size() }", "conform the type to CustomPersistable"),
            Mistake("class B1: Object { @Persisted var x: Dog }", "a link to an object is optional"),
            Mistake("class B2: Object { @Persisted var x = Dog() }", "write '@Persisted var owner: Person?'"),
            Mistake("class B3: Object { @Persisted var x: URL? }", "cannot be stored"),
        ])
    }

    func testKeysAndIndexes() throws {
        try check([
            Mistake(
                "class A1: Object { @Persisted(primaryKey: true) var x = 0.5 }", "a primary key is an integer"
            ),
            Mistake(
                "class A2: Object { @Persisted(primaryKey: true) var x: Date }", "a primary key is an integer"
            ),
            Mistake(
                "class A3: Object { @Persisted(indexed: true) var x = 0.5 }", "what is indexed is an integer"),
            Mistake(
                "class A4: Object { @Persisted(indexed: true) var x: Data }", "what is indexed is an integer"),
            Mistake(
                "class A5: Object { @Persisted(primaryKey: true, indexed: true) var x = 0 }",
                "leave out 'indexed'"),
            Mistake("class A6: Object { @Persisted let x: Int }", "can only be applied to a 'var'"),
        ])
    }

    func testClassesThatAreNoModels() throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let source = Self.models + "class Cat { @Persisted var age = 0 }\n"
        let problems = try XCTUnwrap(compiler.problems(inSource: source))
        XCTAssertTrue(problems.contains("requires that 'Cat' inherit from 'ObjectBase'"), problems)
        let value = try XCTUnwrap(
            compiler.problems(inSource: Self.models + "struct Cat { @Persisted var age = 0 }\n"))
        XCTAssertTrue(
            value.contains("@Persisted is for properties of Object and EmbeddedObject classes"), value)
    }

    func testQueries() throws {
        try check([
            Mistake(
                "func a1(_ r: Results<Dog>) -> Results<Dog> { r.filter { $0.age > 3 } }",
                "write the condition as 'where { $0.age > 3 }'"),
            Mistake(
                "func a2(_ r: Results<Dog>) { _ = r.filter { $0.age > 3 }.sorted(byKeyPath: \"age\") }",
                "write the condition as 'where { $0.age > 3 }'"),
            Mistake(
                "func a3(_ r: Results<Dog>) -> Results<Dog> { r.sorted { $0.age < $1.age } }",
                "write the order as 'sorted(by: \\.age)'"),
            Mistake("func a4(_ r: Results<Dog>) { _ = r.where { $0.agee > 3 } }", "no dynamic member 'agee'"),
            Mistake(
                "func a5(_ r: Results<Dog>) { _ = r.where { $0.name.hasPrefix(\"R\") } }", "starts(with:)"),
            Mistake(
                "func a6(_ r: Results<Dog>) { _ = r.where { $0.name.lowercased() == \"r\" } }",
                "caseInsensitive"),
            Mistake(
                "func a7(_ d: Dog) { _ = d.observe(keyPaths: [\\Person.name]) { (_: ObjectChange<Dog>) in } }",
                "'Person' vs. 'Dog'"),
            Mistake("func a8(_ d: Dog) { _ = d.observe(\\.agee) { _, _ in } }", "has no member 'agee'"),
        ])
    }

    func testEmbeddedObjectsOnTheirOwn() throws {
        try check([
            Mistake("func a1(_ r: Realm, _ p: Place) { r.add(p) }", "added with its owner"),
            Mistake("func a2(_ r: Realm) { _ = r.create(Place.self) }", "created with its owner"),
            Mistake("func a3(_ r: Realm) { _ = r.objects(Place.self) }", "reached through their owners"),
        ])
    }

    /// Valid code that resembles the mistakes above compiles.
    func testWhatIsMeantGoesOnToCompile() throws {
        let source =
            Self.models + """
                extension UInt64: @retroactive CustomPersistable {
                    public init(persistedValue: Int64) { self.init(bitPattern: persistedValue) }
                    public var persistableValue: Int64 { Int64(bitPattern: self) }
                }
                extension URL: @retroactive FailableCustomPersistable {
                    public init?(persistedValue: String) { self.init(string: persistedValue) }
                    public var persistableValue: String { absoluteString }
                }
                enum Kind: Int, PersistableEnum { case a, b }
                class Thing: Object {
                    @Persisted(primaryKey: true) var id: UUID
                    @Persisted(indexed: true) var kind = Kind.a
                    @Persisted var bits: UInt64 = 7
                    @Persisted var page: URL?
                    @Persisted(primaryKey: false) var maybe: Int?
                    @Ignored var names: [String] = []
                    var plain: [String: UInt] = [:]
                }
                func use(_ dogs: Results<Dog>, _ list: List<Dog>) -> Int {
                    let lazy = dogs.filter { $0.age > 3 }
                    let array: [Dog] = dogs.filter { $0.age > 3 }
                    for dog in dogs.filter({ $0.name.hasPrefix("R") }) { print(dog) }
                    let names = list.filter { $0.owner != nil }.map(\\.name).sorted { $0 > $1 }
                    let sorted = dogs.sorted { $0.age < $1.age }
                    let by: [Dog] = dogs.sorted(by: { $0.age < $1.age })
                    let results: Results<Dog> = dogs.filter("age > 3").where { $0.name.starts(with: "R") }.sorted(by: \\.age)
                    return lazy.count + array.count + names.count + sorted.count + by.count + results.count
                }
                """
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        XCTAssertNil(try compiler.problems(inSource: source, warningsFail: true))
    }

    /// A realm that is opened in an asynchronous function without an actor would be used on another thread behind an `await`.
    func testAsynchronousOpeningNamesTheActorThatIsMissing() throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let calls = [
            "try Realm(configuration: .defaultConfiguration)", "try Realm()",
            "try await Realm(configuration: .defaultConfiguration)", "try await Realm()",
            "try await Realm.open(configuration: .defaultConfiguration)", "try await Realm.open()",
        ]
        for call in TestEffort.sample(calls, 2) {
            // Without an 'await' the closure of a task is none of an asynchronous function: it may open the realm of a thread.
            let frames =
                [("func f() async throws {", "}")]
                + (call.contains("await") ? [("func f() { Task {", "} }")] : [])
            for (begin, end) in frames {
                let source = Self.models + "\(begin) let realm = \(call); print(realm.isEmpty) \(end)\n"
                let problems = try XCTUnwrap(compiler.problems(inSource: source), "\(begin) \(call)")
                XCTAssertTrue(problems.contains("'Realm.CallerMustRunOnAnActor'"), problems)
            }
        }
    }

    func testActorsOpenAndKeepRealmsByBothNames() throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let source =
            Self.models + """
                actor Kennel {
                    var realm: Realm?
                    func open() async throws { realm = try await Realm(configuration: .defaultConfiguration) }
                    func openToo() async throws { realm = try await Realm.open() }
                }
                @MainActor final class Screen {
                    var realm: Realm?
                    func open() async throws { realm = try await Realm() }
                    func openAtOnce() throws { realm = try Realm() }
                }
                func count() throws -> Int { try Realm().objects(Dog.self).count }
                func later() async throws -> Int { try count() }

                """
        XCTAssertNil(try compiler.problems(inSource: source, checksSending: true, warningsFail: true))
    }
}
