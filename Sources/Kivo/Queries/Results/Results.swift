import KivoEngine

/// The objects of a class, or some elements in some order: evaluated lazily, and always up to date.
///
/// Results are evaluated when they are first needed. All objects of a class cost nothing to keep and are never evaluated. Filtered
/// and sorted results are evaluated at the first read after a change; while they are observed, each change updates them in
/// O(log n). Positions are 0 ..< count. Confined to the thread or queue of its realm.
///
/// An evaluation is O(m) for m elements of the source, or less if an index is used, and O(n log n) to sort n results.
///
/// Reading by position and iterating return the same accessor again, for another row, if the app has released it. Hold an object
/// by a strong reference, never only by a weak or unowned one.
@frozen
public struct Results<Element: RealmCollectionValue> {
    let state: QueryState

    init(_ state: QueryState) { self.state = state }

    /// The number of elements.
    ///
    /// - Complexity: O(1) for all objects of a class; otherwise the evaluation of the results if they have not been read since
    ///   the last change, which only counts.
    public var count: Int {
        state.noteRead(of: .count)
        return state.count
    }

    /// The element at a position.
    ///
    /// - Complexity: O(log n) for all objects of a class and for observed results; otherwise O(1) after the evaluation of the
    ///   results if they have not been read since the last change.
    /// - Precondition: `position` is in 0 ..< count.
    public subscript(position: Int) -> Element {
        guard let elements = state.elements else { return value(at: position) }
        state.noteRead(of: .positions, reach: position &+ 1)
        if state.isWholeTable {
            state.instance.checkConfinement { "results" }
            return Element._of(state.object(elements, at: position))
        }
        return object(elements, state.key(at: position))
    }

    /// Returns the element at a position of a whole table.
    private func object(at position: Int) -> Element {
        Element._of(state.object(state.elements!, at: position))
    }

    private func object(_ elements: TableContext, _ key: ObjectKey) -> Element {
        Element.element(of: .link(key), CollectionContext(instance: state.instance, elements: elements))
    }

    private func value(at position: Int) -> Element { value(inSource: Int(state.key(at: position))) }

    private func value(inSource position: Int) -> Element {
        guard case .collection(let reference) = state.source else {
            trap("Plain values come from a collection.")
        }
        return Element.element(at: reference.sequence.pointer(at: position), reference.context)
    }

    /// Returns the object with a key; for plain values, returns the value at a position of the source.
    func element(_ key: ObjectKey) -> Element {
        state.elements.map { object($0, key) } ?? value(inSource: Int(key))
    }

    /// A Boolean value that indicates whether there are no elements. Evaluates only as much as finding one element requires.
    ///
    /// - Complexity: O(log n) for all objects of a class and for observed results; otherwise O(n) at most, or the evaluation of
    ///   the results if they have not been read since the last change and are sorted.
    public var isEmpty: Bool {
        state.noteRead(of: .isEmpty)
        return state.isEmpty
    }

    /// The first element, or nil if there is none. Unless the results are sorted, only as much is evaluated as finding it
    /// requires. Inside a write transaction, results that are read repeatedly between changes are updated incrementally, which
    /// costs O(log n) per change.
    ///
    /// - Complexity: O(log n) for all objects of a class and for observed results; otherwise O(n) at most, or the evaluation of
    ///   the results if they have not been read since the last change and are sorted.
    public var first: Element? {
        state.noteRead(of: .beginning)
        if state.isWholeTable { return state.isEmpty ? nil : object(at: 0) }
        return state.firstKey.map(element)
    }

    /// The last element, or nil if there is none; see ``first``.
    ///
    /// - Complexity: O(log n) for all objects of a class and for observed results; otherwise O(n) at most, or the evaluation of
    ///   the results if they have not been read since the last change and are sorted.
    public var last: Element? {
        state.noteRead(of: .last)
        if state.isWholeTable { return state.isEmpty ? nil : object(at: state.count - 1) }
        return state.lastKey.map(element)
    }

    /// Returns the position of the first equal element, or nil if there is none. Objects are found by row, or by
    /// ``ObjectBase/isEqual(_:)`` if their class overrides it.
    ///
    /// - Complexity: O(log n) for all objects of a class and for observed results; otherwise O(n), after the evaluation of the
    ///   results if they have not been read since the last change. O(n) if the class overrides ``ObjectBase/isEqual(_:)``.
    public func index(of element: Element) -> Int? {
        guard let elements = state.elements else { return Array(self).firstIndex(same: element) }
        if comparesItself(element) { return firstIndex(of: element) }
        state.noteRead(of: .all)
        let object = flatten(element) as? ObjectBase ?? (element as? any RealmFetchable)?._fetchedObject
        guard let object, object.isManaged, object.kivoInstance === state.instance,
            object.locate(), object.kivoContext === elements
        else { return nil }
        return state.position(of: object.kivoRow.key)
    }
}

