import Foundation
import Kivo

/// A recorder of the changes that listeners and streams receive, in order, for a test to compare with the expected ones.
///
///     let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
///     realm.refresh()
///     try realm.write { realm.add(dog) }
///     realm.refresh()
///     recorder.assertChanges([.initial(count: 0), .update(insertions: [0])])
///
/// It listens to realms, objects, projections, collections, maps and sections. Changes that arrive on an actor or in a stream are
/// passed to ``record(_:)`` and `record(next:isolation:)`.
///
/// Tests with XCTest call ``assertChanges(_:_:file:line:)``, tests with Swift Testing ``expectChanges(_:_:sourceLocation:)``. A
/// failure shows the expected and the recorded changes line by line, as a test would write them, and says which commits were not
/// delivered. The forms with `within:` wait for changes that something else causes.
///
/// Belongs to the thread, queue or actor of the subjects.
public final class ChangeRecorder {
    /// The changes that were recorded so far.
    public private(set) var changes: [ListenedChange] = []
    private var subjects: [ListenedSubject] = []
    /// The tokens of the listeners, for `withoutNotifying:`.
    public var tokens: [NotificationToken] { subjects.map(\.token) }
    /// The closure that is called after each recorded change.
    var onChange: (() -> Void)?

    /// Creates a recorder that does not listen to anything yet.
    public init() {}

    /// Creates a recorder of the changes that a listener receives on the current thread or queue.
    ///
    /// - Parameters:
    ///   - subject: the subject to listen to.
    ///   - keyPaths: the key paths to listen to; nil for all of them.
    public convenience init(observing subject: some Listenable, keyPaths: [String]? = nil) {
        self.init()
        observe(subject, keyPaths: keyPaths)
    }

    /// Records the changes that another listener receives.
    ///
    /// - Parameters:
    ///   - subject: the subject to listen to.
    ///   - keyPaths: the key paths to listen to; nil for all of them.
    public func observe(_ subject: some Listenable, keyPaths: [String]? = nil) {
        subjects.append(ListenedSubject(subject.listen(self, keyPaths: keyPaths)))
    }

    /// Records a change that a listener or a stream of the test received.
    public func record(_ change: some RecordableChange) { append(change.listenedChange) }

    /// Waits for the next change of a stream and records it, or ``ListenedChange/end`` at the end of the stream.
    ///
    /// - Parameters:
    ///   - iterator: an iteration of the stream.
    ///   - isolation: the caller's isolation, which must be the realm's.
    public func record<Change: RecordableChange>(
        next iterator: inout ChangeStream<Change>.Iterator,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        append(await iterator.next(isolation: isolation)?.listenedChange ?? .end)
    }

    /// Removes all recorded changes.
    public func removeAllChanges() { changes = [] }

    /// Ends all listeners. The recorded changes stay. Further calls do nothing.
    public func stop() {
        for subject in subjects { subject.token.invalidate() }
        subjects = []
    }

    /// Returns a readable description of how the recorded changes differ from expected ones, or nil if they do not.
    ///
    /// Lines with `-` are expected changes that are missing at that place. Lines with `+` are recorded changes that are
    /// unexpected there. The others are as expected. Further lines say which commits are undelivered, or are a part of the first
    /// call. Use it with test libraries for which there is no assertion.
    public func difference(from expected: [ListenedChange]) -> String? {
        let alignment = ChangeAlignment(expected, changes) { $0.isMet(by: $1) }
        if alignment.isExact { return nil }
        let lines = alignment.steps.map { "\($0.mark) \($0.change)" }
        var notes: [String] = []
        for note in subjects.flatMap(\.notes) where !notes.contains(note) { notes.append(note) }
        return ([ChangeAlignment<ListenedChange>.heading] + lines + notes).joined(separator: "\n")
    }

    /// Whether the recorded changes are the expected ones, or so many that they cannot become these any more.
    func isDecided(_ expected: [ListenedChange]) -> Bool { changes.count >= expected.count }

    private func append(_ change: ListenedChange) {
        changes.append(change)
        if case .initial = change.content {
            for index in subjects.indices { subjects[index].noteFirstCall() }
        }
        onChange?()
    }
}

extension ChangeRecorder {
    /// Runs the run loop of the current thread until a number of changes are recorded.
    ///
    /// For the main thread and other threads whose run loop delivers notifications. On other threads, refresh the realm instead.
    ///
    /// A commit that comes before the first call of a listener is a part of that call, and is no change of its own: wait for one
    /// change, or refresh the realm, before you cause the next. If such a commit is missed, the failure says so.
    ///
    /// - Parameters:
    ///   - count: the number of changes, including those that are already recorded.
    ///   - timeout: the number of seconds after which to give up.
    /// - Returns: whether that many changes are recorded. If not, a comparison shows which ones are missing.
    @available(*, noasync, message: "await the other form")
    @discardableResult
    public func waitForChanges(_ count: Int, timeout: TimeInterval = 60) -> Bool {
        Waiting.serveRunLoop(for: timeout) { changes.count >= count }
        return changes.count >= count
    }

    /// Suspends until a number of changes are recorded or the task is cancelled.
    ///
    /// A commit that comes before the first call of a listener is a part of that call, and is no change of its own: wait for one
    /// change, or refresh the realm, before you cause the next. If such a commit is missed, the failure says so.
    ///
    /// - Parameters:
    ///   - count: the number of changes, including those that are already recorded.
    ///   - timeout: the number of seconds after which to give up.
    ///   - isolation: the caller's isolation, which must be the realm's.
    /// - Returns: whether that many changes are recorded. If not, a comparison shows which ones are missing.
    @discardableResult
    public func waitForChanges(
        _ count: Int, timeout: TimeInterval = 60, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        await Waiting.suspend(for: timeout, isolation: isolation) { changes.count >= count }
        return changes.count >= count
    }
}
