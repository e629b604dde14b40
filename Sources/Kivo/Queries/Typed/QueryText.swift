import Foundation

extension Query {
    /// Returns a query on which tests build conditions outside of a `where`.
    public static func _constructForTesting() -> Query<T> { Query(.operand(.path(QueryPath()))) }

    /// Returns the condition as a predicate string with its arguments, in the form that `filter` takes, for tests of conditions.
    /// A property that is written without its collection in the condition of a subquery is written so in the text too, which
    /// `filter` rejects.
    public func _constructPredicate() -> (String, [Any]) {
        var text = QueryText { collectionLengths(of: $0).isEmpty == false }
        text.append(node)
        return (text.format, text.arguments)
    }
}

/// Writes a condition of a type-safe query as a predicate string.
private struct QueryText {
    private(set) var format = ""
    private(set) var arguments: [Any] = []
    /// A closure that returns whether a path goes through a collection, so that a comparison with it needs `ANY`.
    let goesThroughCollection: ([QueryPath.Component]) -> Bool
    /// The number of subqueries so far, and the variable of the subquery that is being written.
    private var subqueries = 0
    private var variable: String?
    /// The collection whose elements the current subquery counts.
    private var collection: [QueryPath.Component]?

    init(_ goesThroughCollection: @escaping ([QueryPath.Component]) -> Bool) {
        self.goesThroughCollection = goesThroughCollection
    }

    mutating func append(_ node: QueryNode, isNegated: Bool = false) {
        let sign = isNegated ? "NOT " : ""
        switch node {
        case .constant(let value): format += sign + (value ? "TRUEPREDICATE" : "FALSEPREDICATE")
        case .not(let condition) where isNegated:
            format += sign + "("
            append(condition, isNegated: true)
            format += ")"
        case .not(let condition): append(condition, isNegated: true)
        case .and(let left, let right): append(left, "&&", right, sign)
        case .or(let left, let right): append(left, "||", right, sign)
        case .comparison(let comparison) where comparison.isImplied:
            append(comparison.left, takesAny: false)
            format += isNegated ? " == false" : " == true"
        case .comparison(let comparison): append(comparison, sign)
        }
    }

    private mutating func append(_ left: QueryNode, _ connective: String, _ right: QueryNode, _ sign: String)
    {
        format += sign + "("
        append(left)
        format += " \(connective) "
        append(right)
        format += ")"
    }

    private mutating func append(_ comparison: QueryComparison, _ sign: String) {
        format += "(" + sign
        append(comparison.left, takesAny: true)
        var operation = comparison.operator.rawValue
        // Predicate strings write `IN` here, and recognise a shape by its type.
        if comparison.operator == .geoWithin { operation = QueryComparison.Operator.isIn.rawValue }
        format += " \(operation)\(comparison.options.suffix) "
        if comparison.operator == .between, case .value(let bounds) = comparison.right {
            let bounds = (bounds as? [Any?] ?? []).map { flatten($0) ?? NSNull() }
            format += "{\(bounds.map { _ in "%@" }.joined(separator: ", "))}"
            arguments += bounds
        } else {
            append(comparison.right, takesAny: comparison.operator != .isIn)
        }
        format += ")"
    }

    private mutating func append(_ operand: QueryOperand, takesAny: Bool) {
        switch operand {
        case .value(let value):
            format += "%@"
            let values = (value as? [Any?])?.map { flatten($0) ?? NSNull() }
            arguments.append(values ?? flatten(value) ?? NSNull())
        case .path(let path): append(path, takesAny: takesAny)
        case .arithmetic(let left, let sign, let right):
            format += "("
            append(left, takesAny: takesAny)
            format += " \(sign.rawValue) "
            append(right, takesAny: takesAny)
            format += ")"
        case .subquery(let path, let condition):
            subqueries += 1
            let (name, outer) = ("$col\(subqueries)", (variable, collection))
            format += "SUBQUERY("
            // The collection of the same name of each element is written without the variable.
            if collection == path.components { variable = nil }
            append(path, takesAny: false)
            format += ", \(name), "
            (variable, collection) = (name, path.components)
            append(condition)
            (variable, collection) = outer
            format += ").@count"
        }
    }

