import Dispatch
import KivoEngine

#if compiler(>=6.2)
/// Types that themselves, not their values, can be used anywhere: in generic code, blocks for queues know them. Not for use by
/// applications.
public typealias _SendableMetatype = SendableMetatype
#else
/// Not for use by applications.
public typealias _SendableMetatype = Any
#endif

/// A value that belongs to the thread, queue or actor of its realm: objects and collections.
///
/// To carry one elsewhere, freeze it, or pass a ``ThreadSafeReference`` or a ``ThreadSafe`` variable. Do not conform types of
/// your own.
public protocol ThreadConfined: _SendableMetatype {
    /// The realm, or nil for an unmanaged value.
    var realm: Realm? { get }
    /// Whether the value can no longer be used.
    var isInvalidated: Bool { get }
    /// Whether the value is of a frozen realm.
    var isFrozen: Bool { get }
    /// The value as it is now, for use on any thread. Traps if unmanaged.
    func freeze() -> Self
    /// The live value of the current thread, queue or actor, or nil if it is gone there. Traps if unmanaged.
    func thaw() -> Self?
    /// How the value is found in another instance of its realm, where that belongs; nil if it is gone there. Asked of managed
    /// values where they belong, and called elsewhere: it keeps neither the value nor its instance, but types, keys and
    /// queries, which do not change. Not for use by applications.
    var _handover: (Realm) -> Self? { get }
}

extension ThreadConfined {
    public var _handover: (Realm) -> Self? {
        trap(
            "Values of type '\(Self.self)' cannot be passed to another thread, queue or actor: pass what they are made of."
        )
    }
}

/// What all collections of a realm have in common.
public protocol RealmCollectionBase: _SlicedCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue, Index == Int {}

/// A homogeneous, live collection: ``Results``, ``List``, ``MutableSet``, ``LinkingObjects``.
///
/// Iteration runs over the state that the collection had when it began, leaving out objects deleted since.
public protocol RealmCollection: RealmCollectionBase, Equatable {
    /// The position of the first equal element, or nil. O(n) unless noted.
    func index(of element: Element) -> Int?
    /// What queries of the collection start from; nil if it is unmanaged. Not for use by applications.
    var _query: _CollectionQuery? { get }
    /// Observes the collection, on a queue if there is one. Not for use by applications, of which the compiler wants to know
    /// what goes to a queue: they call ``observe(keyPaths:_:)-([String]?,_)``.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken
}

extension RealmCollection {
    /// 0: positions are counted from the first element.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }
    /// The next position.
    public func index(after index: Int) -> Int { index + 1 }
    /// The position before.
    public func index(before index: Int) -> Int { index - 1 }
}

extension String {
    func replacingLineBreaks(_ replacement: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).joined(separator: replacement)
    }
}
