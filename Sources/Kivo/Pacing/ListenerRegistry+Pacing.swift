import KivoEngine

/// Observations that are delivered at a pace of their own.
extension ListenerRegistry {
    /// The paced observations of a registry, and when the next of them is due.
    struct Paced {
        /// All of them, by the registration that their token has.
        var all: [ObjectIdentifier: PacedObservation] = [:]
        /// Those whose changes become due with time. Some may have been delivered by hand, or have ended, meanwhile.
        var timed: [PacedObservation] = []
        /// The earliest moment at which one of `timed` may be due.
        var nextDue: ContinuousClock.Instant?
        /// The timer of the turn in which it is delivered.
        var timer: TurnTimer?

        /// Whether a delivery may be due.
        var isDue: Bool { nextDue.map { $0 <= .now } ?? false }
    }

    /// Takes over a registration, so that its listener is called at a pace. Returns the registration to which the token refers from
    /// now on, or nil if the observation has ended.
    func pace(_ registration: Registration, _ rule: Realm.Pacing.Rule) -> Registration? {
        guard let listener = registration.listener, listener.consumer == nil else { return nil }
        let observation = PacedObservation(registration, listener, rule, host.pins)
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
        end(observation)
        return true
    }

    /// Ends all paced observations, because the realm was invalidated.
    func endAllPaced() {
        let all = paced.all.values
        paced = Paced()
        for observation in all {
            end(observation)
            observation.access.cancel()
        }
    }

    private func end(_ observation: PacedObservation) {
        let state = observation.state
        observation.state = .ended
        switch state {
        case .listening(let registration): unregister(registration)
        case .holding(let version, _): host.pins.unpin(version)
        case .holdingFirstCall, .ended: break
        }
    }

    // MARK: Holding

    /// Holds the changes since a version, which is pinned during this call. The listener is no longer registered.
    func hold(_ observation: PacedObservation, since version: UInt64) {
        observation.state = .holding(since: version, host.pins.pin(version))
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
        guard case .listening(let registration) = observation.state, let listener = observation.listener
        else {
            return
        }
        if case .awaitingFirstCall = listener.progress {
            observation.state = .holdingFirstCall
        } else {
            findConcerned()
            let version = version(seenBy: listener)
            observation.state = .holding(since: version, host.pins.pin(version))
            catchUp(listener)
        }
        unregister(registration)
    }

    /// Ends a pause. What was held is delivered later, at the observation's pace.
    func resume(_ observation: PacedObservation) {
        guard observation.isPaused else { return }
        observation.isPaused = false
        switch observation.state {
        case .listening, .ended: break
        case .holdingFirstCall: listen(observation)
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
            observation.state = .holding(since: to, host.pins.pin(to))
            host.pins.unpin(from)
        }
    }

    /// Registers the listener of an observation, which has seen the version of the realm or waits for its first call.
    private func listen(_ observation: PacedObservation) {
        guard let listener = observation.listener else { return }
        let registration = register(listener)
        observation.state = .listening(registration)
        listener.didRegister(registration)
        if case .awaitingFirstCall = listener.progress { awaitFirstCall(registration) }
    }

    /// Requests a turn for the moment at which an observation is due, if that comes with time.
    private func awaitDelivery(_ observation: PacedObservation, _ now: ContinuousClock.Instant) {
        guard let due = observation.due else { return }
        paced.timed.append(observation)
        paced.nextDue = min(due, paced.nextDue ?? due)
        requestTurn(at: due, now)
    }

    private func requestTurn(at due: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
        if let timer = paced.timer, timer.isPending, timer.moment <= due { return }
        paced.timer = TurnTimer(due, now: now, host.turns)
    }

    // MARK: Delivering

    /// Delivers the held changes that are due. Returns whether listeners may have been called. O(1) if none is due.
    func deliverPaced() -> Bool {
        guard let nextDue = paced.nextDue, !host.hasUncommittedChanges else { return false }
        let now = ContinuousClock.now
        if nextDue > now {
            requestTurn(at: nextDue, now)
            return false
        }
        let timed = paced.timed
        (paced.timed, paced.nextDue) = ([], nil)
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
        defer { pins.unpin(from) }
        // Registered first, so that the listener is called again with what it commits itself.
        if observation.isPaused {
            observation.state = .holding(since: version, pins.pin(version))
        } else {
            listen(observation)
        }
        if from == version { return }
        observation.didDeliver(at: now)
        let changes = pins.changes(from: from, to: version)
        let pending = PendingChanges(changes, from: (from, old), to: version, host.snapshot, host.catalog)
        calling { listener.deliver(pending) }
    }

    /// Calls a listener with what it was not called with yet, if there is anything.
    ///
    /// - Precondition: No transaction is open that has made changes.
    func deliverNow(_ registration: Registration) {
        guard let listener = registration.listener else { return }
        guard let observation = pacedObservation(of: registration) else {
            findConcerned()
            switch listener.progress {
            case .upToDate, .ended: break
            case .awaitingFirstCall: callFirst(listener)
            case .outdated(let since):
                let pending = pendingChanges(since: since)
                catchUp(listener)
                calling { listener.deliver(pending) }
            }
            return
        }
        switch observation.state {
        case .ended: break
        case .holding: deliverHeld(observation, at: .now)
        case .holdingFirstCall:
            observation.state = .holding(since: host.version, host.pins.pin(host.version))
            callFirst(listener)
        case .listening(let active):
            findConcerned()
            switch listener.progress {
            case .upToDate, .ended: break
            case .awaitingFirstCall: callFirst(listener)
            case .outdated(let since):
                observation.state = .holding(since: since, host.pins.pin(since))
                catchUp(listener)
                unregister(active)
                deliverHeld(observation, at: .now)
            }
        }
    }

    private func callFirst(_ listener: Listener) {
        listener.take(.caughtUp)
        calling { listener.callInitial() }
    }

    private func calling(_ call: () -> Void) {
        host.activity.take(.deliveryBegan)
        call()
        host.activity.take(.deliveryEnded)
        if !host.activity.isDelivering { dropDelivered() }
    }
}
