import KivoEngine

/// What changed in objects and collections that are observed together; see ``Realm/observe(_:pacing:_:)``.
///
/// A value is found by the collection or object that was observed, or by a copy of it.
public struct RealmChanges {
    let changes: [AnyHashable: Any]
    let previous: [AnyHashable: Any]
    let moves: [AnyHashable: [CollectionChanges.Move]]

    /// The change of a collection since the last call; nil if it did not change, or is not observed.
    ///
    /// - Complexity: O(1).
    public subscript<Collection: RealmCollection>(collection: Collection) -> RealmCollectionChange<
        Collection
    >? {
        change(of: collection) as? RealmCollectionChange<Collection>
    }

    /// The change of a map since the last call; nil if it did not change, or is not observed.
    ///
    /// - Complexity: O(1).
    public subscript<Collection: RealmKeyedCollection>(map: Collection) -> RealmMapChange<Collection>? {
        change(of: map) as? RealmMapChange<Collection>
    }

    /// The change of sectioned results since the last call; nil if they did not change, or are not observed.
    ///
    /// - Complexity: O(1).
    public subscript<Key, Element>(
        sections: SectionedResults<Key, Element>
    ) -> SectionedResultsChange<SectionedResults<Key, Element>>? {
        change(of: sections) as? SectionedResultsChange<SectionedResults<Key, Element>>
    }

    /// The change of an object since the last call; nil if it did not change, or is not observed. The object in it is the live one.
    ///
    /// - Complexity: O(1).
    public subscript<Object: ObjectBase>(object: Object) -> ObjectChange<Object>? {
        switch change(of: object) as? ObjectChange<ObjectBase> {
        case .change(let changed, let properties): (changed as? Object).map { .change($0, properties) }
        case .deleted: .deleted
        case .error(let error): .error(error)
        case nil: nil
        }
    }

    /// Returns the moved elements of a collection; empty if it is not observed. A move is a deletion and an insertion of the same element,
    /// whose positions are among those of the change. The moves ascend by ``CollectionMove/to``.
    ///
    /// - Complexity: O(m log m) for m moves.
    public func moves(of collection: some RealmCollection) -> [CollectionMove] {
        let moves = (collection as? any JointlyObservable).flatMap { self.moves[$0.jointIdentity] } ?? []
        return moves.map { CollectionMove($0) }.sorted { $0.to < $1.to }
    }

    /// Returns a collection as it was before the changes, frozen; nil in the first call, if the observation keeps nothing, and if the
    /// collection is not observed.
    ///
    /// - Complexity: O(1).
    public func previous<Collection: RealmCollection>(of collection: Collection) -> Collection? {
        before(collection) as? Collection
    }

    /// Returns a map as it was before the changes, frozen; nil in the first call, if the observation keeps nothing, and if the map is not
    /// observed.
    ///
    /// - Complexity: O(1).
    public func previous<Collection: RealmKeyedCollection>(of map: Collection) -> Collection? {
        before(map) as? Collection
    }

    /// Returns sectioned results as they were before the changes, frozen; nil in the first call, if the observation keeps nothing, and if
    /// they are not observed.
    ///
    /// - Complexity: O(n): they are evaluated when they are read.
    public func previous<Key, Element>(
        of sections: SectionedResults<Key, Element>
    ) -> SectionedResults<Key, Element>? { before(sections) as? SectionedResults<Key, Element> }

    /// Returns an object as it was before the changes, frozen; nil if the observation keeps nothing, and if the object is not observed.
    ///
    /// - Complexity: O(1).
    public func previous<Object: ObjectBase>(of object: Object) -> Object? { before(object) as? Object }

    private func before(_ value: Any) -> Any? {
        (value as? any JointlyObservable).flatMap { previous[$0.jointIdentity] }
    }

    private func change(of value: Any) -> Any? {
        (value as? any JointlyObservable).flatMap { changes[$0.jointIdentity] }
    }
}

@available(*, unavailable)
extension RealmChanges: Sendable {}

/// The changes of the parts of a joint listener, until it calls its block with them. Confined with the realm instance.
final class ChangeRecorder {
    var changes: [AnyHashable: Any] = [:]
    private var previous: [AnyHashable: Any] = [:]
    private let members: [any JointlyObservable]

    init(_ members: [any JointlyObservable]) { self.members = members }

    /// Keeps the values as they were at a version, which their listeners still show.
    func keep(_ parts: [Listener], at version: UInt64) {
        guard let instance = members.first?.jointRealm?.instance else { return }
        let frozen = InstanceOwner(
            RealmInstance(instance.store, instance.configuration, .none, frozenAt: version))
        for (member, part) in zip(members, parts) {
            previous[member.jointIdentity] = member.frozen(in: frozen, part)
        }
    }

    /// Returns the changes, if there are any, and forgets them: the block may write, and lead to further ones.
    func take(_ parts: [Listener]) -> RealmChanges? {
        defer { (changes, previous) = ([:], [:]) }
        var moves: [AnyHashable: [CollectionChanges.Move]] = [:]
        for (member, part) in zip(members, parts) where !part.moves.isEmpty {
            moves[member.jointIdentity] = part.moves
            part.moves = []
        }
        return changes.isEmpty ? nil : RealmChanges(changes: changes, previous: previous, moves: moves)
    }
}
