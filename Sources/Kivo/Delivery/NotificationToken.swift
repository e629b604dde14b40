import KivoEngine

/// A token that keeps an observation alive. The observation ends when the token is invalidated or released.
///
/// Only the token keeps the observed realm, and the object or collection that is observed, alive. It can be invalidated on any
/// thread and inside of any callback, including its own.
public final class NotificationToken: Sendable {
    private let state: Lock<State>

    /// The references that the token holds. Proof for `Sendable`: the token only holds the owner, and calls only its
    /// ``RegistrationOwner/end(_:)``, which is for any thread.
    private struct State: @unchecked Sendable {
        var owner: (any RegistrationOwner)?
        var registration: Registration?
        var isValid: Bool
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
            state = transfer
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

    deinit { invalidate() }

    /// Whether the token observes, on behalf of an owner.
    func belongs(to owner: any RegistrationOwner) -> Bool { state.withLock { $0.owner === owner } }

    var registration: Registration? { state.withLock { $0.registration } }

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
    public func invalidate() -> Bool {
        let ended = state.withLock { state -> (wasValid: Bool, registration: Registration?, Transfer) in
            defer {
                state.isValid = false
                state.registration = nil
                state.owner = nil
            }
            return (state.isValid, state.registration, Transfer(owner: state.owner))
        }
        if let registration = ended.registration { ended.2.owner?.end(registration) }
        return ended.wasValid
    }
}
