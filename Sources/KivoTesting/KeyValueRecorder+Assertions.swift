#if canImport(Testing)
import Testing
#endif

#if canImport(XCTest)
import XCTest
#endif

#if canImport(XCTest)
extension KeyValueRecorder {
    /// Fails the running test if the recorded changes are not the expected ones. The failure lists both line by line.
    ///
    /// The recorded changes stay; see ``removeAllChanges()``.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order.
    ///   - message: a message to add on failure.
    ///   - file: the file of the assertion.
    ///   - line: the line of the assertion.
    public func assertChanges(
        _ expected: [KeyValueChange], _ message: @autoclosure () -> String = "",
        file: StaticString = #filePath, line: UInt = #line
    ) {
        guard let difference = difference(from: expected) else { return }
        TestFailure.report(difference, message(), file, line)
    }
}
#endif

#if canImport(Testing)
extension KeyValueRecorder {
    /// Records an issue of the running test if the recorded changes are not the expected ones. The issue lists both line by line.
    ///
    /// The recorded changes stay; see ``removeAllChanges()``.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order.
    ///   - comment: a comment to add on failure.
    ///   - sourceLocation: where the expectation is.
    public func expectChanges(
        _ expected: [KeyValueChange], _ comment: @autoclosure () -> Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let difference = difference(from: expected) else { return }
        TestFailure.report(difference, comment(), sourceLocation)
    }
}
#endif
