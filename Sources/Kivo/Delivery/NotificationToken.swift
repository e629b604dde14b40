import KivoEngine

/// A token that keeps an observation alive. The observation ends when the token is invalidated or released.
///
/// Store it in a property. The optimizer releases a local variable, and an array of tokens in one, after its last use: before the
/// end of the scope. `withExtendedLifetime(token) { … }` holds it for a piece of code.
///
/// Only the token keeps the observed realm, and the object or collection that is observed, alive. It can be invalidated on any
/// thread and inside of any callback, including its own.
public final class NotificationToken: Sendable {
    private let state: Lock<State>

    /// The references that the token holds. Proof for `Sendable`: the token only holds the owner, and calls only its
    /// ``RegistrationOwner/end(_:)``, which is for any thread. Callers of ``NotificationToken/owner`` check that they run where the
    /// owner belongs before they use it.
    private struct State: @unchecked Sendable {
        var owner: (any RegistrationOwner)?
        var registration: Registration?
        var isValid: Bool
        /// The name of a pending observation in events and reports.
        var label: ListenerLabel.Value?
    }

    /// Creates a token that observes nothing.
    public init() { state = Lock(State(owner: nil, registration: nil, isValid: false)) }

    init(_ owner: any RegistrationOwner, _ registration: Registration) {
        let observing = State(owner: owner, registration: registration, isValid: true)
        state = Lock(observing)
    }

    /// Creates a token whose observation begins later, on another queue.
    init(pending: Void) { state = Lock(State(owner: nil, registration: nil, isValid: true)) }

    /// Begins the observation of a pending token. Returns false if the token was invalidated meanwhile.
    func begin(_ owner: any RegistrationOwner, _ registration: Registration) -> Bool {
        let transfer = State(owner: owner, registration: registration, isValid: true)
        return state.withLock { state in
            guard state.isValid else { return false }
            if let label = state.label { registration.label.value = label }
            state = transfer
            return true
        }
    }

    /// Sets what events and reports call the observation.
    func setLabel(_ label: ListenerLabel.Value) {
        state.withLock { state in
            state.label = label
            state.registration?.label.value = label
        }
    }

    /// Replaces the registration of a valid observation. Returns false if the token was invalidated meanwhile.
    func replace(_ old: Registration, with new: Registration) -> Bool {
        state.withLock { state in
            guard state.registration === old else { return false }
            state.registration = new
            return true
        }
    }

    /// Releases the observation without ending it, because another token holds it now.
    func handOver() {
        state.withLock { state in
            state.isValid = false
            state.registration = nil
        }
    }

    deinit { _ = end(isReleased: true) }

    /// Whether the token observes, on behalf of an owner.
    func belongs(to owner: any RegistrationOwner) -> Bool { state.withLock { $0.owner === owner } }

    var registration: Registration? { state.withLock { $0.registration } }

    /// The owner of the observation, or nil if the observation has ended or is pending.
    var owner: (any RegistrationOwner)? { state.withLock { Transfer(owner: $0.owner) }.owner }

    /// Whether the token is pending, on its way to another queue.
    var isPending: Bool { state.withLock { $0.isValid && $0.owner == nil } }

    /// A reference on its way out of the lock, which is not accessed.
    private struct Transfer: @unchecked Sendable {
        var owner: (any RegistrationOwner)?
    }

    /// Ends the observation: the block is not called again.
    ///
    /// The block and its captures are released where the block was called. If the token is invalidated there, this happens at
    /// once. Otherwise it happens on the next turn of the run loop, queue or actor, or in the next refresh or write of the realm.
    /// A thread that gives its run loop no turns releases the block when the thread ends. Only if that thread has ended, or the
    /// actor is gone, does the thread that invalidates the token release the block.
    ///
    /// - Returns: True the first time, false afterwards.
    @discardableResult
    public func invalidate() -> Bool { end(isReleased: false) }

