import KivoEngine

/// One observation, as tokens and registries share it. Thread-safe.
///
/// It owns the listener, and lets go of it the moment it is cancelled, on whichever thread that is: the listener holds
/// the realm, whose own thread may have ended. A callback that is running holds it until it returns.
final class Registration: Sendable {
    /// The listener. It is only looked into where the realm belongs; elsewhere it is no more than let go of.
    private struct Held: @unchecked Sendable {
        let listener: Listener
    }

    private let state: Lock<Held?>
    /// The place in the order of the registrations of its realm instance.
    let order: Int
    /// What the listener is found by; nil if it listens to the realm.
    let interest: Interest?
    /// The part of it that is looked at for each row which changed.
    private let row: Interest.Row?

    init(_ order: Int, _ listener: Listener) {
        let interest = listener.interest
        (self.interest, row) = (interest, interest?.row)
        let held = Held(listener: listener)
        state = Lock(held)
        self.order = order
    }

    /// Whether what happened to the leaf of a listened row concerns the listener.
    @inline(__always)
    func isConcerned(_ table: TableID, by leaf: LeafChange, _ slot: Int) -> Bool {
        guard let row, row.id.table == table else { return interest!.otherRow!.isTouched(by: leaf, slot) }
        return row.isTouched(by: leaf, slot)
    }

    /// The listener, unless it was cancelled.
    var listener: Listener? { state.withLock { $0?.listener } }

    /// Notes that something concerns the listener which has been told all before; returns whether it is there, and was.
    func noteConcerned(since version: UInt64) -> Bool {
        state.withLock { $0?.listener.noteConcerned(since: version) ?? false }
    }

    func cancel() {
        let dropped = state.withLock { state -> Held? in
            defer { state = nil }
            return state
        }
        withExtendedLifetime(dropped) {}
    }
}
