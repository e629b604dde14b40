import KivoEngine

/// Observations that are delivered at a pace of their own.
extension ListenerRegistry {
    /// The paced observations of a registry, and when the next of them is due.
    struct Paced {
        /// All of them, by the registration that their token has.
        var all: [ObjectIdentifier: PacedObservation] = [:]
        /// Those whose changes become due with time, each once. Some may have been delivered by hand, or have ended, meanwhile.
        var timed: [PacedObservation] = []
        /// The earliest moment at which one of `timed` may be due.
        var nextDue: ContinuousClock.Instant?
        /// The timer of the turns in which they are delivered.
        var timer: TurnTimer?

        /// Whether a delivery may be due.
        var isDue: Bool { nextDue.map { $0 <= .now } ?? false }
    }

    /// Takes over a registration, so that its listener is called at a pace. Returns the registration to which the token refers from
    /// now on, or nil if the observation has ended.
    func pace(_ registration: Registration, _ rule: Realm.Pacing.Rule, _ calls: CallCount) -> Registration? {
        guard let listener = registration.listener, listener.consumer == nil else { return nil }
        let observation = PacedObservation(registration, listener, rule, calls, host.pins)
        listener.consumer = Pacer(observation, self)
        paced.all[ObjectIdentifier(observation.access)] = observation
        return observation.access
    }

    /// Returns the paced observation of a token's registration, or nil if it is not paced.
    func pacedObservation(of registration: Registration) -> PacedObservation? {
        paced.all.isEmpty ? nil : paced.all[ObjectIdentifier(registration)]
    }

    /// Ends the paced observation of a registration that was cancelled. Returns false if it is not paced.
    func endPaced(_ registration: Registration) -> Bool {
        guard !paced.all.isEmpty,
            let observation = paced.all.removeValue(forKey: ObjectIdentifier(registration))
        else { return false }
        // The other registration was cancelled with the one of the token, and is still in the index.
        if case .listening(let active) = observation.state { remove(active) }
        observation.take(.ended)
        return true
    }

    /// Gives up an observation whose token was invalidated on another thread meanwhile. The listener's registration is on its way here,
    /// to be removed.
    func abandonPaced(_ access: Registration) {
        paced.all.removeValue(forKey: ObjectIdentifier(access))?.take(.ended)
        access.cancel()
    }

    /// Ends all paced observations, because the realm was invalidated.
    func endAllPaced() {
        let all = paced.all.values
        paced = Paced()
        for observation in all {
            observation.take(.ended)
            observation.access.cancel()
        }
    }

    // MARK: Holding

    /// Holds the changes since a version, which is pinned during this call, in place of listening to them.
    func hold(_ observation: PacedObservation, since version: UInt64) {
        guard case .listening(let active) = observation.state else { return }
        observation.hold(since: version)
        drop(active)
        let now = ContinuousClock.now
        observation.schedule(at: now, data: host.dataVersion)
        if let due = observation.due, due <= now {
            deliverHeld(observation, at: now)
        } else {
            awaitDelivery(observation, now)
        }
    }

    /// Ends the registration of an observation that is listening. Holds everything that it is not called with.
    func pause(_ observation: PacedObservation) {
        observation.isPaused = true
        guard case .listening(let active) = observation.state, let listener = observation.listener else {
            return
        }
        switch listener.progress {
        case .ended: return
        case .awaitingFirstCall: observation.take(.holdingFirstCall)
        case .upToDate, .outdated:
            findConcerned()
            observation.hold(since: version(seenBy: listener))
            observation.keepAhead(listener.aheadVersion)
            catchUp(listener)
        }
        drop(active)
    }

    /// Ends the registration that an observation had while it was listening. It may have been cancelled elsewhere.
    private func drop(_ active: Registration) {
        active.cancel()
        remove(active)
    }

    /// Ends a pause. What was held is delivered later, at the observation's pace.
    func resume(_ observation: PacedObservation) {
        guard observation.isPaused else { return }
        observation.isPaused = false
        guard let listener = observation.listener else { return }
        switch observation.state {
        case .listening, .ended: break
        case .holdingFirstCall: listen(observation, listener)
        case .holding:
            let now = ContinuousClock.now
            observation.schedule(at: now, data: host.dataVersion)
            awaitDelivery(observation, now)
        }
    }

    /// Skips a commit for the observations of tokens that are paused, and hold nothing from before it.
    func skipHeld(_ changes: RowChangeSet, from: UInt64, to: UInt64, of tokens: [NotificationToken]) {
        for observation in tokens.compactMap({ $0.registration.flatMap(pacedObservation) }) {
            guard case .holding(from, let old) = observation.state, let listener = observation.listener else {
                continue
            }
            listener.skip(PendingChanges(changes, from: (from, old), to: to, host.snapshot, host.catalog))
            observation.hold(since: to)
        }
    }

