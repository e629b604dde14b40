import KivoEngine

/// The key-value observations of one object or collection: the registrations on it, and the registrations elsewhere whose key
/// paths lead through it.
///
/// Confined with the observed object or collection, the *subject*, which holds this. While changes of a managed subject are
/// observed, the realm's ``KeyValueRegistry`` holds it too.
@usableFromInline
final class Observations: AssignmentObserver {
    /// The observed object or collection, which owns this. Code that uses this outside of the subject's methods retains the
    /// subject.
    unowned(unsafe) let subject: AnyObject
    /// The subject's class, if it is an object.
    let info: ClassInfo?
    @exclusivity(unchecked) private(set) var keys: ContiguousArray<Key> = []
    /// The number of recipients of all keys.
    private(set) var recipientCount = 0
    /// The registrations on the subject itself, in order.
    private(set) var registrations = OrderedEntries<KeyValueRegistration>()
    private var lastNumber = 0
    /// The realm of a managed subject: a handle that any thread may use, and the instance, which lives as long as the subject.
    let handle: InstanceHandle?
    unowned(unsafe) let instance: RealmInstance?
    /// The row of a managed subject, under which the registry stores it.
    let row: RowID?
    private weak var managedSubject: AnyObject?
    /// The explicitly announced changes that have not ended.
    var announced: [(key: ObservedKey, kind: CollectionChangeKind, change: OpenChange)] = []
    /// The key whose own changes are not notified at the moment, because an enclosing announced change notifies its observers.
    @exclusivity(unchecked) var silenced: ObservedKey?
    /// The collections of an unmanaged object, which report their changes here.
    private var adopted: [CollectionParent] = []
    /// The properties that were read inside `withObservationTracking` and are no part of a row: all properties of an unmanaged
    /// object, ignored properties of a managed one.
    var trackedReads: TrackedReads?
    /// The assignments that have begun and not ended.
    @exclusivity(unchecked) private var opened: ContiguousArray<OpenChange> = []

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

    /// Ends all registrations, after the subject was torn down.
    func endRegistrations() {
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
        if recipientCount == 0 { beginListening() }
        recipientCount += 1
        var index = index(of: key)
        if let index, let typed {
            keys[index].isAutomatic = keys[index].isAutomatic && isAutomatic(key, typed)
        } else if index == nil {
            keys.append(Key(key, isAutomatic: isAutomatic(key, typed)))
            index = keys.count - 1
        }
        keys[index.unsafelyUnwrapped].append(recipient, number: number)
        updateSubject()
    }

    /// Removes the recipient with a number from a key.
    func unlisten(_ key: ObservedKey, _ number: Int) {
        guard let index = index(of: key), keys[index].remove(number) else { return }
        recipientCount -= 1
        updateSubject()
        if recipientCount == 0 { endListening() }
    }

    // MARK: Keys

    /// Returns the key that a component of a key path identifies on the subject.
    func key(of component: KeyPathComponent) -> ObservedKey {
        if let info { return info.observedKey(component) }
        guard case .key(let name) = component, name != "isInvalidated" else { return .invalidated }
        return .named(name)
    }

    /// Returns the index of a key among the keys that were ever observed.
    func index(of key: ObservedKey) -> Int? {
        for index in keys.indices where keys[index].key.column == key.column {
            if key.column >= -1 || keys[index].key == key { return index }
        }
        return nil
    }

    /// Returns the key paths on which a key's value depends, by the rules of the class.
    func dependencies(of component: KeyPathComponent, _ typed: AnyKeyPath?) -> [WatchedKeyPath] {
        guard let info else { return [] }
        switch component {
        case .key(let name): return info.dependencies(ofKey: name, typed)
        case .computed(let keyPath): return info.dependencies(of: keyPath)
        case .operation: return []
        }
    }

    private func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool {
        guard let info else { return true }
        if key.column == -1 { return true }
        return info.isAutomatic(key, typed)
    }

    // MARK: Assignments

    override func willAssign(_ object: ObjectBase, _ column: Int) -> Bool {
        guard let index = index(ofColumn: column), keys[index].demand.isBefore else { return false }
        var change = OpenChange()
        change.open(self, index, object, .wholesale)
        opened.append(change)
        return true
    }

    override func didAssign(_ object: ObjectBase, _ column: Int, _ isOpen: Bool) {
        if isOpen {
            // There is none if an observer added the object to a realm before the change.
            opened.popLast()?.close(.wholesale)
        } else if let index = index(ofColumn: column), keys[index].demand == .after {
            if let observation = keys[index].recipients.single?.observation {
                return Self.notify(observation, object)
            }
            // Observers may change the recipients.
            let recipients = keys[index].recipients
            recipients.forEachObservation { Self.notify($0, object) }
        }
    }

    @inline(__always)
    private static func notify(_ observation: KeyValueRegistration, _ object: ObjectBase) {
        if !observation.isRemoved { observation.didChange(object, .wholesale, 0) }
    }
}
