/// Aggregates of the map's values.
extension RealmKeyedCollection {
    /// Aggregates the values: as results if the map is managed, otherwise as a list.
    private func aggregate<Answer>(
        _ answer: (Results<Value>) -> Answer, unmanaged: (List<Value>) -> Answer
    ) -> Answer {
        if let query = queryState { return answer(Results(query)) }
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

    /// Returns the smallest value of a property or key path of the objects, by name, or nil if there is none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, it is a number or a date, and its value fits the type.
    public func min<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: MinMaxType {
        aggregate(.min, property)
    }

    /// Returns the largest value of a property or key path of the objects, by name, or nil if there is none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, it is a number or a date, and its value fits the type.
    public func max<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: MinMaxType {
        aggregate(.max, property)
    }

    /// Returns the sum of the values of a property or key path of the objects, by name, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, it is a number, and the sum fits the type.
    public func sum<Property: _HasPersistedType>(ofProperty property: String) -> Property
    where Property.PersistedType: AddableType {
        aggregate(.sum, property)!
    }

    /// Returns the average of the values of a property or key path of the objects, by name, or nil if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, and it is a number.
    public func average(ofProperty property: String) -> Double? { aggregate(.average, property) }

    /// Returns the average of the values of a property or key path of the objects, by name, as another type than `Double`.
    /// Averages of an integer type are rounded towards 0.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func average<Property: _HasPersistedType>(ofProperty property: String) -> Property?
    where Property.PersistedType: AddableType {
        aggregate(.average, property)
    }

    /// Returns the smallest value of a property of the objects, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target?, Property.PersistedType: MinMaxType {
        aggregate(.min, KeyPathName.of(keyPath))
    }

    /// Returns the largest value of a property of the objects, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target?, Property.PersistedType: MinMaxType {
        aggregate(.max, KeyPathName.of(keyPath))
    }

    /// Returns the sum of the values of a property of the objects, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property where Value == Target?, Property.PersistedType: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// Returns the average of the values of a property of the objects, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Double? where Value == Target?, Property.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }

    /// Returns the average of the values of a property of the objects as a value of its type, or nil if there are none. Averages
    /// of an integer type are rounded towards 0.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func average<Target: ObjectBase, Property: _HasPersistedType>(
        of keyPath: KeyPath<Target, Property>
    ) -> Property? where Value == Target?, Property.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }
}

/// Aggregates of plain values: numbers, dates, and types that are stored as these.
extension RealmKeyedCollection where Value.PersistedType: MinMaxType {
    /// Returns the smallest value, or nil if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min() -> Value? { aggregate(.min) }
    /// Returns the largest value, or nil if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max() -> Value? { aggregate(.max) }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
    /// Returns the sum of the values, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    @_disfavoredOverload
    public func sum() -> Value { aggregate(.sum)! }
    /// Returns the average of the values, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average() -> Double? { aggregate(.average) }
    /// Returns the average of the values as a number of a type other than `Double`. Averages of an integer type are rounded
    /// towards 0.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func average<Number: _HasPersistedType>() -> Number? where Number.PersistedType: AddableType {
        aggregate(.average)
    }
}

extension RealmKeyedCollection {
    /// Returns the smallest value that is not nil, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min<Wrapped: _OptionalPersistable>() -> Wrapped?
    where Value == Wrapped?, Wrapped.PersistedType: MinMaxType {
        aggregate(.min)
    }

    /// Returns the largest value that is not nil, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max<Wrapped: _OptionalPersistable>() -> Wrapped?
    where Value == Wrapped?, Wrapped.PersistedType: MinMaxType {
        aggregate(.max)
    }

    /// Returns the sum of the values that are not nil, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum<Wrapped: _OptionalPersistable>() -> Wrapped
    where Value == Wrapped?, Wrapped.PersistedType: AddableType {
        aggregate(.sum)!
    }

    /// Returns the sum of the raw values of enums, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum() -> Value.RawValue where Value: PersistableEnum, Value.RawValue: AddableType {
        aggregate(.sum)!
    }
}
