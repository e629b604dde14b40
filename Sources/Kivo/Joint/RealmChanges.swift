import KivoEngine

/// The changes of objects and collections that are observed together; see ``Realm/observe(_:keeping:pacing:_:)``.
///
/// A value is found by the collection or object that was observed, or by a copy of it.
public struct RealmChanges {
    let record: ChangeRecorder.Record

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
        let moves = record.index(of: collection).flatMap { record.moves[$0] } ?? []
        return moves.map { CollectionMove($0) }.sorted { $0.to < $1.to }
    }

    /// Returns a collection as it was before the changes, frozen; nil in the first call, if the observation keeps nothing, if the object that
    /// owns the collection was deleted before, and if the collection is not observed.
    ///
    /// - Complexity: O(1).
    public func previous<Collection: RealmCollection>(of collection: Collection) -> Collection? {
        before(collection) as? Collection
    }

    /// Returns a map as it was before the changes, frozen; nil in the first call, if the observation keeps nothing, if the object that owns
    /// the map was deleted before, and if the map is not observed.
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

    /// Returns an object as it was before the changes, frozen, also if they deleted it; nil if the observation keeps nothing, if the object
    /// was deleted before, and if it is not observed.
    ///
    /// - Complexity: O(1).
    public func previous<Object: ObjectBase>(of object: Object) -> Object? { before(object) as? Object }

    private func before(_ value: Any) -> Any? { record.index(of: value).flatMap { record.previous($0) } }

    private func change(of value: Any) -> Any? { record.index(of: value).flatMap { record.changes[$0] } }
}

@available(*, unavailable)
extension RealmChanges: Sendable {}

/// The changes of the parts of a joint listener, until it calls its block with them. Confined with the realm instance.
final class ChangeRecorder {
    /// The data of one call of a block. Values are found by their index among those that are observed.
    struct Record {
        fileprivate let recorder: ChangeRecorder
        let changes: [Int: Any]
        let moves: [Int: [CollectionChanges.Move]]
        fileprivate let past: Past?

        func index(of value: Any) -> Int? {
            (value as? any JointlyObservable)?.jointIdentity.flatMap { recorder.indexes[$0] }
        }

        /// Returns a value as it was before the changes; nil if that is not kept.
        func previous(_ index: Int) -> Any? {
            past.flatMap { recorder.members[index].frozen(in: $0.instanceOwner, $0.orders[index]) }
        }
    }

    /// The realm before a change, with the orders of results.
    fileprivate struct Past {
        let instanceOwner: InstanceOwner
        let orders: [FrozenOrder?]
    }

    fileprivate let members: [any JointlyObservable]
    fileprivate let indexes: [JointIdentity: Int]
    private var changes: [Int: Any] = [:]
    private var past: Past?

    init(_ members: [any JointlyObservable]) {
        self.members = members
        let indexes = members.enumerated().compactMap { index, member in
            member.jointIdentity.map { ($0, index) }
        }
        self.indexes = Dictionary(indexes) { first, _ in first }
    }

    /// Returns listeners of the values, which record their changes and are not registered.
    func makeListeners(_ keyPaths: [String]?, _ registry: ListenerRegistry) -> [Listener] {
        registry.gather {
            for (index, member) in members.enumerated() {
                _ = member.observeJointly(keyPaths) { [unowned self] in changes[index] = $0 }
            }
        }
    }

    /// Keeps the realm as it was at a version, which is pinned and which the listeners still show.
    func keep(_ parts: [Listener], at version: UInt64, of instance: RealmInstance) {
        past = Past(
            instanceOwner: InstanceOwner(
                RealmInstance(instance.store, instance.configuration, .none, frozenAt: version)),
            orders: parts.map { ($0 as? ResultsListener)?.viewProgress.view?.frozenOrder })
    }

    /// Returns the changes, if there are any, with frozen collections, and forgets them: the block may write, and lead to further ones.
    func take(_ parts: [Listener]) -> RealmChanges? {
        let (changes, past) = (changes, past)
        (self.changes, self.past) = ([:], nil)
        var moves: [Int: [CollectionChanges.Move]] = [:]
        for (index, part) in parts.enumerated() where !part.moves.isEmpty {
            moves[index] = part.moves
            part.moves = []
        }
        if changes.isEmpty { return nil }
        let frozen = changes.mapValues { ($0 as? any CollectionChange)?.frozen ?? $0 }
        return RealmChanges(record: Record(recorder: self, changes: frozen, moves: moves, past: past))
    }
}
