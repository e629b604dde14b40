/// A collection in a query: ``List``, ``MutableSet``, ``LinkingObjects`` or ``Map``.
public protocol _QueryCollection {}

extension List: _QueryCollection {}
extension MutableSet: _QueryCollection {}
extension LinkingObjects: _QueryCollection {}
extension Map: _QueryCollection {}

/// Asking for elements.
///
/// The operators ask whether there is an element that compares so; `!` in front says that there is none.
extension Query where T: RealmCollection {
    /// A property of the elements: a comparison of it holds if it does for one of them.
    public subscript<Value>(dynamicMember member: KeyPath<T.Element, Value>) -> Query<Value>
    where T.Element: ObjectBase {
        appending(member)
    }

    /// Whether an element is in the collection.
    public func contains(_ value: T.Element) -> Query<Bool> { containing(value) }

    /// Whether one of some elements is in the collection. They are taken as they are when the query is made.
    public func containsAny<Values: Swift.Sequence>(in collection: Values) -> Query<Bool>
    where Values.Element == T.Element {
        compared(.isIn, values: collection)
    }

    /// Whether an element equals a value.
    public static func == (left: Query, right: T.Element) -> Query<Bool> { left.compared(.equal, right) }
    /// Whether an element differs from a value.
    public static func != (left: Query, right: T.Element) -> Query<Bool> { left.compared(.notEqual, right) }
}

extension Query where T: RealmCollection, T.Element.PersistedType: SortableType {
    /// Whether an element is less than a value.
    public static func < (left: Query, right: T.Element) -> Query<Bool> { left.compared(.less, right) }
    /// Whether an element is a value at most.
    public static func <= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.lessOrEqual, right)
    }
    /// Whether an element is greater than a value.
    public static func > (left: Query, right: T.Element) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether an element is a value at least.
    public static func >= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.greaterOrEqual, right)
    }
}

extension Query where T: RealmCollection, T.Element: Comparable {
    /// Whether there are elements and all of them lie in a range.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> { elementsLie(in: range) }

    /// Whether there are elements and all of them lie in a range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
    /// Whether there are elements that are not nil, and all of these lie in a range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> { elementsLie(in: range) }

    /// Whether there are elements that are not nil, and all of these lie in a range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> { elementsLie(in: range) }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum {
    /// The raw values of the elements, for comparisons that the enum has not.
    public var rawValue: Query<List<T.Element.RawValue>> { retyped() }
}

extension Query where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum {
    /// The raw values of the elements, or nil, for comparisons that the enum has not.
    public var rawValue: Query<List<T.Element.Wrapped.RawValue?>> { retyped() }
}

extension Query {
    /// Whether a value is one of those that the collection holds.
    func containing<Value>(_ value: Value) -> Query<Bool> {
        let comparison = QueryComparison(
            left: .value(flatten(value)), operator: .isIn, right: operand)
        return Query<Bool>(.condition(.comparison(comparison)), collections: collections)
    }

    /// Whether the smallest and the largest element of a collection lie in a range.
    func elementsLie<Bound>(in range: Range<Bound>) -> Query<Bool> {
        let (smallest, largest): (Query<Bound>, Query<Bound>) = (aggregate(.min), aggregate(.max))
        return smallest.compared(.greaterOrEqual, range.lowerBound)
            && largest.compared(.less, range.upperBound)
    }

    /// Whether the smallest and the largest element of a collection lie in a range.
    func elementsLie<Bound>(in range: ClosedRange<Bound>) -> Query<Bool> {
        let (smallest, largest): (Query<Bound>, Query<Bound>) = (aggregate(.min), aggregate(.max))
        return smallest.compared(.greaterOrEqual, range.lowerBound)
            && largest.compared(.lessOrEqual, range.upperBound)
    }
}
