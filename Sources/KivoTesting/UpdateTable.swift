#if canImport(XCTest)
import XCTest
#endif

#if canImport(Testing)
import Testing
#endif

/// A table that updates its contents from changes and notes inconsistent ones: ``BatchUpdateTable``, ``MapUpdateTable`` and
/// ``SectionedUpdateTable``.
public protocol UpdateTable {
    /// Descriptions of the inconsistencies in the changes; empty if there are none.
    var problems: [String] { get }
}

extension BatchUpdateTable: UpdateTable {}
extension MapUpdateTable: UpdateTable {}
extension SectionedUpdateTable: UpdateTable {}

extension UpdateTable {
    private var complaint: String? {
        problems.isEmpty ? nil : "The changes do not add up:\n" + problems.joined(separator: "\n")
    }

    #if canImport(XCTest)
    /// Fails the running test if changes did not add up, and lists the inconsistencies.
    ///
    /// - Parameters:
    ///   - message: a message to add on failure.
    ///   - file: the file of the assertion.
    ///   - line: the line of the assertion.
    public func assertNoProblems(
        _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
    ) {
        if let complaint { TestFailure.report(complaint, message(), file, line) }
    }
    #endif

    #if canImport(Testing)
    /// Records an issue of the running test if changes did not add up, and lists the inconsistencies.
    ///
    /// - Parameters:
    ///   - comment: a comment to add on failure.
    ///   - sourceLocation: where the expectation is.
    public func expectNoProblems(
        _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if let complaint { TestFailure.report(complaint, comment(), sourceLocation) }
    }
    #endif
}
