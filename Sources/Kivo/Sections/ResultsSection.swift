/// One section of ``SectionedResults``: the elements with one key, live.
///
/// It remains the section of its key. When its last element is removed, it is empty and invalidated until there is one again.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>: Identifiable {
    /// An element of the section.
    public typealias Element = T
    /// Positions of elements, from 0.
    public typealias Index = Int

    let state: SectionedState<Key, T>

    /// The key that the elements have in common.
    public let key: Key

    /// The key, which identifies the section.
    public var id: Key { key }

    init(_ state: SectionedState<Key, T>, _ key: Key) {
        self.state = state
        self.key = key
    }

    /// The number of elements; 0 if the section no longer exists.
    ///
    /// - Complexity: O(log n) for observed sections; otherwise O(1) after their evaluation if they have not been read since the
    ///   last change.
    public var count: Int { state.count(of: key) ?? 0 }

    /// The element at an index of the section.
    ///
    /// - Complexity: O(log n) for observed sections; otherwise O(1) after their evaluation if they have not been read since the
    ///   last change.
    /// - Precondition: `position` is in 0 ..< count.
    public subscript(_ index: Int) -> T { state.results.element(state.row(of: key, at: index)) }
}

extension ResultsSection: RealmSectionedResult {
    /// Returns an iterator over the current elements.
    ///
    /// - Complexity: O(k log n) for k elements of observed sections; otherwise O(k), after their evaluation if they have not been
    ///   read since the last change.
    public func makeIterator() -> RLMIterator<T> {
        let rows = state.rows(of: key)
        guard let elements = state.query.elements else {
            let results = state.results
            return RLMIterator(values: rows.map { results.element($0) })
        }
        return RLMIterator(RowIterator(elements, keys: rows))
    }

    /// Returns a Boolean value that indicates whether two values are the section of one key in the same sectioned results.
    ///
    /// - Complexity: O(1).
    public static func == (a: ResultsSection, b: ResultsSection) -> Bool {
        a.state === b.state && a.key == b.key
    }

    /// The realm.
    public var realm: Realm? { Realm(state.instance) }
    /// A Boolean value that indicates whether the section no longer exists.
    public var isInvalidated: Bool { state.query.isSourceGone || state.count(of: key) == nil }
    /// A Boolean value that indicates whether the realm is frozen.
    public var isFrozen: Bool { state.instance.isFrozen }
    /// Returns the section's current state, for use on any thread.
    ///
    /// - Complexity: That of ``SectionedResults/freeze()``.
    public func freeze() -> ResultsSection {
        ResultsSection(state.moved(to: state.instance.frozen()), key)
    }
    /// Returns the live section in the realm of the current thread.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    public func thaw() -> ResultsSection? {
        ResultsSection(state.moved(to: state.instance.thawed()), key)
    }

    public var _handover: (Realm) -> ResultsSection? {
        let (key, make) = (key, state.handedOver)
        return { realm in
            let state = make(realm.instance)
            return state.query.isSourceGone ? nil : ResultsSection(state, key)
        }
    }
}
