import KivoEngine

/// The objects of a class, or some of them in some order: lazy, and always as they are now.
///
/// Nothing is evaluated until it is needed. The whole of a class costs nothing to keep and O(log n) to read by
/// position; filtered and sorted results are evaluated when they are read first after a change. Positions are
/// 0 ..< count; one out of range traps. Belongs to its realm's thread or queue.
///
/// Reading by position and iterating hand the same accessor out again for another row if nobody has kept it: hold on to
/// an object by a strong reference, never by a weak or unowned one alone.
@frozen
public struct Results<Element: RealmCollectionValue> {
    let state: QueryState

    init(_ state: QueryState) { self.state = state }

    /// The number of elements.
    public var count: Int {
        state.noteRead()
        return state.count
    }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        guard let elements = state.elements else { return value(at: position) }
        state.noteRead()
        if state.isWholeTable {
            state.instance.checkConfinement { "results" }
            return Element._of(state.object(elements, at: position))
        }
        return object(elements, state.key(at: position))
    }

    private func object(_ elements: TableContext, _ key: ObjectKey) -> Element {
        Element._element(.link(key), CollectionContext(instance: state.instance, elements: elements))
    }

    private func value(at position: Int) -> Element { value(inSource: Int(state.key(at: position))) }

    private func value(inSource place: Int) -> Element {
        guard case .collection(let reference) = state.source else {
            trap("Plain values come from a collection.")
        }
        return Element._loadElement(reference.sequence.pointer(at: place), reference.context)
    }

    /// The object of a key; the plain value at a position of the source.
    func element(_ key: ObjectKey) -> Element {
        state.elements.map { object($0, key) } ?? value(inSource: Int(key))
    }

    /// Whether there are no elements. Does not evaluate more than it takes to find one.
    public var isEmpty: Bool {
        state.noteRead()
        return state.isEmpty
    }

    /// The first element, or nil. Unless the results are sorted, no more is evaluated than it takes to find it; inside of a
    /// write, results that are read again and again between changes follow these, which costs O(log n) a change.
    public var first: Element? {
        state.noteRead()
        if state.isWholeTable { return isEmpty ? nil : self[0] }
        return state.firstKey.map(element)
    }

    /// The last element, or nil; see ``first``.
    public var last: Element? {
        state.noteRead()
        if state.isWholeTable { return isEmpty ? nil : self[count - 1] }
        return state.lastKey.map(element)
    }

    /// The position of the first equal element, or nil. O(log n) for a whole class and for observed results, else O(n).
    /// Objects are found by row.
    public func index(of element: Element) -> Int? {
        guard let elements = state.elements else { return Array(self).firstIndex(same: element) }
        state.noteRead()
        let object = flatten(element) as? ObjectBase ?? (element as? any RealmFetchable)?._fetchedObject
        guard let object, object.isManaged, object.kivoInstance === state.instance,
            object.locate(), object.kivoContext === elements
        else { return nil }
        return state.position(of: object.kivoRow.key)
    }
}

extension Results: RealmCollection {
    /// Iterates over the elements as they are now.
    public func makeIterator() -> RLMIterator<Element> {
        guard let elements = state.elements else {
            return RLMIterator(values: (0..<count).map { self[$0] })
        }
        state.noteRead()
        return RLMIterator(
            RowIterator(elements, keys: state.isWholeTable && !state.isSourceGone ? nil : state.rows))
    }

    public var _query: _CollectionQuery? { _CollectionQuery(state) }

    /// Whether two values are one and the same results (not: whether they hold the same elements).
    public static func == (a: Results, b: Results) -> Bool { a.state === b.state }

    /// The realm.
    public var realm: Realm? { Realm(state.instance) }
    /// A Boolean value that indicates whether the results can no longer be used: the realm was invalidated, or the results are plain
    /// values of a collection whose owner was deleted. Results of objects are empty then, and still valid.
    public var isInvalidated: Bool { state.isInvalidated }
    /// Whether the realm is frozen.
    public var isFrozen: Bool { state.instance.isFrozen }
    /// The results as they are now, for use on any thread; inside of a write transaction, as they were before it. Evaluated
    /// when they are read first. Traps if they come from a collection that is gone, or whose owner was created in the open
    /// transaction.
    public func freeze() -> Results {
        if isFrozen { return self }
        state.instance.checkConfinement { "results" }
        if state.isInvalidated { trap("Invalidated results cannot be frozen: check 'isInvalidated' before.") }
        let frozen = state.moved(to: state.instance.frozen())
        if frozen.isSourceGone, !state.isSourceGone {
            trap("Results of a collection whose owner was created in this transaction cannot be frozen yet.")
        }
        return Results(frozen)
    }
    /// The live results of the current thread, queue or actor, or nil if the collection that they come from is gone there.
    public func thaw() -> Results? {
        guard isFrozen else { return self }
        let live = state.moved(to: state.instance.thawed())
        return live.isSourceGone ? nil : Results(live)
    }
}

extension Results: KeyValueCodedCollection {}
