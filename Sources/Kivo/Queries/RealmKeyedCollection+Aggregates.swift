/// Aggregates of the values.
extension RealmKeyedCollection {
    /// Makes something of the values, where they are.
    private func aggregate<Answer>(
        _ answer: (Results<Value>) -> Answer, unmanaged: (List<Value>) -> Answer
    ) -> Answer {
        if let query = _query { return answer(Results(query.state)) }
        let list = List<Value>()
        list.append(objectsIn: values)
        return unmanaged(list)
    }

    private func aggregate<Answer>(_ function: QueryPath.Function, _ property: String) -> Answer? {
        aggregate({ $0.aggregate(function, property) }, unmanaged: { $0.aggregate(function, property) })
    }

    private func aggregate<Answer>(_ function: QueryPath.Function) -> Answer? {
        if count == 0 { return List<Value>().aggregate(function) }
        return aggregate({ $0.aggregate(function) }, unmanaged: { $0.aggregate(function) })
    }

    /// The smallest value of a property or key path of the objects, by name, or nil if there is none. O(n). Traps if there
    /// is no such property, if it is no number and no date, and if the value does not fit the type.
    public func min<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: MinMaxType {
        aggregate(.min, property)
    }

    /// The largest value of a property or key path of the objects, by name, or nil if there is none. O(n). Traps if there
    /// is no such property, if it is no number and no date, and if the value does not fit the type.
    public func max<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: MinMaxType {
        aggregate(.max, property)
    }

    /// The sum of the values of a property or key path of the objects, by name, 0 if there are none. O(n). Traps if there
    /// is no such property, if it is no number, and if the sum does not fit the type.
    public func sum<Property: _HasPersistedType>(ofProperty property: String) -> Property
    where Property.PersistedType: AddableType {
        aggregate(.sum, property)!
    }

    /// The average of the values of a property or key path of the objects, by name, or nil if there are none. O(n). Traps
    /// if there is no such property or it is no number.
    public func average(ofProperty property: String) -> Double? { aggregate(.average, property) }

    /// The average of the values of a property or key path of the objects, by name, as a number of another type than `Double`:
    /// integers are rounded towards 0.
    @_disfavoredOverload
    public func average<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: AddableType {
        aggregate(.average, property)
    }

    /// The smallest value of a property of the objects, or nil if there is none. O(n).
    public func min<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target?, Property.PersistedType: MinMaxType {
        aggregate(.min, KeyPathName.of(keyPath))
    }

    /// The largest value of a property of the objects, or nil if there is none. O(n).
    public func max<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target?, Property.PersistedType: MinMaxType {
        aggregate(.max, KeyPathName.of(keyPath))
    }

    /// The sum of the values of a property of the objects, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property where Value == Target?, Property.PersistedType: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// The average of the values of a property of the objects, or nil if there are none. O(n).
    public func average<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Double? where Value == Target?, Property.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }

    /// The average of the values of a property of the objects as a value of its type, or nil if there are none: integers are
    /// rounded towards 0. O(n).
    @_disfavoredOverload
    public func average<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target?, Property.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }
}

/// Aggregates of plain values: numbers, dates, and what is stored as such.
extension RealmKeyedCollection where Value.PersistedType: MinMaxType {
    /// The smallest value, or nil if there is none. O(n).
    @_disfavoredOverload
    public func min() -> Value? { aggregate(.min) }
    /// The largest value, or nil if there is none. O(n).
    @_disfavoredOverload
    public func max() -> Value? { aggregate(.max) }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
    /// The sum of the values, 0 if there are none. O(n). Traps if it does not fit the type.
    @_disfavoredOverload
    public func sum() -> Value { aggregate(.sum)! }
    /// The average of the values, or nil if there are none. O(n).
    public func average() -> Double? { aggregate(.average) }
    /// The average of the values as a number of another type than `Double`: integers are rounded towards 0.
    @_disfavoredOverload
    public func average<Number: _HasPersistedType>() -> Number? where Number.PersistedType: AddableType {
        aggregate(.average)
    }
}

extension RealmKeyedCollection {
    /// The smallest value that is not nil, or nil if there is none. O(n).
    public func min<Wrapped: _OptionalPersistable>() -> Wrapped?
    where Value == Wrapped?, Wrapped.PersistedType: MinMaxType {
        aggregate(.min)
    }

    /// The largest value that is not nil, or nil if there is none. O(n).
    public func max<Wrapped: _OptionalPersistable>() -> Wrapped?
    where Value == Wrapped?, Wrapped.PersistedType: MinMaxType {
        aggregate(.max)
    }

    /// The sum of the values that are not nil, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Wrapped: _OptionalPersistable>() -> Wrapped
    where Value == Wrapped?, Wrapped.PersistedType: AddableType {
        aggregate(.sum)!
    }

    /// The sum of the raw values of enums, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum() -> Value.RawValue where Value: PersistableEnum, Value.RawValue: AddableType {
        aggregate(.sum)!
    }
}
