import Foundation
import Kivo

/// Records what listeners and streams are told, in order, for a test to compare with what it expects.
///
///     let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
///     realm.refresh()
///     try realm.write { realm.add(dog) }
///     realm.refresh()
///     recorder.assertChanges([.initial(count: 0), .update(insertions: [0])])
///
/// It listens to realms, objects, projections, collections, maps and sections. What comes in other ways, on an actor or in a
/// stream, is given to it by ``record(_:)`` and `record(next:isolation:)`.
///
/// Tests with XCTest call ``assertChanges(_:_:file:line:)``, tests with Swift Testing ``expectChanges(_:_:sourceLocation:)``. A
/// failure shows the expected and the recorded changes line by line, as a test would write them.
///
/// Belongs to the thread, queue or actor of what it records.
public final class ChangeRecorder {
    /// What was recorded so far.
    public private(set) var changes: [ListenedChange] = []
    /// The tokens of the listeners, for `withoutNotifying:`.
    public private(set) var tokens: [NotificationToken] = []
    /// Called after each change that was recorded.
    var onChange: (() -> Void)?

    /// A recorder that listens to nothing yet.
    public init() {}

    /// A recorder of what a listener is told on the current thread or queue.
    ///
    /// - Parameters:
    ///   - subject: what to listen to.
    ///   - keyPaths: the key paths to listen to; nil for all there is.
    public convenience init(observing subject: some Listenable, keyPaths: [String]? = nil) {
        self.init()
        observe(subject, keyPaths: keyPaths)
    }

    /// Records what one more listener is told.
    ///
    /// - Parameters:
    ///   - subject: what to listen to.
    ///   - keyPaths: the key paths to listen to; nil for all there is.
    public func observe(_ subject: some Listenable, keyPaths: [String]? = nil) {
        tokens.append(subject.listen(self, keyPaths: keyPaths))
    }

    /// Records a change that a listener or a stream of the test was told.
    public func record(_ change: some RecordableChange) { append(change.listenedChange) }

    /// Waits for the next change of a stream, and records it, or ``ListenedChange/end``.
    ///
    /// - Parameters:
    ///   - iterator: an iteration of the stream.
    ///   - isolation: where the caller runs, which must be where the realm belongs.
    public func record<Change: RecordableChange>(
        next iterator: inout ChangeStream<Change>.Iterator,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        append(await iterator.next(isolation: isolation)?.listenedChange ?? .end)
    }

    /// Forgets what was recorded so far.
    public func removeAllChanges() { changes = [] }

    /// Ends all listeners. What was recorded stays. Doing it again is harmless.
    public func stop() {
        for token in tokens { token.invalidate() }
        tokens = []
    }

    /// How the recorded changes differ from expected ones: nil if they do not, else a text to read.
    ///
    /// Lines that begin with `-` are changes that were expected and did not come at that place, lines with `+` changes that came
    /// and were not expected there; the others are as expected. Use it in test libraries that the assertions do not serve.
    public func difference(from expected: [ListenedChange]) -> String? {
        let alignment = ChangeAlignment(expected, changes) { $0.isMet(by: $1) }
        if alignment.isExact { return nil }
        let lines = alignment.steps.map { "\($0.mark) \($0.change)" }
        return ([ChangeAlignment<ListenedChange>.heading] + lines).joined(separator: "\n")
    }

    private func append(_ change: ListenedChange) {
        changes.append(change)
        onChange?()
    }
}
