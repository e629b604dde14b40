import KivoEngine

extension RealmCollection {
    /// The live numbers of the collection: its count, and sums, averages and extremes of its elements, which follow each change.
    ///
    ///     let count = realm.objects(Dog.self).where { $0.age > 10 }.live.count
    ///     let token = count.observe { print("\($0) old dogs") }
    ///
    /// - Complexity: O(1): nothing is computed before a number is read or observed.
    /// - Precondition: The collection is managed.
    public var live: LiveNumbers<Element> {
        guard let query = queryState else {
            trap("An unmanaged collection has no live numbers: add its object to a realm first.")
        }
        return LiveNumbers(query: query)
    }
}

extension RealmKeyedCollection {
    /// The live numbers of the values of the map, without objects that are nil; see ``RealmCollection/live``.
    ///
    /// - Complexity: O(1): nothing is computed before a number is read or observed.
    /// - Precondition: The map is managed.
    public var live: LiveNumbers<Value> {
        guard let query = queryState else {
            trap("An unmanaged map has no live numbers: add its object to a realm first.")
        }
        return LiveNumbers(query: query)
    }
}

/// The live numbers of a collection; see ``RealmCollection/live`` and ``LiveNumber``.
public struct LiveNumbers<Element: RealmCollectionValue> {
    let query: QueryState

    /// The number of elements.
    ///
    /// - Complexity: O(1).
    public var count: LiveNumber<Int> { LiveNumber(query, .count) { Int(cell: $0) } }

    /// A Boolean value that indicates whether there are no elements.
    ///
    /// - Complexity: O(1).
    public var isEmpty: LiveNumber<Bool> { LiveNumber(query, .isEmpty) { $0 == .word(0) } }

    /// Returns a function whose result exists for no values, too.
    fileprivate func total<Value>(_ property: String) -> LiveNumber<Value> {
        let type = query.values(.sum, property).type
        return LiveNumber(query, .aggregate(.sum, property)) { cell in
            let value = AggregateValue(cell, type, .sum, property) ?? .ofNothing(.sum, property)!
            return value.converted(to: Value.self)
        }
    }

    /// Returns a function without a result for no values.
    fileprivate func number<Value>(_ function: QueryPath.Function, _ property: String) -> LiveNumber<Value?> {
        let type = query.values(function, property).type
        return LiveNumber(query, .aggregate(function, property)) { cell in
            AggregateValue(cell, type, function, property)?.converted(to: Value.self)
        }
    }
}

@available(*, unavailable)
extension LiveNumbers: Sendable {}

/// Numbers of a property by name. In collections of plain values, `"self"` is the only property, and other names trap.
extension LiveNumbers {
    /// Returns the smallest value of a property or key path, by name; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    /// - Precondition: There is such a property, and it is a number or a date.
    public func min<Value: _HasPersistedType>(ofProperty property: String) -> LiveNumber<Value?>
    where Value.PersistedType: MinMaxType { number(.min, property) }

    /// Returns the largest value of a property or key path, by name; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    /// - Precondition: There is such a property, and it is a number or a date.
    public func max<Value: _HasPersistedType>(ofProperty property: String) -> LiveNumber<Value?>
    where Value.PersistedType: MinMaxType { number(.max, property) }

    /// Returns the sum of the values of a property or key path, by name.
    ///
    /// - Complexity: O(1).
    /// - Precondition: There is such a property, and it is a number.
    public func sum<Value: _HasPersistedType>(ofProperty property: String) -> LiveNumber<Value>
    where Value.PersistedType: AddableType { total(property) }

    /// Returns the average of the values of a property or key path, by name; its value is nil if there are none.
    ///
    /// - Complexity: O(1).
    /// - Precondition: There is such a property, and it is a number.
    public func average(ofProperty property: String) -> LiveNumber<Double?> { number(.average, property) }
}

extension LiveNumbers where Element: ObjectBase {
    /// Returns the smallest value of a property; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    @_disfavoredOverload
    public func min<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> LiveNumber<Value?>
    where Value.PersistedType: MinMaxType { number(.min, KeyPathName.of(keyPath)) }

