import Foundation
import XCTest

/// A program that is written for Cocoa compiles and runs here after its imports, superclasses and `@objc dynamic` were changed,
/// and nothing else.
final class CocoaProgramTests: XCTestCase {
    private static let folder = PackageFolder.url.appendingPathComponent("Tests/CocoaProgram")

    /// All that changes, as regular expressions for single lines.
    private static let substitutions = [
        ("^import Foundation$", "import Foundation\nimport KivoObserving"),
        (": NSObject \\{$", ": KeyValueObject {"),
        (": Operation, @unchecked Sendable \\{$", ": KeyValueOperation, @unchecked Sendable {"),
        // Computed properties need no wrapper.
        ("@objc dynamic ((private\\(set\\) )?var [^=]*\\{)$", "$1"),
        ("@objc dynamic ", "@Observed "),
    ]

    private func converted(_ line: String) -> String {
        Self.substitutions.reduce(line) { line, substitution in
            line.replacingOccurrences(
                of: substitution.0, with: substitution.1, options: .regularExpression)
        }
    }

    func testTheProgramPrintsWhatItDoesWithCocoa() throws {
        if !ProgramRunner.isAvailable { throw XCTSkip("There is nothing to link with.") }
        let original = try String(
            contentsOf: Self.folder.appendingPathComponent("Kitchen.swift"), encoding: .utf8)
        let lines = original.components(separatedBy: "\n")
        XCTAssertGreaterThan(lines.count, 200)
        let program = lines.map(converted)
        let changed = zip(lines, program).filter { $0 != $1 }.map(\.0)
        XCTAssertTrue(
            changed.allSatisfy { line in
                ["import ", ": NSObject", ": Operation", "@objc dynamic"].contains { line.contains($0) }
            })
        XCTAssertFalse(program.contains { $0.contains("objc") || $0.contains("NSObject") })
        // The program keeps its contexts in variables, as programs of that time do.
        let (status, output) = try ProgramRunner().run(
            program.joined(separator: "\n"), flags: ["-swift-version", "5"])
        XCTAssertEqual(status, 0)
        let expected = try String(
            contentsOf: Self.folder.appendingPathComponent("expected.txt"), encoding: .utf8)
        XCTAssertEqual(output, expected)
    }
}
