/// Aggregates of enums: of the raw values, where these have them.
extension RealmCollection where Element: PersistableEnum, Element.RawValue: MinMaxType & Comparable {
    /// The case with the smallest raw value, or nil if there is none. O(n).
    public func min() -> Element? { extreme(.min).flatMap(Element.init) }
    /// The case with the largest raw value, or nil if there is none. O(n).
    public func max() -> Element? { extreme(.max).flatMap(Element.init) }
}

extension RealmCollection where Element: PersistableEnum, Element.RawValue: AddableType {
    /// The sum of the raw values, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum() -> Element.RawValue { total() }
    /// The average of the raw values, or nil if there are none. O(n).
    public func average() -> Double? { average(of: Element.RawValue.self) }
}

extension RealmCollection {
    /// The case with the smallest raw value among those that are not nil, or nil if there is none. O(n).
    public func min<Value: PersistableEnum>() -> Value?
    where Element == Value?, Value.RawValue: MinMaxType & Comparable {
        extreme(.min).flatMap(Value.init)
    }

    /// The case with the largest raw value among those that are not nil, or nil if there is none. O(n).
    public func max<Value: PersistableEnum>() -> Value?
    where Element == Value?, Value.RawValue: MinMaxType & Comparable {
        extreme(.max).flatMap(Value.init)
    }

    /// The sum of the raw values that are not nil, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: PersistableEnum>() -> Value.RawValue
    where Element == Value?, Value.RawValue: AddableType { total() }

    /// The average of the raw values that are not nil, or nil if there are none. O(n).
    public func average<Value: PersistableEnum>() -> Double?
    where Element == Value?, Value.RawValue: AddableType { average(of: Value.RawValue.self) }
}

/// Aggregates of properties that are enums.
extension RealmCollection where Element: ObjectBase {
    /// The case with the smallest raw value of a property, or nil if there is none. O(n).
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.RawValue: MinMaxType {
        min(ofProperty: KeyPathName.of(keyPath)).flatMap(Value.init)
    }

    /// The case with the smallest raw value of an optional property, or nil if there is none. O(n).
    public func min<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.RawValue: MinMaxType {
        min(ofProperty: KeyPathName.of(keyPath)).flatMap(Value.init)
    }

    /// The case with the largest raw value of a property, or nil if there is none. O(n).
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.RawValue: MinMaxType {
        max(ofProperty: KeyPathName.of(keyPath)).flatMap(Value.init)
    }

    /// The case with the largest raw value of an optional property, or nil if there is none. O(n).
    public func max<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.RawValue: MinMaxType {
        max(ofProperty: KeyPathName.of(keyPath)).flatMap(Value.init)
    }

    /// The sum of the raw values of a property, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value>) -> Value.RawValue
    where Value.RawValue: AddableType {
        sum(ofProperty: KeyPathName.of(keyPath))
    }

    /// The sum of the raw values of an optional property, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value?>) -> Value.RawValue
    where Value.RawValue: AddableType {
        sum(ofProperty: KeyPathName.of(keyPath))
    }

    /// The average of the raw values of a property, or nil if there are none. O(n).
    public func average<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value>) -> Double?
    where Value.RawValue: AddableType {
        average(ofProperty: KeyPathName.of(keyPath))
    }

    /// The average of the raw values of an optional property, or nil if there are none. O(n).
    public func average<Value: PersistableEnum>(of keyPath: KeyPath<Element, Value?>) -> Double?
    where Value.RawValue: AddableType {
        average(ofProperty: KeyPathName.of(keyPath))
    }
}

/// Aggregates of the enums in a map.
extension RealmKeyedCollection where Value: PersistableEnum, Value.RawValue: MinMaxType & Comparable {
    /// The case with the smallest raw value, or nil if there is none. O(n).
    public func min() -> Value? {
        aggregate {
            $0.min()
        } unmanaged: {
            $0.min()
        }
    }
    /// The case with the largest raw value, or nil if there is none. O(n).
    public func max() -> Value? {
        aggregate {
            $0.max()
        } unmanaged: {
            $0.max()
        }
    }
}

extension RealmKeyedCollection where Value: PersistableEnum, Value.RawValue: AddableType {
    /// The sum of the raw values, 0 if there are none. O(n). Traps if it does not fit the type.
    public func sum() -> Value.RawValue {
        aggregate {
            $0.sum()
        } unmanaged: {
            $0.sum()
        }
    }
    /// The average of the raw values, or nil if there are none. O(n).
    public func average() -> Double? {
        aggregate {
            $0.average()
        } unmanaged: {
            $0.average()
        }
    }
}
