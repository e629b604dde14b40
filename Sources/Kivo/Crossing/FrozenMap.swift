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
