import Dispatch

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
    /// The base of queries of the values; nil if the collection is unmanaged. Not for use by applications.
    var _query: _CollectionQuery? { get }
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
