import Foundation

extension PredicateParser {
    /// An operand, and the form in which it is written, which determines where it is allowed.
    struct Operand {
        enum Form {
            case literal, list, argument, path, subquery, arithmetic
        }

        let operand: QueryOperand
        let form: Form
        /// The number of operations and conditions that contain each other in the operand.
        var height = 0

        var isValue: Bool { form == .literal || form == .list || form == .argument }
    }

    /// A parsed value, which can itself be nil. Distinguishes nil from a missing value.
    struct Constant {
        let value: Any?
    }

    /// Parses an operand without arithmetic.
    mutating func simpleOperand() throws(PredicateSyntaxError) -> Operand {
        if let literal = literal() { return Operand(operand: .value(literal.value), form: .literal) }
        if let argument = try argument() { return Operand(operand: .value(argument.value), form: .argument) }
        switch current.kind {
        case .sign("{"): return Operand(operand: .value(try list()), form: .list)
        case .word(let word):
            if word.lowercased() == PredicateWords.subquery { return try subquery() }
            try checkName(word)
            return Operand(operand: .path(try path()), form: .path)
        case .escapedWord, .variable, .collectionOperator, .keyPathArgument:
            return Operand(operand: .path(try path()), form: .path)
        default: throw unexpected(expected: "a value or a property")
        }
    }

    /// Parses a value that is written in the format; returns nil if the next token is none.
    mutating func literal() -> Constant? {
        let value: Any?
        switch current.kind {
        case .string(let string): value = string
        case .integer(let integer): value = integer
        case .double(let double): value = double
        case .value(let written): value = written.base
        case .word(let word):
            guard let constant = PredicateWords.constants[word.lowercased()] else { return nil }
            value = constant.value
        default: return nil
        }
        advance()
        return Constant(value: value)
    }

    /// Parses the values in braces.
    private mutating func list() throws(PredicateSyntaxError) -> [Any?] {
        try expect("{")
        var values: [Any?] = []
        if accept("}") { return values }
        repeat {
            if let literal = literal() {
                values.append(literal.value)
            } else if let argument = try argument() {
                values.append(argument.value)
            } else {
                throw unexpected(expected: "a value")
            }
        } while accept(",")
        try expect("}", or: "','")
        return values
    }

    /// Throws for words that cannot name a property unless they are escaped.
    private func checkName(_ word: String) throws(PredicateSyntaxError) {
        if namesProperty { return }
        if following.kind == .sign("("), !PredicateWords.keywords.contains(word.lowercased()) {
            try refuseOrdering(word)
            throw refusal("Unknown function '\(word)'", at: current)
        }
        if PredicateWords.keywords.contains(word.lowercased()) {
            throw unexpected(
                expected: "a value or a property (a property of that name is written '#\(word)')")
        }
    }

    /// Subqueries are parsed recursively.
    private static let maximumSubqueries = 16

    private mutating func subquery() throws(PredicateSyntaxError) -> Operand {
        advance()
        try expect("(")
        let collection = try subqueryCollection()
        try expect(",")
        guard case .variable(let variable) = current.kind else { throw unexpected(expected: "a variable") }
        guard variables.count < Self.maximumSubqueries else { throw nestedTooDeeply() }
        advance()
        try expect(",")
        variables.append(variable)
        let condition = try condition()
        variables.removeLast()
        try expect(")", or: "AND or OR")
        try expect(".")
        guard current.kind == .collectionOperator("count") || current.kind == .collectionOperator("size")
        else {
            throw unexpected(expected: "'@count'")
        }
        advance()
        let height = condition.height + 1
        try checkHeight(height)
        return Operand(operand: .subquery(collection, condition.node), form: .subquery, height: height)
    }

    /// Parses the path to the collection of a subquery. Another subquery is rejected before it is parsed, since a sequence of
    /// them would recurse without limit.
    private mutating func subqueryCollection() throws(PredicateSyntaxError) -> QueryPath {
        var parentheses = 0
        while accept("(") { parentheses += 1 }
        let token = current
        if case .word(let word) = token.kind, word.lowercased() == PredicateWords.subquery {
            throw refusal("SUBQUERY needs a collection", at: token)
        }
        guard case .path(let path) = try simpleOperand().operand, path.aggregate == nil else {
            throw refusal("SUBQUERY needs a collection", at: token)
        }
        for _ in 0..<parentheses { try expect(")") }
        return path
    }
}

extension PredicateParser {
    /// Returns the value of a placeholder; returns nil if the next token is none.
    mutating func argument() throws(PredicateSyntaxError) -> Constant? {
        let token = current
        switch token.kind {
        case .argument: return Constant(value: try nextArgument())
        case .numberArgument:
            let value = try nextArgument()
            guard value is any Numeric || value is NSNumber else {
                throw refusal("'\(token.text)' takes a number, not \(Self.description(of: value))", at: token)
            }
            return Constant(value: value)
        case .variable(let name):
            guard !variables.contains(name) else { return nil }
            guard let number = Int(name), number >= 0 else { return substitute(name) }
            guard number < arguments.count else { throw tooFewArguments(number) }
            numberedArguments = max(numberedArguments, number + 1)
            advance()
            return Constant(value: Self.value(arguments[number]))
        default: return nil
        }
    }

    /// Returns the value that is substituted for a variable; returns nil if it is unknown.
    private mutating func substitute(_ variable: String) -> Constant? {
        if let value = substitutes[variable] {
            advance()
            return Constant(value: Self.value(value))
        }
        guard takesVariables else { return nil }
        unsubstituted.insert(variable)
        advance()
        return Constant(value: nil)
    }

    /// Returns the name that a `%K` placeholder stands for.
    mutating func keyPathArgument() throws(PredicateSyntaxError) -> String {
        let token = current
        let value = try nextArgument()
        guard let name = value as? String else {
            throw refusal(
                "'%K' takes the name of a property, a String, not \(Self.description(of: value))", at: token)
        }
        return name
    }

    private mutating func nextArgument() throws(PredicateSyntaxError) -> Any? {
        guard usedArguments < arguments.count else { throw tooFewArguments(usedArguments) }
        usedArguments += 1
        advance()
        return Self.value(arguments[usedArguments - 1])
    }

    private func tooFewArguments(_ number: Int) -> PredicateSyntaxError {
        let count = arguments.count == 1 ? "1 is" : "\(arguments.count) are"
        return refusal(
            "Too few arguments: '\(current.text)' takes argument number \(number + 1), but \(count) given",
            at: current)
    }

    /// Returns an argument without its wrappers: optionals, and Foundation's object for nil in collections.
    private static func value(_ argument: Any?) -> Any? {
        let value = flatten(argument)
        return value is NSNull ? nil : value
    }

    static func description(of value: Any?) -> String {
        guard let value else { return "nil" }
        return "a value of type \(type(of: value))"
    }
}