    /// Moves observations that hold a version to the one with the same data after an eviction, so that what was evicted is freed.
    func followEvictionOfPaced(from: UInt64, to: UInt64) {
        for observation in paced.all.values {
            if case .holding(from, _) = observation.state { observation.hold(since: to) }
        }
    }

    /// Registers the listener of an observation, which has seen the version of the realm or waits for its first call.
    private func listen(_ observation: PacedObservation, _ listener: Listener) {
        let active = register(listener)
        observation.take(.listening(active))
        if !observation.access.accompany(active) {
            // Cancelled elsewhere meanwhile, and released here later, with the observation.
            return active.cancelElsewhere()
        }
        listener.didRegister(active)
        if case .awaitingFirstCall = listener.progress { awaitFirstCall(active) }
    }

    /// Requests a turn for the moment at which an observation is due, if that comes with time.
    private func awaitDelivery(_ observation: PacedObservation, _ now: ContinuousClock.Instant) {
        guard let due = observation.due else { return }
        if !observation.isTimed {
            observation.isTimed = true
            paced.timed.append(observation)
        }
        let nextDue = min(due, paced.nextDue ?? due)
        paced.nextDue = nextDue
        setTimer(nextDue, now)
    }

    private func setTimer(_ moment: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
        let timer = paced.timer ?? TurnTimer(host.turns)
        paced.timer = timer
        timer.set(moment, now: now)
    }

    // MARK: Delivering

    /// Delivers the held changes that are due. Returns whether listeners may have been called. O(1) if none is due.
    func deliverPaced() -> Bool {
        guard let nextDue = paced.nextDue, !host.hasUncommittedChanges else { return false }
        let now = ContinuousClock.now
        if nextDue > now {
            setTimer(nextDue, now)
            return false
        }
        let timed = paced.timed
        (paced.timed, paced.nextDue) = ([], nil)
        for observation in timed { observation.isTimed = false }
        for observation in timed {
            guard case .holding = observation.state, observation.due != nil else { continue }
            if !host.hasUncommittedChanges, observation.isDue(at: now, data: host.dataVersion) {
                deliverHeld(observation, at: now)
            } else {
                awaitDelivery(observation, now)
            }
        }
        return true
    }

    /// Delivers held changes.
    ///
    /// - Precondition: No transaction is open that has made changes.
    private func deliverHeld(_ observation: PacedObservation, at now: ContinuousClock.Instant) {
        guard case .holding(let from, let old) = observation.state, let listener = observation.listener else {
            return
        }
        let (pins, version) = (host.pins, host.version)
        if from == version {
            if !observation.isPaused { listen(observation, listener) }
            return
        }
        let changes = pins.changes(from: from, to: version)
        let pending = PendingChanges(changes, from: (from, old), to: version, host.snapshot, host.catalog)
        // Pinned until the end of the call.
        pins.pin(from)
        defer { pins.unpin(from) }
        // Before the observer is called, so that it is called again with what it commits itself.
        if observation.isPaused { observation.hold(since: version) } else { listen(observation, listener) }
        observation.deliver(at: now) {
            calling(listener, observation.access, since: from) { listener.deliver(pending) }
        }
        observation.keepAhead(nil)
        if case .ended = listener.progress, observation.isPaused { observation.take(.ended) }
    }

    /// Calls a listener with what it was not called with yet, if there is anything.
    ///
    /// - Precondition: No transaction is open that has made changes.
    func deliverNow(_ registration: Registration) {
        guard let listener = registration.listener else { return }
        let observation = pacedObservation(of: registration)
        switch observation?.state {
        case .ended?: return
        case .holding?: return deliverHeld(observation!, at: .now)
        case .holdingFirstCall?:
            observation?.hold(since: host.version)
            return callFirst(listener, registration)
        case .listening?, nil: break
        }
        findConcerned()
        switch listener.progress {
        case .upToDate, .ended: break
        case .awaitingFirstCall: callFirst(listener, registration)
        case .outdated(let since):
            let pending = pendingChanges(since: since)
            catchUp(listener)
            guard let observation, case .listening(let active) = observation.state else {
                return calling(listener, registration, since: since) { listener.deliver(pending) }
            }
            observation.hold(since: since)
            drop(active)
            deliverHeld(observation, at: .now)
        }
    }

    private func callFirst(_ listener: Listener, _ registration: Registration) {
        listener.take(.caughtUp)
        calling(listener, registration, since: host.version) { listener.callInitial() }
    }

    private func calling(
        _ listener: Listener, _ registration: Registration, since version: UInt64, _ call: () -> Void
    ) {
        host.activity.take(.deliveryBegan)
        host.recording(listener, registration, since: version, call)
        host.activity.take(.deliveryEnded)
        if !host.activity.isDelivering { dropDelivered() }
    }
}
