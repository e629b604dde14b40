/// The words that mean something by themselves in predicate strings, in small letters. They can be written in any case.
enum PredicateWords {
    static let connectives: Set<String> = ["and", "or", "not"]

    /// The words that are conditions by themselves.
    static let conditions: Set<String> = ["truepredicate", "falsepredicate"]

    static let quantifiers: [String: QueryComparison.Quantifier] = {
        var quantifiers: [String: QueryComparison.Quantifier] = [:]
        for quantifier in QueryComparison.Quantifier.allCases {
            for word in words(of: quantifier) { quantifiers[word] = quantifier }
        }
        return quantifiers
    }()

    private static func words(of quantifier: QueryComparison.Quantifier) -> [String] {
        switch quantifier {
        case .any: ["any", "some"]
        case .all: ["all"]
        case .none: ["none"]
        }
    }

    /// The operators that are written as words.
    static let operators: [String: QueryComparison.Operator] = {
        let written = QueryComparison.Operator.allCases.filter { $0.rawValue.first!.isLetter }
        return Dictionary(uniqueKeysWithValues: written.map { ($0.rawValue.lowercased(), $0) })
    }()

    /// The words that end an operand or begin a condition: a property of such a name is written with `#` before it.
    static let keywords = connectives.union(conditions).union(quantifiers.keys).union(operators.keys)

    /// A constant that is written as a word.
    struct Constant {
        let value: Bool?
    }

    static let constants: [String: Constant] = [
        "true": Constant(value: true), "yes": Constant(value: true), "false": Constant(value: false),
        "no": Constant(value: false), "null": Constant(value: nil), "nil": Constant(value: nil),
    ]

    /// The word that begins a count of objects of a collection.
    static let subquery = "subquery"

    /// All of them, and the name of the subject itself.
    static let all = keywords.union(constants.keys).union([subquery, "self"])
}
