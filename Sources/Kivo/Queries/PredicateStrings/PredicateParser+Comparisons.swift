extension PredicateParser {
    mutating func comparison() throws(PredicateSyntaxError) -> ConditionStack.Item {
        let quantifier = quantifier()
        let leftToken = current
        let left = try operand()
        let sign = current
        let `operator` = try comparisonOperator()
        let options = try stringOptions()
        let rightToken = current
        let right = try rightOperand(`operator`, options)
        var comparison = QueryComparison(
            quantifier: quantifier ?? .any, left: left.operand, operator: `operator`, right: right.operand,
            options: options)
        switch `operator` {
        case .isIn: try checkMembership(left, right, leftToken, rightToken)
        case .matches, .geoWithin:
            if left.isValue {
                throw refusal("\(sign.text.uppercased()) needs a property on its left", at: leftToken)
            }
        case .between: try checkRange(left, right, leftToken, rightToken)
        default:
            for (side, token) in [(left, leftToken), (right, rightToken)] where side.form == .list {
                throw refusal("A list of values can only follow IN or BETWEEN", at: token)
            }
            try checkConstants(left, right, leftToken)
            guard left.isValue else { break }
            if quantifier == .any, `operator` == .equal, left.form == .argument,
                case .value(let values?) = left.operand,
                CollectionContents.elements(ofSequence: values) != nil
            {
                // Any of the values is equal to the property.
                comparison.operator = .isIn
                (comparison.left, comparison.right) = (right.operand, left.operand)
                break
            }
            guard let turned = `operator`.turned else {
                throw refusal("\(sign.text.uppercased()) needs a property on its left", at: leftToken)
            }
            comparison.left = right.operand
            comparison.operator = turned
            comparison.right = left.operand
        }
        return ConditionStack.Item(node: .comparison(comparison), height: max(left.height, right.height))
    }

    /// Parses the right operand of an operator.
    private mutating func rightOperand(
        _ operator: QueryComparison.Operator, _ options: StringOptions
    ) throws(PredicateSyntaxError) -> Operand {
        switch `operator` {
        case .matches: Operand(operand: .value(try pattern(options)), form: .literal)
        case .geoWithin: Operand(operand: .value(try shape()), form: .literal)
        default: try operand()
        }
    }

    /// Parses a regular expression, which is compiled once for the whole condition.
    private mutating func pattern(
        _ options: StringOptions
    ) throws(PredicateSyntaxError) -> RegularExpression {
        let token = current
        guard case .value(let value) = try operand().operand else {
            throw refusal("MATCHES takes a pattern, not a property", at: token)
        }
        guard let pattern = value as? String else {
            throw refusal("MATCHES takes a pattern, a String, not \(Self.description(of: value))", at: token)
        }
        do {
            return try RegularExpression(pattern, options)
        } catch {
            throw refusal("'\(pattern)' is no regular expression: \(error)", at: token)
        }
    }

    private mutating func quantifier() -> QueryComparison.Quantifier? {
        guard !namesProperty, case .word(let word) = current.kind,
            let quantifier = PredicateWords.quantifiers[word.lowercased()]
        else { return nil }
        advance()
        return quantifier
    }

    /// Whether the next word, which elsewhere is a quantifier, names a property, because no operand follows it.
    var namesProperty: Bool {
        guard case .word(let word) = current.kind, PredicateWords.quantifiers[word.lowercased()] != nil else {
            return false
        }
        switch following.kind {
        case .sign(let sign): return sign != "(" && sign != "{" && sign != "-"
        case .word(let next):
            return PredicateWords.operators[next.lowercased()] != nil
                || ["and", "or"].contains(next.lowercased())
        case .end: return true
        default: return false
        }
    }

    private func checkConstants(
        _ left: Operand, _ right: Operand, _ token: PredicateToken
    ) throws(PredicateSyntaxError) {
        guard left.isValue, right.isValue else { return }
        throw refusal("The comparison compares two constants; one side must be a property", at: token)
    }

    private func checkMembership(
        _ left: Operand, _ right: Operand, _ leftToken: PredicateToken, _ rightToken: PredicateToken
    ) throws(PredicateSyntaxError) {
        if left.form == .list {
            throw refusal("A list of values can only be on the right of IN", at: leftToken)
        }
        switch right.form {
        case .literal, .subquery, .arithmetic:
            throw refusal(
                "IN needs values in braces, an argument or a collection on its right", at: rightToken)
        case .list, .argument, .path: try checkConstants(left, right, leftToken)
        }
    }

    private func checkRange(
        _ left: Operand, _ right: Operand, _ leftToken: PredicateToken, _ rightToken: PredicateToken
    ) throws(PredicateSyntaxError) {
        if left.isValue { throw refusal("BETWEEN needs a property on its left", at: leftToken) }
        if right.form == .argument { return }
        guard right.form == .list, case .value(let values as [Any?]) = right.operand, values.count == 2 else {
            throw refusal("BETWEEN needs two values in braces, or an argument, on its right", at: rightToken)
        }
    }

    private mutating func comparisonOperator() throws(PredicateSyntaxError) -> QueryComparison.Operator {
        let token = current
        let sign: QueryComparison.Operator
        switch token.kind {
        case .sign("="), .sign("=="): sign = .equal
        case .sign("!="), .sign("<>"): sign = .notEqual
        case .sign("<"): sign = .less
        case .sign("<="), .sign("=<"): sign = .lessOrEqual
        case .sign(">"): sign = .greater
        case .sign(">="), .sign("=>"): sign = .greaterOrEqual
        case .word(let word): sign = try comparisonOperator(word)
        default: throw unexpected(expected: "an operator")
        }
        advance()
        return sign
    }

    private func comparisonOperator(_ word: String) throws(PredicateSyntaxError) -> QueryComparison.Operator {
        let lower = word.lowercased()
        if let found = PredicateWords.operators[lower] { return found }
        switch lower {
        case "not": throw refusal("NOT belongs before the whole comparison", at: current)
        case "and", "or": throw unexpected(expected: "an operator")
        default: throw refusal("Unknown operator '\(word)'", at: current)
        }
    }

    /// Parses the options in brackets after an operator.
    private mutating func stringOptions() throws(PredicateSyntaxError) -> StringOptions {
        guard accept("[") else { return [] }
        guard case .word(let letters) = current.kind else { throw unexpected(expected: "c, d or cd") }
        var options: StringOptions = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            default:
                throw refusal(
                    "The option [\(letter)] is not supported; [c] for case and [d] for diacritics are",
                    at: current)
            }
        }
        advance()
        try expect("]")
        return options
    }
}

