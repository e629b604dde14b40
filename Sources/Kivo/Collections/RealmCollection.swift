import Dispatch
import KivoEngine

/// A value that belongs to the thread, queue or actor of its realm: an object or a collection.
///
/// To use it elsewhere, freeze it, or pass a ``ThreadSafeReference`` or a ``ThreadSafe`` variable. Do not conform types of your
/// own.
public protocol ThreadConfined: _SendableMetatype {
    /// The realm, or nil for an unmanaged value.
    var realm: Realm? { get }
    /// A Boolean value that indicates whether the value can no longer be used.
    var isInvalidated: Bool { get }
    /// A Boolean value that indicates whether the value belongs to a frozen realm.
    var isFrozen: Bool { get }
    /// Returns the current value for use on any thread.
    ///
    /// - Precondition: The value is managed.
    func freeze() -> Self
    /// Returns the live value of the current thread, queue or actor, or nil if it was deleted there.
    ///
    /// - Precondition: The value is managed.
    func thaw() -> Self?
    /// A closure that finds the value in another instance of its realm, on that instance's thread, queue or actor. It returns nil
    /// if the value was deleted there. Get the closure from a managed value where the value belongs, and call it where the other
    /// instance belongs. It retains neither the value nor its instance, but types, keys and queries, which do not change. Not for
    /// use by applications.
    var _handover: (Realm) -> Self? { get }
}

extension ThreadConfined {
    public var _handover: (Realm) -> Self? {
        trap(
            "Values of type '\(Self.self)' cannot be passed to another thread, queue or actor: pass what they are made of."
        )
    }
}

/// The common requirements of all collections of a realm.
public protocol RealmCollectionBase: _SlicedCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue, Index == Int {}

/// A homogeneous, live collection: ``Results``, ``List``, ``MutableSet``, ``LinkingObjects``.
///
/// Iteration covers the state that the collection had when it began, except for objects that were deleted since.
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable {
    /// Returns the position of the first equal element, or nil.
    ///
    /// - Complexity: O(n), unless the conforming type documents less.
    func index(of element: Element) -> Int?
    /// Observes the collection, on a queue if there is one. Not for use by applications: they call
    /// ``observe(keyPaths:_:)-([String]?,_)``, for which the compiler checks the values that are sent to a queue.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken
}

extension RealmCollection {
    /// The position of the first element, 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    ///
    /// - Complexity: That of `count`.
    public var endIndex: Int { count }
    /// Returns the next position.
    public func index(after index: Int) -> Int { index + 1 }
    /// Returns the position before.
    public func index(before index: Int) -> Int { index - 1 }
}

extension String {
    func replacingLineBreaks(_ replacement: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).joined(separator: replacement)
    }
}

/// A change of a collection, as its observers receive it.
///
/// All three index arrays are ascending. Deletions and modifications are positions in the collection as the observer saw it last,
/// and insertions are positions in the current collection. This is how a batch update of `UITableView` takes deleted, reloaded and
/// inserted rows. ``currentModifications`` are the positions of the modified elements in the current collection, and
/// ``apply(to:_:)`` updates an array.
@frozen
public enum RealmCollectionChange<CollectionType> {
    /// The first call: the collection is ready for use.
    case initial(CollectionType)
    /// The collection, or an object in it, changed.
    ///
    /// - Parameters:
    ///   - deletions: The positions of elements that were removed, in the collection at the observer's last call.
    ///   - insertions: The positions of new elements, in the current collection.
    ///   - modifications: The positions of remaining elements that were modified, in the collection at the observer's last call.
    ///     None of them is also among the deletions.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never produced. It exists for exhaustive switches.
    case error(any Error)
}

extension RealmCollectionChange {
    /// Returns the change with another collection.
    func mapCollection<New>(_ transform: (CollectionType) -> New) -> RealmCollectionChange<New> {
        switch self {
        case .initial(let collection): .initial(transform(collection))
        case .update(let collection, let deletions, let insertions, let modifications):
            .update(
                transform(collection), deletions: deletions, insertions: insertions,
                modifications: modifications)
        case .error(let error): .error(error)
        }
    }
}

