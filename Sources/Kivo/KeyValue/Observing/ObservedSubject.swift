import KivoEngine

/// The objects that can be observed, for the parts of key-value observing that do not know their types: model objects and
/// collections.
enum ObservedSubject {
    /// Returns the object or collection in a value, or nil if there is none.
    static func subject(in value: Any) -> AnyObject? {
        guard let value = flatten(value) else { return nil }
        if let object = value as? ObjectBase { return object }
        return value as? any ModelCollection
    }

    /// Returns the observations of a subject, created on first use.
    static func observations(of subject: AnyObject) -> Observations? {
        if let object = subject as? ObjectBase { return object.kivoMakeObservations() }
        return (subject as? any ModelCollection)?.makeObservations()
    }

    /// Returns the value of a key, or nil if there is none. An invalidated subject has values for a few keys only.
    static func value(of subject: AnyObject, _ key: String) -> Any? {
        if let object = subject as? ObjectBase { return object.kivoObservedValue(key) }
        return (subject as? any ModelCollection)?.observedValue(key)
    }

    /// Returns the value of a computed property, or nil if the subject is invalidated.
    static func value(of subject: AnyObject, _ keyPath: AnyKeyPath) -> Any? {
        guard let object = subject as? ObjectBase, !object.isInvalidated else { return nil }
        return object[keyPath: keyPath]
    }

    /// Whether a subject is invalidated: its end has been notified, and no notification follows.
    static func isInvalidated(_ subject: AnyObject) -> Bool {
        if let object = subject as? ObjectBase { return object.isInvalidated }
        return (subject as? any ModelCollection)?.isInvalidated ?? false
    }

    /// Whether two references lead to the same subject. A row can have many accessors, so identity is not enough.
    static func isSame(_ a: AnyObject, _ b: AnyObject) -> Bool {
        if a === b { return true }
        guard let a = a as? ObjectBase, let b = b as? ObjectBase else { return false }
        return a.isSameObject(as: b)
    }
}

/// The observations of model objects, which can be rows of a realm.
extension Observations {
    /// Ends the observations of a subject that is being torn down, on any thread. A foreign thread transfers the subject's one
    /// reference to the realm's own thread: no other thread may read the observations, nor release them last.
    static func endWithSubject(_ reference: Unmanaged<AnyObject>) {
        let observations = Unmanaged<Observations>.fromOpaque(reference.toOpaque())
        guard let handle = observations._withUnsafeGuaranteedRef({ $0.handle }) else {
            return observations.release()
        }
        guard handle.isCurrent else { return handle.leave(ended: reference) }
        let instance = handle.instanceOwner?.instance
        observations.takeRetainedValue().endWithSubject(instance?.keyValueRegistry)
    }

    /// Ends all registrations after the subject was torn down.
    func endWithSubject(_ registry: KeyValueRegistry?) {
        if let row { registry?.remove(self, row) }
        endRegistrations()
    }

    /// Registers the subject's row with its realm, if it has one, when the first recipient is added.
    func beginListening() {
        guard let row, let instance else { return }
        instance.turns.enable()
        instance.keyValueRegistry.add(self, row)
        instance.noteObservedRow()
    }

    /// Removes the subject's row from its realm's registry when the last recipient is removed.
    func endListening() {
        if let row { instance?.keyValueRegistry.remove(self, row) }
    }

    /// Stores in the object whether its assignments have observers, and whether any have work before a change.
    func updateSubject() {
        guard info != nil else { return }
        let object = unsafeDowncast(subject, to: ObjectBase.self)
        var state = object.kivoState.subtracting([.observed, .observedBefore])
        if recipientCount > 0 { state.insert(.observed) }
        for index in keys.indices where keys[index].demand.isBefore { state.insert(.observedBefore) }
        object.kivoState = state
    }
}
