import KivoEngine
import KivoObserving

/// The position of a stream's consumer: at a pinned version while it is busy, or waiting for a change.
///
/// However many commits are made while the consumer is busy, only one version is pinned for it: the version chain merges those in
/// between. Thread-safe, because tasks are cancelled and release their iterators on any thread.
final class StreamConsumer: ChangeConsumer, Sendable {
    /// The version that the consumer saw last, pinned; nil while it waits.
    private let state = Lock<(version: UInt64, snapshot: Snapshot)?>(nil)
    private let waiting = ConsumerWait()
    private let store: Store

    init(_ store: Store) { self.store = store }

    deinit { if let pinned { store.unpin(pinned.version) } }

    // MARK: The version

    /// The version that the consumer saw last, or nil while it waits.
    var pinned: (version: UInt64, snapshot: Snapshot)? { state.withLock { $0 } }

    var pinnedVersion: UInt64? { pinned?.version }

    /// Replaces the pinned version with another version that is already pinned elsewhere.
    func pin(_ version: UInt64) {
        let snapshot = store.pin(version)
        if let old = replace((version, snapshot)) { store.unpin(old) }
    }

    /// Unpins the version.
    func unpin() { if let old = replace(nil) { store.unpin(old) } }

    private func replace(_ pinned: (version: UInt64, snapshot: Snapshot)?) -> UInt64? {
        state.withLock { state in
            defer { state = pinned }
            return state?.version
        }
    }

    // MARK: Waiting

    /// Waits for the next change or for the end.
    func wait(_ isolation: isolated (any Actor)?) async { await waiting.wait(isolation) }

    func didChange(since version: UInt64) {
        pin(version)
        waiting.wake()
    }

    func didEnd() { waiting.wake() }
}
