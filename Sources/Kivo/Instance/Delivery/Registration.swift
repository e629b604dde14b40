import KivoEngine

/// One observation, as tokens and registries share it. Thread-safe.
///
/// It owns the listener, which holds the app's block with what that captured, and the realm. Where the realm belongs it releases
/// the listener the moment it is cancelled; a callback that is running holds it until it returns. Elsewhere it keeps the
/// listener until somebody cancels it where the realm belongs.
final class Registration: Sendable {
    /// The listener. Proof for `Sendable`: it is used and released only where the realm belongs; other threads move it between the
    /// cases under the lock.
    private enum State: @unchecked Sendable {
        case active(Listener)
        /// The registration was cancelled elsewhere.
        case left(Listener)
        case released
    }

    private let state: Lock<State>
    /// The place in the order of the registrations of its realm instance.
    let order: Int
    /// What the listener is found by; nil if it listens to the realm.
    let interest: Interest?
    /// The part of it that is looked at for each row which changed.
    private let row: Interest.Row?

    init(_ order: Int, _ listener: Listener) {
        let interest = listener.interest
        (self.interest, row) = (interest, interest?.row)
        let active = State.active(listener)
        state = Lock(active)
        self.order = order
    }

    /// Whether what happened to the leaf of a listened row concerns the listener.
    @inline(__always)
    func isConcerned(_ table: TableID, by leaf: LeafChange, _ slot: Int) -> Bool {
        guard let row, row.id.table == table else { return interest!.otherRow!.isTouched(by: leaf, slot) }
        return row.isTouched(by: leaf, slot)
    }

    /// The listener, unless it was cancelled.
    var listener: Listener? {
        state.withLock { if case .active(let listener) = $0 { listener } else { nil } }
    }

    /// Notes that something concerns the listener which has been told all before; returns whether it is there, and was.
    func noteConcerned(since version: UInt64) -> Bool {
        state.withLock {
            if case .active(let listener) = $0 { listener.noteConcerned(since: version) } else { false }
        }
    }

    /// Cancels the registration, if it is not yet, and releases the listener.
    func cancel() {
        let before = state.withLock { state in
            defer { state = .released }
            return state
        }
        withExtendedLifetime(before) {}
    }

    /// Cancels the registration elsewhere than where the realm belongs. The listener stays in it: not even for a moment does
    /// this thread hold it, or it might be the last one to do so.
    func cancelElsewhere() {
        state.withLock { state in
            if case .active(let listener) = state { state = .left(listener) }
        }
    }
}
