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
    @usableFromInline let base: AnyRealmCollectionBase<Element>

    /// Creates a collection that erases the type of another one.
    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        if let erased = base as? AnyRealmCollection {
            self = erased
        } else {
            self.base = ErasedCollection(base)
        }
    }

    init(_ base: AnyRealmCollectionBase<Element>) { self.base = base }
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
    public subscript(position: Int) -> Element { base.element(at: position) }
    /// Returns an iterator over the current elements.
    public func makeIterator() -> RLMIterator<Element> { base.makeIterator() }
    /// Returns the position of the first equal element, or nil if there is none.
    public func index(of element: Element) -> Int? { base.index(of: element) }
    /// A textual description of the elements: that of the wrapped collection.
    public var description: String { base.description }

    public var _query: _CollectionQuery? { base.query }
    public var _handover: (Realm) -> AnyRealmCollection? { base.handover }

    /// Returns a Boolean value that indicates whether two values wrap collections of one type that compare as equal.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        a.base.isEqual(to: b.base)
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
        base.observe(keyPaths, queue, block)
    }
}

extension AnyRealmCollection: KeyValueCodedCollection {
    var codedElements: [Any] { base.coded?.codedElements ?? map { $0 as Any } }
    func codedValue(forKey key: String) -> Any? { base.coded?.codedValue(forKey: key) }
    func setCodedValue(_ value: Any?, forKey key: String) { base.coded?.setCodedValue(value, forKey: key) }
}

/// A type-erased wrapper of a collection. Confined with it.
@usableFromInline
class AnyRealmCollectionBase<Element: RealmCollectionValue> {
    var count: Int { abstract() }
    var isEmpty: Bool { abstract() }
    var first: Element? { abstract() }
    var last: Element? { abstract() }
    var description: String { abstract() }
    var query: _CollectionQuery? { abstract() }
    var handover: (Realm) -> AnyRealmCollection<Element>? { abstract() }
    var coded: (any KeyValueCodedCollection)? { abstract() }
    var realm: Realm? { abstract() }
    var isInvalidated: Bool { abstract() }
    var isFrozen: Bool { abstract() }
    func element(at position: Int) -> Element { abstract() }
    func makeIterator() -> RLMIterator<Element> { abstract() }
    func index(of element: Element) -> Int? { abstract() }
    func isEqual(to other: AnyRealmCollectionBase) -> Bool { abstract() }
    func freeze() -> AnyRealmCollectionBase { abstract() }
    func thaw() -> AnyRealmCollectionBase? { abstract() }
    func observe(
        _ keyPaths: [String]?, _ queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<AnyRealmCollection<Element>>) -> Void
    ) -> NotificationToken { abstract() }

    private func abstract() -> Never { trap("An erased collection is one of a collection.") }
}

private final class ErasedCollection<Base: RealmCollection>: AnyRealmCollectionBase<Base.Element> {
    private let base: Base

    init(_ base: Base) { self.base = base }

    override var count: Int { base.count }
    override var isEmpty: Bool { base.isEmpty }
    override var first: Base.Element? { base.first }
    override var last: Base.Element? { base.last }
    override var description: String { base.description }
    override var query: _CollectionQuery? { base._query }
    override var coded: (any KeyValueCodedCollection)? { base as? any KeyValueCodedCollection }
    override var realm: Realm? { base.realm }
    override var isInvalidated: Bool { base.isInvalidated }
    override var isFrozen: Bool { base.isFrozen }
    override func element(at position: Int) -> Base.Element { base[position] }
    override func index(of element: Base.Element) -> Int? { base.index(of: element) }
    override func freeze() -> AnyRealmCollectionBase<Base.Element> { ErasedCollection(base.freeze()) }
    override func thaw() -> AnyRealmCollectionBase<Base.Element>? {
        base.thaw().map { ErasedCollection($0) }
    }

    override var handover: (Realm) -> AnyRealmCollection<Base.Element>? {
        let handover = base._handover
        return { handover($0).map { AnyRealmCollection(ErasedCollection<Base>($0)) } }
    }

    override func makeIterator() -> RLMIterator<Base.Element> {
        base.makeIterator() as? RLMIterator<Base.Element> ?? RLMIterator(values: Array(base))
    }

    override func isEqual(to other: AnyRealmCollectionBase<Base.Element>) -> Bool {
        (other as? ErasedCollection).map { $0.base == base } ?? false
    }

    override func observe(
        _ keyPaths: [String]?, _ queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<AnyRealmCollection<Base.Element>>) -> Void
    ) -> NotificationToken {
        base._observe(keyPaths, on: queue) { change in
            switch change {
            case .initial(let base): block(.initial(AnyRealmCollection(base)))
            case .update(let base, let deletions, let insertions, let modifications):
                block(
                    .update(
                        AnyRealmCollection(base), deletions: deletions, insertions: insertions,
                        modifications: modifications))
            case .error(let error): block(.error(error))
            }
        }
    }
}
