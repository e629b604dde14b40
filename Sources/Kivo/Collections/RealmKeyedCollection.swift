import Dispatch

/// A live collection of values by keys: ``Map``.
public protocol RealmKeyedCollection<Key, Value>: Swift.Sequence, CustomStringConvertible, ThreadConfined {
    /// The type of the keys: `String`.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue

    /// The number of entries.
    var count: Int { get }
    /// The keys, ascending.
    var keys: [Key] { get }
    /// The values, in the order of their keys.
    var values: [Value] { get }
    /// Accesses the value of a key. Assigning nil removes the entry.
    subscript(key: Key) -> Value? { get set }
    /// The base of queries of the values; nil if the collection is unmanaged. Not for use by applications.
    var _query: _CollectionQuery? { get }
    /// Sets the value of a key, even to an equal one.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes the entry of a key, if there is one.
    func removeObject(for key: Key)
    /// Removes all entries.
    func removeAll()
    /// Observes the collection, on a queue if there is one. Not for use by applications: they call ``observe(keyPaths:_:)``.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken
}
