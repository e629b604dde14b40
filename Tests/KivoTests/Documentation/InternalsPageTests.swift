import Foundation
import XCTest

/// The page for those who change Kivo names files and folders, which have to be there.
final class InternalsPageTests: XCTestCase {
    /// The paths of a folder and all files and folders below it, with a slash in front of each.
    private func paths(in folder: String) throws -> [String] {
        let url = PackageFolder.url.appendingPathComponent(folder)
        let below = try FileManager.default.subpathsOfDirectory(atPath: url.path)
        return ["/\(folder)"] + below.map { "/\(folder)/\($0)" }
    }

    /// What the page has in code voice, outside of blocks.
    private func names(in page: URL) throws -> [String] {
        var isInBlock = false
        return try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n").flatMap { line in
            if line.hasPrefix("```") { isInBlock.toggle() }
            if isInBlock || line.hasPrefix("```") { return [String]() }
            return line.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    func testFilesAndFoldersOfThePageAreThere() throws {
        let folders =
            ["Kivo", "KivoEngine", "KivoJournal", "KivoLog", "KivoBench"].map { "Sources/\($0)" } + [
                "Tests", ".ci",
            ]
        let paths = try folders.flatMap(self.paths(in:)) + ["/Package.swift"]
        let page = PackageFolder.article("Internals")
        let names = try names(in: page).filter { name in
            name.hasSuffix(".swift") && !name.contains(" ") || name.contains("/") && !name.contains(" ")
        }
        for name in names where !name.contains("…") {
            XCTAssertTrue(
                paths.contains { $0.hasSuffix("/" + name) }, "the page names '\(name)', which is not there")
        }
        XCTAssertGreaterThan(names.count, 80, "names are missing or were not found")
    }

    func testEveryRoomIsOnThePage() throws {
        let page = PackageFolder.article("Internals")
        let names = Set(try names(in: page))
        for module in ["Kivo", "KivoEngine", "KivoJournal"] {
            let folder = PackageFolder.url.appendingPathComponent("Sources/\(module)")
            for room in try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: [.isDirectoryKey])
            where try room.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                let name = room.lastPathComponent
                if name.hasSuffix(".docc") { continue }
                XCTAssertTrue(
                    names.contains { $0 == name || $0.hasPrefix(name + "/") },
                    "'\(module)/\(name)' is not on the page")
            }
        }
    }
}
