import Foundation
import XCTest

@testable import KivoModelsTool
@testable import KivoSourceModel

/// The fixtures say behind each line what is to be found in it: `// error: …`, or `// error -1: …` for the line before.
final class ModelChecksTests: XCTestCase {
    func testTypes() throws { try check("Types") }
    func testKeys() throws { try check("Keys") }
    func testInverseLinks() throws { try check("Inverse") }
    func testKeyPaths() throws { try check("KeyPaths") }
    func testLiteralValues() throws { try check("Values") }
    func testObservableClasses() throws { try check("Observed") }
    func testIsolatedClasses() throws { try check("Isolation") }
    func testLocalTokens() throws { try check("Tokens") }
    func testPropertyObservers() throws { try check("PropertyObservers") }

    private func check(_ fixture: String) throws {
        let source = try Fixture.source("Models/\(fixture).swift")
        let loaded = try Fixture.loader().load([source])
        XCTAssertEqual(loaded.warnings, [])
        XCTAssertEqual(loaded.files.count, 1)
        var found = Dictionary(
            grouping: ModelChecks.diagnostics(of: loaded.program), by: \.location.line)
        let lines = source.text(0..<source.bytes.count).split(
            separator: "\n", omittingEmptySubsequences: false)
        var expectations = 0
        for (index, line) in lines.enumerated() {
            guard let (severity, shift, text) = Self.expectation(line) else { continue }
            expectations += 1
            let place = index + 1 + shift
            let fitting = found[place]?.firstIndex {
                $0.severity.rawValue == severity && $0.message.contains(text)
            }
            guard let fitting else {
                XCTFail("\(fixture):\(place): expected \(severity) '\(text)', found \(found[place] ?? [])")
                continue
            }
            found[place]?.remove(at: fitting)
        }
        XCTAssertGreaterThan(expectations, 0)
        for rest in found.values.joined() { XCTFail("\(fixture): unexpected: \(rest.line)") }
    }

    private static func expectation(_ line: Substring) -> (severity: String, shift: Int, text: String)? {
        for severity in ["error", "warning", "note"] {
            guard let range = line.range(of: "// \(severity)") else { continue }
            let rest = line[range.upperBound...]
            guard let colon = rest.firstIndex(of: ":") else { continue }
            let shift = Int(rest[..<colon].drop { $0 == " " }) ?? 0
            return (severity, shift, String(rest[rest.index(after: colon)...].drop { $0 == " " }))
        }
        return nil
    }

    func testColumnsPointAtWhatIsMeant() throws {
        let source = SourceText(
            path: "Dog.swift",
            """
            import Kivo
            class Dog: Object { @Persisted var näme: [Int]; @Persisted var age: Int }
            let dogs = realm.objects(Dog.self).filter("age > 3 AND agee < 4")
            """)
        let loaded = try Fixture.loader().load([source])
        let places = ModelChecks.diagnostics(of: loaded.program).map {
            "\($0.location.line):\($0.location.column)"
        }
        XCTAssertEqual(places, ["2:36", "3:56"])
    }

    func testWhatCannotBeParsedIsAWarning() throws {
        let good = SourceText(
            path: "Good.swift", "import Kivo\nclass Good: Object { @Persisted var a: [Int] }")
        let broken = SourceText(path: "Broken.swift", "import Kivo\nclass Broken: Object { @Persisted var (")
        let loaded = try Fixture.loader().load([good, broken])
        XCTAssertEqual(loaded.warnings.map(\.severity), [.warning])
        XCTAssertEqual(loaded.warnings.map(\.location.path), ["Broken.swift"])
        let message = try XCTUnwrap(loaded.warnings.first?.message)
        XCTAssertTrue(message.contains("the parser does not accept it: expected"), message)
        XCTAssertEqual(ModelChecks.diagnostics(of: loaded.program).map(\.location.path), ["Good.swift"])
    }

    /// The dump of types with attributes is not valid JSON.
    func testTypesWithAttributesDoNotHideTheRest() throws {
        let source = SourceText(
            path: "A.swift",
            """
            import Kivo
            struct Tools {
                typealias Done = @Sendable () -> Void
                let list = Lock<[@Sendable () -> Void]?>([])
                func make() -> @Sendable (Int) -> @MainActor () -> Void {
                    _ = realm.objects(Dog.self).filter("nmae == 'x'")
                }
            }
            class Dog: Object {
                @Persisted var name: String
                @Persisted var tags: [String]
            }
            """)
        let loaded = try Fixture.loader().load([source])
        XCTAssertEqual(loaded.warnings, [])
        let found = ModelChecks.diagnostics(of: loaded.program)
        XCTAssertEqual(found.map(\.location.line), [6, 11], "\(found)")
    }

