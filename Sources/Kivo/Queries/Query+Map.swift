/// Asking for keys and values.
extension Query where T: RealmKeyedCollection {
    /// The keys: a comparison of them holds if it does for one of them.
    public var keys: Query<T.Key> { appending(.keys) }

    /// The values: a comparison of them holds if it does for one of them.
    public var values: Query<T.Value> { appending(.values) }

    /// The value of a key. A comparison with it is like one with nil where the map has no such key.
    public subscript(member: T.Key) -> Query<T.Value> { appending(.key(member._mapKey)) }

    /// Whether a value is in the map.
    public func contains(_ value: T.Value) -> Query<Bool> { containing(value) }

    /// Whether one of some values is in the map. They are taken as they are when the query is made.
    public func containsAny<Values: Swift.Sequence>(in collection: Values) -> Query<Bool>
    where Values.Element == T.Value {
        compared(.isIn, values: collection)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// Whether there are values and all of them lie in a range.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> { elementsLie(in: range) }

    /// Whether there are values and all of them lie in a range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
    /// Whether there are values that are not nil, and all of these lie in a range.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> { elementsLie(in: range) }

    /// Whether there are values that are not nil, and all of these lie in a range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
    /// The raw values of the map's values, for comparisons that the enum has not.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { retyped() }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum {
    /// The raw values of the map's values, or nil, for comparisons that the enum has not.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { retyped() }
}
