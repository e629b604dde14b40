import Kivo
import KivoEngine
import KivoTesting
import Testing
import XCTest

#if compiler(>=6.2)
/// The issues of recorders, which are what is tested here.
private enum RecorderIssues {
    private static let kept = Lock<[Issue]>([])

    /// Takes issues of recorders away; all others go on to fail a test.
    @Sendable static func keep(_ issue: Issue) -> Issue? {
        guard text(issue).hasSuffix("\n- .setting(to: 3)\n+ .setting(from: 1, to: 2)") else { return issue }
        kept.withLock { $0.append(issue) }
        return nil
    }

    private static func text(_ issue: Issue) -> String { issue.comments.map(\.rawValue).joined() }

    /// The text of the one issue at a line of this file.
    static func text(at line: Int) throws -> String {
        let issues = kept.withLock { $0 }.filter { $0.sourceLocation?.line == line }
        #expect(issues.count == 1)
        let issue = try #require(issues.first)
        #expect(issue.sourceLocation?.fileName == "RecordedIssueTests.swift")
        return text(issue)
    }
}

/// Recorders in tests with Swift Testing.
@Suite(.compactMapIssues(RecorderIssues.keep))
struct RecordedIssueTests {
    private let dog = Dog(value: ["age": 1])
    private let recorder: KeyValueRecorder

    init() {
        recorder = KeyValueRecorder(observing: dog, "age")
        dog.age = 2
    }

    @Test func expectedChangesRecordNoIssue() {
        recorder.expectChanges([.setting("age", from: 1, to: 2)])
        recorder.assertChanges([.setting("age", from: 1, to: 2)])
    }

    @Test func aDifferenceIsAnIssue() throws {
        let line = #line + 1
        recorder.expectChanges([.setting(to: 3)])
        let text = try RecorderIssues.text(at: line)
        #expect(text.hasPrefix("The recorded changes are not the expected ones"))
    }

    @Test func aCommentIsPartOfIt() throws {
        let line = #line + 1
        recorder.expectChanges([.setting(to: 3)], "the dog aged")
        #expect(try RecorderIssues.text(at: line).hasPrefix("the dog aged\n"))
    }

    @Test func anAssertionIsNotLostHere() throws {
        let line = #line + 1
        recorder.assertChanges([.setting(to: 3)])
        let text = try RecorderIssues.text(at: line)
        #expect(text.hasPrefix("The recorded changes are not the expected ones"))
    }
}
#endif

#if !canImport(ObjectiveC)
/// Expectations for Swift Testing, used in tests with XCTest.
final class MisplacedExpectationTests: FailureCatchingTestCase {
    func testAnExpectationIsNotLostHere() {
        let dog = Dog(value: ["age": 1])
        let recorder = KeyValueRecorder(observing: dog, "age")
        dog.age = 2
        let failures = failures {
            recorder.expectChanges([.setting(to: 2)])
            recorder.expectChanges([.setting(to: 3)])
        }
        XCTAssertEqual(failures.count, 1)
        XCTAssertTrue(failures.first?.text.contains("\n- .setting(to: 3)\n") ?? false, "\(failures)")
        XCTAssertTrue(
            failures.first?.text.contains("RecordedIssueTests.swift:\(#line - 5)") ?? false, "\(failures)")
    }
}
#endif
