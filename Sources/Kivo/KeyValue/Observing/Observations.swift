import KivoEngine

/// The key-value observations of one object or collection: who is registered on it, and who watches it because a key
/// path that was registered elsewhere leads through it.
///
/// Confined with what is observed, the *subject*, which holds this. While somebody is told of changes of a managed
/// subject, the realm's ``KeyValueRegistry`` holds it too.
@usableFromInline
final class Observations {
    /// An observation that is told of changes of a key.
    struct Recipient {
        let observation: KeyValueRegistration
        /// The same, for those who know that it is held.
        let unretained: Unmanaged<KeyValueRegistration>
        /// The part of the observation's key path that watches the key; nil if the key is all that it observes.
        unowned(unsafe) let node: KeyPathNode?
        /// Whether changes of the key are changes of what is observed, so that kinds and positions are told on.
        let passesKind: Bool

        init(observation: KeyValueRegistration, node: KeyPathNode?, passesKind: Bool) {
            self.observation = observation
            unretained = .passUnretained(observation)
            self.node = node
            self.passesKind = passesKind
        }
    }

    /// A key that somebody observes, or did.
    struct Key {
        /// What a change of the key has to do for its recipients.
        enum Demand {
            case nothing
            /// Each observes the key itself, and is to be called after the change.
            case after
            /// The same, but some have something to do before the change as well.
            case aroundChange
            /// Some observe a key path, or a key that depends on others.
            case aroundPaths

            var isBefore: Bool { self == .aroundChange || self == .aroundPaths }
        }

        let key: ObservedKey
        /// Whether changes are told without being announced by hand.
        var isAutomatic: Bool
        private(set) var recipients = OrderedEntries<Recipient>()
        private(set) var demand = Demand.nothing
        private var earlyCount = 0
        private var nodeCount = 0

        init(_ key: ObservedKey, isAutomatic: Bool) {
            self.key = key
            self.isAutomatic = isAutomatic
        }

        mutating func append(_ recipient: Recipient, number: Int) {
            recipients.append(recipient, number: number)
            count(recipient, 1)
        }

        /// Takes a recipient out; false if it is not here.
        mutating func remove(_ number: Int) -> Bool {
            guard let recipient = recipients.remove(number) else { return false }
            count(recipient, -1)
            return true
        }

        private mutating func count(_ recipient: Recipient, _ difference: Int) {
            if recipient.node != nil { nodeCount += difference }
            if recipient.observation.needsWill { earlyCount += difference }
            if recipients.isEmpty {
                demand = .nothing
            } else if nodeCount > 0 {
                demand = .aroundPaths
            } else {
                demand = earlyCount > 0 ? .aroundChange : .after
            }
        }
    }

    /// What is observed; it owns this, and whoever uses this outside of its methods holds it.
    unowned(unsafe) let subject: AnyObject
    /// The subject's class, if it is an object.
    let info: ClassInfo?
    @exclusivity(unchecked) private(set) var keys: ContiguousArray<Key> = []
    /// The number of recipients of all keys.
    private var recipientCount = 0
    /// Those that were registered on the subject itself, in order.
    private(set) var registrations = OrderedEntries<KeyValueRegistration>()
    private var lastNumber = 0
    /// The realm of a managed subject: as other threads may know it, and itself, which is there as long as the subject is.
    let handle: InstanceHandle?
    private unowned(unsafe) let instance: RealmInstance?
    /// Where a managed subject is known in the registry.
    private let row: RowID?
    private weak var managedSubject: AnyObject?
    /// Whether no other accessor of a managed subject's row is observed.
    @exclusivity(unchecked) var isAlone = true
    /// Changes that were announced by hand and have not ended.
    var announced: [(key: ObservedKey, bracket: ChangeBracket)] = []
    /// The key whose changes are told by somebody else at the moment.
    @exclusivity(unchecked) var silenced: ObservedKey?
    /// The collections of an unmanaged object, which report here.
    private var adopted: [CollectionParent] = []
    /// What was read of the object inside of `withObservationTracking`, if it is unmanaged.
    var trackedReads: TrackedReads?
    /// Assignments that have begun and not ended.
    @exclusivity(unchecked) var opened: ContiguousArray<OpenChange> = []

    init(_ subject: AnyObject, _ info: ClassInfo?, _ instance: RealmInstance?, _ row: RowID?) {
        self.subject = subject
        self.info = info
        self.row = row
        self.instance = instance
        handle = instance?.handle
        if instance != nil { managedSubject = subject }
    }

    deinit {
        for parent in adopted { parent.set(nil, 0) }
        endRegistrations()
    }

    // MARK: The subject

    var isManaged: Bool { handle != nil }

    /// The subject, unless it is being torn down.
    ///
    /// A managed subject may be let go of on another thread at any time, while the realm's own looks it up. Only the
    /// runtime knows whether that has begun, and a weak reference is the one way to ask. It makes counting references to
    /// the subject slower; what is done through the subject itself goes without asking.
    @inline(__always)
    var liveSubject: AnyObject? { isManaged ? managedSubject : subject }

