import KivoEngine

/// A token that keeps an observation alive. The observation ends when the token is invalidated or released.
///
/// Only the token keeps the observed realm, and the object or collection that is observed, alive. It can be invalidated on any
/// thread and inside of any callback, including its own.
public final class NotificationToken: Sendable {
    private let state: Lock<State>

    /// The references that the token holds. The realm instance is accessed only where it belongs; elsewhere the token only holds
    /// it.
    private struct State: @unchecked Sendable {
        var instanceOwner: InstanceOwner?
        var registration: Registration?
        var isValid: Bool
    }

    /// Creates a token that observes nothing.
    public init() { state = Lock(State(instanceOwner: nil, registration: nil, isValid: false)) }

    init(_ instance: RealmInstance, _ registration: Registration) {
        state = Lock(State(instanceOwner: instance.instanceOwner, registration: registration, isValid: true))
    }

    /// Creates a token whose observation begins later, on another queue.
    init(pending: Void) { state = Lock(State(instanceOwner: nil, registration: nil, isValid: true)) }

    /// Begins the observation of a pending token. Returns false if the token was invalidated meanwhile.
    func begin(_ instance: RealmInstance, _ registration: Registration) -> Bool {
        let transfer = State(instanceOwner: instance.instanceOwner, registration: registration, isValid: true)
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

    var instance: RealmInstance? {
        state.withLock { Transfer(instanceOwner: $0.instanceOwner) }.instanceOwner?.instance
    }
    var registration: Registration? { state.withLock { $0.registration } }

    /// Whether the token is pending, on its way to another queue.
    var isPending: Bool { state.withLock { $0.isValid && $0.instanceOwner == nil } }

    /// A reference on its way out of the lock, which is not accessed.
    private struct Transfer: @unchecked Sendable {
        var instanceOwner: InstanceOwner?
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
                state.instanceOwner = nil
            }
            return (state.isValid, state.registration, Transfer(instanceOwner: state.instanceOwner))
        }
        if let registration = ended.registration, let instance = ended.2.instanceOwner?.instance {
            if instance.confinement.isCurrent {
                registration.cancel()
                instance.listeners.remove(registration, instance)
            } else {
                registration.cancelElsewhere()
                instance.handle.leave(registration: registration)
            }
        }
        return ended.wasValid
    }
}
