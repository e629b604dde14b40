import Kivo
import KivoTesting
import Testing
import XCTest

/// What recorders do in tests with Swift Testing.
@Suite struct RecordedIssueTests {
    private let dog = Dog(value: ["age": 1])
    private let recorder: KeyValueRecorder

    init() {
        recorder = KeyValueRecorder(observing: dog, "age")
        dog.age = 2
    }

    private static let lines = "\n- .setting(to: 3)\n+ .setting(from: 1, to: 2)"

    private static func text(_ issue: Issue) -> String { issue.comments.map(\.rawValue).joined() }

    @Test func expectedChangesRecordNoIssue() {
        recorder.expectChanges([.setting("age", from: 1, to: 2)])
        recorder.assertChanges([.setting("age", from: 1, to: 2)])
    }

    @Test func aDifferenceIsAnIssue() {
        let line = #line + 2
        withKnownIssue {
            recorder.expectChanges([.setting(to: 3)])
        } matching: { issue in
            Self.text(issue).hasSuffix(Self.lines) && issue.sourceLocation?.line == line
                && issue.sourceLocation?.fileName == "RecordedIssueTests.swift"
        }
    }

    @Test func aCommentIsPartOfIt() {
        withKnownIssue {
            recorder.expectChanges([.setting(to: 3)], "the dog aged")
        } matching: { issue in
            Self.text(issue).hasPrefix("the dog aged\n") && Self.text(issue).hasSuffix(Self.lines)
        }
    }

    @Test func anAssertionIsNotLostHere() {
        let line = #line + 2
        withKnownIssue {
            recorder.assertChanges([.setting(to: 3)])
        } matching: { issue in
            Self.text(issue).hasSuffix(Self.lines) && issue.sourceLocation?.line == line
                && issue.sourceLocation?.fileName == "RecordedIssueTests.swift"
        }
    }
}

#if !canImport(ObjectiveC)
/// What expectations for Swift Testing do in tests with XCTest.
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