    func testDumpsAreKeptWhileTheirSourcesAreThere() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let dump = ParserDump(compiler: try XCTUnwrap(ParserDump.installedCompiler()), cache: directory)
        let sources = (0..<3).map { SourceText(path: "\($0).swift", "import Kivo\nclass A\($0): Object {}") }
        func kept() throws -> Int {
            try FileManager.default.contentsOfDirectory(
                atPath: directory.appendingPathComponent("dumps").path
            ).count
        }
        XCTAssertEqual(dump.dumps(of: sources).compactMap(\.tree).count, 3)
        XCTAssertEqual(try kept(), 3)
        // Without a compiler there is only what was kept.
        let blind = ParserDump(compiler: dump.compiler.deletingLastPathComponent(), cache: directory)
        XCTAssertEqual(blind.dumps(of: sources).compactMap(\.tree).count, 0)
        XCTAssertEqual(SourceLoader(dump).load(sources).program.ownModels.map(\.name), ["A0", "A1", "A2"])
        dump.forgetOthers(than: [sources[1]])
        XCTAssertEqual(try kept(), 1)
    }

    /// A machine that is short of memory ends a parser: its source is parsed again, and is not taken for one with mistakes.
    func testAParserThatFailsIsRunAgain() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let compiler = try XCTUnwrap(ParserDump.installedCompiler())
        func failing(_ condition: String) throws -> ParserDump {
            let url = directory.appendingPathComponent("swiftc-\(UUID().uuidString)")
            let script = """
                #!/bin/sh
                \(condition) && kill -9 $$
                exec '\(compiler.path)' "$@"

                """
            try Data(script.utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
            return ParserDump(compiler: url)
        }
        let sources = (0..<3).map { SourceText(path: "\($0).swift", "import Kivo\nclass A\($0): Object {}") }
        let once = SourceLoader(try failing("mkdir '\(directory.path)/once' 2>/dev/null")).load(sources)
        XCTAssertEqual(once.warnings, [])
        XCTAssertEqual(once.program.ownModels.map(\.name), ["A0", "A1", "A2"])
        let always = SourceLoader(try failing("true")).load(sources)
        XCTAssertEqual(always.warnings.map(\.location.path), ["0.swift", "1.swift", "2.swift"])
        XCTAssertTrue(
            always.warnings.allSatisfy { $0.message.contains("ended by signal 9") }, "\(always.warnings)")
        let none = SourceLoader(ParserDump(compiler: directory)).load(sources)
        XCTAssertTrue(
            none.warnings.allSatisfy { $0.message.contains("could not be run") }, "\(none.warnings)")
        XCTAssertEqual(none.warnings.count, 3)
    }

    func testDeclarationsOfOtherFilesAndTargetsAreFound() throws {
        let model = SourceText(
            path: "Model.swift",
            """
            import Kivo
            class Item: Shared { @Persisted var state: State; @Persisted var level: Levels.Level }
            """)
        let state = SourceText(path: "State.swift", "enum State: String { case on }")
        let level = SourceText(path: "Level.swift", "extension Levels { enum Level: Int { case low } }")
        let irrelevant = SourceText(path: "View.swift", "struct View { var body: Int { 3 } }")
        let shared = SourceText(
            path: "Shared.swift", "import Kivo\nopen class Shared: Object { @Persisted var id: Int }")
        let loaded = try Fixture.loader().load([model, state, level, irrelevant], dependencies: [shared])
        XCTAssertEqual(loaded.files.map(\.source.path), ["Model.swift", "State.swift", "Level.swift"])
        let found = ModelChecks.diagnostics(of: loaded.program)
        XCTAssertEqual(found.count, 2)
        XCTAssertTrue(
            found[0].message.contains("declare 'enum State: String, PersistableEnum'"), found[0].message)
        XCTAssertTrue(
            found[1].message.contains("declare 'enum Level: Int, PersistableEnum'"), found[1].message)
        XCTAssertEqual(loaded.program.ownModels.map(\.name), ["Item"])
        XCTAssertEqual(loaded.program.ownModels[0].allProperties.map(\.name), ["id", "state", "level"])
    }
}
