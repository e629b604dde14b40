/// Indexes and primary keys of mapped types follow the stored type.
extension Persisted where Value: _CustomPersistable, Value.PersistedType: _Indexable {
    /// A property of a mapped type whose stored values are indexed, so that queries for equality do not scan.
    public init(indexed: Bool) {
        stored = nil
        column = PersistedColumn.unbound | (indexed ? PersistedColumn.indexed : 0)
    }

    /// A property of a mapped type with a default value whose stored values are indexed, so that queries for equality do
    /// not scan.
    public init(wrappedValue: Value, indexed: Bool) {
        stored = wrappedValue
        column = PersistedColumn.unbound | (indexed ? PersistedColumn.indexed : 0)
    }
}

extension Persisted where Value: _CustomPersistable, Value.PersistedType: _PrimaryKey {
    /// The property, of a mapped type, by whose stored value objects of the class are told apart in a realm.
    public init(primaryKey: Bool) {
        stored = nil
        column = PersistedColumn.unbound | (primaryKey ? PersistedColumn.primary : 0)
    }

    /// The property, of a mapped type and with a default value, by whose stored value objects of the class are told apart in
    /// a realm.
    public init(wrappedValue: Value, primaryKey: Bool) {
        stored = wrappedValue
        column = PersistedColumn.unbound | (primaryKey ? PersistedColumn.primary : 0)
    }
}

extension Persisted {
    /// A property of an optional mapped type whose stored values are indexed, so that queries for equality do not scan.
    public init<Wrapped: _CustomPersistable>(wrappedValue: Value = nil, indexed: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: _Indexable {
        stored = wrappedValue
        column = PersistedColumn.unbound | (indexed ? PersistedColumn.indexed : 0)
    }

    /// The property, of an optional mapped type, by whose stored value objects of the class are told apart in a realm.
    public init<Wrapped: _CustomPersistable>(wrappedValue: Value = nil, primaryKey: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: _PrimaryKey {
        stored = wrappedValue
        column = PersistedColumn.unbound | (primaryKey ? PersistedColumn.primary : 0)
    }
}
