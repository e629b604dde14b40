/// Aggregates of a collection's elements.
///
/// Elements that are nil are ignored, except by `count`. Without elements there is no smallest, largest or average value, which
/// compares like nil; the sum is 0.
extension Query where T: RealmCollection {
    /// The number of elements.
    public var count: Query<Int> { aggregate(.count) }
}

extension Query where T: RealmCollection, T.Element.PersistedType: MinMaxType {
    /// The smallest element.
    ///
    /// - Complexity: O(n).
    public var min: Query<T.Element> { aggregate(.min) }
    /// The largest element.
    ///
    /// - Complexity: O(n).
    public var max: Query<T.Element> { aggregate(.max) }
}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
    /// The average of the elements.
    ///
    /// - Precondition: They are numbers, not dates.
    @_disfavoredOverload public var avg: Query<T.Element> { aggregate(.average) }
    /// The sum of the elements.
    ///
    /// - Complexity: O(n).
    /// - Precondition: They are numbers, not dates.
    @_disfavoredOverload public var sum: Query<T.Element> { aggregate(.sum) }
}

extension Query where T: RealmKeyedCollection {
    /// The number of entries.
    public var count: Query<Int> { aggregate(.count) }
}

extension Query where T: RealmKeyedCollection, T.Value.PersistedType: MinMaxType {
    /// The smallest value.
    ///
    /// - Complexity: O(n).
    public var min: Query<T.Value> { aggregate(.min) }
    /// The largest value.
    ///
    /// - Complexity: O(n).
    public var max: Query<T.Value> { aggregate(.max) }
}

extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
    /// The average of the values.
    ///
    /// - Precondition: They are numbers, not dates.
    @_disfavoredOverload public var avg: Query<T.Value> { aggregate(.average) }
    /// The sum of the values.
    ///
    /// - Complexity: O(n).
    /// - Precondition: They are numbers, not dates.
    @_disfavoredOverload public var sum: Query<T.Value> { aggregate(.sum) }
}

extension Query where T: _HasPersistedType, T.PersistedType: MinMaxType {
    /// The smallest value of a property of a collection's elements: `$0.dogs.age.min`.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The property is one of a collection's elements.
    public var min: Query { aggregate(.min) }
    /// The largest value of a property of a collection's elements: `$0.dogs.age.max`.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The property is one of a collection's elements.
    public var max: Query { aggregate(.max) }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// The average of a property of a collection's elements: `$0.dogs.age.avg`.
    ///
    /// - Precondition: The property is one of a collection's elements, and no date.
    @_disfavoredOverload public var avg: Query { aggregate(.average) }
    /// The sum of a property of a collection's elements: `$0.dogs.age.sum`.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The property is one of a collection's elements, and no date.
    @_disfavoredOverload public var sum: Query { aggregate(.sum) }
}

/// Sums and averages of enums by their raw values. A result need not be the raw value of a case.
extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: AddableType {
    /// The average of the elements' raw values.
    public var avg: Query<T.Element.RawValue> { aggregate(.average) }
    /// The sum of the elements' raw values.
    ///
    /// - Complexity: O(n).
    public var sum: Query<T.Element.RawValue> { aggregate(.sum) }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: AddableType
{
    /// The average of the elements' raw values.
    public var avg: Query<T.Element.Wrapped.RawValue?> { aggregate(.average) }
    /// The sum of the elements' raw values.
    ///
    /// - Complexity: O(n).
    public var sum: Query<T.Element.Wrapped.RawValue?> { aggregate(.sum) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: AddableType {
    /// The average of the raw values.
    public var avg: Query<T.Value.RawValue> { aggregate(.average) }
    /// The sum of the raw values.
    ///
    /// - Complexity: O(n).
    public var sum: Query<T.Value.RawValue> { aggregate(.sum) }
}

extension Query where T: PersistableEnum, T.RawValue: AddableType {
    /// The average raw value of a property of a collection's elements.
    ///
    /// - Precondition: The property is one of a collection's elements.
    public var avg: Query<T.RawValue> { aggregate(.average) }
    /// The sum of the raw values of a property of a collection's elements.
    ///
    /// - Complexity: O(n).
    /// - Precondition: The property is one of a collection's elements.
    public var sum: Query<T.RawValue> { aggregate(.sum) }
}

extension Query {
    /// Returns a query for an aggregate of the last collection on the path.
    func aggregate<Value>(_ function: QueryPath.Function) -> Query<Value> {
        let path = path
        guard let length = collectionLengths(of: path.components).last else {
            trap(
                """
                '\(path.text)' has no '\(function.rawValue)' in a query: it leads through no collection whose elements \
                could be taken together.
                """)
        }
        var rest = path.components[length...]
        if rest.first == .values { rest.removeFirst() }
        if rest.first == .keys { trap("The keys of a map have no '\(function.rawValue)' in a query.") }
        let aggregated = QueryPath(
            components: Array(path.components[..<length]), aggregate: (function, Array(rest)))
        return Query<Value>(.operand(.path(aggregated)), collections: collections)
    }

    /// Returns the number of components up to each collection on a path. A map is skipped if the path takes the value of one of
    /// its keys.
    func collectionLengths(of components: [QueryPath.Component]) -> [Int] {
        components.indices.map { $0 + 1 }.filter { length in
            guard collections.contains(Array(components[..<length])) else { return false }
            if length < components.count, case .key = components[length] { return false }
            return true
        }
    }
}
