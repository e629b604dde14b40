import KivoEngine

/// A condition that consists of names, as type-safe queries and predicate strings create it. ``QueryCompiler`` resolves the names
/// against a class.
indirect enum QueryNode {
    case constant(Bool)
    case comparison(QueryComparison)
    case and(QueryNode, QueryNode)
    case or(QueryNode, QueryNode)
    case not(QueryNode)

    /// The conditions that AND, or OR, joins here, in order. Long chains are followed without recursion.
    var chain: [QueryNode] {
        var (parts, rest) = ([] as [QueryNode], [self])
        while let node = rest.popLast() {
            switch (self, node) {
            case (.and, .and(let a, let b)), (.or, .or(let a, let b)): rest += [b, a]
            default: parts.append(node)
            }
        }
        return parts
    }
}

/// A comparison of two operands, at least one of which is not a constant.
struct QueryComparison {
    typealias Quantifier = KivoEngine.Quantifier

    enum Operator: String, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        /// The right operand is a ``RegularExpression``.
        case matches = "MATCHES"
        /// The right operand is a sequence of values, or a path over a collection.
        case isIn = "IN"
        /// The right operand is a sequence of two values, both of which are included.
        case between = "BETWEEN"
        /// The right operand is an ``RLMGeospatial``, the left one a path to locations.
        case geoWithin = "GEOWITHIN"

        /// Whether the operator applies only to text and data.
        var isTextual: Bool {
            switch self {
            case .beginsWith, .endsWith, .contains, .like, .matches: true
            case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between,
                .geoWithin:
                false
            }
        }
    }

    /// The number of values that must satisfy the comparison, for paths through collections, which lead to several values. It has
    /// no effect on paths that lead to one value.
    var quantifier = Quantifier.any
    var left: QueryOperand
    var `operator`: Operator
    var right: QueryOperand
    /// The options for comparing strings, with every operator.
    var options: StringOptions = []
    /// Whether the condition is only a Boolean property.
    var isImplied = false
}

/// An operand of a comparison.
indirect enum QueryOperand {
    /// A value of the app: a scalar, an object or nil. On the right of ``QueryComparison/Operator/isIn`` and
    /// ``QueryComparison/Operator/between``, a sequence or collection of these.
    case value(Any?)
    case path(QueryPath)
    /// The number of elements of a collection for which a condition holds. The condition's paths begin at the element.
    case subquery(QueryPath, QueryNode)
    /// The results of arithmetic on each pair of numbers to which the operands lead.
    case arithmetic(QueryOperand, ArithmeticOperator, QueryOperand)
}

/// An arithmetic operation on two numbers.
enum ArithmeticOperator: String {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case dividedBy = "/"
}

/// A path from an object to values, through links, collections and linking objects. An empty path is the object itself.
struct QueryPath {
    enum Component: Equatable {
        case property(String)
        /// The keys of a map.
        case keys
        /// The values of a map. The map's property without this component means them too.
        case values
        /// The value of a map for a key.
        case key(String)
        /// The element of a list inside a value of any type; negative positions count from the end.
        case index(Int)
        /// All elements of a list, or all values of a dictionary, inside a value of any type.
        case all
        /// The type of a value of any type. Allowed only at the end of a path, and compared with names.
        case type
    }

    enum Function: String {
        case count, min, max, sum, average = "avg"
    }

    var components: [Component] = []
    /// The function that is applied to the collection at the end of the components, and the path from its elements to the
    /// aggregated values. This path is empty for ``Function/count`` and for collections of plain values.
    var aggregate: (function: Function, components: [Component])?
    /// Whether the path, in the condition of a subquery, is written without the name of the element at which it begins.
    var isUnqualified = false
}

extension QueryPath.Component {
    /// Returns the components of a dotted name.
    static func named(_ name: String) -> [QueryPath.Component] {
        if name.isEmpty { return [] }
        return name.split(separator: ".", omittingEmptySubsequences: false).map { .property(String($0)) }
    }
}

/// Options for comparing strings in a query. Without options, strings are compared byte by byte.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8

    /// Creates options from a raw value.
    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// Upper and lower case letters are equal.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters with and without diacritical marks are equal.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
