extension NotificationToken {
    /// Pauses the observation: its block is not called until ``resume()``, except by ``deliverNow()``. For example while a window is
    /// hidden, or while a table is scrolled.
    ///
    /// What is committed during a pause is one change afterwards. Until then one version of the data is kept in memory, and the
    /// observation costs nothing when others commit. Does nothing if the observation has ended or is paused already, or if it is one
    /// of a realm as a whole (``Realm/observe(_:)``), which has no changes.
    ///
    /// A write with ``Realm/write(withoutNotifying:_:)`` calls a paused observer as well, with what it holds: the silent change has to
    /// follow on what the observer has seen. After a pause an observer is called after those that were registered meanwhile, and
    /// ``PropertyChange/oldValue`` is set for changes of its own realm too, as for all paced observers.
    ///
    /// - Complexity: O(1).
    /// - Precondition: The code runs where the block is called: on the thread, queue or actor of the realm that is observed.
    public func pause() {
        guard let (instance, registration) = confinedObservation("paused") else { return }
        let listeners = instance.listeners
        if let observation = listeners.pacedObservation(of: registration) {
            return listeners.pause(observation)
        }
        guard let access = pace(.everyTurn, CallCount(), instance, registration),
            let observation = listeners.pacedObservation(of: access)
        else { return }
        listeners.pause(observation)
    }

    /// Ends a pause. What changed meanwhile is delivered in one call: later, not inside of this method, and at the pace of the
    /// observation. Does nothing if the observation is not paused.
    ///
    /// - Complexity: O(1).
    /// - Precondition: The code runs where the block is called.
    public func resume() {
        guard let (instance, registration) = confinedObservation("resumed"),
            let observation = instance.listeners.pacedObservation(of: registration)
        else { return }
        instance.listeners.resume(observation)
    }

    /// Calls the block now, inside of this method, if there are changes that it did not receive: those up to the state that the realm
    /// shows. A pause goes on afterwards. The first call of a collection's observer is made too, if it is still to come.
    ///
    /// Does nothing inside of a write transaction that has made changes, because no change leads to the state that is read there.
    ///
    /// - Complexity: That of a delivery.
    /// - Precondition: The code runs where the block is called.
    public func deliverNow() {
        guard let (instance, registration) = confinedObservation("delivered") else { return }
        if instance.hasUncommittedChanges || instance.activity.isAnnouncingMove || instance.isMakingKeys {
            return
        }
        instance.ensureRead()
        instance.listeners.deliverNow(registration)
        if !instance.activity.isDelivering { instance.requestTurnIfDue() }
    }

    /// Begins an observation here whose block is called at a pace.
    ///
    /// - Parameter observe: begins the observation with a block, and returns its token.
    static func paced<Change>(
        _ pacing: Realm.Pacing, _ block: @escaping (Change) -> Void,
        _ observe: (@escaping (Change) -> Void) -> NotificationToken
    ) -> NotificationToken {
        let calls = CallCount()
        let token = observe { change in
            calls.value += 1
            block(change)
        }
        if let (instance, registration) = token.confinedObservation("paced") {
            _ = token.pace(pacing.rule, calls, instance, registration)
        }
        return token
    }

    /// Calls the observer with what it holds, if it is paced and was called before.
    func deliverHeld() {
        guard let (instance, registration) = confinedObservation("delivered"),
            !instance.hasUncommittedChanges,
            case .holding? = instance.listeners.pacedObservation(of: registration)?.state
        else { return }
        instance.listeners.deliverNow(registration)
    }

    private func pace(
        _ rule: Realm.Pacing.Rule, _ calls: CallCount, _ instance: RealmInstance, _ registration: Registration
    ) -> Registration? {
        guard let access = instance.listeners.pace(registration, rule, calls) else { return nil }
        if replace(registration, with: access) { return access }
        instance.listeners.abandonPaced(access)
        return nil
    }

    /// The realm instance and the registration of a listener of changes; nil if the observation has ended or is none of changes. Traps
    /// if this code runs elsewhere.
    private func confinedObservation(_ what: String) -> (RealmInstance, Registration)? {
        guard let instance = (owner as? InstanceOwner)?.instance, let registration,
            registration.interest != nil
        else { return nil }
        instance.checkConfinement { "an observation that is \(what)" }
        return (instance, registration)
    }
}
