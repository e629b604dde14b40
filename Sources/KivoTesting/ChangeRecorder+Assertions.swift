import Foundation

#if canImport(Testing)
import Testing
#endif

#if canImport(XCTest)
import XCTest
#endif

#if canImport(XCTest)
extension ChangeRecorder {
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
        _ expected: [ListenedChange], _ message: @autoclosure () -> String = "",
        file: StaticString = #filePath, line: UInt = #line
    ) {
        guard let difference = difference(from: expected) else { return }
        TestFailure.report(difference, message(), file, line)
    }

    /// Waits until as many changes are recorded as are expected, and fails the running test if they are not the expected ones. The
    /// failure lists both line by line, and the commits that are undelivered.
    ///
    /// Runs the run loop of the current thread: for the main thread, and other threads whose run loop delivers notifications. Does
    /// not wait for changes that are not expected.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order, those that are recorded already included.
    ///   - timeout: the number of seconds after which to give up.
    ///   - message: a message to add on failure.
    ///   - file: the file of the assertion.
    ///   - line: the line of the assertion.
    @available(*, noasync, message: "await the other form")
    public func assertChanges(
        _ expected: [ListenedChange], within timeout: TimeInterval, _ message: @autoclosure () -> String = "",
        file: StaticString = #filePath, line: UInt = #line
    ) {
        Waiting.serveRunLoop(for: timeout) { isDecided(expected) }
        assertChanges(expected, message(), file: file, line: line)
    }

    /// Suspends until as many changes are recorded as are expected, and fails the running test if they are not the expected ones.
    /// The failure lists both line by line, and the commits that are undelivered.
    ///
    /// Does not wait for changes that are not expected.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order, those that are recorded already included.
    ///   - timeout: the number of seconds after which to give up.
    ///   - message: a message to add on failure.
    ///   - file: the file of the assertion.
    ///   - line: the line of the assertion.
    ///   - isolation: the caller's isolation, which must be the realm's.
    public func assertChanges(
        _ expected: [ListenedChange], within timeout: TimeInterval, _ message: @autoclosure () -> String = "",
        file: StaticString = #filePath, line: UInt = #line, isolation: isolated (any Actor)? = #isolation
    ) async {
        await Waiting.suspend(for: timeout, isolation: isolation) { isDecided(expected) }
        assertChanges(expected, message(), file: file, line: line)
    }
}

extension XCTestCase {
    /// Creates an expectation that is fulfilled when a new listener receives a change.
    ///
    /// The listener runs on the current thread or queue, and ends with the expectation or the test. If the expectation is not
    /// fulfilled in time, its description lists the changes that were received.
    ///
    /// - Parameters:
    ///   - expected: the change to wait for; nil for any.
    ///   - subject: the subject to listen to.
    ///   - keyPaths: the key paths to listen to; nil for all of them.
    ///   - file: the file where the expectation is made.
    ///   - line: the line where the expectation is made.
    /// - Returns: an expectation of this test.
    @discardableResult
    public func changeExpectation(
        _ expected: ListenedChange? = nil, of subject: some Listenable, keyPaths: [String]? = nil,
        file: StaticString = #filePath, line: Int = #line
    ) -> XCTestExpectation {
        let subjectName = "\(type(of: subject))"
        let text = expected.map { "\($0) of \(subjectName)" } ?? "A change of \(subjectName)"
        #if canImport(ObjectiveC)
        let expectation = expectation(description: text)
        #else
        let expectation = expectation(description: text, file: file, line: line)
        #endif
        let recorder = ChangeRecorder()
        recorder.onChange = { [unowned recorder, weak expectation] in
            guard let expectation, let last = recorder.changes.last else { return }
            if expected?.isMet(by: last) ?? true {
                recorder.stop()
                expectation.fulfill()
            } else {
                expectation.expectationDescription =
                    "\(text); what came: \(recorder.changes.map(\.description).joined(separator: ", "))"
            }
        }
        recorder.observe(subject, keyPaths: keyPaths)
        // The block retains the recorder and ends it after the test, on whatever thread XCTest calls it. That is safe: tokens may
        // be invalidated on every thread, and nothing else refers to the recorder by then.
        nonisolated(unsafe) let kept = recorder
        addTeardownBlock { kept.stop() }
        return expectation
    }
}
#endif

#if canImport(Testing)
extension ChangeRecorder {
    /// Records an issue of the running test if the recorded changes are not the expected ones. The issue lists both line by line.
    ///
    /// The recorded changes stay; see ``removeAllChanges()``.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order.
    ///   - comment: a comment to add on failure.
    ///   - sourceLocation: where the expectation is.
    public func expectChanges(
        _ expected: [ListenedChange], _ comment: @autoclosure () -> Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let difference = difference(from: expected) else { return }
        TestFailure.report(difference, comment(), sourceLocation)
    }

    /// Waits until as many changes are recorded as are expected, and records an issue of the running test if they are not the
    /// expected ones. The issue lists both line by line, and the commits that are undelivered.
    ///
    /// Runs the run loop of the current thread: for the main thread, and other threads whose run loop delivers notifications. Does
    /// not wait for changes that are not expected.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order, those that are recorded already included.
    ///   - timeout: the number of seconds after which to give up.
    ///   - comment: a comment to add on failure.
    ///   - sourceLocation: where the expectation is.
    @available(*, noasync, message: "await the other form")
    public func expectChanges(
        _ expected: [ListenedChange], within timeout: TimeInterval,
        _ comment: @autoclosure () -> Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        Waiting.serveRunLoop(for: timeout) { isDecided(expected) }
        expectChanges(expected, comment(), sourceLocation: sourceLocation)
    }

    /// Suspends until as many changes are recorded as are expected, and records an issue of the running test if they are not the
    /// expected ones. The issue lists both line by line, and the commits that are undelivered.
    ///
    /// Does not wait for changes that are not expected.
    ///
    /// - Parameters:
    ///   - expected: all changes, in order, those that are recorded already included.
    ///   - timeout: the number of seconds after which to give up.
    ///   - comment: a comment to add on failure.
    ///   - sourceLocation: where the expectation is.
    ///   - isolation: the caller's isolation, which must be the realm's.
    public func expectChanges(
        _ expected: [ListenedChange], within timeout: TimeInterval,
        _ comment: @autoclosure () -> Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation
    ) async {
        await Waiting.suspend(for: timeout, isolation: isolation) { isDecided(expected) }
        expectChanges(expected, comment(), sourceLocation: sourceLocation)
    }
}
#endif