extension QueryComparison.Operator {
    /// The operator with the same meaning for exchanged operands, if there is one.
    fileprivate var turned: Self? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .beginsWith, .endsWith, .contains, .like, .matches, .isIn, .between, .geoWithin: nil
        }
    }
}

/// Operands that consist of other operands: products bind tighter than sums, and parentheses tighter than both.
extension PredicateParser {
    /// An operator, or an opening parenthesis, whose right side is being parsed, and its position.
    private enum Pending {
        case parenthesis(Int)
        case negation(Int)
        case binary(ArithmeticOperator)

        /// The level of an operator that is applied before another one, which is on its right.
        var level: Int {
            switch self {
            case .parenthesis: 0
            case .binary(let sign): sign.level
            case .negation: .max
            }
        }
    }

    /// Parses an operand. Parentheses are followed without recursion.
    mutating func operand() throws(PredicateSyntaxError) -> Operand {
        var operands: [(operand: Operand, position: Int)] = []
        var pending: [Pending] = []
        while true {
            let position = index
            if accept("(") {
                pending.append(.parenthesis(position))
                continue
            }
            if accept("-") {
                pending.append(.negation(position))
                continue
            }
            operands.append((try simpleOperand(), position))
            while true {
                let sign = arithmeticOperator()
                while let last = pending.last, last.level >= max(sign?.level ?? 0, 1) {
                    try apply(pending.removeLast(), &operands)
                }
                if let sign {
                    pending.append(.binary(sign))
                    break
                }
                guard case .parenthesis(let position) = pending.popLast() else { return operands[0].operand }
                try expect(")", or: "an operator")
                operands[operands.count - 1].position = position
            }
        }
    }

    private mutating func arithmeticOperator() -> ArithmeticOperator? {
        guard case .sign(let text) = current.kind, let sign = ArithmeticOperator(rawValue: text) else {
            return nil
        }
        advance()
        return sign
    }

    /// Replaces the last operands by the result of an operator.
    private func apply(
        _ pending: Pending, _ operands: inout [(operand: Operand, position: Int)]
    ) throws(PredicateSyntaxError) {
        let right = operands.removeLast()
        switch pending {
        case .parenthesis: operands.append(right)
        case .negation(let position):
            let zero = Operand(operand: .value(0), form: .literal)
            let negated = try compute(zero, .minus, right.operand, right.position, right.position)
            operands.append((negated, position))
        case .binary(let sign):
            let left = operands.removeLast()
            let result = try compute(left.operand, sign, right.operand, left.position, right.position)
            operands.append((result, left.position))
        }
    }

    private func compute(
        _ left: Operand, _ sign: ArithmeticOperator, _ right: Operand, _ leftPosition: Int,
        _ rightPosition: Int
    ) throws(PredicateSyntaxError) -> Operand {
        for (side, position) in [(left, leftPosition), (right, rightPosition)] {
            guard case .value(let value) = side.operand else { continue }
            if side.form == .list || ScalarType.number(value) == nil {
                throw refusal(
                    "'\(sign.rawValue)' takes numbers, not \(Self.description(of: value))",
                    at: tokens[position])
            }
        }
        let operand = QueryOperand.computed(left.operand, sign, right.operand)
        if case .value = operand { return Operand(operand: operand, form: .literal) }
        let height = max(left.height, right.height) + 1
        try checkHeight(height)
        return Operand(operand: operand, form: .arithmetic, height: height)
    }

    /// Whether the next parenthesis begins an operand, and not a condition: an operator follows the closing parenthesis.
    var beginsOperand: Bool {
        guard let end = tokenAfterParentheses else { return false }
        switch end.kind {
        case .sign(let sign): return Self.signsAfterOperands.contains(sign)
        case .word(let word): return PredicateWords.operators[word.lowercased()] != nil
        default: return false
        }
    }

    private static let signsAfterOperands: Set<String> = [
        "+", "-", "*", "/", "=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>",
    ]
}

extension ArithmeticOperator {
    fileprivate var level: Int {
        switch self {
        case .plus, .minus: 1
        case .times, .dividedBy: 2
        }
    }
}