    /// Returns the smallest value of an optional property; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    public func min<Value: _OptionalPersistable>(
        of keyPath: KeyPath<Element, Value?>
    ) -> LiveNumber<Value?>
    where Value.PersistedType: MinMaxType { number(.min, KeyPathName.of(keyPath)) }

    /// Returns the largest value of a property; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    @_disfavoredOverload
    public func max<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> LiveNumber<Value?>
    where Value.PersistedType: MinMaxType { number(.max, KeyPathName.of(keyPath)) }

    /// Returns the largest value of an optional property; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    public func max<Value: _OptionalPersistable>(
        of keyPath: KeyPath<Element, Value?>
    ) -> LiveNumber<Value?>
    where Value.PersistedType: MinMaxType { number(.max, KeyPathName.of(keyPath)) }

    /// Returns the sum of the values of a property.
    ///
    /// - Complexity: O(1).
    @_disfavoredOverload
    public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<Element, Value>) -> LiveNumber<Value>
    where Value.PersistedType: AddableType { total(KeyPathName.of(keyPath)) }

    /// Returns the sum of the values of an optional property; nil counts as 0.
    ///
    /// - Complexity: O(1).
    public func sum<Value: _OptionalPersistable>(
        of keyPath: KeyPath<Element, Value?>
    ) -> LiveNumber<Value>
    where Value.PersistedType: AddableType { total(KeyPathName.of(keyPath)) }

    /// Returns the average of the values of a property that are not nil; its value is nil if there are none.
    ///
    /// - Complexity: O(1).
    public func average<Value: _HasPersistedType>(
        of keyPath: KeyPath<Element, Value>
    ) -> LiveNumber<Double?>
    where Value.PersistedType: AddableType { number(.average, KeyPathName.of(keyPath)) }

    /// Returns the sum of the raw values of a property.
    ///
    /// - Complexity: O(1).
    public func sum<Value: PersistableEnum>(
        of keyPath: KeyPath<Element, Value>
    ) -> LiveNumber<Value.RawValue> where Value.RawValue: AddableType { total(KeyPathName.of(keyPath)) }

    /// Returns the sum of the raw values of an optional property; nil counts as 0.
    ///
    /// - Complexity: O(1).
    public func sum<Value: PersistableEnum>(
        of keyPath: KeyPath<Element, Value?>
    ) -> LiveNumber<Value.RawValue> where Value.RawValue: AddableType { total(KeyPathName.of(keyPath)) }
}

/// Numbers of plain values: numbers, dates, and types that are stored as these.
extension LiveNumbers where Element.PersistedType: MinMaxType {
    /// Returns the smallest value; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    public func min() -> LiveNumber<Element?> { number(.min, "self") }

    /// Returns the largest value; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    public func max() -> LiveNumber<Element?> { number(.max, "self") }
}

extension LiveNumbers where Element.PersistedType: AddableType {
    /// Returns the sum of the values.
    ///
    /// - Complexity: O(1).
    public func sum() -> LiveNumber<Element> { total("self") }

    /// Returns the average of the values; its value is nil if there are none.
    ///
    /// - Complexity: O(1).
    public func average() -> LiveNumber<Double?> { number(.average, "self") }
}

extension LiveNumbers {
    /// Returns the smallest value that is not nil; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    public func min<Value: _OptionalPersistable>() -> LiveNumber<Value?>
    where Element == Value?, Value.PersistedType: MinMaxType { number(.min, "self") }

    /// Returns the largest value that is not nil; its value is nil if there is none.
    ///
    /// - Complexity: O(1).
    public func max<Value: _OptionalPersistable>() -> LiveNumber<Value?>
    where Element == Value?, Value.PersistedType: MinMaxType { number(.max, "self") }

    /// Returns the sum of the values that are not nil.
    ///
    /// - Complexity: O(1).
    public func sum<Value: _OptionalPersistable>() -> LiveNumber<Value>
    where Element == Value?, Value.PersistedType: AddableType { total("self") }
}
