import KivoEngine

/// The position of a stream's consumer: at a pinned version while it is busy, or waiting for a change.
///
/// However many commits are made while the consumer is busy, only one version is pinned for it: the version chain merges those in
/// between. Thread-safe, because tasks are cancelled and release their iterators on any thread.
final class StreamConsumer: ChangeConsumer, Sendable {
    private struct State: Sendable {
        /// The version that the consumer saw last, pinned; nil while it waits.
        var pinned: (version: UInt64, snapshot: Snapshot)?
        /// Whether the wait is over, or ends as soon as it begins.
        var isWoken = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let store: Store
    private let state = Lock(State())

    init(_ store: Store) { self.store = store }

    deinit { if let pinned { store.unpin(pinned.version) } }

    // MARK: The version

    /// The version that the consumer saw last, or nil while it waits.
    var pinned: (version: UInt64, snapshot: Snapshot)? { state.withLock { $0.pinned } }

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
            defer { state.pinned = pinned }
            return state.pinned?.version
        }
    }

    // MARK: Waiting

    /// Waits for a call of `wake()`; returns at once if there was one since the last wait. Returns on the caller's isolation.
    func wait(_ isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            // Passing the isolation makes it that of this closure too: the wait begins where the caller runs, without a hop to
            // another thread.
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isWoken = state.withLock { state in
                    if !state.isWoken { state.continuation = continuation }
                    return state.isWoken
                }
                if isWoken { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        state.withLock { $0.isWoken = false }
    }

    /// Ends the wait.
    func wake() {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            state.isWoken = true
            return state.continuation
        }
        waiting?.resume()
    }

    func didChange(since version: UInt64) {
        pin(version)
        wake()
    }

    func didEnd() { wake() }
}
