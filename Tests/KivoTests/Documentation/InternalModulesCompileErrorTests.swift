import Foundation
import XCTest

/// The modules that are not products declare for this package only: a file of another package that imports them finds nothing.
final class InternalModulesCompileErrorTests: XCTestCase {
    /// The types of `KivoJournal` that the interface of Kivo names.
    private static let named: Set<String> = ["SalvageReport", "VerificationReport"]

    func testFilesOfOtherPackagesFindNoDeclaration() throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        for module in ["KivoEngine", "KivoJournal"] {
            let names = try declaredTypes(of: module).subtracting(Self.named).sorted()
            XCTAssertGreaterThan(names.count, 20, module)
            let aliases = names.map { "typealias Found\($0) = \(module).\($0)" }
            let source = (["import Kivo", "import \(module)"] + aliases).joined(separator: "\n") + "\n"
            let problems = try XCTUnwrap(compiler.problems(inSource: source), "\(module) is public")
            for name in names {
                XCTAssertTrue(
                    problems.contains("error: no type named '\(name)' in module '\(module)'"),
                    "\(module).\(name) is found: \(problems)")
            }
        }
    }

    /// The names of the types that the sources of a module declare for other modules.
    private func declaredTypes(of module: String) throws -> Set<String> {
        let folder = PackageFolder.url.appendingPathComponent("Sources/\(module)")
        let kinds = "struct|class|enum|protocol|typealias"
        let declaration = try Regex(
            "(?m)^(?:@\\w+ )*(?:package|public) (?:final |indirect )?(?:\(kinds)) (\\w+)",
            as: (Substring, Substring).self)
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            names.formUnion(text.matches(of: declaration).map { String($0.output.1) })
        }
        return names
    }
}
