import KivoEngine

/// The key-value observations of one object or collection: who is registered on it, and who watches it because a key
/// path that was registered elsewhere leads through it.
///
/// Owned by what is observed, and confined with it.
@usableFromInline
final class Observations {
    /// One who is told of changes of a key.
    struct Listener {
        let observation: Observation
        /// The part of the observation's key path that listens; nil if it watches one plain key.
        unowned(unsafe) let node: KeyPathNode?
        /// Whether changes of the key are changes of what is observed, so that kinds and positions are told on.
        let passesKind: Bool
    }

    struct Key {
        let key: ObservedKey
        /// Whether changes are told without being announced by hand.
        var isAutomatic: Bool
        var listeners: ContiguousArray<Listener>
        /// Whether every listener observes the key itself and has nothing to do before a change.
        private(set) var isPlain = false
        /// Whether some of them observe a key path or a key that depends on others.
        private(set) var hasPaths = false

        init(_ key: ObservedKey, isAutomatic: Bool) {
            self.key = key
            self.isAutomatic = isAutomatic
            listeners = []
        }

        mutating func update() {
            hasPaths = listeners.contains { $0.node != nil }
            isPlain = !hasPaths && listeners.allSatisfy { !$0.observation.needsWill }
        }
    }

    /// What is observed; it owns this, and whoever uses this outside of its methods holds it.
    unowned(unsafe) let subject: AnyObject
    /// The subject's class, if it is an object.
    let info: ClassInfo?
    @exclusivity(unchecked) private(set) var keys: ContiguousArray<Key> = []
    private var listenerCount = 0
    /// Those that were registered on the subject itself, in order.
    private(set) var registrations: ContiguousArray<Observation> = []
    /// Where the observations of a managed object are known by row.
    private weak var instanceOwner: InstanceOwner?
    private let row: RowID?
    let isManaged: Bool
    /// The subject, if it is managed: nil as soon as it is being torn down, on whichever thread.
    private weak var managedSubject: AnyObject?
    /// Changes that were announced by hand and have not ended.
    var announced: [(key: ObservedKey, bracket: ChangeBracket)] = []
    /// The key whose changes are told by somebody else at the moment.
    @exclusivity(unchecked) var silenced: ObservedKey?
    /// The collections of an unmanaged object, which report here.
    private var adopted: [CollectionParent] = []
    /// Assignments that have begun and not ended.
    @exclusivity(unchecked) var opened: ContiguousArray<OpenChange> = []

    init(_ subject: AnyObject, _ info: ClassInfo?, _ instance: RealmInstance?, _ row: RowID?) {
        self.subject = subject
        self.info = info
        instanceOwner = instance?.instanceOwner
        self.row = row
        isManaged = instance != nil
        if isManaged { managedSubject = subject }
    }

    deinit {
        for parent in adopted { parent.set(nil, 0) }
        guard isManaged, let instance = instanceOwner?.instance else { return endRegistrations() }
        if instance.confinement.isCurrent {
            deactivate()
            endRegistrations()
        } else {
            // What key paths watch belongs to the realm's thread.
            for registration in registrations { registration.isRemoved = true }
            instance.handle.leave(registrations, of: listenerCount > 0 ? row : nil)
        }
    }

    private func endRegistrations() {
        for registration in registrations {
            registration.root?.detach(from: self)
            registration.home = nil
        }
    }

    /// The subject, unless it is being torn down.
    var liveSubject: AnyObject? { isManaged ? managedSubject : subject }

    /// Whether anybody is registered on the subject.
    var hasRegistrations: Bool { registrations.contains { !$0.isAbandoned } }

    /// Makes a collection report its changes as those of a column.
    func adopt(_ parent: CollectionParent, _ column: Int) {
        parent.set(self, column)
        adopted.append(parent)
    }

    // MARK: Registering

    /// Registers an observation on the subject, and sends the initial notification if it wants one.
    func add(_ observation: Observation, isFirst: Bool = true) {
        purge()
        observation.home = self
        registrations.append(observation)
        let component = observation.path.components[0]
        if observation.path.components.count == 1,
            dependencies(of: component, observation.path.typed).isEmpty
        {
            listen(
                Listener(observation: observation, node: nil, passesKind: true),
                observation.path.head ?? key(of: component), observation.path.typed)
        } else {
            let root = KeyPathNode(observation, observation.path, 0, isRoot: true)
            observation.root = root
            root.attach(to: subject)
        }
        if isFirst, observation.options.contains(.initial) {
            withExtendedLifetime(subject) { observation.notifyInitially(subject) }
        }
    }

