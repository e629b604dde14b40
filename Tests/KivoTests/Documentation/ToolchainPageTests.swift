import Foundation
import KivoObserving
import XCTest

@testable import Kivo

/// What is assumed of the toolchain is on a page.
final class ToolchainPageTests: XCTestCase {
    func testThePageNamesEachAssumptionWithItsFile() throws {
        let page = try String(contentsOf: PackageFolder.article("ToolchainAssumptions"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        XCTAssertEqual(rows.map { $0[0] }, ToolchainAssumption.all.map(\.name))
        let sources = try XCTUnwrap(
            FileManager.default.enumerator(atPath: PackageFolder.url.appendingPathComponent("Sources").path))
        let files = Set(sources.compactMap { ($0 as? String).map { ($0 as NSString).lastPathComponent } })
        for row in rows {
            let file = row[1].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            XCTAssertTrue(files.contains(file), file)
        }
    }
}
