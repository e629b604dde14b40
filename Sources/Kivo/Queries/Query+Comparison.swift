/// Comparing what a query names with values and with each other.
///
/// Objects are compared by row, enums by raw value. Of a path through a collection it is enough that one of the values
/// compares so; `!` in front says that none does.
extension Query {
    /// Whether a property equals a value; for an optional one, nil asks whether there is no value.
    public static func == (left: Query, right: T) -> Query<Bool> { left.compared(.equal, right) }
    /// Whether a property differs from a value; for an optional one, nil asks whether there is a value.
    public static func != (left: Query, right: T) -> Query<Bool> { left.compared(.notEqual, right) }
    /// Whether two properties are equal.
    public static func == (left: Query, right: Query) -> Query<Bool> { left.compared(.equal, right) }
    /// Whether two properties differ.
    public static func != (left: Query, right: Query) -> Query<Bool> { left.compared(.notEqual, right) }

    /// Whether the value is one of some, which are taken as they are when the query is made.
    public func `in`<Values: Swift.Sequence>(_ collection: Values) -> Query<Bool> where Values.Element == T {
        compared(.isIn, values: collection)
    }

    /// Whether there is a value and it is one of some, which are taken as they are when the query is made.
    public func `in`<Values: Swift.Sequence>(_ collection: Values) -> Query<Bool> where T == Values.Element? {
        compared(.isIn, values: collection)
    }
}

/// By what is stored: numbers, texts, dates, enums and mapped types of these.
extension Query where T: _HasPersistedType, T.PersistedType: SortableType {
    /// Whether a property is less than a value.
    public static func < (left: Query, right: T) -> Query<Bool> { left.compared(.less, right) }
    /// Whether a property is a value at most.
    public static func <= (left: Query, right: T) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Whether a property is greater than a value.
    public static func > (left: Query, right: T) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether a property is a value at least.
    public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
    /// Whether one property is less than another.
    public static func < (left: Query, right: Query) -> Query<Bool> { left.compared(.less, right) }
    /// Whether one property is another at most.
    public static func <= (left: Query, right: Query) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Whether one property is greater than another.
    public static func > (left: Query, right: Query) -> Query<Bool> { left.compared(.greater, right) }
    /// Whether one property is another at least.
    public static func >= (left: Query, right: Query) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
}

extension Query where T: Comparable {
    /// Whether the value lies in a range. Behind a collection, one of the values has to reach the lower bound and one,
    /// not necessarily the same, to be below the upper.
    public func contains(_ range: Range<T>) -> Query<Bool> { lies(in: range) }

    /// Whether the value lies in a range.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> { lies(in: range) }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Whether there is a value and it lies in a range. Behind a collection, one of the values has to reach the lower
    /// bound and one, not necessarily the same, to be below the upper.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> { lies(in: range) }

    /// Whether there is a value and it lies in a range.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> { lies(in: range) }
}

extension Query {
    private func lies<Bound>(in range: Range<Bound>) -> Query<Bool> {
        compared(.greaterOrEqual, range.lowerBound) && compared(.less, range.upperBound)
    }

    private func lies<Bound>(in range: ClosedRange<Bound>) -> Query<Bool> {
        compared(.between, values: [range.lowerBound, range.upperBound])
    }
}

extension Query where T: PersistableEnum {
    /// The raw value of the enum, for comparisons that the enum has not, such as with raw values that are no case.
    public var rawValue: Query<T.RawValue> { retyped() }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// The raw value of the enum, or nil, for comparisons that the enum has not, such as with raw values that are no
    /// case.
    public var rawValue: Query<T.Wrapped.RawValue?> { retyped() }
}

/// An optional, in a query.
public protocol OptionalProtocol {
    /// The type of the value, if there is one.
    associatedtype Wrapped
}

extension Optional: OptionalProtocol {}

extension Query {
    /// The comparison with a value.
    func compared<Value>(
        _ sign: QueryComparison.Operator, _ value: Value, _ options: StringOptions = []
    ) -> Query<Bool> {
        var value = flatten(value)
        // Text is compared with text.
        if sign.isTextual || !options.isEmpty, let enumerated = value as? any PersistableEnum {
            value = enumerated.rawValue
        }
        if let value, value is any _QueryCollection {
            trap("A whole collection cannot be compared in a query: ask for what it contains.")
        }
        return compared(sign, .value(value), options)
    }

    /// The comparison with some values, which stand for one operand.
    func compared<Values: Swift.Sequence>(
        _ sign: QueryComparison.Operator, values: Values
    ) -> Query<Bool> {
        let values = values.map { flatten($0) }
        if values.contains(where: { $0 is any _QueryCollection }) {
            trap("A whole collection cannot be compared in a query: ask for what it contains.")
        }
        return compared(sign, .value(values))
    }

    /// The comparison with what another query names.
    func compared<Other>(
        _ sign: QueryComparison.Operator, _ other: Query<Other>, _ options: StringOptions = []
    ) -> Query<Bool> {
        if T.self is any _QueryCollection.Type || Other.self is any _QueryCollection.Type {
            trap("Whole collections cannot be compared with each other in a query.")
        }
        return compared(sign, other.operand, options, collections: other.collections)
    }

    private func compared(
        _ sign: QueryComparison.Operator, _ right: QueryOperand, _ options: StringOptions = [],
        collections others: [[QueryPath.Component]] = []
    ) -> Query<Bool> {
        let comparison = QueryComparison(left: operand, operator: sign, right: right, options: options)
        return Query<Bool>(.condition(.comparison(comparison)), collections: collections + others)
    }
}
