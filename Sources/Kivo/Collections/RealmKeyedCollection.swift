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
