import Foundation
import XCTest

/// Replays cases of key-value observing and coding: what each step has to tell which observer.
///
/// Environment: `KIVO_CONFORMANCE_DIR` names a directory whose files of cases are replayed instead of the
/// built-in one.
final class KeyValueCaseTests: XCTestCase {
    func testCases() throws {
        for file in try files() {
            guard let cases = try KeyValueCase.load(file) else {
                if file.lastPathComponent == "kvo-cases.json" { XCTFail("\(file.path) holds no cases") }
                continue
            }
            let pairs = cases.flatMap(\.pairs)
            let report = KeyValueCaseReport(
                file.deletingPathExtension().lastPathComponent, pairs, try outcomes(of: pairs, in: file))
            print(report.summary)
            for line in report.details { print(line) }
            if !report.disagreements.isEmpty { XCTFail(report.summary) }
        }
    }

    #if os(Linux)
    /// What a process does that `testCases` started.
    func testChild() throws {
        guard let order = KeyValueCaseChild.order else { return }
        try KeyValueCaseChild.carryOut(order)
    }

    private func outcomes(of pairs: [KeyValueCasePair], in file: URL) throws -> [KeyValueCaseOutcome] {
        try KeyValueCaseChild.runAll(pairs, of: file)
    }
    #else
    private func outcomes(of pairs: [KeyValueCasePair], in file: URL) throws -> [KeyValueCaseOutcome] {
        pairs.map(KeyValueCaseRun.run)
    }
    #endif

    private func files() throws -> [URL] {
        guard let directory = ProcessInfo.processInfo.environment["KIVO_CONFORMANCE_DIR"] else {
            let url = Bundle.module.url(forResource: "Resources/kvo-cases", withExtension: "json")
            return [try XCTUnwrap(url, "there is no kvo-cases.json")]
        }
        let url = URL(fileURLWithPath: directory, isDirectory: true)
        return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
