import Foundation
import Kivo
import KivoEngine

#if canImport(Testing)
import Testing
#endif

#if canImport(XCTest)
import XCTest
#endif

/// The messages that Kivo logs while tests run.
///
/// In a test target that depends on `KivoTesting`, the default logger writes nothing. If a test with XCTest fails, its messages
/// are written to standard error when it ends. A test with Swift Testing adds them to its issues with the trait `kivoLog`:
///
///     @Suite(.kivoLog) struct KennelTests { … }
///
/// A test that compares messages reads ``messages``. A logger that a program assigns to `Logger.shared` is not affected.
/// Thread-safe.
public enum TestLog {
    /// The number of messages that are kept: a test that runs for hours does not fill the memory.
    private static let limit = 500

    private struct Message: Sendable {
        let text: String
        /// The test with Swift Testing that logged it; nil if that is unknown.
        let test: String?
    }

    private struct State: Sendable {
        var messages: [Message] = []
        var isObserving = false
    }

    private static let state = Lock(State())

    /// The last messages, at most 500: with XCTest those since the running test began, with Swift Testing those of all tests.
    public static var messages: [String] {
        if includesEvents { Events.finish() }
        return state.withLock { $0.messages.map(\.text) }
    }

    /// Forgets all messages.
    public static func removeAllMessages() {
        if includesEvents { Events.finish() }
        state.withLock { $0.messages = [] }
    }

    /// A Boolean value that indicates whether the messages include the events of realms: commits, calls of listeners with what they
    /// report, waits, scans.
    ///
    /// They show why a block was called, or not. Set this at the beginning of a test that fails, or before the first test. False at first.
    /// `Realm.events` of the program is not affected.
    public static var includesEvents: Bool {
        get { Events.test != nil }
        set {
            let receiver: @Sendable (RealmEvent) -> Void = { receive($0.description) }
            Events.test = newValue ? receiver : nil
        }
    }

    #if canImport(Testing)
    /// The messages of a test, and those of which the test is unknown, because they were logged outside of its task.
    static func messages(of test: String) -> [String] {
        state.withLock { $0.messages.filter { $0.test == nil || $0.test == test }.map(\.text) }
    }

    private static var currentTest: String? { Test.current.map { "\($0.id)" } }
    #else
    private static var currentTest: String? { nil }
    #endif
}

extension TestLog: LogForTests {
    package static func receive(_ message: String) {
        let message = Message(text: message, test: currentTest)
        let isFirst = state.withLock { state in
            if state.messages.count == limit { state.messages.removeFirst() }
            state.messages.append(message)
            defer { state.isObserving = true }
            return !state.isObserving
        }
        #if canImport(XCTest)
        if isFirst { observeTests() }
        #endif
    }
}

#if canImport(XCTest)
extension TestLog {
    /// Begins to observe the tests of XCTest. Its list of observers belongs to the main thread.
    private static func observeTests() {
        let observe: @Sendable () -> Void = { XCTestObservationCenter.shared.addTestObserver(Observer()) }
        if Thread.isMainThread { observe() } else { DispatchQueue.main.async(execute: observe) }
    }

    /// Shows the messages of the tests that fail.
    private final class Observer: NSObject, XCTestObservation {
        func testCaseWillStart(_ testCase: XCTestCase) { TestLog.removeAllMessages() }

        func testCaseDidFinish(_ testCase: XCTestCase) {
            guard let run = testCase.testRun, run.totalFailureCount > 0 else { return }
            let lines = TestLog.messages.map { "\(testCase.name): Kivo: \($0)\n" }
            FileHandle.standardError.write(Data(lines.joined().utf8))
        }
    }
}
#endif

#if canImport(Testing) && compiler(>=6.2)
extension Trait where Self == IssueHandlingTrait {
    /// Adds to each issue of a test the messages that Kivo logged in it.
    ///
    /// Messages of other threads and tasks are added to the issues of all tests that run at the time.
    public static var kivoLog: Self {
        .compactMapIssues { issue in
            guard let test = Test.current else { return issue }
            let messages = TestLog.messages(of: "\(test.id)")
            if messages.isEmpty { return issue }
            var issue = issue
            issue.comments += messages.map { Comment(rawValue: "Kivo: \($0)") }
            return issue
        }
    }
}
#endif