/// A live collection of values by keys: ``Map``.
public protocol RealmKeyedCollection<Key, Value>: Swift.Sequence, CustomStringConvertible, ThreadConfined {
    /// The type of the keys: `String`.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue

    /// The number of entries.
    ///
    /// - Complexity: O(1).
    var count: Int { get }
    /// The keys, ascending.
    ///
    /// - Complexity: O(n) in a managed map, O(n log n) in an unmanaged one.
    var keys: [Key] { get }
    /// The values, in the order of their keys.
    ///
    /// - Complexity: O(n) in a managed map, O(n log n) in an unmanaged one.
    var values: [Value] { get }
    /// Accesses the value of a key. Assigning nil removes the entry.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one.
    subscript(key: Key) -> Value? { get set }
    /// Sets the value of a key, even to an equal one.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes the entry of a key, if there is one.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one.
    func removeObject(for key: Key)
    /// Removes all entries.
    ///
    /// - Complexity: O(n).
    func removeAll()
    /// Observes the collection, on a queue if there is one. Not for use by applications: they call ``observe(keyPaths:_:)``.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken
}

/// A change of a map, as its observers receive it.
///
/// All three arrays of keys are ascending. To keep a copy of a map up to date, remove the deletions from it. Then read the values
/// of insertions and modifications from the map.
@frozen
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The first call: the map is ready for use.
    case initial(Collection)
    /// The map, or an object in it, changed.
    ///
    /// - Parameters:
    ///   - deletions: The keys that were removed from the map since the observer's last call. A removed key that was inserted
    ///     again is also among the insertions.
    ///   - insertions: The new keys of the current map.
    ///   - modifications: The remaining keys of the current map whose value was assigned or modified. A key whose object was
    ///     deleted remains, with nil.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key],
        modifications: [Collection.Key])
    /// Never produced. It exists for exhaustive switches.
    case error(any Error)
}

/// A live collection with slices. It can become shorter than a slice of it.
public protocol _SlicedCollection: RandomAccessCollection where Index == Int {}

extension _SlicedCollection {
    /// Returns the number of positions from one to another.
    ///
    /// - Complexity: That of `endIndex`.
    /// - Precondition: Neither position is beyond the end. The collection may have become shorter than a slice of it.
    public func distance(from start: Int, to end: Int) -> Int {
        checkPositions(start, end)
        return end - start
    }
    /// Returns the position at a distance from another.
    ///
    /// - Complexity: O(1).
    public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }
    /// Returns the position at a distance from another, or nil if it is beyond a limit.
    ///
    /// - Complexity: O(1).
    public func index(_ index: Int, offsetBy distance: Int, limitedBy limit: Int) -> Int? {
        let isBeyond =
            distance < 0
            ? limit <= index && index + distance < limit : limit >= index && index + distance > limit
        return isBeyond ? nil : index + distance
    }
    /// Accesses the elements at a range of positions. A slice reads the current elements of the collection.
    ///
    /// - Complexity: That of `endIndex`.
    /// - Precondition: The range is in 0 ... count.
    public subscript(bounds: Range<Int>) -> Slice<Self> {
        checkPositions(bounds.lowerBound, bounds.upperBound)
        return Slice(base: self, bounds: bounds)
    }

    /// Traps unless two positions are in the collection or at its end. The standard library would trap without a message in
    /// release builds.
    private func checkPositions(_ a: Int, _ b: Int) {
        let end = endIndex
        let outside = a < 0 || a > end ? a : b
        if outside >= 0, outside <= end { return }
        trap(
            """
            Position \(outside) is outside of '\(Self.self)' of \(end) elements: a slice reads its collection, which may \
            have become shorter. Make an Array of the slice to keep its elements.
            """)
    }
}
