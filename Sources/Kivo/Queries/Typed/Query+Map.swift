/// Conditions on the keys and values of a map.
extension Query where T: RealmKeyedCollection {
    /// The keys. A comparison holds if it holds for one of them.
    public var keys: Query<T.Key> { appending(.keys) }

    /// The values. A comparison holds if it holds for one of them.
    public var values: Query<T.Value> { appending(.values) }

    /// The value for a key. It compares like nil if the map has no such key.
    public subscript(member: T.Key) -> Query<T.Value> { appending(.key(member._mapKey)) }

    /// Returns the condition that a value is in the map.
    public func contains(_ value: T.Value) -> Query<Bool> { containing(value) }

    /// Returns the condition that at least one of some values is in the map. The values are read when the query is created.
    public func containsAny<Values: Swift.Sequence>(in collection: Values) -> Query<Bool>
    where Values.Element == T.Value {
        compared(.isIn, values: collection)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// Returns the condition that there are values and all of them are in a range.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> { elementsLie(in: range) }

    /// Returns the condition that there are values and all of them are in a range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
    /// Returns the condition that there are values that are not nil, and all of these are in a range.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> { elementsLie(in: range) }

    /// Returns the condition that there are values that are not nil, and all of these are in a range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
    /// The raw values of the map's values, for comparisons that the enum does not support.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { retyped() }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum {
    /// The raw values of the map's values, or nil, for comparisons that the enum does not support.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { retyped() }
}
