/// Indexes and primary keys of mapped types follow the stored type.
extension Persisted where Value: _CustomPersistable, Value.PersistedType: _Indexable {
    /// Creates a property of a mapped type whose stored values are indexed, so that queries for equality do not scan.
    public init(indexed: Bool) {
        self.init(nil, isIndexed: indexed)
    }

    /// Creates a property of a mapped type with a default value whose stored values are indexed, so that queries for equality do
    /// not scan.
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(wrappedValue, isIndexed: indexed)
    }
}

extension Persisted where Value: _CustomPersistable, Value.PersistedType: _PrimaryKey {
    /// Creates the primary key of the class, of a mapped type. Its stored value identifies an object in a realm.
    public init(primaryKey: Bool) {
        self.init(nil, isPrimaryKey: primaryKey)
    }

    /// Creates the primary key of the class, of a mapped type and with a default value. Its stored value identifies an object in
    /// a realm.
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(wrappedValue, isPrimaryKey: primaryKey)
    }
}

extension Persisted where Value: _Persistable {
    /// Creates a property of an optional mapped type whose stored values are indexed, so that queries for equality do not scan.
    public init<Wrapped: _CustomPersistable>(wrappedValue: Value = nil, indexed: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: _Indexable {
        self.init(wrappedValue, isIndexed: indexed)
    }

    /// Creates the primary key of the class, of an optional mapped type. Its stored value identifies an object in a realm.
    public init<Wrapped: _CustomPersistable>(wrappedValue: Value = nil, primaryKey: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: _PrimaryKey {
        self.init(wrappedValue, isPrimaryKey: primaryKey)
    }
}