    /// Ends the observations of a managed subject that is being torn down, on whichever thread that is. They are handed
    /// over to where the realm belongs, with the one reference that the subject had: elsewhere nobody looks into them, nor
    /// is the last to let go of them.
    static func endWithSubject(_ observations: Unmanaged<Observations>) {
        let handle = observations._withUnsafeGuaranteedRef { $0.handle.unsafelyUnwrapped }
        guard handle.isCurrent else { return handle.leave(ended: .fromOpaque(observations.toOpaque())) }
        let instance = handle.instanceOwner?.instance
        observations.takeRetainedValue().endWithSubject(instance?.keyValueRegistry)
    }

    /// Ends all registrations of a subject that is gone.
    func endWithSubject(_ registry: KeyValueRegistry?) {
        if let row { registry?.remove(self, row) }
        endRegistrations()
    }

    private func endRegistrations() {
        registrations.forEach {
            $0.root?.detach(from: self)
            $0.home = nil
        }
        registrations = OrderedEntries()
    }

    /// Makes a collection report its changes as those of a column.
    func adopt(_ parent: CollectionParent, _ column: Int) {
        parent.set(self, column)
        adopted.append(parent)
    }

    // MARK: Registering

    /// Whether a registration keeps the subject from being added to a realm.
    var hasRegistrations: Bool { registrations.contains { !$0.isAbandoned && !$0.isCarried } }

    /// Registers an observation on the subject, and sends the initial notification if it wants one.
    func add(_ observation: KeyValueRegistration, isFirst: Bool = true) {
        instance?.letGoOfLeft()
        observation.register(self, number: nextNumber())
        registrations.append(observation, number: observation.number)
        let (path, component) = (observation.path, observation.path.components[0])
        if path.components.count == 1, dependencies(of: component, path.typed).isEmpty {
            listen(
                Recipient(observation: observation, node: nil, passesKind: true),
                path.head ?? key(of: component),
                path.typed, number: observation.number)
        } else {
            let root = KeyPathNode(observation, path, 0, isRoot: true)
            observation.root = root
            root.attach(to: subject)
        }
        if isFirst, observation.options.contains(.initial) {
            withExtendedLifetime(subject) { observation.notifyInitially(subject) }
        }
    }

    /// Ends a registration. The caller holds the subject.
    func remove(_ observation: KeyValueRegistration) {
        observation.isRemoved = true
        // Elsewhere than where the object belongs, that is all: it is let go of when the realm has a turn.
        if let handle, !handle.isCurrent { return handle.leave(observation: .passRetained(observation)) }
        guard registrations.remove(observation.number) != nil else { return }
        if let root = observation.root {
            root.detach(from: nil)
            observation.root = nil
        } else {
            unlisten(observation.path.head ?? key(of: observation.path.components[0]), observation.number)
        }
        observation.home = nil
    }

    /// What moves when an object becomes managed: registrations that its initialiser made, and key paths that were
    /// registered elsewhere.
    struct Transfer {
        var registrations: [KeyValueRegistration]
        /// Those whose key paths lead through the object.
        var passing: [KeyValueRegistration]
        /// Told by some of them.
        var trackedReads: TrackedReads?
    }

    /// Lets go of everything, for the observations that the object gets as a managed one. Nil if there is nothing.
    func end() -> Transfer? {
        let ended = registrations.all
        for observation in ended {
            remove(observation)
            observation.isRemoved = false
        }
        let passing = keys.indices.flatMap { keys[$0].recipients.all.map(\.observation) }
        trackedReads?.observationsEnd()
        return ended.isEmpty && passing.isEmpty
            ? nil : Transfer(registrations: ended, passing: passing, trackedReads: trackedReads)
    }

    func takeOver(_ transfer: Transfer) {
        for observation in transfer.registrations { add(observation, isFirst: false) }
        for observation in transfer.passing { observation.subjectBecameManaged() }
    }

    // MARK: Listening

    /// A number for the next one who listens, above those of all before.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a recipient for a key; `typed` is the key path by which the class's typed rules know it.
    func listen(_ recipient: Recipient, _ key: ObservedKey, _ typed: AnyKeyPath?, number: Int) {
        if recipientCount == 0 { activate() }
        recipientCount += 1
        var place = place(key)
        if let place, let typed {
            keys[place].isAutomatic = keys[place].isAutomatic && isAutomatic(key, typed)
        } else if place == nil {
            keys.append(Key(key, isAutomatic: isAutomatic(key, typed)))
            place = keys.count - 1
        }
        keys[place.unsafelyUnwrapped].append(recipient, number: number)
        updateState()
    }

    /// Removes the recipient of a number for a key.
    func unlisten(_ key: ObservedKey, _ number: Int) {
        guard let place = place(key), keys[place].remove(number) else { return }
        recipientCount -= 1
        updateState()
        if recipientCount == 0 { deactivate() }
    }

    private func activate() {
        guard let row, let instance else { return }
        instance.handle.listen()
        instance.keyValueRegistry.add(self, row)
        instance.noteObservedRow()
    }

    private func deactivate() {
        if let row { instance?.keyValueRegistry.remove(self, row) }
    }

    /// Tells the object what its assignments have to do.
    private func updateState() {
        guard info != nil else { return }
        let object = unsafeDowncast(subject, to: ObjectBase.self)
        var state = object.kivoRow.state & ~(RowReference.observed | RowReference.observedBefore)
        if recipientCount > 0 { state |= RowReference.observed }
        for index in keys.indices where keys[index].demand.isBefore { state |= RowReference.observedBefore }
        object.kivoRow.state = state
    }
}
