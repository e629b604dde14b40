import Foundation
import XCTest

/// Replays cases of key-value observing and coding: what each step has to tell which observer.
///
/// Environment: `KIVO_CONFORMANCE_DIR` names a directory whose files of cases are replayed instead of the
/// built-in one.
final class KeyValueCaseTests: XCTestCase {
    func testCases() throws {
        let report = try replayBuiltIn("kvo-cases", .objects)
        XCTAssertEqual(report.leftOut, Self.leftOut)
    }

    /// The cases of ordinary classes, with classes that are no models of Kivo.
    func testCasesOnPlainClasses() throws {
        let report = try replayBuiltIn("kvo-cases", .plainClasses)
        XCTAssertEqual(report.leftOut, [Self.ownRegistration: 1])
    }

    /// Cases that were not recorded, but follow from what was: in the same form.
    func testKivosOwnCases() throws {
        for kind in KeyValueCaseKind.allCases {
            let report = try replayBuiltIn("kivo-cases", kind)
            XCTAssertEqual(report.leftOut, [:])
        }
    }

    private func replayBuiltIn(_ name: String, _ kind: KeyValueCaseKind) throws -> KeyValueCaseReport {
        try ConformanceDirectory.skipWhatIsBuiltIn()
        let url = Bundle.module.url(forResource: "Resources/\(name)", withExtension: "json")
        let file = try XCTUnwrap(url, "there is no \(name).json")
        return try replay(try XCTUnwrap(try KeyValueCase.load(file)), kind, of: file)
    }

    private static let ownRegistration = "an object that takes observers in its own way"

    /// How many pairs of what is built in are left out, for what they use.
    private static let leftOut = [
        "a failed operation that still notifies (misuse ends the process)": 2, "a mixed value": 14,
        "an internal write of the engine": 1, ownRegistration: 1, "projections": 1,
        "two classes of one table": 1,
    ]

    func testDirectory() throws {
        var hasCases = false
        for file in try ConformanceDirectory.files() {
            guard case .cases(let cases) = try ConformanceDirectory.read(file) else { continue }
            hasCases = true
            for kind in KeyValueCaseKind.allCases { _ = try replay(cases, kind, of: file) }
        }
        if !hasCases { throw XCTSkip("None of the files holds cases.") }
    }

    private func replay(
        _ cases: [KeyValueCase], _ kind: KeyValueCaseKind, of file: URL
    ) throws -> KeyValueCaseReport {
        let pairs = cases.flatMap { $0.pairs(kind) }
        let report = KeyValueCaseReport(
            file.deletingPathExtension().lastPathComponent + kind.suffix, pairs,
            try outcomes(of: pairs, kind, in: file))
        print(([report.summary] + report.details).joined(separator: "\n"))
        XCTAssertGreaterThan(report.agreed, 0)
        if !report.disagreements.isEmpty { XCTFail(report.summary) }
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

    private func outcomes(
        of pairs: [KeyValueCasePair], _ kind: KeyValueCaseKind, in file: URL
    ) throws -> [KeyValueCaseOutcome] {
        try KeyValueCaseChild.runAll(pairs, kind, of: file)
    }
    #else
    private func outcomes(
        of pairs: [KeyValueCasePair], _ kind: KeyValueCaseKind, in file: URL
    ) throws -> [KeyValueCaseOutcome] {
        pairs.map(KeyValueCaseRun.run)
    }
    #endif
}
