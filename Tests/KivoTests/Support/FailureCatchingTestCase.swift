import Kivo
import XCTest

/// A test that can see the failures of assertions.
class FailureCatchingTestCase: RealmTestCase {
    struct Failure {
        let text: String
        let file: String
        let line: Int
    }

    #if !canImport(ObjectiveC)
    private var caught: [Failure]?

    /// Returns the failures that `work` records; they do not fail the test.
    func failures(of work: () throws -> Void) rethrows -> [Failure] {
        caught = []
        defer { caught = nil }
        try work()
        return caught ?? []
    }

    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
    ) {
        if caught != nil {
            caught?.append(Failure(text: description, file: filePath, line: lineNumber))
        } else {
            super.recordFailure(
                withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
        }
    }
    #endif
}
