import KivoEngine

/// One observation, shared by tokens and registries. Thread-safe.
///
/// It owns the listener, which holds the app's block with its captures, and the realm. If it is cancelled where the realm
/// belongs, it releases the listener at once; a callback that is running holds the listener until it returns. If it is cancelled
/// elsewhere, it holds the listener until it is cancelled where the realm belongs.
final class Registration: Sendable {
    /// The listener. Proof for `Sendable`: it is used and released only where the realm belongs; other threads move it between
    /// the cases under the lock.
    private enum State: @unchecked Sendable {
        case active(Listener)
        /// The registration was cancelled elsewhere.
        case cancelled(Listener)
        case released
    }

    private let state: Lock<State>
    /// The place in the order of the registrations of its realm instance.
    let order: Int
    /// The interest by which the listener is found, or nil if it listens to the realm.
    let interest: Interest?
    /// The part of the interest that is checked for each changed row.
    private let row: Interest.Row?

    init(_ order: Int, _ listener: Listener) {
        let interest = listener.interest
        (self.interest, row) = (interest, interest?.row)
        let active = State.active(listener)
        state = Lock(active)
        self.order = order
    }

    /// Whether a change to the leaf of an observed row concerns the listener.
    @inline(__always)
    func isConcerned(_ table: TableID, by leaf: LeafChange, _ slot: Int) -> Bool {
        guard let row, row.id.table == table else { return interest!.otherRow!.isTouched(by: leaf, slot) }
        return row.isTouched(by: leaf, slot)
    }

    /// The listener, unless it was cancelled.
    var listener: Listener? {
        state.withLock { if case .active(let listener) = $0 { listener } else { nil } }
    }

    /// Records that a change concerns the listener. Returns whether the listener is still registered and was up to date before.
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

    /// Cancels the registration elsewhere than where the realm belongs. The listener stays in it: this thread must not hold the
    /// listener even for a moment, or it might release the last reference.
    func cancelElsewhere() {
        state.withLock { state in
            if case .active(let listener) = state { state = .cancelled(listener) }
        }
    }
}

extension OrderedEntries<Registration> {
    /// Adds a registration that is newer than all others here.
    mutating func append(_ registration: Registration) {
        append(registration, number: registration.order)
    }

    /// Removes a registration. Returns false if it is not here.
    mutating func remove(_ registration: Registration) -> Bool { remove(registration.order) != nil }
}
