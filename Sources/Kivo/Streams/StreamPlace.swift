import KivoEngine

/// Where the consumer of a stream stands: at a version that is kept for it while it is busy, or waiting for something to be
/// told.
///
/// However many commits come while the consumer is busy, what is kept for it is one version: the chain of versions merges
/// those in between. Thread-safe: tasks are cancelled, and let go of their iterators, on any thread.
final class StreamPlace: NewsTaker, Sendable {
    private struct State: Sendable {
        /// The version that the consumer saw last, pinned; nil while it waits.
        var kept: (version: UInt64, snapshot: Snapshot)?
        /// Whether the wait is over, or will be the moment it begins.
        var isWoken = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let store: Store
    private let state = Lock(State())

    init(_ store: Store) { self.store = store }

    deinit { if let kept { store.unpin(kept.version) } }

    // MARK: The version

    /// The version that the consumer saw last, unless it waits.
    var kept: (version: UInt64, snapshot: Snapshot)? { state.withLock { $0.kept } }

    var keptVersion: UInt64? { kept?.version }

    /// Keeps a version that is pinned by somebody else, instead of the one before.
    func keep(_ version: UInt64) {
        let snapshot = store.pin(version)
        if let old = replace((version, snapshot)) { store.unpin(old) }
    }

    /// Keeps no version any more.
    func keepNothing() { if let old = replace(nil) { store.unpin(old) } }

    private func replace(_ kept: (version: UInt64, snapshot: Snapshot)?) -> UInt64? {
        state.withLock { state in
            defer { state.kept = kept }
            return state.kept?.version
        }
    }

    // MARK: Waiting

    /// Waits until it is woken, or was since the last time; returns where the caller is isolated to.
    func wait(_ isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            // Named, the isolation is that of this closure too: the wait begins where the caller runs, without a hop to
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

    func takeNews(since version: UInt64) {
        keep(version)
        wake()
    }

    func takeEnd() { wake() }
}
