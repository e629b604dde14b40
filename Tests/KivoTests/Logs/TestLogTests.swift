import Foundation
import Kivo
import KivoTesting
import Testing
import XCTest

/// The default logger in tests: nothing is written until a test fails.
final class TestLogTests: XCTestCase {
    override func setUp() { TestLog.removeAllMessages() }

    func testMessagesAreKept() {
        Logger.shared.log(level: .warn, message: "one")
        Logger.shared.log(level: .trace, message: "below the level")
        Logger.shared.log(level: .error, message: "two")
        XCTAssertEqual(TestLog.messages, ["one", "two"])
        TestLog.removeAllMessages()
        XCTAssertEqual(TestLog.messages, [])
    }

    func testOnlyTheLastMessagesAreKept() {
        for number in 0..<600 { Logger.shared.log(level: .warn, message: "\(number)") }
        XCTAssertEqual(TestLog.messages.count, 500)
        XCTAssertEqual(TestLog.messages.last, "599")
    }

    func testAnotherLoggerIsNotAffected() {
        let before = Logger.shared
        defer { Logger.shared = before }
        let lines = Shared<[String]>([])
        Logger.shared = Logger(level: .warn) { _, line in lines.update { $0.append(line) } }
        Logger.shared.log(level: .warn, message: "mine")
        XCTAssertEqual(lines.value, ["mine"])
        XCTAssertEqual(TestLog.messages, [])
    }

    #if compiler(>=6.2) && os(Linux)
    /// A package with one failing and one passing test: the messages of the failing test are in the output, those of the other
    /// are not.
    func testAFailingTestShowsItsMessages() throws {
        try XCTSkipUnless(ProgramRunner.isAvailable, "There is nothing to link with.")
        let runner = try ProgramRunner()
        let objects = try runner.objects(
            of: XCTUnwrap(ProgramRunner.products).appendingPathComponent("KivoTesting.build"))
        let (status, output) = try runner.run(
            """
            import Foundation
            import Kivo
            import KivoTesting
            import XCTest

            final class LoggingTests: XCTestCase {
                func testPasses() { Logger.shared.log(level: .warn, message: "of one that passes") }

                func testFails() {
                    Logger.shared.log(level: .warn, message: "of one that fails")
                    XCTFail("for a reason")
                }
            }

            @main enum Program {
                static func main() {
                    XCTMain([
                        testCase([
                            ("testPasses", LoggingTests.testPasses), ("testFails", LoggingTests.testFails),
                        ])
                    ])
                }
            }
            """, flags: objects.map(\.path))
        XCTAssertNotEqual(status, 0)
        XCTAssertTrue(output.contains("LoggingTests.testFails: Kivo: of one that fails"), output)
        XCTAssertFalse(output.contains("of one that passes"), output)
    }
    #endif
}

#if compiler(>=6.2)
/// Issues that the trait has added messages to.
private enum LoggedIssues {
    static let kept = Shared<[[String]]>([])

    @Sendable static func keep(_ issue: Issue) -> Issue? {
        let comments = issue.comments.map(\.rawValue)
        guard comments.first == "an issue of TestLogTests" else { return issue }
        kept.update { $0.append(comments) }
        return nil
    }
}

/// The trait that adds Kivo's messages to issues. The issues are the subject of the tests, not failures.
@Suite(.compactMapIssues(LoggedIssues.keep), .serialized)
struct LoggedIssueTests {
    @Test(.kivoLog) func anIssueHasTheMessagesOfItsTest() {
        Logger.shared.log(level: .warn, message: "logged by the test")
        Issue.record("an issue of TestLogTests")
        let comments = LoggedIssues.kept.value.last ?? []
        #expect(comments.contains("Kivo: logged by the test"))
    }

    @Test(.kivoLog) func anIssueHasNoMessagesOfOtherTests() {
        Issue.record("an issue of TestLogTests")
        #expect(LoggedIssues.kept.value.last?.contains("Kivo: logged by the test") == false)
    }
}
#endif
