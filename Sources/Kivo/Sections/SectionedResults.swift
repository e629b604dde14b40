import Foundation

/// The elements of a collection in sections: groups of equal keys, each group in the order of the elements, the groups in
/// the order of their first elements. Live, and lazy like ``Results``.
///
///     let byLetter = people.sectioned(by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
///     for section in byLetter { print(section.key, section.count) }
///
/// Sections are evaluated when they are read first after a change, O(n); while they are observed they follow the changes
/// instead, O(log n) for each element that changed. Belongs to its realm's thread or queue.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue> {
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>
    /// Positions of sections, from 0.
    public typealias Index = Int

    let state: SectionedState<Key, SectionElement>

    init(_ state: SectionedState<Key, SectionElement>) { self.state = state }

    /// The keys of all sections, in their order. O(sections).
    public var allKeys: [Key] { state.allKeys }

    /// The number of sections.
    public var count: Int { state.sectionCount }

    /// The section at an index. It stays the section of its key, wherever that moves. Traps if there is none.
    public subscript(_ index: Int) -> ResultsSection<Key, SectionElement> {
        ResultsSection(state, state.key(at: index))
    }

    /// The element at an index path of two indexes: the section's, and the element's in it. Traps if there is none.
    public subscript(_ indexPath: IndexPath) -> SectionElement {
        if indexPath.count != 2 {
            trap(
                "An index path into sectioned results has two indexes, that of the section and that of the element."
            )
        }
        return self[indexPath[0]][indexPath[1]]
    }
}

extension SectionedResults: RealmSectionedResult {
    /// Iterates over the sections as they are now.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(state)
    }

    /// Whether two values are one and the same sectioned results (not: whether they hold the same).
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.state === b.state }

    /// The realm.
    public var realm: Realm? { Realm(state.instance) }
    /// Whether the collection that the elements come from is gone.
    public var isInvalidated: Bool { state.query.isSourceGone }
    /// Whether the realm is frozen.
    public var isFrozen: Bool { state.instance.isFrozen }
    /// The sections as they are now, for use on any thread. A block that makes the keys is then called there; traps if it is not
    /// `@Sendable`.
    public func freeze() -> SectionedResults { SectionedResults(state.moved(to: state.instance.frozen())) }
    /// The live sections of the current thread.
    public func thaw() -> SectionedResults? { SectionedResults(state.moved(to: state.instance.thawed())) }

    public var _handover: (Realm) -> SectionedResults? {
        let make = state.handedOver
        return { realm in
            let state = make(realm.instance)
            return state.query.isSourceGone ? nil : SectionedResults(state)
        }
    }
}

/// Iterates over the sections that there were when the iteration began. A section that is gone meanwhile is empty.
public struct SectionedResultsIterator<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    IteratorProtocol
{
    private let state: SectionedState<Key, SectionElement>
    private var keys: IndexingIterator<[Key]>

    init(_ state: SectionedState<Key, SectionElement>) {
        self.state = state
        keys = state.allKeys.makeIterator()
    }

    /// The next section, or nil at the end.
    public mutating func next() -> ResultsSection<Key, SectionElement>? {
        keys.next().map { ResultsSection(state, $0) }
    }
}
