/// The key-value observations of one object or collection: the registrations on it, and the registrations elsewhere whose key
/// paths lead through it.
///
/// The observed object or collection, the *subject*, holds this. The observations of a confined subject are confined with it. Those
/// of a *shared* one, an instance of a plain class, may be used by any thread: see ``ObservationLocks``.
@usableFromInline
package final class KeyValueObservations {
    // Programs have many of these: what few of them need is in `Rare`, and small fields stand together.

    /// The observed object or collection, which owns this. Code that uses this outside of the subject's methods retains the
    /// subject.
    package unowned(unsafe) let subject: AnyObject
    package let subjectClass: any SubjectClass
    /// The realm of a managed subject, for this subject.
    package let host: (any SubjectHost)?
    /// The keys that are or were observed. Keys are only added.
    @exclusivity(unchecked) package private(set) var keys: ContiguousArray<ObservedKeyState> = []
    /// State that few observations have.
    @exclusivity(unchecked) private var rare = Companion<Rare>()
    /// A shared subject, once ``liveSubject`` was needed. Guarded by the structure's lock.
    @exclusivity(unchecked) private weak var sharedSubject: AnyObject?
    @exclusivity(unchecked) private var lastNumber = 0
    /// The registrations on the subject itself, in order.
    @exclusivity(unchecked) package private(set) var registrations = OrderedEntries<KeyValueRegistration>()
    /// Whether any thread may use the subject.
    package let isShared: Bool
    // Not itself `package`: another module would check the exclusivity of each access.
    @exclusivity(unchecked) private var isOnlyAccessor = true
    /// Whether a key is silenced.
    @exclusivity(unchecked) private var isSilencing = false
    /// Whether a shared subject is torn down. Only the thread that does that accesses this.
    @exclusivity(unchecked) private var hasEnded = false

    private final class Rare {
        /// The assignments that have begun and not ended.
        @exclusivity(unchecked) var opened: ContiguousArray<OpenChange> = []
        /// The explicitly announced changes that have not ended.
        var announced: [(key: ObservedKey, kind: CollectionChangeKind, change: OpenChange)] = []
        /// The key whose own changes are not notified at the moment, because an enclosing announced change notifies its
        /// observers.
        var silenced: ObservedKey?
        /// Objects that end with the observations.
        var dependents: [any EndsWithObservations] = []
        var trackedReads: (any EndsWithObservations)?
        /// The change of the property that is being edited in place.
        var edit: OpenChange?
        /// Whether Foundation learns of the states of the subject, an operation.
        var announcesStates = false
        var named = NamedNumbers()
        /// Whether a registration was dropped because its observer was released without removing it.
        var hasDropped = false
    }

    /// Whether this is the only observed accessor of a managed object's row.
    package var isAlone: Bool {
        get { isOnlyAccessor }
        set { isOnlyAccessor = newValue }
    }

    /// Whether any key has recipients. O(k) for k keys.
    package var hasRecipients: Bool {
        for index in keys.indices where keys[index].demand != .nothing { return true }
        return false
    }

    package init(
        _ subject: AnyObject, _ subjectClass: any SubjectClass, host: (any SubjectHost)? = nil,
        isShared: Bool = false
    ) {
        self.subject = subject
        self.subjectClass = subjectClass
        self.host = host
        self.isShared = isShared
    }

    deinit {
        rare.use { for dependent in $0.dependents { dependent.observationsEnd() } }
        endRegistrations()
    }

    /// Calls `body` with the state that few observations have, made on first use.
    @inline(__always)
    private func withRare<Result>(_ body: (Rare) -> Result) -> Result {
        if rare.isNil { rare.begin(Rare()) }
        return rare.use(body)!
    }

    // MARK: The subject

    /// The subject, or nil if it is being torn down.
    ///
    /// Another thread may release a managed or shared subject at any time. Only the runtime knows whether the teardown has begun,
    /// and a weak reference is the only way to ask. A weak reference makes reference counting of the subject slower. Operations
    /// through the subject itself skip this check.
    package var liveSubject: AnyObject? {
        if isShared { return sharedSubject }
        return host.map(\.liveSubject) ?? subject
    }

    /// Makes ``liveSubject`` known for a shared subject, which the caller holds. Called inside of the structure's lock.
    func keepLiveSubject() { if sharedSubject == nil { sharedSubject = subject } }

    /// Ends all registrations, when the subject is torn down.
    ///
    /// The owner of a shared subject's observations calls this before it releases them. Other threads find them by their
    /// registrations, inside of the structure's lock: until then the owner holds them, so that no thread releases them there.
    package func endRegistrations() {
        if isShared ? hasEnded : registrations.isEmpty { return }
        hasEnded = true
        var ended: [KeyValueRegistration] = []
        let roots = structurally {
            ended = registrations.all
            registrations = OrderedEntries()
            return ended.map { registration in
                registration.home = nil
                return registration.root.take()
            }
        }
        for root in roots { root?.unlisten(nil) }
        for registration in ended { registration.subjectEnded() }
    }

    /// Whether Foundation learns of changes on which the states of the subject, an operation, depend.
    var announcesStates: Bool { guarded { rare.use { $0.announcesStates } ?? false } }

    /// Notes that Foundation learns of such changes. Returns false if it did so before.
    func beginAnnouncingStates() -> Bool {
        guarded {
            withRare { rare in
                defer { rare.announcesStates = true }
                return !rare.announcesStates
            }
        }
    }

    /// Adds something that ends with the observations.
    package func append(dependent: any EndsWithObservations) { withRare { $0.dependents.append(dependent) } }

    /// The properties that were read inside `withObservationTracking` and are no part of a row: all properties of an unmanaged
    /// object, ignored properties of a managed one.
    package var trackedReads: (any EndsWithObservations)? {
        get { guarded { rare.use { $0.trackedReads } ?? nil } }
        set {
            guarded {
                // Those of a shared subject stay, because any thread may be using them.
                let isSet = rare.use { $0.trackedReads != nil } ?? false
                if isShared, isSet { return }
                if newValue != nil || isSet { withRare { $0.trackedReads = newValue } }
            }
        }
    }

    // MARK: Locks

    /// Runs `body` with the keys, which another thread may use if the subject is shared.
    @inline(__always)
    private func guarded<Result>(_ body: () -> Result) -> Result {
        ObservationLocks.guarding(self, isShared: isShared, body)
    }

    /// Runs `body` with the registrations, which another thread may use if the subject is shared.
    @inline(__always)
    private func structurally<Result>(_ body: () -> Result) -> Result {
        ObservationLocks.structurally(isShared: isShared, body)
    }

    // MARK: Registering

    /// Whether any registration prevents the subject from being added to a realm.
    package var hasRegistrations: Bool {
        registrations.contains { !$0.isAbandoned && !$0.isCarried }
    }

    /// Registers an observation on the subject, which the caller holds, and sends the initial notification if the options ask for
    /// one.
    package func add(_ observation: KeyValueRegistration, isFirst: Bool = true) {
        host?.willRegister()
        let number = nextNumber()
        structurally {
            observation.register(self, number: number)
            registrations.append(observation, number: number)
            guarded { rare.use { $0.named.add(observation, number) } }
        }
        let (path, component) = (observation.path, observation.path.components[0])
        if path.components.count == 1, path.partial == nil,
            subjectClass.dependencies(of: component, path.typed, subject).isEmpty
        {
            listen(
                Recipient(observation: observation, passesKind: true),
                path.head ?? subjectClass.key(of: component), path.typed, number: number)
        } else {
            observation.replaceTree(self, isFirst: true)
        }
        if isFirst { observation.sendInitial(subject) }
    }

    /// Takes over the only registration of a shared subject, which observes the value of a stored property. Called inside of the
    /// structure's lock, when these observations are made.
    func adopt(_ observation: KeyValueRegistration) {
        let number = nextNumber()
        observation.move(to: self, number: number)
        registrations.append(observation, number: number)
        listen(
            Recipient(observation: observation, passesKind: true), observation.path.head!,
            observation.path.typed, number: number, isAutomatic: true)
    }

    /// Removes a registration. The caller holds the subject, or the structure's lock if the subject is shared.
    ///
    /// - Returns: what the caller releases outside of any lock.
    @discardableResult
    func detach(_ observation: KeyValueRegistration) -> KeyPathNode? {
        guard registrations.remove(observation.number) != nil else { return nil }
        guarded { rare.use { $0.named.remove(observation) } }
        observation.home = nil
        if let root = observation.root.take() {
            root.unlisten(self)
            return root
        }
        unlisten(
            observation.path.head ?? subjectClass.key(of: observation.path.components[0]), observation.number)
        return nil
    }

    /// Removes a registration. The caller holds the subject.
    package func remove(_ observation: KeyValueRegistration) {
        observation.isRemoved = true
        // A foreign thread must not do more: the realm removes and releases the observation in its next turn.
        if let host, !host.isCurrent { return host.ender.leave(observation: .passRetained(observation)) }
        withExtendedLifetime(structurally { detach(observation) }) {}
    }

    /// The observations that move when an object becomes managed: the registrations that its initialiser made, and the
    /// registrations elsewhere whose key paths lead through it.
    package struct Transfer {
        var registrations: [KeyValueRegistration]
        /// The registrations elsewhere whose key paths lead through the object.
        var passing: [KeyValueRegistration]
        /// The tracked reads, which some of these registrations notify.
        var trackedReads: (any EndsWithObservations)?
    }

    /// Ends all observations, and returns them for the observations of the managed object. Returns nil if there are none.
    package func end() -> Transfer? {
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

    package func takeOver(_ transfer: Transfer) {
        for observation in transfer.registrations { add(observation, isFirst: false) }
        for observation in transfer.passing { observation.subjectBecameManaged() }
    }

    // MARK: Listening

    /// Returns the number for the next recipient, above all earlier numbers.
    package func nextNumber() -> Int {
        guarded {
            lastNumber += 1
            return lastNumber
        }
    }

    /// Adds a recipient for a key.
    ///
    /// - Parameters:
    ///   - typed: the key path by which the class's typed rules identify the key.
    ///   - known: whether changes of the key are automatic, if the caller has asked the class.
    package func listen(
        _ recipient: Recipient, _ key: ObservedKey, _ typed: AnyKeyPath?, number: Int,
        isAutomatic known: Bool? = nil
    ) {
        if let host, !hasRecipients { host.beginListening(self) }
        let isAutomatic =
            known ?? (typed == nil && guarded { index(of: key) != nil } || isAutomatic(key, typed))
        guarded {
            var index = index(of: key)
            if let index {
                keys[index].isAutomatic = keys[index].isAutomatic && isAutomatic
            } else {
                keys.append(ObservedKeyState(key, isAutomatic: isAutomatic))
                index = keys.count - 1
                if key.column >= 0 { subjectClass.observe(column: key.column, self) }
            }
            keys[index.unsafelyUnwrapped].append(recipient, number: number)
        }
        subjectClass.recipientsChanged(self)
    }

    /// Removes the recipient with a number from a key.
    package func unlisten(_ key: ObservedKey, _ number: Int) {
        let recipient = guarded {
            index(of: key).flatMap { keys[$0].remove(number) }
        }
        if recipient == nil { return }
        subjectClass.recipientsChanged(self)
        if let host, !hasRecipients { host.endListening(self) }
    }

    private func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool {
        key.column == -1 || subjectClass.isAutomatic(key, typed)
    }

    // MARK: Keys

    /// Whether any recipient has work before a change.
    package var hasWorkBefore: Bool {
        for index in keys.indices where keys[index].demand.isBefore { return true }
        return false
    }

    /// Returns the index of a key among the keys that were ever observed.
    package func index(of key: ObservedKey) -> Int? {
        for index in keys.indices where keys[index].key.column == key.column {
            if key.column >= -1 || keys[index].key == key { return index }
        }
        return nil
    }

    /// Returns the index of a column among the observed keys, or nil if changes of the column are not notified at the moment.
    package func index(ofColumn column: Int) -> Int? {
        for index in keys.indices where keys[index].key.column == column {
            guard keys[index].isAutomatic, keys[index].demand != .nothing else { return nil }
            return isSilencing && silenced?.column == column ? nil : index
        }
        return nil
    }

    @usableFromInline
    func recipients(ofColumn column: Int) -> ColumnRecipients {
        guarded {
            guard let index = index(ofColumn: column) else { return .none }
            guard let recipient = keys[index].recipients.single else {
                return keys[index].takesValues
                    ? .values(keys[index].recipients, .passUnretained(self)) : .many
            }
            let observation = recipient.observation
            if recipient.isOnPath { return .path(observation, canReroute: recipient.canReroute) }
            return keys[index].takesValues ? .value(observation) : .one(observation)
        }
    }

    /// Notes that this thread no longer reads the recipients that ``recipients(ofColumn:)`` returned. The next thread that changes
    /// them may do that in place.
    func endReading() { guarded {} }

    /// The recipients of a column of a shared subject, all of them.
    func allRecipients(ofColumn column: Int) -> (OrderedEntries<Recipient>, ObservedKeyState.Demand)? {
        guarded { index(ofColumn: column).map { (keys[$0].recipients, keys[$0].demand) } }
    }

    // MARK: Assignments

    /// Handles the moment before an assignment to a property of a confined subject. Returns whether a change was opened that
    /// ``didAssign(_:_:_:)`` must close.
    package func willAssign(_ subject: AnyObject, _ column: Int) -> Bool {
        guard let index = index(ofColumn: column), keys[index].demand.isBefore else { return false }
        var change = OpenChange()
        change.openInline(self, index, subject, .wholesale)
        withRare { $0.opened.append(change) }
        return true
    }

    /// Handles the moment after an assignment, and notifies the observers.
    package func didAssign(_ subject: AnyObject, _ column: Int, _ isOpen: Bool) {
        if isOpen {
            // There is none if an observer added the object to a realm before the change.
            (rare.use { $0.opened.popLast() } ?? nil)?.close(.wholesale)
        } else if let index = index(ofColumn: column), keys[index].demand == .after {
            if let observation = keys[index].recipients.single?.observation {
                return Self.notify(observation, subject)
            }
            // Observers may change the recipients.
            let recipients = keys[index].recipients
            recipients.forEachObservation { Self.notify($0, subject) }
        }
    }

    /// Handles the moment before an edit of a property of a shared subject in place. Only one property is edited at a time.
    func openEdit(_ column: Int, _ subject: AnyObject) {
        var change = OpenChange()
        change.openColumn(self, column, subject)
        guarded { withRare { $0.edit = change } }
    }

    /// Handles the moment after an edit, and notifies the observers.
    func closeEdit() {
        let change = guarded { rare.use { $0.edit.take() } ?? nil }
        change?.close(.wholesale)
    }

    @inline(__always)
    private static func notify(_ observation: KeyValueRegistration, _ subject: AnyObject) {
        if !observation.isRemoved { observation.didChange(subject, .wholesale, 0) }
    }

    // MARK: Changes that are reported from outside

    /// Performs a change of a property or collection, and notifies the observers of this accessor. The caller holds the subject
    /// of managed observations.
    package func changing(_ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void) {
        guard let index = index(ofColumn: column) else { return change() }
        let subject = subject
        withExtendedLifetime(subject) {
            var open = OpenChange()
            open.openInline(self, index, subject, kind)
            change()
            open.close(kind)
        }
    }

    /// Performs a change that is notified as one change of a key, of the given kind. The key's own changes are not notified
    /// meanwhile.
    package func announcing(_ key: ObservedKey, _ kind: CollectionChangeKind, _ change: () -> Void) {
        guard let index = guarded({ index(of: key).flatMap { keys[$0].isAutomatic ? $0 : nil } }) else {
            return change()
        }
        let subject = subject
        withExtendedLifetime(subject) {
            var open = OpenChange()
            open.openInline(self, index, subject, kind)
            let outer = silence(key)
            open.setBusy(true)
            change()
            open.setBusy(false)
            silence(outer)
            open.close(kind)
        }
    }

    private var silenced: ObservedKey? { rare.use { $0.silenced } ?? nil }

    /// Ends the notifications of a key's own changes, or begins them if the key is nil. Returns the key for which that was so.
    @discardableResult
    private func silence(_ key: ObservedKey?) -> ObservedKey? {
        guarded {
            isSilencing = key != nil
            return withRare { rare in
                let outer = rare.silenced
                rare.silenced = key
                return outer
            }
        }
    }

    /// Begins a change that is announced explicitly.
    package func announce(_ key: ObservedKey, _ kind: CollectionChangeKind) {
        var change = OpenChange()
        if let index = guarded({ silenced == key ? nil : index(of: key) }) {
            change.open(self, index, subject, kind)
            change.setTrackingBusy(true)
        }
        guarded { withRare { $0.announced.append((key, kind, change)) } }
    }

    /// Ends a change that was announced explicitly. Does nothing if there is no begun change of the key.
    package func endAnnounced(_ key: ObservedKey) {
        let ended = guarded {
            rare.use { rare in
                rare.announced.lastIndex(where: { $0.key == key }).map { rare.announced.remove(at: $0) }
            } ?? nil
        }
        guard let (_, kind, change) = ended else { return }
        change.setTrackingBusy(false)
        withExtendedLifetime(subject) { change.close(kind) }
    }

    /// The recipients of a key by its index.
    func recipients(at index: Int) -> (OrderedEntries<Recipient>, ObservedKeyState.Demand) {
        guarded { (keys[index].recipients, keys[index].demand) }
    }

    // MARK: Removal by name

    /// Removes the last registration by name that matches; returns false if there is none.
    package func remove(
        _ observer: any KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer??
    ) -> Bool {
        let identity = NamedObservation.Identity(observer: ObjectIdentifier(observer), keyPath: keyPath)
        func isMatch(_ registration: KeyValueRegistration) -> Bool {
            (registration as? NamedObservation)?.isRegistration(identity, context) ?? false
        }
        let observation = structurally {
            if registrations.count < 32 { return registrations.last(where: isMatch) }
            let numbers = guarded { withRare { $0.named.all(of: identity, in: registrations) } }
            return numbers.reversed().lazy.compactMap { self.registrations.element($0) }.first(where: isMatch)
        }
        // A registration that was dropped may still be removed, by an observer that is being torn down.
        guard let observation else { return guarded { rare.use { $0.hasDropped } ?? false } }
        remove(observation)
        return true
    }

    /// Notes that a registration is dropped because its observer was released.
    func noteDropped() { guarded { withRare { $0.hasDropped = true } } }
}

/// Something whose end is that of the observations that it belongs to.
package protocol EndsWithObservations: AnyObject {
    func observationsEnd()
}
