import Foundation
import Kivo
import XCTest

/// Replays the conformance corpus: what an established engine reported for recorded changes is what Kivo has to report.
///
/// Environment: `KIVO_CONFORMANCE_DIR` names a directory whose family files are replayed instead of the built-in ones;
/// with `KIVO_CONFORMANCE_TRACE` each scenario's name is printed before it is replayed, to tell which one trapped.
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

    func testKeyValueObserving() throws {
        try replayBuiltIn("kvo")
    }

    func testDirectory() throws {
        guard let directory = Self.environment["KIVO_CONFORMANCE_DIR"] else { return }
        let url = URL(fileURLWithPath: directory, isDirectory: true)
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        XCTAssertFalse(files.isEmpty, "there is no family in \(directory)")
        for file in files {
            do {
                replay(try ConformanceFamily(contentsOf: file))
            } catch let error as ConformanceFamily.UnknownFormat {
                print("\(file.deletingPathExtension().lastPathComponent): skipped (\(error))")
            } catch {
                XCTFail("\(file.lastPathComponent) cannot be read: \(error)")
            }
        }
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    private func replayBuiltIn(_ name: String) throws {
        guard Self.environment["KIVO_CONFORMANCE_DIR"] == nil else { return }
        replay(try BuiltInFamilies.load(name))
    }

    private func replay(_ family: ConformanceFamily) {
        let trace = Self.environment["KIVO_CONFORMANCE_TRACE"] != nil
        let report = FamilyReport(replaying: family, trace: trace)
        print(report.summary)
        for line in report.details(limit: 10) { print(line) }
        if !report.disagreements.isEmpty { XCTFail(report.summary) }
    }
}
