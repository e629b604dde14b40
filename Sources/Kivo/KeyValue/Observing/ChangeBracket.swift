/// One change, of one key or of many that change together: opened before, closed after. An observer is told once,
/// however many ways lead to it. What observers asked for is read at both moments.
struct ChangeBracket {
    private struct Entry {
        let observation: Observation
        var kind: CollectionChangeKind
        let ticket: Int
    }

    /// A key before whose change there is nothing to do.
    private struct Plain {
        let subject: AnyObject
        let listeners: ContiguousArray<Observations.Listener>
        let kind: CollectionChangeKind
    }

    private var entries: ContiguousArray<Entry> = []
    private var plain: ContiguousArray<Plain> = []
    /// What is observed, held until it has been told of.
    private var subjects: ContiguousArray<AnyObject> = []
    private var hasPaths = false
    /// Observations whose key paths are tied anew, of which nothing is told.
    private var silent: [Observation] = []

    /// Opens a change of a column, if its changes are told without being announced.
    mutating func open(
        _ observations: Observations, column: Int, _ kind: CollectionChangeKind = .wholesale
    ) {
        guard let place = observations.place(column: column) else { return }
        if observations.keys[place].isPlain {
            let listeners = observations.keys[place].listeners
            plain.append(Plain(subject: observations.subject, listeners: listeners, kind: kind))
        } else {
            open(observations, observations.keys[place].listeners, kind)
        }
    }

    /// Opens a change that is announced.
    mutating func open(
        _ observations: Observations, _ key: ObservedKey, _ kind: CollectionChangeKind = .wholesale
    ) {
        open(observations, observations.listeners(of: key), kind)
    }

    private mutating func open(
        _ observations: Observations, _ listeners: ContiguousArray<Observations.Listener>,
        _ kind: CollectionChangeKind
    ) {
        if listeners.isEmpty { return }
        let subject = observations.subject
        subjects.append(subject)
        for listener in listeners {
            let observation = listener.observation
            if observation.isRemoved { continue }
            if observation.root == nil {
                append(observation, subject, kind)
            } else {
                openPath(listener, kind)
            }
        }
    }

    private mutating func append(
        _ observation: Observation, _ subject: AnyObject, _ kind: CollectionChangeKind
    ) {
        let ticket = observation.nextTicket()
        entries.append(Entry(observation: observation, kind: kind, ticket: ticket))
        if observation.needsWill { observation.willChange(subject, kind, ticket) }
    }

    /// Opens an observation of a key path or of a key that depends on others, once.
    private mutating func openPath(_ listener: Observations.Listener, _ kind: CollectionChangeKind) {
        let observation = listener.observation
        hasPaths = true
        guard !observation.isBusy, !entries.contains(where: { $0.observation === observation }),
            let subject = observation.home?.liveSubject, !KeyPathNode.isGone(subject)
        else { return }
        subjects.append(subject)
        append(observation, subject, listener.passesKind ? kind : .wholesale)
    }

    /// Ties key paths anew after the change that lead through an object, without telling anybody.
    mutating func follow(_ observations: Observations) {
        silent += observations.keys.flatMap {
            $0.listeners.compactMap { $0.node == nil ? nil : $0.observation }
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
        for index in plain.indices {
            Observations.notify(plain[index].listeners, plain[index].subject, plain[index].kind)
        }
        for entry in entries {
            guard !entry.observation.isRemoved, let home = entry.observation.home else { continue }
            entry.observation.didChange(home.subject, entry.kind, entry.ticket)
        }
        entries = []
        plain = []
        subjects = []
    }
}