extension Results: RealmCollection {
    /// Returns an iterator over the current elements.
    ///
    /// - Complexity: O(1) for all objects of a class; otherwise O(n), after the evaluation of the results if they have not been
    ///   read since the last change.
    public func makeIterator() -> RLMIterator<Element> {
        guard let elements = state.elements else {
            return RLMIterator(values: (0..<count).map { self[$0] })
        }
        state.noteRead(of: .all)
        return RLMIterator(
            RowIterator(elements, keys: state.isWholeTable && !state.isSourceGone ? nil : state.rows))
    }

    /// Returns a Boolean value that indicates whether two values are the same results, not whether their elements are equal.
    ///
    /// - Complexity: O(1).
    public static func == (a: Results, b: Results) -> Bool { a.state === b.state }

    /// The realm of the results.
    public var realm: Realm? { Realm(state.instance) }
    /// A Boolean value that indicates whether the results can no longer be used. Results are invalidated with their realm;
    /// results of plain values also when the owner of their collection is deleted. Results of objects are then empty, and still
    /// valid.
    public var isInvalidated: Bool { state.isInvalidated }
    /// A Boolean value that indicates whether the realm is frozen.
    public var isFrozen: Bool { state.instance.isFrozen }
    /// Returns the current results for use on any thread; inside a write transaction, the results before it. They are evaluated
    /// at the first read.
    ///
    /// - Complexity: O(1): nothing is copied or evaluated.
    /// - Precondition: The results are not invalidated, and the owner of their collection was not created in the open
    ///   transaction.
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
    /// Returns the live results of the current thread, queue or actor; returns nil if their source collection no longer exists
    /// there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    public func thaw() -> Results? {
        guard isFrozen else { return self }
        let live = state.moved(to: state.instance.thawed())
        return live.isSourceGone ? nil : Results(live)
    }
}

extension Results: KeyValueCodedCollection {}

extension Results {
    public var _handover: (Realm) -> Results? {
        let handedOver = state.handedOver
        return { realm in
            let state = handedOver(realm.instance)
            return state.isSourceGone ? nil : Results(state)
        }
    }
}

extension Results: Encodable where Element: Encodable {
    /// Encodes the current elements as an array.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    /// - Complexity: O(n).
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension Results: DescribedCollection {
    /// A textual description of the elements, at most the first hundred.
    ///
    /// - Complexity: O(n), although at most a hundred elements are described, after the evaluation of the results if they have
    ///   not been read since the last change.
    public var description: String { description(depth: Descriptions.deepest) }
    func description(depth: Int) -> String {
        description(of: "Results", state.elements, ObjectIdentifier(state), depth: depth)
    }
}

/// A collection from which queries can start.
protocol QueryBase {
    /// The state from which queries of the collection start; nil if it is unmanaged.
    var baseQuery: QueryState? { get }
}

extension List: QueryBase {
    var baseQuery: QueryState? { reference.map { QueryState($0) } }
}

extension MutableSet: QueryBase {
    var baseQuery: QueryState? { reference.map { QueryState($0) } }
}

extension LinkingObjects: QueryBase {
    var baseQuery: QueryState? { target.map { QueryState($0) } }
}

extension Map: QueryBase {
    var baseQuery: QueryState? { references.map { QueryState($0.values) } }
}

extension Results: QueryBase {
    var baseQuery: QueryState? { state }
}

extension AnyRealmCollection: QueryBase {
    var baseQuery: QueryState? { base.queryState }
}

extension RealmCollection {
    /// The state from which queries of the collection start; nil if it is unmanaged.
    var queryState: QueryState? { (self as? any QueryBase)?.baseQuery }
}

extension RealmKeyedCollection {
    /// The state from which queries of the values start; nil if the map is unmanaged.
    var queryState: QueryState? { (self as? any QueryBase)?.baseQuery }
}

/// A key to sort by: a key path, or `"self"` for collections of plain values.
public struct SortDescriptor: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The key path, through to-one links only.
    public let keyPath: String
    /// A Boolean value that indicates whether the order is ascending.
    public let ascending: Bool

    /// Creates a sort key from the name of a key path.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Creates a sort key from a typed key path.
    ///
    /// - Precondition: The key path passes only through persisted properties.
    public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// Creates an ascending sort key from the name of a key path.
    public init(stringLiteral value: String) { self.init(keyPath: value) }

    /// The key path and the direction, in words.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }

    /// Returns the sort key with the opposite direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }
}
