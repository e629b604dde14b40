import Foundation

/// Comparisons of the values that a query names, with other values and with each other.
///
/// Objects are compared by row, enums by raw value. A comparison of a path through a collection holds if one of the values
/// satisfies it; with `!` in front, if none does.
extension Query {
    /// Returns the condition that a property equals a value. If the value is nil, the condition is that the
    /// property has no value.
    public static func == (left: Query, right: T) -> Query<Bool> { left.compared(.equal, right) }
    /// Returns the condition that a property differs from a value. If the value is nil, the condition is that
    /// the property has a value.
    public static func != (left: Query, right: T) -> Query<Bool> { left.compared(.notEqual, right) }
    /// Returns the condition that two properties are equal.
    public static func == (left: Query, right: Query) -> Query<Bool> { left.compared(.equal, right) }
    /// Returns the condition that two properties differ.
    public static func != (left: Query, right: Query) -> Query<Bool> { left.compared(.notEqual, right) }

    /// Returns the condition that the value is one of some values, which are read when the query is created.
    public func `in`<Values: Swift.Sequence>(_ collection: Values) -> Query<Bool> where Values.Element == T {
        compared(.isIn, values: collection)
    }

    /// Returns the condition that there is a value and it is one of some values, which are read when the query is created.
    public func `in`<Values: Swift.Sequence>(_ collection: Values) -> Query<Bool> where T == Values.Element? {
        compared(.isIn, values: collection)
    }
}

/// Comparisons by stored value: numbers, texts, dates, enums and mapped types of these.
extension Query where T: _HasPersistedType, T.PersistedType: SortableType {
    /// Returns the condition that a property is less than a value.
    public static func < (left: Query, right: T) -> Query<Bool> { left.compared(.less, right) }
    /// Returns the condition that a property is at most a value.
    public static func <= (left: Query, right: T) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Returns the condition that a property is greater than a value.
    public static func > (left: Query, right: T) -> Query<Bool> { left.compared(.greater, right) }
    /// Returns the condition that a property is at least a value.
    public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
    /// Returns the condition that one property is less than another.
    public static func < (left: Query, right: Query) -> Query<Bool> { left.compared(.less, right) }
    /// Returns the condition that one property is at most another.
    public static func <= (left: Query, right: Query) -> Query<Bool> { left.compared(.lessOrEqual, right) }
    /// Returns the condition that one property is greater than another.
    public static func > (left: Query, right: Query) -> Query<Bool> { left.compared(.greater, right) }
    /// Returns the condition that one property is at least another.
    public static func >= (left: Query, right: Query) -> Query<Bool> { left.compared(.greaterOrEqual, right) }
}

extension Query where T: Comparable {
    /// Returns the condition that the value is in a range. For a path through a collection, one value must reach the lower bound
    /// and one, not necessarily the same, must be below the upper bound.
    public func contains(_ range: Range<T>) -> Query<Bool> { lies(in: range) }

    /// Returns the condition that the value is in a range.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> { lies(in: range) }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Returns the condition that there is a value and it is in a range. For a path through a collection, one value must reach
    /// the lower bound and one, not necessarily the same, must be below the upper bound.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> { lies(in: range) }

    /// Returns the condition that there is a value and it is in a range.
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
    /// The raw value of the enum, for comparisons that the enum does not support, for example with raw values that are no case.
    public var rawValue: Query<T.RawValue> { retyped() }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// The raw value of the enum, or nil, for comparisons that the enum does not support, for example with raw values that are no
    /// case.
    public var rawValue: Query<T.Wrapped.RawValue?> { retyped() }
}

/// An optional type in a query.
public protocol OptionalProtocol {
    /// The type of the value, if there is one.
    associatedtype Wrapped
}

extension Optional: OptionalProtocol {}

extension Query {
    /// Returns the comparison with a value.
    func compared<Value>(
        _ sign: QueryComparison.Operator, _ value: Value, _ options: StringOptions = []
    ) -> Query<Bool> {
        var value = flatten(value)
        // Text comparisons need the raw value of an enum.
        if sign.isTextual || !options.isEmpty, let enumerated = value as? any PersistableEnum {
            value = enumerated.rawValue
        }
        if let value, value is any _QueryCollection {
            trap("A whole collection cannot be compared in a query: ask for what it contains.")
        }
        return compared(sign, .value(value), options)
    }

    /// Returns the comparison with some values, which form one operand.
    func compared<Values: Swift.Sequence>(
        _ sign: QueryComparison.Operator, values: Values
    ) -> Query<Bool> {
        let values = values.map { flatten($0) }
        if values.contains(where: { $0 is any _QueryCollection }) {
            trap("A whole collection cannot be compared in a query: ask for what it contains.")
        }
        return compared(sign, .value(values))
    }

