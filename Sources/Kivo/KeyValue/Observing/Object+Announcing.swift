import Foundation

/// Changes that are announced by hand: for computed properties, and for keys whose assignments are not told.
///
/// Each first half needs its second, with the same key; changes may nest. Observers are told whether or not the value
/// differs. Belongs to the object's thread; observers of other accessors of a row are not told.
extension ObjectBase {
    /// The first half of a change: old values are read, and observers with `prior` are told.
    public final func willChangeValue(forKey key: String) {
        kivoAnnouncing?.announce(kivoKey(key), .wholesale)
    }

    /// The second half of a change: new values are read, and observers are told.
    public final func didChangeValue(forKey key: String) { kivoAnnouncing?.endAnnounced(kivoKey(key)) }

    /// The first half of a change of some elements of an ordered collection.
    ///
    /// - Parameters:
    ///   - changeKind: what will happen to them.
    ///   - indexes: their positions: after the change for an insertion, before it otherwise.
    ///   - key: the collection's key.
    public final func willChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        kivoAnnouncing?.announce(kivoKey(key), CollectionChangeKind(changeKind, indexes))
    }

    /// The second half of a change of some elements of an ordered collection. Traps if elements that were announced and
    /// that an observer wants are not there.
    public final func didChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        kivoAnnouncing?.endAnnounced(kivoKey(key))
    }

    /// The first half of a change of a set. Observers are told who really comes in or leaves.
    ///
    /// - Parameters:
    ///   - key: the set's key.
    ///   - mutationKind: what will happen.
    ///   - objects: the other set of the operation.
    public final func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        guard let observations = kivoAnnouncing else { return }
        observations.announce(
            kivoKey(key),
            .setMutation(
                mutationKind, of: KeyValueCoding.members(of: value(forKey: key)),
                using: KeyValueCoding.members(of: objects)))
    }

    /// The second half of a change of a set.
    public final func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        kivoAnnouncing?.endAnnounced(kivoKey(key))
    }

    /// The observations, if there ever were any, for who announces a change. Traps on a foreign thread.
    final var kivoAnnouncing: Observations? {
        if isManaged { kivoCheckThread() }
        return kivoObservations
    }

    private final func kivoKey(_ name: String) -> ObservedKey {
        name == "isInvalidated" || name == "invalidated" ? .invalidated : kivoInfo.observedKey(named: name)
    }
}

extension _KeyValueObservedObject where Self: ObjectBase {
    /// The first half of a change, by typed key path; see ``ObjectBase/willChangeValue(forKey:)``.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        kivoAnnouncing?.announce(kivoInfo.observedKey(keyPath), .wholesale)
    }

    /// The second half of a change, by typed key path.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        kivoAnnouncing?.endAnnounced(kivoInfo.observedKey(keyPath))
    }

    /// The first half of a change of some elements of an ordered collection, by typed key path; see
    /// ``ObjectBase/willChange(_:valuesAt:forKey:)``.
    public func willChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        kivoAnnouncing?.announce(
            kivoInfo.observedKey(keyPath), CollectionChangeKind(changeKind, indexes))
    }

    /// The second half of a change of some elements of an ordered collection, by typed key path.
    public func didChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        kivoAnnouncing?.endAnnounced(kivoInfo.observedKey(keyPath))
    }

    /// The first half of a change of a set, by typed key path; see
    /// ``ObjectBase/willChangeValue(forKey:withSetMutation:using:)``.
    public func willChangeValue<Member>(
        for keyPath: KeyPath<Self, Set<Member>>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<Member>
    ) {
        let members = Set(self[keyPath: keyPath].map { AnyHashable($0) })
        kivoAnnouncing?.announce(
            kivoInfo.observedKey(keyPath),
            .setMutation(mutation, of: members, using: Set(set.map { AnyHashable($0) })))
    }

    /// The second half of a change of a set, by typed key path.
    public func didChangeValue<Member>(
        for keyPath: KeyPath<Self, Set<Member>>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<Member>
    ) {
        kivoAnnouncing?.endAnnounced(kivoInfo.observedKey(keyPath))
    }
}

extension CollectionChangeKind {
    /// What a set operation with another set does to a set.
    static func setMutation(
        _ kind: NSKeyValueSetMutationKind, of members: Set<AnyHashable>, using other: Set<AnyHashable>
    ) -> CollectionChangeKind {
        switch kind {
        case .union: .setMutation(kind, left: [], came: other.subtracting(members))
        case .minus: .setMutation(kind, left: members.intersection(other), came: [])
        case .intersect: .setMutation(kind, left: members.subtracting(other), came: [])
        case .set:
            .setMutation(kind, left: members.subtracting(other), came: other.subtracting(members))
        #if canImport(ObjectiveC)
        @unknown default: .wholesale
        #endif
        }
    }
}
