import KivoEngine

/// The key-value observations of one object or collection: the registrations on it, and the registrations elsewhere whose key
/// paths lead through it.
///
/// Confined with the observed object or collection, the *subject*, which holds this. While changes of a managed subject are
/// observed, the realm's ``KeyValueRegistry`` holds it too.
@usableFromInline
final class Observations {
    /// An observation that is notified of changes of a key.
    struct Recipient {
        let observation: KeyValueRegistration
        /// An unretained reference to the observation, for callers that know that it is held.
        let unretained: Unmanaged<KeyValueRegistration>
        /// The component of the observation's key path that watches the key; nil if the observation watches only this key.
        unowned(unsafe) let node: KeyPathNode?
        /// Whether a change of the key is a change of the observed value itself, so that its kind and positions are passed on.
        let passesKind: Bool

        init(observation: KeyValueRegistration, node: KeyPathNode?, passesKind: Bool) {
            self.observation = observation
            unretained = .passUnretained(observation)
            self.node = node
            self.passesKind = passesKind
        }
    }

    /// A key that is or was observed.
    struct Key {
        /// The notifications that a change of the key requires.
        enum Demand {
            case nothing
            /// All recipients observe the key itself, and are notified only after the change.
            case after
            /// All recipients observe the key itself, and some also have work before the change.
            case aroundChange
            /// Some recipients observe a key path, or a key that depends on other keys.
            case aroundPaths

            var isBefore: Bool { self == .aroundChange || self == .aroundPaths }
        }

        let key: ObservedKey
        /// Whether changes of the key are notified without an explicit announcement.
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

        /// Removes a recipient; returns false if there is no recipient with this number.
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

    /// The observed object or collection, which owns this. Code that uses this outside of the subject's methods retains the
    /// subject.
    unowned(unsafe) let subject: AnyObject
    /// The subject's class, if it is an object.
    let info: ClassInfo?
    @exclusivity(unchecked) private(set) var keys: ContiguousArray<Key> = []
    /// The number of recipients of all keys.
    private var recipientCount = 0
    /// The registrations on the subject itself, in order.
    private(set) var registrations = OrderedEntries<KeyValueRegistration>()
    private var lastNumber = 0
    /// The realm of a managed subject: a handle that any thread may use, and the instance, which lives as long as the subject.
    let handle: InstanceHandle?
    private unowned(unsafe) let instance: RealmInstance?
    /// The row of a managed subject, under which the registry stores it.
    private let row: RowID?
    private weak var managedSubject: AnyObject?
    /// Whether this is the only observed accessor of a managed subject's row.
    @exclusivity(unchecked) var isAlone = true
    /// The explicitly announced changes that have not ended.
    var announced: [(key: ObservedKey, bracket: ChangeBracket)] = []
    /// The key whose own changes are not notified at the moment, because an enclosing announced change notifies its observers.
    @exclusivity(unchecked) var silenced: ObservedKey?
    /// The collections of an unmanaged object, which report their changes here.
    private var adopted: [CollectionParent] = []
    /// The properties that were read inside `withObservationTracking` and are no part of a row: all properties of an unmanaged
    /// object, ignored properties of a managed one.
    var trackedReads: TrackedReads?
    /// The assignments that have begun and not ended.
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

    /// The subject, or nil if it is being torn down.
    ///
    /// Another thread may release a managed subject at any time, also while the realm's own thread looks it up. Only the runtime
    /// knows whether the teardown has begun, and a weak reference is the only way to ask. A weak reference makes reference
    /// counting of the subject slower. Operations through the subject itself skip this check.
    @inline(__always)
    var liveSubject: AnyObject? { isManaged ? managedSubject : subject }

    /// Ends the observations of a managed subject that is being torn down, on any thread. A foreign thread transfers the
    /// subject's one reference to the realm's own thread: no other thread may read the observations, nor release them last.
    static func endWithSubject(_ observations: Unmanaged<Observations>) {
        let handle = observations._withUnsafeGuaranteedRef { $0.handle.unsafelyUnwrapped }
        guard handle.isCurrent else { return handle.leave(ended: .fromOpaque(observations.toOpaque())) }
        let instance = handle.instanceOwner?.instance
        observations.takeRetainedValue().endWithSubject(instance?.keyValueRegistry)
    }

    /// Ends all registrations after the subject was torn down.
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

    /// Makes a collection report its changes as changes of a column.
    func adopt(_ parent: CollectionParent, _ column: Int) {
        parent.set(self, column)
        adopted.append(parent)
    }

    // MARK: Registering

    /// Whether any registration prevents the subject from being added to a realm.
    var hasRegistrations: Bool { registrations.contains { !$0.isAbandoned && !$0.isCarried } }

    /// Registers an observation on the subject, and sends the initial notification if the options ask for one.
    func add(_ observation: KeyValueRegistration, isFirst: Bool = true) {
        instance?.releaseEndedElsewhere()
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

    /// Removes a registration. The caller holds the subject.
    func remove(_ observation: KeyValueRegistration) {
        observation.isRemoved = true
        // A foreign thread must not do more: the realm removes and releases the observation in its next turn.
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

    /// The observations that move when an object becomes managed: the registrations that its initialiser made, and the
    /// registrations elsewhere whose key paths lead through it.
    struct Transfer {
        var registrations: [KeyValueRegistration]
        /// The registrations elsewhere whose key paths lead through the object.
        var passing: [KeyValueRegistration]
        /// The tracked reads, which some of these registrations notify.
        var trackedReads: TrackedReads?
    }

    /// Ends all observations, and returns them for the observations of the managed object. Returns nil if there are none.
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

    /// Returns the number for the next recipient, above all earlier numbers.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a recipient for a key; `typed` is the key path by which the class's typed rules identify the key.
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

    /// Removes the recipient with a number from a key.
    func unlisten(_ key: ObservedKey, _ number: Int) {
        guard let place = place(key), keys[place].remove(number) else { return }
        recipientCount -= 1
        updateState()
        if recipientCount == 0 { deactivate() }
    }

    private func activate() {
        guard let row, let instance else { return }
        instance.turns.enable()
        instance.keyValueRegistry.add(self, row)
        instance.noteObservedRow()
    }

    private func deactivate() {
        if let row { instance?.keyValueRegistry.remove(self, row) }
    }

    /// Updates the flags that say whether the object's assignments have observers, and whether any have work before a change.
    private func updateState() {
        guard info != nil else { return }
        let object = unsafeDowncast(subject, to: ObjectBase.self)
        var state = object.kivoState.subtracting([.observed, .observedBefore])
        if recipientCount > 0 { state.insert(.observed) }
        for index in keys.indices where keys[index].demand.isBefore { state.insert(.observedBefore) }
        object.kivoState = state
    }
}
