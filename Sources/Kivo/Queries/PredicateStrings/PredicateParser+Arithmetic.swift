/// Operands that consist of other operands: products bind tighter than sums, and parentheses tighter than both.
extension PredicateParser {
    /// Parses an operand, up to an operator that does not bind tighter than `level`.
    mutating func operand(above level: Int = 0) throws(PredicateSyntaxError) -> Operand {
        let start = index
        var left = try simpleOperand()
        while let sign = arithmeticOperator(above: level) {
            let position = index
            left = try compute(left, sign, try operand(above: sign.level), start, position)
        }
        return left
    }

    private mutating func arithmeticOperator(above level: Int) -> ArithmeticOperator? {
        guard case .sign(let text) = current.kind, let sign = ArithmeticOperator(rawValue: text),
            sign.level > level
        else { return nil }
        advance()
        return sign
    }

    /// Parses the operand after a minus that is not the sign of a number.
    mutating func negatedOperand() throws(PredicateSyntaxError) -> Operand {
        try descend()
        defer { ascend() }
        advance()
        let position = index
        return try compute(
            Operand(operand: .value(0), form: .literal), .minus, try simpleOperand(), position, position)
    }

    mutating func parenthesizedOperand() throws(PredicateSyntaxError) -> Operand {
        try descend()
        defer { ascend() }
        advance()
        let inner = try operand()
        try expect(")", or: "an operator")
        return inner
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
        return Operand(operand: operand, form: .arithmetic)
    }

    /// Whether the next parenthesis begins an operand, and not a condition: an operator follows the closing parenthesis.
    var beginsOperand: Bool {
        guard let end = tokenAfterParentheses else { return false }
        switch end.kind {
        case .sign(let sign): return Self.signsAfterOperands.contains(sign)
        case .word(let word): return Self.operatorWords.contains(word.uppercased())
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
