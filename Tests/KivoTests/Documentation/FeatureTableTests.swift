import Foundation
import XCTest

/// The tables of the documentation that say what there is, for each part of realm-swift's page "React to Changes".
final class FeatureTableTests: XCTestCase {
    private func page(_ name: String) throws -> [String] {
        try String(contentsOf: PackageFolder.article(name), encoding: .utf8).components(separatedBy: "\n")
    }

    /// The cells of the rows of a page's last table, without its head.
    private func lastTable(of name: String) throws -> [[String]] {
        let lines = try page(name)
        let end = try XCTUnwrap(lines.lastIndex { $0.hasPrefix("|") })
        let begin = lines[..<end].lastIndex { !$0.hasPrefix("|") } ?? -1
        return lines[(begin + 3)...end].map { line in
            line.components(separatedBy: " | ").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: "| "))
            }
        }
    }

    /// Returns the parts of a cell that are in code voice.
    private func names(in cell: String) -> [String] {
        cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }

    func testEverySectionNamesTestsThatAreThere() throws {
        let table = try lastTable(of: "ReactingToChanges")
        XCTAssertGreaterThanOrEqual(table.count, 22, "rows are missing or were not found")
        let tests = PackageFolder.url.appendingPathComponent("Tests/KivoTests")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: tests.path)
        var checked = 0
        for row in table {
            XCTAssertEqual(row.count, 3, "\(row)")
            let names = names(in: row.last ?? "")
            XCTAssertFalse(names.isEmpty, "'\(row[0])' names no test")
            for name in names {
                let parts = name.components(separatedBy: "/")
                guard let path = paths.first(where: { $0.hasSuffix("/\(parts[0]).swift") }),
                    let source = try? String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
                else {
                    XCTFail("'\(row[0])' names '\(parts[0])', which is not there")
                    continue
                }
                if parts.count == 1 {
                    XCTAssertTrue(source.contains("func test") || source.contains("@Test"), name)
                } else {
                    XCTAssertTrue(
                        source.contains("func \(parts[1])()"),
                        "'\(row[0])' names '\(name)', which is not there")
                }
                checked += 1
            }
        }
        XCTAssertGreaterThan(checked, 50)
    }

    func testEverySectionOfTheReferencePageIsInTheTable() throws {
        let sections = try lastTable(of: "ReactingToChanges").map(\.[0])
        let expected = [
            "Register a Realm Change Listener", "Register a Collection Change Listener",
            "Register an Object Change Listener", "Register a Key Path Change Listener", "Realm Collections",
            "Write Silently", "Stop Watching for Changes", "Key-value Observation Compliance",
            "Managed vs. Unmanaged KVO Considerations", "Observing Realm Lists",
            "React to Changes on a Different Actor", "React to Changes to a Class Projection",
            "Perform Writes Only on a Different Thread than the Observing Thread",
            "Perform Writes on the Observing Thread, Outside of Notifications",
            "Perform Writes Inside of Notifications", "Updating a UITableView Based on Notifications",
            "Update the UITableView Directly Without a Notification", "Force a Refresh After a Write",
            "Perform the Write on a Background Thread", "Change Notification Limits",
        ]
        for section in expected { XCTAssertTrue(sections.contains(section), "'\(section)' is missing") }
    }

    func testEveryObjectiveCCallOfTheReferencePageIsInTheTable() throws {
        let table = try lastTable(of: "FromObjectiveC")
        let calls = table.map { $0[0] }.joined(separator: "\n")
        let expected = [
            "RLMRealm", "defaultRealm", "addNotificationBlock:^(RLMNotification", "RLMNotification`",
            "RLMNotificationToken", "[token invalidate]", "RLMResults<Dog *>", "objectsWhere:",
            "[results addNotificationBlock:", "RLMCollectionChange", "deletionsInSection:",
            "insertionsInSection:", "modificationsInSection:", "RLMObject", "@property", "alloc] init]",
            "transactionWithBlock:", "addObject:", "[dog addNotificationBlock:^(BOOL deleted",
            "RLMPropertyChange", "changes[0].name", "changes[0].value", "transactionWithoutNotifying:",
            "localizedDescription", "observeValueForKeyPath:ofObject:change:context:",
            "mutableArrayValueForKey:",
        ]
        let whole = calls + table.map { $0[1] }.joined(separator: "\n")
        for call in expected { XCTAssertTrue(whole.contains(call), "'\(call)' is missing") }
        for row in table {
            XCTAssertEqual(row.count, 2, "\(row)")
            XCTAssertFalse(row[1].isEmpty, "\(row)")
        }
    }
}
