/// A frozen collection, as a value that every thread, task and actor may have: `Sendable` by its type.
///
///     let puppies = realm.objects(Dog.self).where { $0.age < 1 }.frozenSnapshot()
///     Task.detached { for puppy in puppies { print(puppy.name) } }
///
/// Its elements are ``Frozen`` objects, or plain values. It can be filtered, sorted and asked for aggregates like the
/// collection, which is carried out where it is read. Reading by position costs what it costs in the collection.
public struct FrozenCollection<Base: RealmCollection, Element: Sendable>: @unchecked Sendable {
    // Proof of `Sendable`: `base` is frozen, which is safe to read on many threads at once, and never handed out as what it
    // is but by name; `form` captures nothing.
    private let held: Base
    private let form: (Base.Element) -> Element

    /// Freezes a collection.
    fileprivate init(_ base: Base, _ form: @escaping (Base.Element) -> Element) {
        held = base.freeze()
        self.form = form
    }

    /// The frozen collection itself: what it is passed to must not pass it on to other threads.
    public var base: Base { held }

    /// The live collection of the current thread, queue or actor, or nil if it is gone there.
    public func thaw() -> Base? { held.thaw() }

    /// The same elements, or some of them, in some order.
    private func derived<Other: RealmCollection>(_ other: Other) -> FrozenCollection<Other, Element>
    where Other.Element == Base.Element {
        FrozenCollection<Other, Element>(other, form)
    }
}

extension FrozenCollection: RandomAccessCollection {
    /// 0: positions are counted from the first element.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { held.count }
    /// The number of elements.
    public var count: Int { held.count }
    /// Whether there are no elements.
    public var isEmpty: Bool { held.isEmpty }
    /// The first element, or nil.
    public var first: Element? { held.first.map(form) }
    /// The last element, or nil.
    public var last: Element? { held.last.map(form) }
    /// The element at a position. One out of range traps.
    public subscript(position: Int) -> Element { form(held[position]) }
    /// Iterates over the elements.
    public func makeIterator() -> Iterator { Iterator(base: held.makeIterator(), form: form) }

    /// Iterates over the elements of a frozen collection.
    public struct Iterator: IteratorProtocol {
        fileprivate var base: Base.Iterator
        fileprivate let form: (Base.Element) -> Element

        /// The next element, or nil at the end.
        public mutating func next() -> Element? { base.next().map(form) }
    }
}

extension FrozenCollection {
    /// The elements for which a query holds; see ``RealmCollection/where(_:)``.
    public func `where`(
        _ isIncluded: (Query<Base.Element>) -> Query<Bool>
    ) -> FrozenCollection<Results<Base.Element>, Element> {
        derived(held.where(isIncluded))
    }

    /// The elements for which a predicate holds; see ``RealmCollection/filter(_:_:)``.
    public func filter(
        _ predicateFormat: String, _ args: Any...
    ) -> FrozenCollection<Results<Base.Element>, Element> {
        derived(held.filtered(.parsing(predicateFormat, args)))
    }

    /// The position of the first element for which a query holds, or nil. O(n).
    public func index(matching isIncluded: (Query<Base.Element>) -> Query<Bool>) -> Int? {
        held.index(matching: isIncluded)
    }

    /// The elements in the order of one key path; see ``RealmCollection/sorted(byKeyPath:ascending:)``.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool = true
    ) -> FrozenCollection<Results<Base.Element>, Element> {
        derived(held.sorted(byKeyPath: keyPath, ascending: ascending))
    }

    /// The elements in the order of one key path; see `RealmCollection.sorted(by:ascending:)`.
    public func sorted<Value: _HasPersistedType>(
        by keyPath: KeyPath<Base.Element, Value>, ascending: Bool = true
    ) -> FrozenCollection<Results<Base.Element>, Element>
    where Base.Element: ObjectBase, Value.PersistedType: SortableType {
        derived(held.sorted(by: keyPath, ascending: ascending))
    }

    /// The elements in the order of keys; see ``RealmCollection/sorted(by:)``.
    public func sorted<Keys: Swift.Sequence>(
        by sortDescriptors: Keys
    ) -> FrozenCollection<Results<Base.Element>, Element> where Keys.Element == SortDescriptor {
        derived(held.sorted(by: sortDescriptors))
    }

    /// The plain values in their own order.
    public func sorted(
        ascending: Bool = true
    ) -> FrozenCollection<Results<Base.Element>, Element> where Base.Element.PersistedType: SortableType {
        derived(held.sorted(ascending: ascending))
    }

    /// The first of each group of elements that are equal in some key paths; see `RealmCollection.distinct(by:)`.
    public func distinct<Paths: Swift.Sequence>(
        by keyPaths: Paths
    ) -> FrozenCollection<Results<Base.Element>, Element> where Paths.Element == String {
        derived(held.distinct(by: keyPaths))
    }

    /// The smallest value of a property, or nil if there is none. O(n).
    public func min<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        held.min(ofProperty: property)
    }

    /// The largest value of a property, or nil if there is none. O(n).
    public func max<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        held.max(ofProperty: property)
    }

    /// The sum of the values of a property, 0 if there are none. O(n).
    public func sum<Value: _HasPersistedType>(ofProperty property: String) -> Value
    where Value.PersistedType: AddableType {
        held.sum(ofProperty: property)
    }

    /// The average of the values of a property, or nil if there are none. O(n).
    public func average(ofProperty property: String) -> Double? { held.average(ofProperty: property) }
}

extension FrozenCollection where Base.Element: ObjectBase {
    /// The smallest value of a property, or nil if there is none. O(n).
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        held.min(of: keyPath)
    }

    /// The largest value of a property, or nil if there is none. O(n).
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        held.max(of: keyPath)
    }

    /// The sum of the values of a property, 0 if there are none. O(n).
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Value
    where Value.PersistedType: AddableType {
        held.sum(of: keyPath)
    }

    /// The average of the values of a property, or nil if there are none. O(n).
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Base.Element, Value>) -> Double?
    where Value.PersistedType: AddableType {
        held.average(of: keyPath)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The collection as it is now, as a value that can be sent to every thread, task and actor; inside of a write
    /// transaction, as it was before it. Traps as ``ThreadConfined/freeze()`` does. O(1).
    public func frozenSnapshot() -> FrozenCollection<Self, Frozen<Element>> {
        FrozenCollection(self) { Frozen(freezing: $0) }
    }
}

extension RealmCollection where Element: Sendable {
    /// The collection as it is now, as a value that can be sent to every thread, task and actor; inside of a write
    /// transaction, as it was before it. Traps as ``ThreadConfined/freeze()`` does. O(1).
    @_disfavoredOverload
    public func frozenSnapshot() -> FrozenCollection<Self, Element> { FrozenCollection(self) { $0 } }
}
