import KivoEngine

/// The sum of decimals that are added and removed in any order. Values of one exponent are added exactly; the sums of all exponents
/// are added when the sum is read, each time rounded to 34 digits.
///
/// Coefficients are added by exponent. Each is below 2¹¹³ and is added in two halves, so that no sum overflows.
struct DecimalSum {
    private struct Part {
        var high: Int128 = 0
        var low: Int128 = 0
        var count = 0

        /// The sum of the coefficients. Exact if it has at most 34 digits.
        var coefficient: Decimal128 {
            let carry = low >> 64
            let (high, low) = (high + carry, low & Int128(UInt64.max))
            // The sum fits 128 bits unless it has more digits than a decimal.
            if high.magnitude < 1 << 62 { return Decimal128(high << 64 | low) }
            return Decimal128(high) * Decimal128(Int128(1) << 64) + Decimal128(low)
        }
    }

    private var parts: [Int: Part] = [:]
    private var infinities = 0
    private var negativeInfinities = 0
    private var notNumbers = 0

    /// Adds a value, or removes it if `sign` is -1.
    mutating func add(_ value: Decimal128, sign: Int = 1) {
        if value.isNaN {
            notNumbers += sign
        } else if value.isInfinite {
            if value.isNegative { negativeInfinities += sign } else { infinities += sign }
        } else {
            add(value.coefficient, value.exponent, sign: Int128(value.isNegative ? -sign : sign), sign)
        }
    }

    private mutating func add(_ coefficient: UInt128, _ exponent: Int, sign: Int128, _ count: Int) {
        var part = parts[exponent, default: Part()]
        part.high += sign * Int128(coefficient >> 64)
        part.low += sign * Int128(coefficient & UInt128(UInt64.max))
        part.count += count
        parts[exponent] = part.count == 0 ? nil : part
    }

    /// The sum. Exact if no sum of a part of the values has more than 34 digits.
    var value: Decimal128 {
        if notNumbers > 0 || infinities > 0 && negativeInfinities > 0 { return .nan }
        if infinities > 0 { return .infinity }
        if negativeInfinities > 0 { return -.infinity }
        // In a fixed order, so that equal values have equal sums.
        return parts.sorted { $0.key < $1.key }
            .reduce(Decimal128(0)) { sum, part in
                let unit = Decimal128(isNegative: false, packed: 1, exponent: part.key)
                return sum + part.value.coefficient * unit
            }
    }
}

/// A sum of cells as decimals.
struct DecimalCells: CellSum {
    private var sum = DecimalSum()
    private let decimal: @Sendable (Cell) -> Decimal128
    private let cell: @Sendable (Decimal128) -> Cell

    /// - Parameters:
    ///   - decimal: returns the value of a cell.
    ///   - cell: returns the cell of a result.
    init(
        _ decimal: @escaping @Sendable (Cell) -> Decimal128, cell: @escaping @Sendable (Decimal128) -> Cell
    ) {
        (self.decimal, self.cell) = (decimal, cell)
    }

    mutating func add(_ cell: Cell) { sum.add(decimal(cell)) }
    mutating func remove(_ cell: Cell) { sum.add(decimal(cell), sign: -1) }
    var value: Cell { cell(sum.value) }
    func average(of count: Int) -> Cell { cell(sum.value / Decimal128(count)) }
}
