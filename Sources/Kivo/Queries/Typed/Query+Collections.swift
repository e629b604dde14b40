/// A collection in a query: ``List``, ``MutableSet``, ``LinkingObjects`` or ``Map``.
public protocol _QueryCollection {}

extension List: _QueryCollection {}
extension MutableSet: _QueryCollection {}
extension LinkingObjects: _QueryCollection {}
extension Map: _QueryCollection {}

/// Conditions on the elements of a collection.
///
/// An operator holds if at least one element satisfies it; with `!` in front, if no element does.
extension Query where T: RealmCollection {
    /// A property of the elements. A comparison holds if it holds for one of them.
    public subscript<Value>(dynamicMember member: KeyPath<T.Element, Value>) -> Query<Value>
    where T.Element: ObjectBase {
        appending(member)
    }

    /// Returns the condition that an element is in the collection.
    public func contains(_ value: T.Element) -> Query<Bool> { containing(value) }

    /// Returns the condition that at least one of some elements is in the collection. The elements are read when the query is
    /// created.
    public func containsAny<Values: Swift.Sequence>(in collection: Values) -> Query<Bool>
    where Values.Element == T.Element {
        compared(.isIn, values: collection)
    }

    /// Returns the condition that an element equals a value.
    public static func == (left: Query, right: T.Element) -> Query<Bool> { left.compared(.equal, right) }
    /// Returns the condition that an element differs from a value.
    public static func != (left: Query, right: T.Element) -> Query<Bool> { left.compared(.notEqual, right) }
}

extension Query where T: RealmCollection, T.Element.PersistedType: SortableType {
    /// Returns the condition that an element is less than a value.
    public static func < (left: Query, right: T.Element) -> Query<Bool> { left.compared(.less, right) }
    /// Returns the condition that an element is at most a value.
    public static func <= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.lessOrEqual, right)
    }
    /// Returns the condition that an element is greater than a value.
    public static func > (left: Query, right: T.Element) -> Query<Bool> { left.compared(.greater, right) }
    /// Returns the condition that an element is at least a value.
    public static func >= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.greaterOrEqual, right)
    }
}

extension Query where T: RealmCollection, T.Element: Comparable {
    /// Returns the condition that there are elements and all of them are in a range.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> { elementsLie(in: range) }

    /// Returns the condition that there are elements and all of them are in a range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
    /// Returns the condition that there are elements that are not nil, and all of these are in a range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> { elementsLie(in: range) }

    /// Returns the condition that there are elements that are not nil, and all of these are in a range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum {
    /// The raw values of the elements, for comparisons that the enum does not support.
    public var rawValue: Query<List<T.Element.RawValue>> { retyped() }
}

extension Query where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum {
    /// The raw values of the elements, or nil, for comparisons that the enum does not support.
    public var rawValue: Query<List<T.Element.Wrapped.RawValue?>> { retyped() }
}

extension Query {
    /// Returns the condition that the collection contains a value.
    func containing<Value>(_ value: Value) -> Query<Bool> {
        let comparison = QueryComparison(
            left: .value(flatten(value)), operator: .isIn, right: operand)
        return Query<Bool>(.condition(.comparison(comparison)), collections: collections)
    }

    /// Returns the condition that the smallest and the largest element of a collection are in a range.
    func elementsLie<Bound>(in range: Range<Bound>) -> Query<Bool> {
        let (smallest, largest): (Query<Bound>, Query<Bound>) = (aggregate(.min), aggregate(.max))
        return smallest.compared(.greaterOrEqual, range.lowerBound)
            && largest.compared(.less, range.upperBound)
    }

    /// Returns the condition that the smallest and the largest element of a collection are in a range.
    func elementsLie<Bound>(in range: ClosedRange<Bound>) -> Query<Bool> {
        let (smallest, largest): (Query<Bound>, Query<Bound>) = (aggregate(.min), aggregate(.max))
        return smallest.compared(.greaterOrEqual, range.lowerBound)
            && largest.compared(.lessOrEqual, range.upperBound)
    }
}

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
