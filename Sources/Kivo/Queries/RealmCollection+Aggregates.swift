import KivoEngine

/// Aggregates of a property by name. They trap in collections of plain values, of which `"self"` is the only property.
extension RealmCollection {
    /// The smallest value of a property or key path, by name, or nil if there is none. O(n). Traps if there is no such
    /// property, if it is no number and no date, and if the value does not fit the type.
    public func min<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.min, property)
    }

    /// The largest value of a property or key path, by name, or nil if there is none. O(n). Traps if there is no such
    /// property, if it is no number and no date, and if the value does not fit the type.
    public func max<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.max, property)
    }

    /// The sum of the values of a property or key path, by name, 0 if there are none. O(n). Integers are added exactly, and the
    /// result is converted to the type. Traps if there is no such property, if it is no number, and if the sum does not fit the type.
    public func sum<Value: _HasPersistedType>(ofProperty property: String) -> Value
    where Value.PersistedType: AddableType {
        aggregate(.sum, property)!
    }

    /// The average of the values of a property or key path, by name, or nil if there are none. O(n). Traps if there is no
    /// such property or it is no number.
    public func average(ofProperty property: String) -> Double? { aggregate(.average, property) }

    /// The average of the values of a property or key path, by name, as a number of another type than `Double`: integers are
    /// rounded towards 0.
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: AddableType {
        aggregate(.average, property)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The smallest value of a property, or nil if there is none. O(n).
    @_disfavoredOverload
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.min, KeyPathName.of(keyPath))
    }

    /// The smallest value of an optional property, or nil if there is none. O(n).
    @_disfavoredOverload
    public func min<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.min, KeyPathName.of(keyPath))
    }

    /// The largest value of a property, or nil if there is none. O(n).
    @_disfavoredOverload
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.max, KeyPathName.of(keyPath))
    }

    /// The largest value of an optional property, or nil if there is none. O(n).
    @_disfavoredOverload
    public func max<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.max, KeyPathName.of(keyPath))
    }

    /// The sum of the values of a property, 0 if there are none. O(n). Integers are added exactly. Traps if the sum does not fit the
    /// property's type: `sum(ofProperty:)` returns it as a wider one.
    @_disfavoredOverload
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value
    where Value.PersistedType: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// The sum of the values of an optional property, 0 if there are none. O(n). Traps if it does not fit the
    /// property's type.
    @_disfavoredOverload
    public func sum<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value
    where Value.PersistedType: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// The average of the values of a property, or nil if there are none. O(n).
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Double?
    where Value.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }

    /// The average of the values of a property as a value of its type, or nil if there are none: integers are rounded towards
    /// 0. O(n).
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }
}

/// Aggregates of plain values: numbers, dates, and what is stored as such.
extension RealmCollection where Element.PersistedType: MinMaxType {
    /// The smallest value, or nil if there is none. O(n).
    public func min() -> Element? where Element: _OptionalPersistable { aggregate(.min) }
    /// The largest value, or nil if there is none. O(n).
    public func max() -> Element? where Element: _OptionalPersistable { aggregate(.max) }

    /// The smallest value, or nil if there is none: where it is not known whether values can be nil. O(n).
    @_disfavoredOverload
    public func min() -> Element? { aggregate(.min) }
    /// The largest value, or nil if there is none: where it is not known whether values can be nil. O(n).
    @_disfavoredOverload
    public func max() -> Element? { aggregate(.max) }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// The sum of the values, 0 if there are none. O(n). Traps if it does not fit the type.
    @_disfavoredOverload
    public func sum() -> Element { aggregate(.sum)! }
    /// The average of the values, or nil if there are none. O(n).
    public func average() -> Double? { aggregate(.average) }
    /// The average of the values as a number of another type than `Double`: integers are rounded towards 0.
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>() -> Value? where Value.PersistedType: AddableType {
        aggregate(.average)
    }
}

extension RealmCollection {
    /// The smallest value that is not nil, or nil if there is none. O(n).
    public func min<Value: _OptionalPersistable>() -> Value?
    where Element == Value?, Value.PersistedType: MinMaxType {
        aggregate(.min)
    }

    /// The largest value that is not nil, or nil if there is none. O(n).
    public func max<Value: _OptionalPersistable>() -> Value?
    where Element == Value?, Value.PersistedType: MinMaxType {
        aggregate(.max)
    }

    /// The sum of the values that are not nil, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: _OptionalPersistable>() -> Value
    where Element == Value?, Value.PersistedType: AddableType {
        aggregate(.sum)!
    }
}

/// Sums of enums are numbers, which need not be a case.
extension RealmCollection {
    /// The sum of the raw values, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum() -> Element.RawValue where Element: PersistableEnum, Element.RawValue: AddableType {
        aggregate(.sum)!
    }

    /// The sum of the raw values that are not nil, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: PersistableEnum>() -> Value.RawValue
    where Element == Value?, Value.RawValue: AddableType {
        aggregate(.sum)!
    }

    /// The sum of the raw values of a property, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value>) -> Value.RawValue
    where Element: ObjectBase, Value.RawValue: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// The sum of the raw values of an optional property, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value?>) -> Value.RawValue
    where Element: ObjectBase, Value.RawValue: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }
}
