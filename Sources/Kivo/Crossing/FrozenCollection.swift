/// A frozen collection that any thread, task or actor can use: its type is `Sendable`.
///
///     let puppies = realm.objects(Dog.self).where { $0.age < 1 }.frozenSnapshot()
///     Task.detached { for puppy in puppies { print(puppy.name) } }
///
/// Its elements are ``Frozen`` objects or plain values. It supports queries, sorting and aggregates like the collection; they are
/// computed where they are read.
///
/// - Complexity: Every member costs what it costs in the collection. Results are evaluated once, at the first read.
public struct FrozenCollection<Base: RealmCollection, Element: Sendable>: @unchecked Sendable {
    // Proof of `Sendable`: `base` is frozen, which is safe to read on many threads at once, and is returned unwrapped only by the
    // property of that name; `form` captures nothing.
    private let held: Base
    private let form: (Base.Element) -> Element

    /// Freezes a collection.
    fileprivate init(_ base: Base, _ form: @escaping (Base.Element) -> Element) {
        held = base.freeze()
        self.form = form
    }

    /// The frozen collection itself. Do not pass it on to other threads.
    public var base: Base { held }

    /// Returns the live collection of the current thread, queue or actor, or nil if it no longer exists there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    public func thaw() -> Base? { held.thaw() }

    /// Wraps a collection that was derived from this one.
    private func derived<Other: RealmCollection>(_ other: Other) -> FrozenCollection<Other, Element>
    where Other.Element == Base.Element {
        FrozenCollection<Other, Element>(other, form)
    }
}

extension FrozenCollection: RandomAccessCollection {
    /// The position of the first element, 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { held.count }
    /// The number of elements.
    public var count: Int { held.count }
    /// A Boolean value that indicates whether there are no elements.
    public var isEmpty: Bool { held.isEmpty }
    /// The first element, or nil.
    public var first: Element? { held.first.map(form) }
    /// The last element, or nil.
    public var last: Element? { held.last.map(form) }
    /// The element at a position.
    ///
    /// - Precondition: `position` is in 0 ..< count.
    public subscript(position: Int) -> Element { form(held[position]) }
    /// Returns an iterator over the elements.
    public func makeIterator() -> Iterator { Iterator(base: held.makeIterator(), form: form) }

    /// An iterator over the elements of a frozen collection.
    public struct Iterator: IteratorProtocol {
        fileprivate var base: Base.Iterator
        fileprivate let form: (Base.Element) -> Element

        /// Returns the next element, or nil at the end.
        public mutating func next() -> Element? { base.next().map(form) }
    }
}

extension FrozenCollection {
    /// Returns the elements that match a query; see ``RealmCollection/where(_:)``.
    public func `where`(
        _ isIncluded: (Query<Base.Element>) -> Query<Bool>
    ) -> FrozenCollection<Results<Base.Element>, Element> {
        derived(held.where(isIncluded))
    }

    /// Returns the elements that match a predicate; see ``RealmCollection/filter(_:_:)``.
    public func filter(
        _ predicateFormat: String, _ args: Any...
    ) -> FrozenCollection<Results<Base.Element>, Element> {
        derived(held.filtered(.parsing(predicateFormat, args)))
    }

    /// Returns the position of the first element that matches a query, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func index(matching isIncluded: (Query<Base.Element>) -> Query<Bool>) -> Int? {
        held.index(matching: isIncluded)
    }

    /// Returns the elements sorted by one key path; see ``RealmCollection/sorted(byKeyPath:ascending:)``.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) -> FrozenCollection<Results<Base.Element>, Element> {
        derived(held.sorted(byKeyPath: keyPath, ascending: ascending))
    }

    /// Returns the elements sorted by one key path; see `RealmCollection.sorted(by:ascending:)`.
    public func sorted<Value: _HasPersistedType>(
        by keyPath: KeyPath<Base.Element, Value>, ascending: Bool = true
    ) -> FrozenCollection<Results<Base.Element>, Element>
    where Base.Element: ObjectBase, Value.PersistedType: SortableType {
        derived(held.sorted(by: keyPath, ascending: ascending))
    }

    /// Returns the elements sorted by several keys; see ``RealmCollection/sorted(by:)``.
    public func sorted<Keys: Swift.Sequence>(
        by sortDescriptors: Keys
    ) -> FrozenCollection<Results<Base.Element>, Element> where Keys.Element == SortDescriptor {
        derived(held.sorted(by: sortDescriptors))
    }

    /// Returns the plain values in their own order.
    public func sorted(
        ascending: Bool = true
    ) -> FrozenCollection<Results<Base.Element>, Element> where Base.Element.PersistedType: SortableType {
        derived(held.sorted(ascending: ascending))
    }

    /// Returns the first of each group of elements that are equal in some key paths; see `RealmCollection.distinct(by:)`.
    public func distinct<Paths: Swift.Sequence>(
        by keyPaths: Paths
    ) -> FrozenCollection<Results<Base.Element>, Element> where Paths.Element == String {
        derived(held.distinct(by: keyPaths))
    }

    /// Returns the smallest value of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        held.min(ofProperty: property)
    }

    /// Returns the largest value of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        held.max(ofProperty: property)
    }

    /// Returns the sum of the values of a property, 0 if there are none.
    ///
    /// - Complexity: O(n).
    public func sum<Value: _HasPersistedType>(ofProperty property: String) -> Value
    where Value.PersistedType: AddableType {
        held.sum(ofProperty: property)
    }

    /// Returns the average of the values of a property, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average(ofProperty property: String) -> Double? { held.average(ofProperty: property) }
}

