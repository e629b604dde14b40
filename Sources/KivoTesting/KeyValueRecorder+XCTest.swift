#if canImport(XCTest)
import XCTest

#if canImport(Testing)
import Testing
#endif

extension KeyValueRecorder {
    /// Fails the running test if the recorded changes are not the expected ones, with both line by line.
    ///
    /// What was recorded stays; see ``removeAllChanges()``.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order.
    ///   - message: what to say besides on failure.
    ///   - file: the file of the assertion.
    ///   - line: the line of the assertion.
    public func assertChanges(
        _ expected: [KeyValueChange], _ message: @autoclosure () -> String = "",
        file: StaticString = #filePath, line: UInt = #line
    ) {
        guard let difference = difference(from: expected) else { return }
        let message = message()
        let text = message.isEmpty ? difference : message + "\n" + difference
        #if canImport(Testing)
        // A failure for XCTest would be lost in a test of the other library.
        if Test.current != nil {
            Issue.record(Comment(rawValue: text), sourceLocation: SourceLocation(file, line))
            return
        }
        #endif
        XCTFail(text, file: file, line: line)
    }
}

#if canImport(Testing)
extension SourceLocation {
    /// A location without a module: the folder takes its place.
    fileprivate init(_ file: StaticString, _ line: UInt) {
        let path = "\(file)"
        let parts: [Substring] = ["?"] + path.split(separator: "/")
        self.init(
            fileID: parts.suffix(2).joined(separator: "/"), filePath: path, line: max(Int(line), 1), column: 1
        )
    }
}
#endif
#endif
