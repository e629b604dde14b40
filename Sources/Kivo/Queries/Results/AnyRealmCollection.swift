import Dispatch

/// A type-erased collection: ``Results``, a ``List``, a ``MutableSet`` or ``LinkingObjects`` with one type of elements.
///
///     var shown = AnyRealmCollection(person.dogs)
///     shown = AnyRealmCollection(realm.objects(Dog.self).where { $0.age > 5 })
///
/// It is as live as the collection that it wraps, with the same rules.
///
/// - Complexity: Every member costs what it costs in the wrapped collection. Wrapping one is O(1).
@frozen
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    @usableFromInline let base: any RealmCollection<Element>

    /// Creates a collection that erases the type of another one.
    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        self.base = (base as? AnyRealmCollection)?.base ?? base
    }
}

extension AnyRealmCollection: RealmCollection {
    /// The number of elements.
    public var count: Int { base.count }
    /// A Boolean value that indicates whether there are no elements.
    public var isEmpty: Bool { base.isEmpty }
    /// The first element, or nil.
    public var first: Element? { base.first }
    /// The last element, or nil.
    public var last: Element? { base.last }
    /// The element at a position.
    ///
    /// - Precondition: `position` is in 0 ..< count.
    public subscript(position: Int) -> Element { base[position] }
    /// Returns an iterator over the current elements.
    public func makeIterator() -> RLMIterator<Element> {
        func iterator(over base: some RealmCollection<Element>) -> RLMIterator<Element> {
            base.makeIterator() as? RLMIterator<Element> ?? RLMIterator(values: Array(base))
        }
        return iterator(over: base)
    }
    /// Returns the position of the first equal element, or nil if there is none.
    public func index(of element: Element) -> Int? { base.index(of: element) }
    /// A textual description of the elements: that of the wrapped collection.
    public var description: String { base.description }

    public var _handover: (Realm) -> AnyRealmCollection? {
        func handover(of base: some RealmCollection<Element>) -> (Realm) -> AnyRealmCollection? {
            let handover = base._handover
            return { handover($0).map { AnyRealmCollection($0) } }
        }
        return handover(of: base)
    }

    /// Returns a Boolean value that indicates whether two values wrap collections of one type that compare as equal.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        func isEqual<C: RealmCollection>(_ base: C) -> Bool { b.base as? C == base }
        return isEqual(a.base)
    }

    /// The realm, or nil for an unmanaged collection.
    public var realm: Realm? { base.realm }
    /// A Boolean value that indicates whether the collection can no longer be used.
    public var isInvalidated: Bool { base.isInvalidated }
    /// A Boolean value that indicates whether the collection belongs to a frozen realm.
    public var isFrozen: Bool { base.isFrozen }
    /// Returns the collection's current state, for use on any thread.
    ///
    /// - Precondition: The collection is managed.
    public func freeze() -> AnyRealmCollection { AnyRealmCollection(base.freeze()) }
    /// Returns the live collection in the realm of the current thread, queue or actor, or nil if it no longer exists there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    /// - Precondition: The collection is managed.
    public func thaw() -> AnyRealmCollection? { base.thaw().map { AnyRealmCollection($0) } }

    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmCollectionChange<AnyRealmCollection>) -> Void
    ) -> NotificationToken {
        func observe<C: RealmCollection<Element>>(_ base: C) -> NotificationToken {
            base._observe(keyPaths, on: queue) { block($0.mapCollection { AnyRealmCollection($0) }) }
        }
        return observe(base)
    }
}

extension AnyRealmCollection: KeyValueCodedCollection {
    private var coded: (any KeyValueCodedCollection)? { base as? any KeyValueCodedCollection }
    package var codedElements: [Any] { coded?.codedElements ?? map { $0 as Any } }
    package func codedValue(forKey key: String) -> Any? { coded?.codedValue(forKey: key) }
    package func setCodedValue(_ value: Any?, forKey key: String) { coded?.setCodedValue(value, forKey: key) }
}
