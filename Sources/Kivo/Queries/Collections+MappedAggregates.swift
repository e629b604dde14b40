/// Aggregates of mapped types: of what is stored, where that has them.
extension RealmCollection
where Element: _CustomPersistable, Element.PersistedType: _Scalar & MinMaxType & Comparable {
    /// The element of which the smallest value is stored, or nil if there is none. O(n).
    public func min() -> Element? { extreme(.min).flatMap(Element._mapped) }
    /// The element of which the largest value is stored, or nil if there is none. O(n).
    public func max() -> Element? { extreme(.max).flatMap(Element._mapped) }
}

extension RealmCollection where Element: _CustomPersistable, Element.PersistedType: _Scalar & AddableType {
    /// What the sum of the stored values is mapped to. O(n). Traps if it does not fit the type.
    public func sum() -> Element { Element._mappedOrTrap(total()) }
    /// The average of the stored values, or nil if there are none. O(n).
    public func average() -> Double? { average(of: Element.PersistedType.self) }
}

extension RealmCollection {
    /// The element of which the smallest value is stored among those that are not nil, or nil if there is none. O(n).
    public func min<Value: _CustomPersistable>() -> Value?
    where Element == Value?, Value.PersistedType: _Scalar & MinMaxType & Comparable {
        extreme(.min).flatMap(Value._mapped)
    }

    /// The element of which the largest value is stored among those that are not nil, or nil if there is none. O(n).
    public func max<Value: _CustomPersistable>() -> Value?
    where Element == Value?, Value.PersistedType: _Scalar & MinMaxType & Comparable {
        extreme(.max).flatMap(Value._mapped)
    }

    /// What the sum of the stored values that are not nil is mapped to. O(n). Traps if it does not fit the type.
    public func sum<Value: _CustomPersistable>() -> Value
    where Element == Value?, Value.PersistedType: _Scalar & AddableType { Value._mappedOrTrap(total()) }

    /// The average of the stored values that are not nil, or nil if there are none. O(n).
    public func average<Value: _CustomPersistable>() -> Double?
    where Element == Value?, Value.PersistedType: _Scalar & AddableType {
        average(of: Value.PersistedType.self)
    }
}

/// Aggregates of properties of mapped types.
extension RealmCollection where Element: ObjectBase {
    /// The value of a property of which the smallest value is stored, or nil if there is none. O(n).
    public func min<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: _Scalar & MinMaxType {
        min(ofProperty: KeyPathName.of(keyPath)).flatMap(Value._mapped)
    }

    /// The value of an optional property of which the smallest value is stored, or nil if there is none. O(n).
    public func min<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: _Scalar & MinMaxType {
        min(ofProperty: KeyPathName.of(keyPath)).flatMap(Value._mapped)
    }

    /// The value of a property of which the largest value is stored, or nil if there is none. O(n).
    public func max<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value>) -> Value?
    where Value.PersistedType: _Scalar & MinMaxType {
        max(ofProperty: KeyPathName.of(keyPath)).flatMap(Value._mapped)
    }

    /// The value of an optional property of which the largest value is stored, or nil if there is none. O(n).
    public func max<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value?
    where Value.PersistedType: _Scalar & MinMaxType {
        max(ofProperty: KeyPathName.of(keyPath)).flatMap(Value._mapped)
    }

    /// What the sum of the stored values of a property is mapped to. O(n). Traps if it does not fit the type.
    public func sum<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value>) -> Value
    where Value.PersistedType: _Scalar & AddableType {
        Value._mappedOrTrap(sum(ofProperty: KeyPathName.of(keyPath)))
    }

    /// The average of the stored values of a property, or nil if there are none. O(n).
    public func average<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value>) -> Double?
    where Value.PersistedType: _Scalar & AddableType {
        average(ofProperty: KeyPathName.of(keyPath))
    }

    /// The elements in the order of the stored values of a property, live. Stable.
    public func sorted<Value: _CustomPersistable>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> where Value.PersistedType: SortableType {
        sorted(byKeyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// What the sum of the stored values of an optional property is mapped to. O(n). Traps if it does not fit the type.
    public func sum<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value?>) -> Value
    where Value.PersistedType: _Scalar & AddableType {
        Value._mappedOrTrap(sum(ofProperty: KeyPathName.of(keyPath)))
    }

    /// The average of the stored values of an optional property, or nil if there are none. O(n).
    public func average<Value: _CustomPersistable>(of keyPath: KeyPath<Element, Value?>) -> Double?
    where Value.PersistedType: _Scalar & AddableType {
        average(ofProperty: KeyPathName.of(keyPath))
    }

    /// The elements in the order of the stored values of an optional property, live. Stable.
    public func sorted<Value: _CustomPersistable>(
        by keyPath: KeyPath<Element, Value?>, ascending: Bool = true
    ) -> Results<Element> where Value.PersistedType: SortableType {
        sorted(byKeyPath: KeyPathName.of(keyPath), ascending: ascending)
    }
}

extension RealmCollection where Element: _CustomPersistable, Element.PersistedType: SortableType {
    /// The elements in the order of their stored values, live. Stable.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }
}

/// Aggregates of the mapped values in a map.
extension RealmKeyedCollection
where Value: _CustomPersistable, Value.PersistedType: _Scalar & MinMaxType & Comparable {
    /// The value of which the smallest is stored, or nil if there is none. O(n).
    public func min() -> Value? { aggregate({ $0.min() }, unmanaged: { $0.min() }) }
    /// The value of which the largest is stored, or nil if there is none. O(n).
    public func max() -> Value? { aggregate({ $0.max() }, unmanaged: { $0.max() }) }
}

extension RealmKeyedCollection where Value: _CustomPersistable, Value.PersistedType: _Scalar & AddableType {
    /// What the sum of the stored values is mapped to. O(n). Traps if it does not fit the type.
    public func sum() -> Value { aggregate({ $0.sum() }, unmanaged: { $0.sum() }) }
    /// The average of the stored values, or nil if there are none. O(n).
    public func average() -> Double? { aggregate({ $0.average() }, unmanaged: { $0.average() }) }
}
