import Foundation
import KivoEngine

/// Arithmetic in conditions: the operation on numbers of two types, and the type of its result.
///
/// Two integers give an integer. An integer with a floating point number is converted to floating point, and a number with a
/// decimal is converted to a decimal. An operand without a value gives a result without a value. Numbers never make a condition
/// fail: integer arithmetic saturates. An integer divided by 0 is the largest integer or, if the dividend is negative, the
/// smallest.
struct QueryArithmetic {
    /// The type of the result.
    let result: ScalarType
    /// A closure that applies the operation to two cells.
    let apply: @Sendable (Cell, Cell) -> Cell

    /// Creates the arithmetic for two types of numbers.
    init(_ sign: ArithmeticOperator, _ left: ScalarType, _ right: ScalarType) {
        if left == .any || right == .any {
            result = .any
            apply = { a, b in QueryArithmetic.apply(sign, left.held(a), right.held(b)) }
        } else if left == .decimal128 || right == .decimal128 {
            result = .decimal128
            apply = QueryArithmetic.onValues { a, b in
                sign.apply(left.decimal(a), right.decimal(b)).cell
            }
        } else if left.isInteger, right.isInteger {
            result = .int
            apply = { a, b in
                guard case .word(let x) = a, case .word(let y) = b else { return .null }
                return sign.apply(Int64(bitPattern: x), Int64(bitPattern: y)).cell
            }
        } else {
            result = .double
            apply = QueryArithmetic.onValues { a, b in sign.apply(left.number(a), right.number(b)).cell }
        }
    }

    /// Applies an operation to values whose types are known only now. A value that is not a number counts as missing.
    private static func apply(
        _ sign: ArithmeticOperator, _ left: (ScalarType, Cell), _ right: (ScalarType, Cell)
    ) -> Cell {
        let arithmetic = QueryArithmetic(sign, left.0, right.0)
        return QueryValueType.scalar(arithmetic.result).anyCell!(arithmetic.apply(left.1, right.1))
    }

    private static func onValues(
        _ rule: @escaping @Sendable (Cell, Cell) -> Cell
    ) -> @Sendable (Cell, Cell) -> Cell {
        { a, b in a == .null || b == .null ? .null : rule(a, b) }
    }
}

extension ArithmeticOperator {
    fileprivate func apply(_ a: Int64, _ b: Int64) -> Int64 {
        let (value, overflows) =
            switch self {
            case .plus: a.addingReportingOverflow(b)
            case .minus: a.subtractingReportingOverflow(b)
            case .times: a.multipliedReportingOverflow(by: b)
            case .dividedBy: b == 0 ? (a, true) : a.dividedReportingOverflow(by: b)
            }
        if !overflows { return value }
        let isNegative =
            switch self {
            case .plus, .minus: a < 0
            case .times: (a < 0) != (b < 0)
            // The smallest integer divided by -1 is too large as well.
            case .dividedBy: b == 0 && a < 0
            }
        return isNegative ? .min : .max
    }

    fileprivate func apply(_ a: Double, _ b: Double) -> Double {
        switch self {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .dividedBy: a / b
        }
    }

    fileprivate func apply(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        switch self {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .dividedBy: a / b
        }
    }
}

extension ScalarType {
    /// Returns a number's cell as a decimal.
    fileprivate func decimal(_ cell: Cell) -> Decimal128 {
        guard case .word(let word) = cell else { return Decimal128(cell: cell) }
        return isInteger
            ? Decimal128(Int64(bitPattern: word)) : Decimal128(Double(bitPattern: word))
    }

    /// Returns the type and the cell of the number inside a value of any type; the cell is null if there is no number inside.
    fileprivate func held(_ cell: Cell) -> (ScalarType, Cell) {
        guard self == .any else { return (self, cell) }
        switch cell {
        case .typedWord(let word, .int): return (.int, .word(word))
        case .typedWord(let word, .float), .typedWord(let word, .double): return (.double, .word(word))
        case .typedWide(let a, let b, .decimal128): return (.decimal128, .wide(a, b))
        default: return (.int, .null)
        }
    }

    /// Returns the type and the cell of a number in a condition; returns nil if the value is not a number, or an integer beyond
    /// `Int64`. Nil counts as a missing number.
    static func number(_ value: Any?) -> (type: ScalarType, cell: Cell)? {
        guard var number = flatten(value), !(number is NSNull) else { return (.int, .null) }
        if let raw = (number as? any RawRepresentable)?.rawValue { number = raw }
        if let decimal = number as? Decimal128 { return (.decimal128, decimal.cell) }
        if number is Bool { return nil }
        if let integer = number as? any BinaryInteger {
            return Int64(exactly: integer).map { (.int, $0.cell) }
        }
        return floatingPoint(number).map { (.double, $0.cell) }
    }
}

extension QueryOperand {
    /// Returns the expression that combines two operands, or its value if both are numbers.
    static func computed(
        _ left: QueryOperand, _ sign: ArithmeticOperator, _ right: QueryOperand
    ) -> QueryOperand {
        guard case .value(let a) = left, case .value(let b) = right, let x = ScalarType.number(a),
            let y = ScalarType.number(b)
        else { return .arithmetic(left, sign, right) }
        let arithmetic = QueryArithmetic(sign, x.type, y.type)
        let cell = arithmetic.apply(x.cell, y.cell)
        return .value(cell == .null ? nil : arithmetic.result.swiftType!.init(cell: cell))
    }
}
