import KivoEngine

/// An expression of a type-safe query: `dogs.where { $0.age > 5 && $0.owner.name == "Ann" }`.
///
/// A key path through a to-one link that is nil matches nothing. Comparing with nil asks whether there is a value; a
/// property without one is neither less nor greater than anything.
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode

    init(_ node: QueryNode) { self.node = node }
}

/// A query expression, without its type.
indirect enum QueryNode {
    case path([String])
    case constant(Any?)
    case comparison(QueryNode, Predicate.Operator, QueryNode)
    case text(QueryNode, TextComparison, String)
    case contains([Any?], QueryNode)
    case and(QueryNode, QueryNode)
    case or(QueryNode, QueryNode)
    case not(QueryNode)
}

/// How a string is compared with another beyond equality.
enum TextComparison: Sendable {
    case begins, ends, contains
}

extension Query where T: ObjectBase {
    /// A property of the objects.
    public subscript<Value>(dynamicMember member: KeyPath<T, Value>) -> Query<Value> {
        Query<Value>(node.appending(KeyPathName.of(member)))
    }
}

extension Query {
    /// A property of the object that a to-one link leads to.
    public subscript<Target: ObjectBase, Value>(dynamicMember member: KeyPath<Target, Value>) -> Query<Value>
    where T == Target? {
        Query<Value>(node.appending(KeyPathName.of(member)))
    }
}

extension QueryNode {
    func appending(_ name: String) -> QueryNode {
        guard case .path(let path) = self else { trap("A query can only name properties of objects.") }
        return .path(path + name.split(separator: ".").map(String.init))
    }
}

extension Query where T: _Persistable & Equatable {
    /// Whether a property equals a value; for an optional one, nil asks whether there is no value.
    public static func == (left: Query, right: T) -> Query<Bool> { compare(left, .equal, right) }
    /// Whether a property differs from a value; for an optional one, nil asks whether there is a value.
    public static func != (left: Query, right: T) -> Query<Bool> { compare(left, .notEqual, right) }
    /// Whether two properties are equal.
    public static func == (left: Query, right: Query) -> Query<Bool> { compare(left, .equal, right) }
    /// Whether two properties differ.
    public static func != (left: Query, right: Query) -> Query<Bool> { compare(left, .notEqual, right) }

    /// Whether the value is one of some.
    public func `in`<Values: Swift.Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T {
        Query<Bool>(.contains(values.map { T._toAny($0) }, node))
    }

    fileprivate static func compare(_ left: Query, _ comparison: Predicate.Operator, _ right: T) -> Query<
        Bool
    > {
        Query<Bool>(.comparison(left.node, comparison, .constant(T._toAny(right))))
    }
    fileprivate static func compare(_ left: Query, _ comparison: Predicate.Operator, _ right: Query) -> Query<
        Bool
    > {
        Query<Bool>(.comparison(left.node, comparison, right.node))
    }
}

extension Query where T: _Persistable & Equatable & SortableType {
    /// Whether a property is less than a value.
    public static func < (left: Query, right: T) -> Query<Bool> { compare(left, .less, right) }
    /// Whether a property is a value at most.
    public static func <= (left: Query, right: T) -> Query<Bool> { compare(left, .lessOrEqual, right) }
    /// Whether a property is greater than a value.
    public static func > (left: Query, right: T) -> Query<Bool> { compare(left, .greater, right) }
    /// Whether a property is a value at least.
    public static func >= (left: Query, right: T) -> Query<Bool> { compare(left, .greaterOrEqual, right) }
    /// Whether one property is less than another.
    public static func < (left: Query, right: Query) -> Query<Bool> { compare(left, .less, right) }
    /// Whether one property is another at most.
    public static func <= (left: Query, right: Query) -> Query<Bool> { compare(left, .lessOrEqual, right) }
    /// Whether one property is greater than another.
    public static func > (left: Query, right: Query) -> Query<Bool> { compare(left, .greater, right) }
    /// Whether one property is another at least.
    public static func >= (left: Query, right: Query) -> Query<Bool> { compare(left, .greaterOrEqual, right) }
}

extension Query where T: _Persistable & Comparable & SortableType {
    /// Whether the value lies in a range.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        Query.compare(self, .greaterOrEqual, range.lowerBound) && Query.compare(self, .less, range.upperBound)
    }

    /// Whether the value lies in a range.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        Query.compare(self, .greaterOrEqual, range.lowerBound)
            && Query.compare(self, .lessOrEqual, range.upperBound)
    }
}

extension Query where T: _TextQueryable {
    /// Whether the string begins with another.
    public func starts(with value: String) -> Query<Bool> { Query<Bool>(.text(node, .begins, value)) }
    /// Whether the string ends with another.
    public func ends(with value: String) -> Query<Bool> { Query<Bool>(.text(node, .ends, value)) }
    /// Whether the string contains another.
    public func contains(_ value: String) -> Query<Bool> { Query<Bool>(.text(node, .contains, value)) }
}

/// A string, or an optional one, in a query.
public protocol _TextQueryable {}
extension String: _TextQueryable {}
extension Optional: _TextQueryable where Wrapped == String {}

extension Query where T == Bool {
    /// Whether both conditions hold.
    public static func && (left: Query, right: Query) -> Query { Query(.and(left.node, right.node)) }
    /// Whether one of the conditions holds.
    public static func || (left: Query, right: Query) -> Query { Query(.or(left.node, right.node)) }
    /// Whether the condition does not hold.
    public static prefix func ! (query: Query) -> Query { Query(.not(query.node)) }
}
