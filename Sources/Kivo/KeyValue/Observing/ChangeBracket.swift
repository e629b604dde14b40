/// One change, of one key or of many that change together: opened before, closed after. An observer is told once,
/// however many ways lead to it. What observers asked for is read at both moments.
struct ChangeBracket {
    private struct Entry {
        let observation: KeyValueRegistration
        var kind: CollectionChangeKind
        let ticket: Int
    }

    /// The call of an observer that has nothing to do before the change.
    private struct Call {
        let subject: AnyObject
        let observation: KeyValueRegistration
        let kind: CollectionChangeKind
    }

    private var entries: ContiguousArray<Entry> = []
    private var calls: ContiguousArray<Call> = []
    /// What is observed, held until it has been told of.
    private var subjects: ContiguousArray<AnyObject> = []
    private var hasPaths = false
    /// Observations whose key paths are tied anew, of which nothing is told.
    private var silent: [KeyValueRegistration] = []

    /// Opens a change of a column, if its changes are told without being announced.
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

    /// Opens a change that is announced.
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

    /// Opens an observation of a key path or of a key that depends on others, once.
    private mutating func openPath(_ recipient: Observations.Recipient, _ kind: CollectionChangeKind) {
        let observation = recipient.observation
        hasPaths = true
        guard !observation.isBusy, !entries.contains(where: { $0.observation === observation }),
            let subject = observation.home?.liveSubject, !KeyPathNode.isGone(subject)
        else { return }
        subjects.append(subject)
        append(observation, subject, recipient.passesKind ? kind : .wholesale)
    }

    /// Ties key paths anew after the change that lead through an object, without telling anybody.
    mutating func follow(_ observations: Observations) {
        for index in observations.keys.indices {
            observations.keys[index].recipients.forEach {
                if $0.node != nil { silent.append($0.observation) }
            }
        }
    }

    /// Makes those who are told of this change, or ends that they are, deaf to changes that are part of it.
    func setBusy(_ isBusy: Bool) { for entry in entries { entry.observation.isBusy = isBusy } }

    /// Stops to hold an object.
    mutating func letGo(of subject: AnyObject) { subjects.removeAll { $0 === subject } }

    /// The half after the change.
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
