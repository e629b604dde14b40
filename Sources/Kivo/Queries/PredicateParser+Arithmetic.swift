/// Operands that are made of others: products bind closer than sums, and parentheses closer than both.
extension PredicateParser {
    mutating func operand() throws(PredicateSyntaxError) -> Operand {
        var (token, left) = (current, try product())
        while let sign = arithmeticOperator([.plus, .minus]) {
            let rightToken = current
            left = try compute(left, sign, try product(), token, rightToken)
            token = rightToken
        }
        return left
    }

    private mutating func product() throws(PredicateSyntaxError) -> Operand {
        var (token, left) = (current, try factor())
        while let sign = arithmeticOperator([.times, .dividedBy]) {
            let rightToken = current
            left = try compute(left, sign, try factor(), token, rightToken)
            token = rightToken
        }
        return left
    }

    private mutating func factor() throws(PredicateSyntaxError) -> Operand {
        guard current.kind == .sign("-") || current.kind == .sign("(") else { return try simpleOperand() }
        try descend()
        defer { ascend() }
        if accept("-") {
            let token = current
            let zero = Operand(operand: .value(0), form: .literal)
            return try compute(zero, .minus, try factor(), token, token)
        }
        try expect("(")
        let inner = try operand()
        try expect(")", or: "an operator")
        return inner
    }

    private mutating func arithmeticOperator(_ signs: [ArithmeticOperator]) -> ArithmeticOperator? {
        guard case .sign(let text) = current.kind, let sign = ArithmeticOperator(rawValue: text),
            signs.contains(sign)
        else { return nil }
        advance()
        return sign
    }

    private func compute(
        _ left: Operand, _ sign: ArithmeticOperator, _ right: Operand, _ leftToken: PredicateToken,
        _ rightToken: PredicateToken
    ) throws(PredicateSyntaxError) -> Operand {
        for (side, token) in [(left, leftToken), (right, rightToken)] {
            guard case .value(let value) = side.operand else { continue }
            if side.form == .list || ScalarType.number(value) == nil {
                throw refusal(
                    "'\(sign.rawValue)' takes numbers, not \(Self.description(of: value))", at: token)
            }
        }
        let operand = QueryOperand.computed(left.operand, sign, right.operand)
        if case .value = operand { return Operand(operand: operand, form: .literal) }
        return Operand(operand: operand, form: .arithmetic)
    }

    /// Whether the parenthesis that is next begins an operand, and no condition: behind it comes what goes on from a value.
    var beginsOperand: Bool {
        guard let end = tokenBehindParentheses else { return false }
        switch end.kind {
        case .sign(let sign): return Self.signsBehindOperands.contains(sign)
        case .word(let word): return Self.operatorWords.contains(word.uppercased())
        default: return false
        }
    }

    private static let signsBehindOperands: Set<String> = [
        "+", "-", "*", "/", "=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>",
    ]
}
