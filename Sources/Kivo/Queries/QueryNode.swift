import KivoEngine

/// A condition as both front ends write it, the type-safe query and the predicate string: in names, which
/// ``QueryCompiler`` resolves against a class.
indirect enum QueryNode {
    case constant(Bool)
    case comparison(QueryComparison)
    case and(QueryNode, QueryNode)
    case or(QueryNode, QueryNode)
    case not(QueryNode)
}

/// Two operands, one of which is a path or a subquery, and how they compare.
struct QueryComparison {
    /// How many of the values that a path over collections leads to have to satisfy a comparison. Of paths that lead
    /// to one value this makes no difference.
    typealias Quantifier = RowPredicate.Quantifier

    enum Operator: String {
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

        /// Whether only text, or data, is compared so.
        var isTextual: Bool {
            switch self {
            case .beginsWith, .endsWith, .contains, .like, .matches: true
            default: false
            }
        }
    }

    var quantifier = Quantifier.any
    var left: QueryOperand
    var `operator`: Operator
    var right: QueryOperand
    /// How strings are compared, whatever the operator.
    var options: StringOptions = []
    /// Whether a property by itself is the condition.
    var isImplied = false
}

/// What a comparison compares.
indirect enum QueryOperand {
    /// A value of the user's: a scalar, an object, nil; or, on the right of ``QueryComparison/Operator/isIn`` and
    /// ``QueryComparison/Operator/between``, a sequence or collection of them.
    case value(Any?)
    case path(QueryPath)
    /// The number of elements of a collection for which a condition holds, whose paths begin at the element.
    case subquery(QueryPath, QueryNode)
    /// What arithmetic makes of each two numbers that the operands lead to.
    case arithmetic(QueryOperand, ArithmeticOperator, QueryOperand)
}

/// How two numbers are put together.
enum ArithmeticOperator: String {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case dividedBy = "/"
}

/// A way from an object to values, over links, collections and linking objects. An empty path is the object itself.
struct QueryPath {
    enum Component: Equatable {
        case property(String)
        /// The keys of a map.
        case keys
        /// The values of a map, as its property alone means them too.
        case values
        /// The value of a map for a key.
        case key(String)
        /// The element of a list that a value of any type is; negative positions count from the end.
        case index(Int)
        /// All elements of a list, or values of a dictionary, that a value of any type is.
        case all
        /// The type of a value of any type. Only at the end, and compared with names.
        case type
    }

    enum Function: String {
        case count, min, max, sum, average = "avg"
    }

    var components: [Component] = []
    /// What is made of the collection that the components lead to, and the path from its elements to the values that it
    /// is made of, which is empty for ``Function/count`` and for collections of plain values.
    var aggregate: (function: Function, components: [Component])?
    /// Whether the path, in the condition of a subquery, is written without the name of the element that it begins at.
    var isUnqualified = false
}

extension QueryPath.Component {
    /// The components of a dotted name.
    static func named(_ name: String) -> [QueryPath.Component] {
        name.split(separator: ".").map { .property(String($0)) }
    }
}

/// How strings are compared in a query. Without options, byte by byte.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8

    /// Options of a raw value.
    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// Upper and lower case letters are equal.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters with and without diacritical marks are equal.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
