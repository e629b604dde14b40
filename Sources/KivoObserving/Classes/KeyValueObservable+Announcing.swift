import Foundation

/// Explicit announcements of changes: for computed properties, and for keys whose assignments are not notified automatically.
///
/// Each `will` call needs its `did` call with the same key; changes may nest. Observers are notified even if the value is equal.
/// Confined with the object. Observers of other accessors of a row are not notified.
extension KeyValueObservable {
    /// Announces that a value will change: reads old values, and notifies observers with the option `prior`.
    public func willChangeValue(forKey key: String) {
        announce(forKey: key, .wholesale)
    }

    /// Announces that a value did change: reads new values and notifies the observers.
    public func didChangeValue(forKey key: String) { endAnnounced(forKey: key) }

    /// Announces that some elements of an ordered collection will change.
    ///
    /// - Parameters:
    ///   - changeKind: the kind of the change.
    ///   - indexes: the positions of the elements: after the change for an insertion, before it otherwise.
    ///   - key: the collection's key.
    public func willChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        announce(forKey: key, CollectionChangeKind(changeKind, indexes))
    }

    /// Announces that some elements of an ordered collection did change.
    ///
    /// - Precondition: The announced elements exist, if an observer asked for them.
    public func didChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        endAnnounced(forKey: key)
    }

    /// Announces that a set will change. Observers receive only the members that are really inserted or removed.
    ///
    /// - Parameters:
    ///   - key: the set's key.
    ///   - mutationKind: the set operation.
    ///   - objects: the other set of the operation.
    public func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        if Self._isOperation { OperationStates.begin(self) }
        guard let observations = _observing.base.observations(of: self) else { return }
        observations.announce(
            _observing.base.key(of: .key(key)),
            .setMutation(
                mutationKind, of: KeyValueCoding.members(of: value(forKey: key)),
                using: KeyValueCoding.members(of: objects)))
    }

    /// Announces that a set did change.
    public func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        endAnnounced(forKey: key)
    }

    /// Announces that a value will change, by typed key path; see ``KeyValueObservable/willChangeValue(forKey:)``.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        announce(keyPath, .wholesale)
    }

    /// Announces that a value did change, by typed key path.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        endAnnounced(keyPath)
    }

    /// Announces that some elements of an ordered collection will change, by typed key path; see
    /// ``KeyValueObservable/willChange(_:valuesAt:forKey:)``.
    public func willChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        announce(keyPath, CollectionChangeKind(changeKind, indexes))
    }

    /// Announces that some elements of an ordered collection did change, by typed key path.
    public func didChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        endAnnounced(keyPath)
    }

    /// Announces that a set will change, by typed key path; see
    /// ``KeyValueObservable/willChangeValue(forKey:withSetMutation:using:)``.
    public func willChangeValue<Member>(
        for keyPath: KeyPath<Self, Set<Member>>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<Member>
    ) {
        let members = Set(self[keyPath: keyPath].map { AnyHashable($0) })
        announce(
            keyPath,
            .setMutation(mutation, of: members, using: Set(set.map { AnyHashable($0) })))
    }

    /// Announces that a set did change, by typed key path.
    public func didChangeValue<Member>(
        for keyPath: KeyPath<Self, Set<Member>>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<Member>
    ) {
        endAnnounced(keyPath)
    }

    private func announce(forKey key: String, _ kind: CollectionChangeKind) {
        if Self._isOperation { OperationStates.begin(self) }
        let subjectClass = _observing.base
        subjectClass.observations(of: self)?.announce(subjectClass.key(of: .key(key)), kind)
    }

    private func endAnnounced(forKey key: String) {
        let subjectClass = _observing.base
        subjectClass.observations(of: self)?.endAnnounced(subjectClass.key(of: .key(key)))
    }

    private func announce(_ keyPath: AnyKeyPath, _ kind: CollectionChangeKind) {
        if Self._isOperation { OperationStates.begin(self) }
        let subjectClass = _observing.base
        guard let observations = subjectClass.observations(of: self) else { return }
        observations.announce(subjectClass.key(of: keyPath, of: self), kind)
    }

    private func endAnnounced(_ keyPath: AnyKeyPath) {
        let subjectClass = _observing.base
        guard let observations = subjectClass.observations(of: self) else { return }
        observations.endAnnounced(subjectClass.key(of: keyPath, of: self))
    }
}

extension CollectionChangeKind {
    /// Returns the members that a set operation with another set inserts and removes.
    static func setMutation(
        _ kind: NSKeyValueSetMutationKind, of members: Set<AnyHashable>, using other: Set<AnyHashable>
    ) -> CollectionChangeKind {
        switch kind {
        case .union: .setMutation(kind, removed: [], inserted: other.subtracting(members))
        case .minus: .setMutation(kind, removed: members.intersection(other), inserted: [])
        case .intersect: .setMutation(kind, removed: members.subtracting(other), inserted: [])
        case .set:
            .setMutation(kind, removed: members.subtracting(other), inserted: other.subtracting(members))
        #if canImport(ObjectiveC)
        @unknown default: .wholesale
        #endif
        }
    }
}
