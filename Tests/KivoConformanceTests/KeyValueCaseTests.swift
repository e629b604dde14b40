import Foundation
import XCTest

/// Replays cases of key-value observing and coding: what each step has to tell which observer.
///
/// Environment: `KIVO_CONFORMANCE_DIR` names a directory whose files of cases are replayed instead of the
/// built-in one.
final class KeyValueCaseTests: XCTestCase {
    func testCases() throws {
        XCTAssertEqual(try replayBuiltIn("kvo-cases").leftOut, Self.leftOut)
    }

    /// Cases that were not recorded, but follow from what was: in the same form.
    func testKivosOwnCases() throws {
        XCTAssertEqual(try replayBuiltIn("kivo-cases").leftOut, [:])
    }

    private func replayBuiltIn(_ name: String) throws -> KeyValueCaseReport {
        try ConformanceDirectory.skipWhatIsBuiltIn()
        let url = Bundle.module.url(forResource: "Resources/\(name)", withExtension: "json")
        let file = try XCTUnwrap(url, "there is no \(name).json")
        return try replay(try XCTUnwrap(try KeyValueCase.load(file)), of: file)
    }

    /// How many pairs of what is built in are left out, for what they use.
    private static let leftOut = [
        "a failed operation that still notifies (misuse ends the process)": 2, "a mixed value": 16,
        "an internal write of the engine": 1, "an object that takes observers in its own way": 1,
        "methods or bare fields found by name at run time": 4, "projections": 1,
        "two classes of one table": 1,
    ]

    func testDirectory() throws {
        var hasCases = false
        for file in try ConformanceDirectory.files() {
            guard case .cases(let cases) = try ConformanceDirectory.read(file) else { continue }
            hasCases = true
            let report = try replay(cases, of: file)
            print(([report.summary] + report.details).joined(separator: "\n"))
        }
        if !hasCases { throw XCTSkip("None of the files holds cases.") }
    }

    private func replay(_ cases: [KeyValueCase], of file: URL) throws -> KeyValueCaseReport {
        let pairs = cases.flatMap(\.pairs)
        let report = KeyValueCaseReport(
            file.deletingPathExtension().lastPathComponent, pairs, try outcomes(of: pairs, in: file))
        XCTAssertGreaterThan(report.agreed, 0)
        if !report.disagreements.isEmpty {
            XCTFail(([report.summary] + report.details).joined(separator: "\n"))
        }
        return report
    }

    #if os(Linux)
    /// What a process does that `testCases` started.
    func testChild() throws {
        guard let order = KeyValueCaseChild.order else {
            throw XCTSkip("This is for the processes that run cases.")
        }
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
}