    private func end(isReleased: Bool) -> Bool {
        let ended = state.withLock { state -> (wasValid: Bool, registration: Registration?, Transfer) in
            defer {
                state.isValid = false
                state.registration = nil
                state.owner = nil
            }
            return (state.isValid, state.registration, Transfer(owner: state.owner))
        }
        if let registration = ended.registration, let owner = ended.2.owner {
            if isReleased { owner.logIfUnused(registration) }
            owner.end(registration)
        }
        return ended.wasValid
    }
}

/// A token equals only itself, so that sets and dictionaries can hold tokens.
extension NotificationToken: Hashable {
    /// Returns a Boolean value that indicates whether two values are the same token.
    public static func == (a: NotificationToken, b: NotificationToken) -> Bool { a === b }

    /// Hashes the identity of the token.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// One observation, shared by tokens and registries. Thread-safe.
///
/// It owns the listener, which holds the app's block with its captures, and the realm. If it is cancelled where the realm
/// belongs, it releases the listener at once; a callback that is running holds the listener until it returns. If it is cancelled
/// elsewhere, it holds the listener until it is cancelled where the realm belongs.
final class Registration: Sendable {
    /// The listener, and another registration of it that is cancelled with this one. Proof for `Sendable`: the listener is used and
    /// released only where the realm belongs; other threads move it between the cases under the lock.
    private enum State: @unchecked Sendable {
        case active(Listener, Registration?)
        /// The registration was cancelled elsewhere.
        case cancelled(Listener, Registration?)
        case released
    }

    private let state: Lock<State>
    /// The name of the observation in events and reports.
    let label: ListenerLabel
    /// The place in the order of the registrations of its realm instance.
    let order: Int
    /// The interest by which the listener is found, or nil if it listens to the realm.
    let interest: Interest?
    /// The part of the interest that is checked for each changed row.
    private let row: Interest.Row?

    init(_ order: Int, _ listener: Listener, _ label: ListenerLabel = ListenerLabel()) {
        self.label = label
        let interest = listener.interest
        (self.interest, row) = (interest, interest?.row)
        let active = State.active(listener, nil)
        state = Lock(active)
        self.order = order
    }

    /// Whether a change to the leaf of an observed row concerns the listener.
    @inline(__always)
    func isConcerned(_ table: TableID, by leaf: LeafChange, _ slot: Int) -> Bool {
        guard let row, row.id.table == table else {
            // The parts of a joint listener are asked when it is called.
            return interest!.otherRow?.isTouched(by: leaf, slot) ?? true
        }
        return row.isTouched(by: leaf, slot)
    }

    /// The listener, unless it was cancelled.
    var listener: Listener? {
        state.withLock { if case .active(let listener, _) = $0 { listener } else { nil } }
    }

    /// Makes another registration of the listener end with this one, in place of the one before. Returns false if this one was
    /// cancelled.
    func accompany(_ other: Registration?) -> Bool {
        state.withLock { state in
            guard case .active(let listener, _) = state else { return false }
            state = .active(listener, other)
            return true
        }
    }

    /// Records that a change concerns the listener. Returns whether the listener is still registered and was up to date before.
    func noteConcerned(since version: UInt64) -> Bool {
        state.withLock {
            if case .active(let listener, _) = $0 { listener.noteConcerned(since: version) } else { false }
        }
    }

    /// Cancels the registration, if it is not yet, and releases the listener.
    func cancel() {
        let before = state.withLock { state in
            defer { state = .released }
            return state
        }
        switch before {
        case .active(_, let other), .cancelled(_, let other): other?.cancel()
        case .released: break
        }
        withExtendedLifetime(before) {}
    }

    /// Cancels the registration elsewhere than where the realm belongs. The listener stays in it: this thread must not hold the
    /// listener even for a moment, or it might release the last reference.
    func cancelElsewhere() {
        let other = state.withLock { state -> Registration? in
            guard case .active(let listener, let other) = state else { return nil }
            state = .cancelled(listener, other)
            return other
        }
        other?.cancelElsewhere()
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
