#if canImport(XCTest)
import XCTest
#endif

#if canImport(Testing)
import Testing
#endif

/// A failure of the running test, of either test library.
enum TestFailure {
    #if canImport(XCTest)
    /// Fails the test from an assertion of XCTest.
    static func report(_ text: String, _ message: String, _ file: StaticString, _ line: UInt) {
        let text = message.isEmpty ? text : message + "\n" + text
        #if canImport(Testing)
        // A failure for XCTest would be lost in a test of the other library.
        if Test.current != nil {
            Issue.record(Comment(rawValue: text), sourceLocation: SourceLocation(file, line))
            return
        }
        #endif
        XCTFail(text, file: file, line: line)
    }
    #endif

    #if canImport(Testing)
    /// Fails the test from an expectation of Swift Testing.
    static func report(_ text: String, _ comment: Comment?, _ sourceLocation: SourceLocation) {
        let text = comment.map { "\($0.rawValue)\n\(text)" } ?? text
        Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
        #if canImport(XCTest)
        // An issue would be lost in a test of the other library.
        if Test.current == nil { XCTFail("\(sourceLocation): \(text)") }
        #endif
    }
    #endif
}

#if canImport(XCTest) && canImport(Testing)
extension SourceLocation {
    /// Creates a location without a module: the folder takes its place.
    fileprivate init(_ file: StaticString, _ line: UInt) {
        let path = "\(file)"
        let parts: [Substring] = ["?"] + path.split(separator: "/")
        self.init(
            fileID: parts.suffix(2).joined(separator: "/"), filePath: path, line: max(Int(line), 1), column: 1
        )
    }
}
#endif
