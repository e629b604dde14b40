import Dispatch
import KivoEngine

/// The checkpoint that a store makes in the background, one at a time. It keeps its store, and is over when it has let go of it:
/// who waits for the store to close waits for that.
final class CheckpointActivity: Sendable {
    private enum State: Sendable {
        case none
        case underWay(Store)
        /// The store is being let go of.
        case ending
    }

    private let state = Lock(State.none)
    /// A group with one member while a checkpoint is under way.
    private let group = DispatchGroup()

    /// Whether one is under way.
    var isUnderWay: Bool { state.withLock { if case .none = $0 { false } else { true } } }

    /// Begins one; false if another is under way.
    func begin(for store: Store) -> Bool {
        state.withLock { state in
            guard case .none = state else { return false }
            state = .underWay(store)
            group.enter()
            return true
        }
    }

    /// Does the work of the one that was begun, and ends it.
    func finish(_ work: (Store) -> Void) {
        take().map(work)
        state.withLock { $0 = .none }
        group.leave()
    }

    /// Waits for the end of the one that is under way, and no longer than some seconds.
    func wait(atMost seconds: Double) {
        if isUnderWay, seconds > 0 { _ = group.wait(timeout: .now() + seconds) }
    }

    private func take() -> Store? {
        state.withLock { state in
            defer { state = .ending }
            if case .underWay(let store) = state { return store }
            return nil
        }
    }
}
