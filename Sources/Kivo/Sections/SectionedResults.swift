import Dispatch
import Foundation

/// A collection's elements grouped into live sections of equal keys, evaluated lazily like ``Results``. Each section keeps the
/// order of the elements; the sections are in the order of their first elements.
///
///     let byLetter = people.sectioned(by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
///     for section in byLetter { print(section.key, section.count) }
///
/// Sections are evaluated on the first read after a change, in O(n). While they are observed they are maintained instead, in
/// O(log n) for each changed element. Confined to the realm's thread or queue.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue> {
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>
    /// Positions of sections, from 0.
    public typealias Index = Int

    let state: SectionedState<Key, SectionElement>

    init(_ state: SectionedState<Key, SectionElement>) { self.state = state }

    /// The keys of all sections, in their order.
    ///
    /// - Complexity: O(s) for s sections, after their evaluation if they have not been read since the last change.
    public var allKeys: [Key] { state.allKeys }

    /// The number of sections.
    ///
    /// - Complexity: O(log n) for observed sections; otherwise O(1) after their evaluation if they have not been read since the
    ///   last change.
    public var count: Int { state.sectionCount }

    /// The section at an index. It remains the section of its key, wherever that moves.
    ///
    /// - Complexity: O(log n) for observed sections; otherwise O(1) after their evaluation if they have not been read since the
    ///   last change.
    /// - Precondition: The index is in 0 ..< count.
    public subscript(_ index: Int) -> ResultsSection<Key, SectionElement> {
        ResultsSection(state, state.key(at: index))
    }

    /// The element at an index path of two indexes: the section's, and the element's in it.
    ///
    /// - Complexity: O(log n) for observed sections; otherwise O(1) after their evaluation if they have not been read since the
    ///   last change.
    /// - Precondition: There is such an element.
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
    /// Returns an iterator over the current sections.
    ///
    /// - Complexity: O(s) for s sections, after their evaluation if they have not been read since the last change.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(state)
    }

    /// Returns a Boolean value that indicates whether two values are the same sectioned results, not whether their contents are
    /// equal.
    ///
    /// - Complexity: O(1).
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.state === b.state }

    /// The realm.
    public var realm: Realm? { Realm(state.instance) }
    /// A Boolean value that indicates whether the sections can no longer be used, as ``Results/isInvalidated``. If the owner of the
    /// list from which objects come is deleted, there are no sections, and they are still valid.
    public var isInvalidated: Bool { state.query.isInvalidated }
    /// A Boolean value that indicates whether the realm is frozen.
    public var isFrozen: Bool { state.instance.isFrozen }
    /// Returns the current sections, for use on any thread. A `@Sendable` block that returns the keys then runs there.
    ///
    /// - Complexity: O(1): nothing is copied or evaluated. If the block that returns the keys is not `@Sendable`, the sections are
    ///   evaluated, in O(n log n).
    public func freeze() -> SectionedResults { SectionedResults(state.moved(to: state.instance.frozen())) }
    /// Returns the live sections in the realm of the current thread.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    /// - Precondition: The block that returns the keys is `@Sendable`, or belongs to the current thread, queue or actor.
    public func thaw() -> SectionedResults? { SectionedResults(state.moved(to: state.instance.thawed())) }

    public var _handover: (Realm) -> SectionedResults? {
        let make = state.handedOver
        return { realm in
            let state = make(realm.instance)
            return state.query.isSourceGone ? nil : SectionedResults(state)
        }
    }
}

/// An iterator over the sections at the beginning of the iteration. A section that was removed meanwhile is empty.
public struct SectionedResultsIterator<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    IteratorProtocol
{
    private let state: SectionedState<Key, SectionElement>
    private var keys: IndexingIterator<[Key]>

    init(_ state: SectionedState<Key, SectionElement>) {
        self.state = state
        keys = state.allKeys.makeIterator()
    }

    /// Returns the next section, or nil at the end.
    ///
    /// - Complexity: O(1).
    public mutating func next() -> ResultsSection<Key, SectionElement>? {
        keys.next().map { ResultsSection(state, $0) }
    }
}

/// The common interface of ``SectionedResults`` and each ``ResultsSection`` of them: a live, observable collection.
public protocol RealmSectionedResult: _SlicedCollection, Equatable, ThreadConfined where Index == Int {
    /// The type of the elements in the sections.
    associatedtype SectionElement: RealmCollectionValue
    /// Observes the sections, on a queue if there is one. Not for use by applications: they call
    /// ``observe(keyPaths:_:)-([String]?,_)``.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

extension RealmSectionedResult {
    /// The first position, 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    ///
    /// - Complexity: That of `count`.
    public var endIndex: Int { count }
    /// Returns the next position.
    public func index(after index: Int) -> Int { index + 1 }
    /// Returns the previous position.
    public func index(before index: Int) -> Int { index - 1 }
}