    /// Returns the comparison with the operand of another query.
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

extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Returns the condition that a location is in a shape: a ``GeoBox``, a ``GeoCircle`` or a ``GeoPolygon``.
    ///
    ///     restaurants.where { $0.location.geoWithin(GeoCircle(center: home, radius: walk)) }
    ///
    /// A location is an embedded object with a `type`, which is "Point", and `coordinates`, a list of its longitude and its
    /// latitude in degrees. A location that is nil, or has fewer than two coordinates, is in no shape.
    ///
    /// - Precondition: The class has such properties, and the shape is valid.
    public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> { compared(.geoWithin, value) }
}

/// A type whose values a query compares by size: numbers, dates, values of any type, and the optionals of these.
public protocol _QueryNumeric: MinMaxType, SortableType where PersistedType: _QueryNumeric {}

extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension Decimal128: _QueryNumeric {}
extension Date: _QueryNumeric {}
extension AnyRealmValue: _QueryNumeric {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}

/// Arithmetic with numbers in a query, for comparisons:
///
///     tours.where { $0.length * 2 + $0.detour > 10 }
///     tours.where { ($0.end - $0.start) / 2 >= $0.guide.patience }
///
/// An operand without a value gives a result without a value. Integers are divided as in Swift. Numbers never make a condition
/// fail: integer arithmetic saturates. An integer divided by 0 is the largest integer or, if the dividend is negative, the
/// smallest. Floating point numbers divided by 0 are infinite.
extension Query where T: AddableType {
    /// Returns the sum of two numbers.
    public static func + (left: Query, right: Query) -> Query { left.computed(.plus, right) }
    /// Returns the sum of two numbers.
    public static func + (left: Query, right: T) -> Query { left.computed(.plus, constant(right)) }
    /// Returns the sum of two numbers.
    public static func + (left: T, right: Query) -> Query { constant(left).computed(.plus, right) }

    /// Returns the difference of two numbers.
    public static func - (left: Query, right: Query) -> Query { left.computed(.minus, right) }
    /// Returns the difference of two numbers.
    public static func - (left: Query, right: T) -> Query { left.computed(.minus, constant(right)) }
    /// Returns the difference of two numbers.
    public static func - (left: T, right: Query) -> Query { constant(left).computed(.minus, right) }

    /// Returns the product of two numbers.
    public static func * (left: Query, right: Query) -> Query { left.computed(.times, right) }
    /// Returns the product of two numbers.
    public static func * (left: Query, right: T) -> Query { left.computed(.times, constant(right)) }
    /// Returns the product of two numbers.
    public static func * (left: T, right: Query) -> Query { constant(left).computed(.times, right) }

    /// Returns the quotient of two numbers.
    public static func / (left: Query, right: Query) -> Query { left.computed(.dividedBy, right) }
    /// Returns the quotient of two numbers.
    public static func / (left: Query, right: T) -> Query { left.computed(.dividedBy, constant(right)) }
    /// Returns the quotient of two numbers.
    public static func / (left: T, right: Query) -> Query { constant(left).computed(.dividedBy, right) }

    private static func constant(_ value: T) -> Query { Query(.operand(.value(value))) }

    private func computed(_ sign: ArithmeticOperator, _ other: Query) -> Query {
        Query(
            .operand(.computed(operand, sign, other.operand)), collections: collections + other.collections)
    }
}

/// Comparisons of string enums as text, with strings that need not be a case. Comparisons with cases, and of enums with each
/// other, use the stored values.
extension Query where T: PersistableEnum, T.RawValue: _QueryBinary {
    /// Returns the condition that the raw value contains another value.
    public func contains(_ value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Returns the condition that the raw value begins with another value.
    public func starts(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Returns the condition that the raw value ends with another value.
    public func ends(with value: T.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }
}

extension Query where T: PersistableEnum, T.RawValue: _QueryString {
    /// Returns the condition that the raw value matches a pattern, in which `?` stands for any one character and `*` for any
    /// number of characters.
    public func like(_ pattern: T.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryBinary {
    /// Returns the condition that the raw value contains another value.
    public func contains(_ value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Returns the condition that the raw value begins with another value.
    public func starts(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Returns the condition that the raw value ends with another value.
    public func ends(with value: T.Wrapped.RawValue, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryString {
    /// Returns the condition that the raw value matches a pattern, in which `?` stands for any one character and `*` for any
    /// number of characters.
    public func like(_ pattern: T.Wrapped.RawValue, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}
