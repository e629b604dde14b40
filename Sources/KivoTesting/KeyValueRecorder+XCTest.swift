#if canImport(XCTest)
import XCTest

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