    /// Ends a registration.
    func remove(_ observation: Observation) {
        observation.isRemoved = true
        // Elsewhere than where the object belongs, that is all: it is let go of when the object is next used.
        if isManaged, let instance = instanceOwner?.instance, !instance.confinement.isCurrent {
            return instance.handle.leave(CollectionOfOne(observation))
        }
        guard let index = registrations.lastIndex(where: { $0 === observation }) else { return }
        if let root = observation.root {
            root.detach(from: nil)
            observation.root = nil
        } else {
            unlisten(observation.path.head ?? key(of: observation.path.components[0])) {
                $0.observation === observation
            }
        }
        observation.home = nil
        registrations.remove(at: index)
    }

    /// What moves when an object becomes managed: registrations that its initialiser made, and key paths that were
    /// registered elsewhere.
    struct Transfer {
        var registrations: ContiguousArray<Observation>
        /// Those whose key paths lead through the object.
        var passing: [Observation]
    }

    /// Lets go of everything, for the observations that the object gets as a managed one. Nil if there is nothing.
    func end() -> Transfer? {
        let ended = registrations
        for observation in ended {
            remove(observation)
            observation.isRemoved = false
        }
        let passing = keys.flatMap { $0.listeners.map(\.observation) }
        return ended.isEmpty && passing.isEmpty ? nil : Transfer(registrations: ended, passing: passing)
    }

    func takeOver(_ transfer: Transfer) {
        for observation in transfer.registrations { add(observation, isFirst: false) }
        for observation in transfer.passing {
            if let home = observation.home { observation.root?.attachAgain(home) }
        }
    }

    /// Lets go of what was removed on other threads.
    private func purge() {
        guard isManaged else { return }
        for observation in registrations where observation.isRemoved { remove(observation) }
    }

    /// Adds a listener for a key; `typed` is the key path by which the class's typed rules know it.
    func listen(_ listener: Listener, _ key: ObservedKey, _ typed: AnyKeyPath? = nil) {
        if listenerCount == 0 { activate() }
        listenerCount += 1
        if let index = place(key) {
            keys[index].listeners.append(listener)
            keys[index].update()
            if let typed { keys[index].isAutomatic = keys[index].isAutomatic && isAutomatic(key, typed) }
        } else {
            keys.append(Key(key, isAutomatic: isAutomatic(key, typed)))
            keys[keys.count - 1].listeners = [listener]
            keys[keys.count - 1].update()
        }
        updateState()
    }

    /// Removes the listeners for a key that pass a test.
    func unlisten(_ key: ObservedKey, _ isMatch: (Listener) -> Bool) {
        guard let index = place(key) else { return }
        let count = keys[index].listeners.count
        keys[index].listeners.removeAll(where: isMatch)
        guard keys[index].listeners.count < count else { return }
        listenerCount -= count - keys[index].listeners.count
        keys[index].update()
        updateState()
        if listenerCount == 0 { deactivate() }
    }

    private func activate() {
        if let row, let instance = instanceOwner?.instance {
            instance.handle.listen()
            instance.keyValueRegistry.add(self, row)
            instance.updateDirectStores()
        }
    }

    private func deactivate() {
        if let row, let instance = instanceOwner?.instance {
            instance.keyValueRegistry.remove(self, row)
            instance.updateDirectStores()
        }
    }

    /// Tells the object what its assignments have to do.
    private func updateState() {
        guard info != nil else { return }
        let object = unsafeDowncast(subject, to: ObjectBase.self)
        object.kivoRow.state &= ~(RowReference.observed | RowReference.observedBefore)
        if listenerCount > 0 { object.kivoRow.state |= RowReference.observed }
        for index in keys.indices where !keys[index].isPlain {
            object.kivoRow.state |= RowReference.observedBefore
        }
    }

    // MARK: Keys and rules

    /// The key that a part of a key path is of the subject.
    func key(of component: KeyPathComponent) -> ObservedKey {
        if let info { return info.observedKey(component) }
        guard case .key(let name) = component, name != "isInvalidated" else { return .invalidated }
        return .named(name)
    }

    /// The place of a key among those that were ever observed.
    func place(_ key: ObservedKey) -> Int? {
        for index in keys.indices where keys[index].key.column == key.column {
            if key.column >= -1 || keys[index].key == key { return index }
        }
        return nil
    }

    /// The key paths that the class says a key's value depends on.
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
}
