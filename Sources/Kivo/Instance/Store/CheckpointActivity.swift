import Dispatch
import KivoEngine

/// The checkpoint that a store makes in the background, one at a time. It retains the store, whose pins keep the version that it
/// writes. It ends after it has released the store: code that waits for the store to close waits for that.
final class CheckpointActivity: Sendable {
    private enum State: Sendable {
        case none
        case running(any VersionPins & Sendable)
        /// The store is being released.
        case ending
    }

    private let state = Lock(State.none)
    /// A group with one member while a checkpoint is running.
    private let group = DispatchGroup()

    /// Whether a checkpoint is running.
    var isRunning: Bool { state.withLock { if case .none = $0 { false } else { true } } }

    /// Begins a checkpoint. Returns false if another is running.
    func begin(retaining pins: any VersionPins & Sendable) -> Bool {
        state.withLock { state in
            guard case .none = state else { return false }
            state = .running(pins)
            group.enter()
            return true
        }
    }

    /// Does the work of the checkpoint that was begun, and ends it.
    func finish(_ work: (any VersionPins) -> Void) {
        if let pins = take() { work(pins) }
        state.withLock { $0 = .none }
        group.leave()
    }

    /// Waits for the end of the running checkpoint, but no longer than some seconds.
    func wait(atMost seconds: Double) {
        if isRunning, seconds > 0 { _ = group.wait(timeout: .now() + seconds) }
    }

    private func take() -> (any VersionPins)? {
        state.withLock { state in
            defer { state = .ending }
            if case .running(let pins) = state { return pins }
            return nil
        }
    }
}
