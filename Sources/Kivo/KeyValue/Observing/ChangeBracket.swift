/// A change of one key, or of several keys that change together: opened before the change, closed after it. An observer is
/// notified once, even if several key paths lead to it. The values that observers asked for are read at both moments.
struct ChangeBracket {
    private struct Entry {
        let observation: KeyValueRegistration
        var kind: CollectionChangeKind
        let ticket: Int
    }

    /// A call to an observer that has no work before the change.
    private struct Call {
        let subject: AnyObject
        let observation: KeyValueRegistration
        let kind: CollectionChangeKind
    }

    private var entries: ContiguousArray<Entry> = []
    private var calls: ContiguousArray<Call> = []
    /// The observed objects, held until their observers have been notified.
    private var subjects: ContiguousArray<AnyObject> = []
    private var hasPaths = false
    /// The observations whose key paths are attached again without a notification.
    private var silent: [KeyValueRegistration] = []

    /// Opens a change of a column, if the column's changes are notified without an explicit announcement.
    mutating func open(
        _ observations: Observations, _ subject: AnyObject, column: Int,
        _ kind: CollectionChangeKind = .wholesale
    ) {
        guard let place = observations.place(column: column) else { return }
        guard observations.keys[place].demand == .after else {
            return open(subject, observations.keys[place].recipients, kind)
        }
        if let recipient = observations.keys[place].recipients.single {
            return calls.append(Call(subject: subject, observation: recipient.observation, kind: kind))
        }
        observations.keys[place].recipients.forEachObservation {
            calls.append(Call(subject: subject, observation: $0, kind: kind))
        }
    }

    /// Opens an announced change.
    mutating func open(
        _ observations: Observations, _ key: ObservedKey, _ kind: CollectionChangeKind = .wholesale
    ) {
        guard let place = observations.place(key) else { return }
        open(observations.subject, observations.keys[place].recipients, kind)
    }

    private mutating func open(
        _ subject: AnyObject, _ recipients: OrderedEntries<Observations.Recipient>,
        _ kind: CollectionChangeKind
    ) {
        if recipients.isEmpty { return }
        subjects.append(subject)
        recipients.forEach { recipient in
            let observation = recipient.observation
            if observation.isRemoved { return }
            if observation.root == nil {
                append(observation, subject, kind)
            } else {
                openPath(recipient, kind)
            }
        }
    }

    private mutating func append(
        _ observation: KeyValueRegistration, _ subject: AnyObject, _ kind: CollectionChangeKind
    ) {
        let ticket = observation.nextTicket()
        entries.append(Entry(observation: observation, kind: kind, ticket: ticket))
        if observation.needsWill { observation.willChange(subject, kind, ticket) }
    }

    /// Opens an observation of a key path, or of a key that depends on others, once per change.
    private mutating func openPath(_ recipient: Observations.Recipient, _ kind: CollectionChangeKind) {
        let observation = recipient.observation
        hasPaths = true
        guard !observation.isBusy, !entries.contains(where: { $0.observation === observation }),
            let subject = observation.home?.liveSubject, !KeyPathNode.isGone(subject)
        else { return }
        subjects.append(subject)
        append(observation, subject, recipient.passesKind ? kind : .wholesale)
    }

    /// Schedules the key paths that lead through an object to be attached again after the change, without a notification.
    mutating func follow(_ observations: Observations) {
        for index in observations.keys.indices {
            observations.keys[index].recipients.forEach {
                if $0.node != nil { silent.append($0.observation) }
            }
        }
    }

    /// Sets whether the observers of this change ignore other changes, which are part of this one.
    func setBusy(_ isBusy: Bool) { for entry in entries { entry.observation.isBusy = isBusy } }

    /// Releases an object.
    mutating func letGo(of subject: AnyObject) { subjects.removeAll { $0 === subject } }

    /// Ends the change: updates key paths that now lead to other objects, and notifies the observers.
    mutating func close() {
        for observation in silent where !observation.isRemoved { observation.root?.refresh() }
        silent = []
        if hasPaths {
            for entry in entries where !entry.observation.isRemoved { entry.observation.root?.refresh() }
            hasPaths = false
        }
        for index in calls.indices {
            Observations.notify(calls[index].observation, calls[index].subject, calls[index].kind)
        }
        for entry in entries {
            guard !entry.observation.isRemoved, let home = entry.observation.home else { continue }
            entry.observation.didChange(home.subject, entry.kind, entry.ticket)
        }
        entries = []
        calls = []
        subjects = []
    }
}

extension ChangeBracket: OpenRowChanges {}
