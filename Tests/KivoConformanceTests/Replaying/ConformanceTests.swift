import Foundation
import Kivo
import TestRandomness
import XCTest

/// Replays the conformance corpus: what an established engine reported for recorded changes is what Kivo has to report.
///
/// Environment: `KIVO_CONFORMANCE_DIR` names a directory whose family files are replayed instead of the built-in ones. With
/// `KIVO_CONFORMANCE_TRACE` each scenario's name is printed before it is replayed, to identify one that traps.
final class ConformanceTests: XCTestCase {
    func testListInt() throws {
        try replayBuiltIn("list-int")
    }

    func testListObject() throws {
        try replayBuiltIn("list-object")
    }

    func testObject() throws {
        try replayBuiltIn("object")
    }

    func testResults() throws {
        try replayBuiltIn("results")
    }

    func testDepth() throws {
        try replayBuiltIn("depth")
    }

    func testBacklinks() throws {
        try replayBuiltIn("backlinks")
    }

    func testSets() throws {
        try replayBuiltIn("set")
    }

    func testDictionaries() throws {
        try replayBuiltIn("dictionary")
    }

    func testKeyPaths() throws {
        try replayBuiltIn("keypath")
    }

    func testSections() throws {
        try replayBuiltIn("sectioned")
    }

    func testSilentWrites() throws {
        try replayBuiltIn("silent")
    }

    func testNestedWrites() throws {
        try replayBuiltIn("nested-writes")
    }

    func testSharedObservers() throws {
        try replayBuiltIn("shared-observers")
    }

    func testKeyValueObserving() throws {
        try replayBuiltIn("kvo")
    }

    func testDirectory() throws {
        for file in try ConformanceDirectory.files() {
            guard case .family(let family) = try ConformanceDirectory.read(file) else {
                print("\(file.lastPathComponent): by KeyValueCaseTests")
                continue
            }
            let report = replay(family)
            print(report.summary)
        }
    }

    func testAnUnknownFormatIsAnError() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let family = #""family": "f", "schema": {}, "scenarios": []"#
        for text in ["{\"format\": 2, \(family)}", "{\(family)}", "{}", "[{}]", "", "null", "1"] {
            try Data(text.utf8).write(to: file)
            XCTAssertThrowsError(try ConformanceDirectory.read(file), text)
        }
        try Data("{\"format\": 1, \(family)}".utf8).write(to: file)
        guard case .family = try ConformanceDirectory.read(file) else { return XCTFail("no family") }
    }

    func testWhatIsSkippedIsNamed() throws {
        var family = try BuiltInFamilies.load("set")
        family.scenarios = Array(family.scenarios.prefix(3))
        family.scenarios[1].observe?.kind = "projection"
        let report = FamilyReport(replaying: family, trace: false)
        XCTAssertEqual(report.skipped, ["no observer of kind projection": 1])
        XCTAssertEqual(
            report.summary, "set: 2 of 3 scenarios agree, 1 skipped: no observer of kind projection (1)")
    }

    private func replayBuiltIn(_ name: String) throws {
        try ConformanceDirectory.skipWhatIsBuiltIn()
        let family = try BuiltInFamilies.load(name)
        let report = replay(family, TestEffort.cases(family.scenarios, within: 0.3, name))
        XCTAssertGreaterThan(report.total, 0)
        XCTAssertEqual(report.skipped, [:], "what is built in can all be replayed")
    }

    private func replay(
        _ family: ConformanceFamily, _ scenarios: TestEffort.Trials<[Scenario]>? = nil
    ) -> FamilyReport {
        let trace = ProcessInfo.processInfo.environment["KIVO_CONFORMANCE_TRACE"] != nil
        let report = FamilyReport(replaying: family, scenarios, trace: trace)
        if !report.disagreements.isEmpty {
            XCTFail(([report.summary] + report.details(limit: 10)).joined(separator: "\n"))
        }
        return report
    }
}
