import Foundation
import TestRandomness
import XCTest

/// The recipe of the page for those who change Kivo, followed with a fictitious scalar type: in copies of the sources the type gets a
/// case, and each file of which the compiler complains gets what it asks for. All of them have to be steps of the recipe.
final class ScalarRecipeCompileErrorTests: XCTestCase {
    private static let table = "/Kivo/Values/Scalars/ScalarType.swift"

    func testTheCompilerAsksForNothingThatTheRecipeDoesNotName() throws {
        // Kivo is compiled a dozen times.
        if TestEffort.current == .standard { throw XCTSkip("This needs KIVO_TEST_EFFORT=long or full.") }
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let steps = try recipe().matches(of: #/`([\w\/+]+\.swift)`/#).map { "/" + $0.output.1 }
        var asking: Set<String> = []
        for module in ["Kivo", "KivoRealmImport", "KivoTool"] {
            let sources = try copies(of: module, to: compiler.folder)
            // The compiler may stop at the first file that lacks a case, and there are no more than a dozen.
            var rounds = 0
            while let problems = try compiler.problems(inModule: module, sources) {
                rounds += 1
                guard rounds <= 12 else { return XCTFail(problems) }
                let switches = problems.matches(of: #/(?m)^(.*\.swift):(\d+):\d+: error: (.*)$/#)
                XCTAssertFalse(switches.isEmpty, problems)
                var lines: [String: Set<Int>] = [:]
                for match in switches {
                    let path = String(match.output.1)
                    guard match.output.3 == "switch must be exhaustive" else { return XCTFail(problems) }
                    XCTAssertTrue(
                        steps.contains { path.hasSuffix($0) }, "the recipe does not name \(path)")
                    asking.insert(String(path.dropFirst(compiler.folder.path.count)))
                    lines[path, default: []].insert(Int(match.output.2)!)
                }
                for (path, lines) in lines { try addCase(toSwitchesAt: lines, path) }
            }
        }
        let expected = [
            Self.table, "/Kivo/History/Changes/VersionValues.swift", "/Kivo/Realm/TextQuery.swift",
            "/KivoRealmImport/CellConversion.swift", "/KivoTool/Contents/StoredValue.swift",
            "/KivoTool/Contents/ValueReader.swift",
        ]
        XCTAssertEqual(asking.sorted(), expected.sorted())
    }

    private func recipe() throws -> Substring {
        let page = try String(contentsOf: PackageFolder.article("Internals"), encoding: .utf8)
        let start = try XCTUnwrap(page.range(of: "## Adding a property type"))
        return page[start.upperBound...].prefix { $0 != "#" }
    }

    /// Copies the sources of a module, with a further scalar type in the table.
    private func copies(of module: String, to folder: URL) throws -> [URL] {
        let folder = folder.appendingPathComponent(module)
        let origin = PackageFolder.url.appendingPathComponent("Sources/\(module)")
        try FileManager.default.copyItem(at: origin, to: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let sources = paths.filter { $0.hasSuffix(".swift") }.sorted().map(folder.appendingPathComponent(_:))
        for source in sources where source.path.hasSuffix(Self.table) {
            let text = try String(contentsOf: source, encoding: .utf8)
            let changed = text.replacingOccurrences(
                of: "    case any\n", with: "    case any\n    case fictitious\n")
            XCTAssertNotEqual(changed, text)
            try Data(changed.utf8).write(to: source)
        }
        return sources + (try resources(among: paths, folder))
    }

    /// Writes what the package manager makes of the files that are compiled into a module. Returns the source; none if there are no
    /// such files.
    private func resources(among paths: [String], _ folder: URL) throws -> [URL] {
        let names = paths.filter { $0.contains("/Page/") }.map { path in
            (path as NSString).lastPathComponent.replacingOccurrences(of: ".", with: "_")
        }
        if names.isEmpty { return [] }
        let source = folder.appendingPathComponent("PackageResources.swift")
        let members = names.map { "static let \($0): [UInt8] = []" }.joined(separator: "\n")
        try Data("enum PackageResources {\n\(members)\n}\n".utf8).write(to: source)
        return [source]
    }

    /// Adds the fictitious type to the switches that begin in some lines of a file, the first of which is line 1.
    private func addCase(toSwitchesAt lines: Set<Int>, _ path: String) throws {
        var text = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        for line in lines.sorted(by: >) { text.insert("case .fictitious: fatalError()", at: line) }
        try Data(text.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
    }
}