extension FrozenCollection where Base.Element: ObjectBase {
    /// Returns the smallest value of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        held.min(of: keyPath)
    }

    /// Returns the largest value of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        held.max(of: keyPath)
    }

    /// Returns the sum of the values of a property, 0 if there are none.
    ///
    /// - Complexity: O(n).
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Value
    where Value.PersistedType: AddableType {
        held.sum(of: keyPath)
    }

    /// Returns the average of the values of a property, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Double?
    where Value.PersistedType: AddableType {
        held.average(of: keyPath)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the collection's current state as a value that can be sent to any thread, task or actor; inside a write
    /// transaction, its state before the transaction.
    ///
    /// - Complexity: O(1): nothing is copied or evaluated.
    /// - Precondition: That of ``ThreadConfined/freeze()``.
    public func frozenSnapshot() -> FrozenCollection<Self, Frozen<Element>> {
        FrozenCollection(self) { Frozen(freezing: $0) }
    }
}

extension RealmCollection where Element: Sendable {
    /// Returns the collection's current state as a value that can be sent to any thread, task or actor; inside a write
    /// transaction, its state before the transaction.
    ///
    /// - Complexity: O(1): nothing is copied or evaluated.
    /// - Precondition: That of ``ThreadConfined/freeze()``.
    @_disfavoredOverload
    public func frozenSnapshot() -> FrozenCollection<Self, Element> { FrozenCollection(self) { $0 } }
}

/// A frozen map that any thread, task or actor can use: its type is `Sendable`.
///
/// Its values are ``Frozen`` objects or plain values.
///
/// - Complexity: Every member costs what it costs in a managed ``Map``: a lookup is O(log n).
public struct FrozenMap<Value: RealmCollectionValue, Form: Sendable>: @unchecked Sendable {
    // Proof of `Sendable`: `held` is frozen, which is safe to read on many threads at once; `form` captures nothing.
    private let held: Map<String, Value>
    private let form: (Value) -> Form

    /// Freezes a map.
    fileprivate init(_ map: Map<String, Value>, _ form: @escaping (Value) -> Form) {
        held = map.freeze()
        self.form = form
    }

    /// The frozen map itself. Do not pass it on to other threads.
    public var base: Map<String, Value> { held }

    /// Returns the live map of the current thread, queue or actor, or nil if it no longer exists there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    public func thaw() -> Map<String, Value>? { held.thaw() }

    /// The number of entries.
    public var count: Int { held.count }
    /// A Boolean value that indicates whether there is no entry.
    public var isEmpty: Bool { held.isEmpty }
    /// The keys, ascending.
    public var keys: [String] { held.keys }
    /// The values, in the order of their keys.
    public var values: [Form] { held.values.map(form) }
    /// The value of a key, or nil if there is no entry.
    public subscript(key: String) -> Form? { held[key].map(form) }
}

extension FrozenMap: Swift.Sequence {
    /// Returns an iterator over the entries, in ascending order of keys.
    public func makeIterator() -> IndexingIterator<[(key: String, value: Form)]> {
        held.map { (key: $0.key, value: form($0.value)) }.makeIterator()
    }
}

extension Map where Key == String, Value: Sendable {
    /// Returns the map's current state as a value that can be sent to any thread, task or actor; inside a write transaction, its
    /// state before the transaction.
    ///
    /// - Complexity: O(1): nothing is copied or evaluated.
    /// - Precondition: That of ``freeze()``.
    @_disfavoredOverload
    public func frozenSnapshot() -> FrozenMap<Value, Value> { FrozenMap(self) { $0 } }
}

extension Map where Key == String {
    /// Returns the map's current state as a value that can be sent to any thread, task or actor; inside a write transaction, its
    /// state before the transaction.
    ///
    /// - Complexity: O(1): nothing is copied or evaluated.
    /// - Precondition: That of ``freeze()``.
    public func frozenSnapshot<Target: ObjectBase>() -> FrozenMap<Value, Frozen<Target>?>
    where Value == Target? {
        FrozenMap(self) { $0.map { Frozen(freezing: $0) } }
    }
}