    private mutating func append(_ path: QueryPath, takesAny: Bool) {
        let isSubscripted = path.components.contains { $0.isSubscript }
        if takesAny, variable == nil, path.aggregate == nil, !isSubscripted,
            goesThroughCollection(path.components)
        {
            format += "ANY "
        }
        var names = path.isUnqualified ? [] : [variable].compactMap { $0 }
        func flush() {
            guard !names.isEmpty else { return }
            format += (format.hasSuffix("]") ? "." : "") + names.joined(separator: ".")
            names = []
        }
        for component in path.components {
            switch component {
            case .key(let key): arguments.append(key)
            case .index(let index): arguments.append(index)
            case .all: break
            case .property, .keys, .values, .type:
                names.append(component.predicateName)
                continue
            }
            flush()
            format += component == .all ? "[*]" : "[%@]"
        }
        if let (function, components) = path.aggregate {
            names.append("@\(function.rawValue)")
            names += components.map(\.predicateName)
        }
        if path.components.isEmpty, names.isEmpty { names = ["self"] }
        flush()
    }
}

extension QueryPath.Component {
    /// Whether the component is written in brackets.
    fileprivate var isSubscript: Bool {
        switch self {
        case .key, .index, .all: true
        case .property, .keys, .values, .type: false
        }
    }

    fileprivate var predicateName: String {
        switch self {
        case .keys: "@allKeys"
        case .values: "@allValues"
        default: text
        }
    }
}

extension StringOptions {
    /// The options in brackets, as they are written after an operator.
    fileprivate var suffix: String {
        let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

/// Comparisons of strings and data as text; enums and mapped types are compared by their stored values.
///
/// A property without a value contains nothing, begins and ends with nothing, matches no pattern and equals only nil.
extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Returns the condition that the value contains another value.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options)
    }

    /// Returns the condition that the value contains the value of another property.
    public func contains<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.contains, column, options)
    }

    /// Returns the condition that the value begins with another value.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options)
    }

    /// Returns the condition that the value begins with the value of another property.
    public func starts<U: _HasPersistedType>(with column: Query<U>, options: StringOptions = []) -> Query<
        Bool
    >
    where U.PersistedType: _QueryBinary {
        compared(.beginsWith, column, options)
    }

    /// Returns the condition that the value ends with another value.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options)
    }

    /// Returns the condition that the value ends with the value of another property.
    public func ends<U: _HasPersistedType>(with column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.endsWith, column, options)
    }

    /// Returns the condition that the value equals another value, with these options. For an optional property, nil means that
    /// there is no value.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value, options)
    }

    /// Returns the condition that the value equals the value of another property, with these options.
    public func equals<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
    where U.PersistedType: _QueryBinary {
        compared(.equal, column, options)
    }

    /// Returns the condition that the value differs from another value, with these options. For an optional property, nil means
    /// that there is a value.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options)
    }

    /// Returns the condition that the value differs from the value of another property, with these options.
    public func notEquals<U: _HasPersistedType>(_ column: Query<U>, options: StringOptions = []) -> Query<
        Bool
    >
    where U.PersistedType: _QueryBinary {
        compared(.notEqual, column, options)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Returns the condition that the string matches a pattern, in which `?` stands for any one character and `*` for any number
    /// of characters.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value, caseInsensitive ? .caseInsensitive : [])
    }

    /// Returns the condition that the string matches the pattern in another property.
    public func like<U: _HasPersistedType>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool>
    where U.PersistedType: _QueryString {
        compared(.like, column, caseInsensitive ? .caseInsensitive : [])
    }
}

extension Query where T: _QueryString {
    /// Returns the condition that the whole string matches a regular expression, by Unicode scalars. The pattern has the syntax
    /// of `Regex`, without references, lookaround, atomic groups and possessive quantifiers.
    ///
    /// - Complexity: O(length of a string) for each string, for every pattern.
    /// - Parameters:
    ///   - pattern: the regular expression.
    ///   - options: with ``StringOptions/diacriticInsensitive``, marks are removed from the letters of the pattern too.
    /// - Precondition: The pattern is well-formed.
    public func matches(_ pattern: String, options: StringOptions = []) -> Query<Bool> {
        do {
            return compared(.matches, try RegularExpression(pattern, options), options)
        } catch {
            trap("The pattern '\(pattern)' is no regular expression: \(error).")
        }
    }
}

/// A string or data, or an optional one, in a query. Both have an order.
public protocol _QueryBinary: SortableType where PersistedType: _QueryBinary {}

/// A string, or an optional one, in a query.
public protocol _QueryString: _QueryBinary where PersistedType: _QueryString {}

extension String: _QueryString {}
extension Data: _QueryBinary {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _QueryString {}
