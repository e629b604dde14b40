/// The wait of an asynchronous sequence's consumer for its next element. Thread-safe, because tasks are cancelled, and elements
/// produced, on any thread.
package final class ConsumerWait: Sendable {
    private struct State {
        /// Whether the wait is over, or ends as soon as it begins.
        var isWoken = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    /// Waits for a call of ``wake()``; returns at once if there was one since the last wait. Returns on the caller's isolation.
    package func wait(_ isolation: isolated (any Actor)?) async {
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
    package func wake() {
        let waiting = state.withLock { state in
            state.isWoken = true
            return state.continuation.take()
        }
        waiting?.resume()
    }
}
