/// A change that has begun and not ended: of one key, or of several keys that change together. An observer is notified once, even
/// if several key paths lead to it. The values that observers asked for are read at both moments.
///
/// A change with one observer needs no allocation.
package struct OpenChange {
    /// A notification after the change.
    private struct Notification {
        let observation: KeyValueRegistration
        /// The object of the registration, which the changing code holds, or `Many`.
        let subject: Unmanaged<AnyObject>
        /// The number by which the observer finds the old value; 0 if no observer of the key has work before the change.
        let ticket: UInt32

        @inline(__always)
        func send(_ kind: CollectionChangeKind) {
            if observation.isRemoved { return }
            subject._withUnsafeGuaranteedRef { observation.didChange($0, kind, ticket) }
        }
    }

    /// The notifications of a change that has several, or that reaches beyond one key of one object.
    private final class Many {
        @exclusivity(unchecked) var notifications:
            ContiguousArray<(notification: Notification, kind: CollectionChangeKind, canReroute: Bool)> = []
        /// The indices of the notifications, once there are many.
        @exclusivity(unchecked) private var indices: [ObjectIdentifier: Int] = [:]
        @exclusivity(unchecked) private var indexed = 0

        /// Returns the index of the notification of an observation, or nil if it has none.
        func index(of observation: KeyValueRegistration) -> Int? {
            if notifications.count < 16 {
                return notifications.firstIndex { $0.notification.observation === observation }
            }
            for index in indexed..<notifications.count {
                // The first notification of an observation counts.
                let id = ObjectIdentifier(notifications[index].notification.observation)
                if indices[id] == nil { indices[id] = index }
            }
            indexed = notifications.count
            return indices[ObjectIdentifier(observation)]
        }

        /// The observed objects that are held until their observers have been notified.
        @exclusivity(unchecked) var subjects: ContiguousArray<AnyObject> = []
        /// The observations whose key paths are attached again without a notification.
        @exclusivity(unchecked) var rerouted: ContiguousArray<KeyValueRegistration> = []
    }

    private enum Notifications {
        case none
        /// The only one. Its kind is that of the change: storing it here would make the copies of this value expensive.
        case one(Notification)
        case many(Many)
    }

    private var notifications = Notifications.none

    package init() {}

    // MARK: Before the change

    /// Opens the change of an observed key. The observers of the key itself receive `subject`, which the caller holds.
    ///
    /// - Parameter index: the index of the key among the observed keys.
    package mutating func open(
        _ observations: KeyValueObservations, _ index: Int, _ subject: AnyObject, _ kind: CollectionChangeKind
    ) {
        openInline(observations, index, subject, kind)
    }

    @inline(__always)
    mutating func openInline(
        _ observations: KeyValueObservations, _ index: Int, _ subject: AnyObject, _ kind: CollectionChangeKind
    ) {
        if observations.isShared {
            let (recipients, demand) = observations.recipients(at: index)
            return openAll(recipients, subject, kind, demand)
        }
        let demand = observations.keys[index].demand
        if demand != .aroundPaths, let observation = observations.keys[index].recipients.single?.observation {
            guard case .none = notifications else { return open(observation, subject, kind, demand) }
            if observation.isRemoved { return }
            let ticket = demand.isBefore ? observation.nextTicket() : 0
            notifications = .one(
                Notification(
                    observation: observation, subject: .passUnretained(subject), ticket: ticket))
            if observation.needsWill { observation.willChange(subject, kind, ticket) }
            return
        }
        openAll(observations.keys[index].recipients, subject, kind, demand)
    }

    /// Opens an assignment to a property of a shared subject.
    mutating func openColumn(_ observations: KeyValueObservations, _ column: Int, _ subject: AnyObject) {
        guard let (recipients, demand) = observations.allRecipients(ofColumn: column) else { return }
        openAll(recipients, subject, .wholesale, demand)
    }

    @inline(never)
    private mutating func openAll(
        _ recipients: OrderedEntries<Recipient>, _ subject: AnyObject,
        _ kind: CollectionChangeKind, _ demand: ObservedKeyState.Demand
    ) {
        recipients.forEach { recipient in
            if !recipient.isOnPath {
                open(recipient.observation, subject, kind, demand)
            } else {
                openPath(recipient, from: subject, kind, demand)
            }
        }
    }

    private mutating func open(
        _ observation: KeyValueRegistration, _ subject: AnyObject, _ kind: CollectionChangeKind,
        _ demand: ObservedKeyState.Demand, canReroute: Bool = false
    ) {
        if observation.isRemoved { return }
        let ticket = demand.isBefore ? observation.nextTicket() : 0
        let notification = Notification(
            observation: observation, subject: .passUnretained(subject), ticket: ticket)
        makeMany().notifications.append((notification, kind, canReroute))
        if observation.needsWill { observation.willChange(subject, kind, ticket) }
    }

    /// Opens an observation of a key path, or of a key that depends on others, once per change.
    private mutating func openPath(
        _ recipient: Recipient, from changed: AnyObject, _ kind: CollectionChangeKind,
        _ demand: ObservedKeyState.Demand
    ) {
        let observation = recipient.observation
        if observation.isRemoved || observation.isBusy { return }
        let canReroute = recipient.canReroute
        let many = makeMany()
        if let index = many.index(of: observation) {
            if canReroute { many.notifications[index].canReroute = true }
            return
        }
        guard let (home, subject) = observation.liveHome, !home.subjectClass.isInvalidated(subject) else {
            return
        }
        if subject !== changed { many.subjects.append(subject) }
        open(
            observation, subject, recipient.passesKind ? kind : .wholesale, demand, canReroute: canReroute)
    }

    /// Holds an observed object until its observers have been notified. Call this before the first change of several.
    package mutating func hold(_ subject: AnyObject) { makeMany().subjects.append(subject) }

    /// Schedules the key paths that lead through an object to be attached again after the change, without a notification.
    package mutating func reroute(_ observations: KeyValueObservations) {
        for index in observations.keys.indices {
            observations.keys[index].recipients.forEach {
                if $0.isOnPath { makeMany().rerouted.append($0.observation) }
            }
        }
    }

    private mutating func makeMany() -> Many {
        switch notifications {
        case .many(let many): return many
        case .none:
            let many = Many()
            notifications = .many(many)
            return many
        case .one: preconditionFailure("the subjects of several changes are held before the first of them")
        }
    }

    /// Sets whether the observers of this change ignore other changes, which are part of this one.
    func setBusy(_ isBusy: Bool) {
        switch notifications {
        case .none: break
        case .one(let notification): notification.observation.isBusy = isBusy
        case .many(let many): many.notifications.forEach { $0.notification.observation.isBusy = isBusy }
        }
    }

    /// Sets whether observers of a property that depends on what it reads ignore changes of that.
    func setTrackingBusy(_ isBusy: Bool) {
        guard case .many(let many) = notifications else { return }
        for (notification, _, _) in many.notifications where notification.observation.tracksReads {
            notification.observation.isBusy = isBusy
        }
    }

    // MARK: After the change

    /// Ends the change of one key, with the kind with which it was opened, and notifies the observers.
    package func close(_ kind: CollectionChangeKind) {
        if case .one(let notification) = notifications { return notification.send(kind) }
        close()
    }

    /// Ends a change of several keys: updates key paths that now lead to other objects, and notifies the observers.
    @inline(never)
    package func close() {
        guard case .many(let many) = notifications else { return }
        for observation in many.rerouted where !observation.isRemoved { observation.refreshTree() }
        for (notification, _, canReroute) in many.notifications
        where canReroute && !notification.observation.isRemoved {
            notification.observation.refreshTree()
        }
        // Observers without work before their change are notified before all others.
        var hasLast = false
        for (notification, kind, _) in many.notifications where notification.ticket == 0 {
            if notification.observation.isNotifiedLast { hasLast = true } else { notification.send(kind) }
        }
        for (notification, kind, _) in many.notifications where notification.ticket != 0 {
            if notification.observation.isNotifiedLast { hasLast = true } else { notification.send(kind) }
        }
        if !hasLast { return }
        for (notification, kind, _) in many.notifications where notification.observation.isNotifiedLast {
            notification.send(kind)
        }
    }
}
