import KivoEngine

/// Aggregates of a property by name. In collections of plain values, `"self"` is the only property, and other names trap.
extension RealmCollection {
    /// Returns the smallest value of a property or key path, by name, or nil if there is none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, it is a number or a date, and its value fits the type.
    public func min<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.min, property)
    }

    /// Returns the largest value of a property or key path, by name, or nil if there is none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, it is a number or a date, and its value fits the type.
    public func max<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.max, property)
    }

    /// Returns the sum of the values of a property or key path, by name, or 0 if there are none. Integers are added exactly, and
    /// the result is converted to the type.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, it is a number, and the sum fits the type.
    public func sum<Value: _HasPersistedType>(ofProperty property: String) -> Value
    where Value.PersistedType: AddableType {
        aggregate(.sum, property)!
    }

    /// Returns the average of the values of a property or key path, by name, or nil if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: There is such a property, and it is a number.
    public func average(ofProperty property: String) -> Double? { aggregate(.average, property) }

    /// Returns the average of the values of a property or key path, by name, as a number of a type other than `Double`. Averages
    /// of an integer type are rounded towards 0.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>(ofProperty property: String) -> Value?
    where Value.PersistedType: AddableType {
        aggregate(.average, property)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the smallest value of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.min, KeyPathName.of(keyPath))
    }

    /// Returns the smallest value of an optional property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.min, KeyPathName.of(keyPath))
    }

    /// Returns the largest value of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.max, KeyPathName.of(keyPath))
    }

    /// Returns the largest value of an optional property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: MinMaxType {
        aggregate(.max, KeyPathName.of(keyPath))
    }

    /// Returns the sum of the values of a property, or 0 if there are none. Integers are added exactly.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the property's type: `sum(ofProperty:)` returns it with a wider type.
    @_disfavoredOverload
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value
    where Value.PersistedType: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// Returns the sum of the values of an optional property, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the property's type.
    @_disfavoredOverload
    public func sum<Value: _OptionalPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value
    where Value.PersistedType: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// Returns the average of the values of a property, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Double?
    where Value.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }

    /// Returns the average of the values of a property as a value of its type, or nil if there are none. Averages of an integer
    /// type are rounded towards 0.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: AddableType {
        aggregate(.average, KeyPathName.of(keyPath))
    }
}

/// Aggregates of plain values: numbers, dates, and types that are stored as these.
extension RealmCollection where Element.PersistedType: MinMaxType {
    /// Returns the smallest value, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min() -> Element? where Element: _OptionalPersistable { aggregate(.min) }
    /// Returns the largest value, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max() -> Element? where Element: _OptionalPersistable { aggregate(.max) }

    /// Returns the smallest value, or nil if there is none, for elements that may be optional.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func min() -> Element? { aggregate(.min) }
    /// Returns the largest value, or nil if there is none, for elements that may be optional.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func max() -> Element? { aggregate(.max) }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// Returns the sum of the values, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    @_disfavoredOverload
    public func sum() -> Element { aggregate(.sum)! }
    /// Returns the average of the values, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average() -> Double? { aggregate(.average) }
    /// Returns the average of the values as a number of a type other than `Double`. Averages of an integer type are rounded
    /// towards 0.
    ///
    /// - Complexity: O(n).
    @_disfavoredOverload
    public func average<Value: _HasPersistedType>() -> Value? where Value.PersistedType: AddableType {
        aggregate(.average)
    }
}

extension RealmCollection {
    /// Returns the smallest value that is not nil, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min<Value: _OptionalPersistable>() -> Value?
    where Element == Value?, Value.PersistedType: MinMaxType {
        aggregate(.min)
    }

    /// Returns the largest value that is not nil, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max<Value: _OptionalPersistable>() -> Value?
    where Element == Value?, Value.PersistedType: MinMaxType {
        aggregate(.max)
    }

    /// Returns the sum of the values that are not nil, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum<Value: _OptionalPersistable>() -> Value
    where Element == Value?, Value.PersistedType: AddableType {
        aggregate(.sum)!
    }
}

/// Sums of enums by their raw values. A sum need not be the raw value of a case.
extension RealmCollection {
    /// Returns the sum of the raw values, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum() -> Element.RawValue where Element: PersistableEnum, Element.RawValue: AddableType {
        aggregate(.sum)!
    }

    /// Returns the sum of the raw values that are not nil, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum<Value: PersistableEnum>() -> Value.RawValue
    where Element == Value?, Value.RawValue: AddableType {
        aggregate(.sum)!
    }

    /// Returns the sum of the raw values of a property, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value>) -> Value.RawValue
    where Element: ObjectBase, Value.RawValue: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }

    /// Returns the sum of the raw values of an optional property, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The sum fits the type.
    public func sum<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value?>) -> Value.RawValue
    where Element: ObjectBase, Value.RawValue: AddableType {
        aggregate(.sum, KeyPathName.of(keyPath))!
    }
}

/// Aggregates of values of any type. The least and the greatest value are by the order in which results are sorted; nil, objects
/// and collections are ignored. Sums and averages are decimals, and include only numbers.
extension RealmCollection {
    /// Returns the least of the values of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func min(ofProperty property: String) -> AnyRealmValue? { aggregate(.min, property) }

    /// Returns the greatest of the values of a property, or nil if there is none.
    ///
    /// - Complexity: O(n).
    public func max(ofProperty property: String) -> AnyRealmValue? { aggregate(.max, property) }

    /// Returns the sum of the numbers among the values of a property, or 0 if there are none.
    ///
    /// - Complexity: O(n).
    public func sum(ofProperty property: String) -> AnyRealmValue { aggregate(.sum, property)! }
}

extension RealmCollection where Element == AnyRealmValue {
    /// Returns the average of the numbers, or nil if there are none.
    ///
    /// - Complexity: O(n).
    public func average() -> AnyRealmValue? { aggregate(.average) }
}
