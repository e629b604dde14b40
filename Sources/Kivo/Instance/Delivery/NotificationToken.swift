import KivoEngine

/// Keeps an observation alive: it ends when the token is invalidated or released.
///
/// The token alone keeps the observed realm and what is observed alive. It can be invalidated on any thread and inside
/// of any callback, its own included.
public final class NotificationToken: Sendable {
    private let state: Lock<State>

    /// What the token keeps alive. The realm instance is only looked into where it belongs; elsewhere the token no
    /// more than holds it.
    private struct State: @unchecked Sendable {
        var instanceOwner: InstanceOwner?
        var registration: Registration?
        var isValid: Bool
    }

    /// A token that observes nothing.
    public init() { state = Lock(State(instanceOwner: nil, registration: nil, isValid: false)) }

    init(_ instance: RealmInstance, _ registration: Registration) {
        state = Lock(State(instanceOwner: instance.instanceOwner, registration: registration, isValid: true))
    }

    /// A token whose observation begins later, on another queue.
    init(pending: Void) { state = Lock(State(instanceOwner: nil, registration: nil, isValid: true)) }

    /// Begins the observation of a pending token; false if it was invalidated meanwhile.
    func begin(_ instance: RealmInstance, _ registration: Registration) -> Bool {
        let transfer = State(instanceOwner: instance.instanceOwner, registration: registration, isValid: true)
        return state.withLock { state in
            guard state.isValid else { return false }
            state = transfer
            return true
        }
    }

    /// Lets go of the observation without ending it: another token has it now.
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

    /// Carries a reference out of the lock, unseen.
    private struct Transfer: @unchecked Sendable {
        var instanceOwner: InstanceOwner?
    }

    /// Ends the observation: the block is not called again.
    ///
    /// The block, and what it captured, is released where it was called: at once if the token is invalidated there, and
    /// otherwise on the next turn of the run loop, queue or actor, or in the next refresh or write of the realm. A thread that
    /// gives its run loop no turns releases it when it ends. Only if that thread has ended, or the actor is gone, the block is
    /// released by the thread that invalidates the token.
    ///
    /// - Returns: true the first time, false afterwards.
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
