/// The number, sum or average of values that are added and removed in any order. Exact: it depends on the values alone, not on the
/// changes that led to them.
package struct RunningAggregate {
    private enum Sum {
        case none
        case integer(Int128, (@Sendable (Int128) -> Cell)?)
        case double(ExactSum)
        case custom(any CellSum)
    }

    private let values: CountedValues
    private let isAverage: Bool
    private(set) var count = 0
    private var sum: Sum

    /// Creates an aggregate of no values.
    ///
    /// - Precondition: The function is neither the minimum nor the maximum.
    package init(_ function: Aggregate.Function, _ order: CellOrder, _ arithmetic: Aggregate.Arithmetic) {
        precondition(function != .min && function != .max, "extremes cannot be removed from each other")
        values = CountedValues(function, order)
        isAverage = function == .average
        switch (function, arithmetic) {
        case (.count, _): sum = .none
        case (_, .integer(let convert)): sum = .integer(0, convert)
        case (_, .floatingPoint): sum = .double(ExactSum())
        case (_, .custom(let make)): sum = .custom(make())
        }
    }

    /// Adds a number of elements whose values do not matter, or removes them if it is negative.
    mutating func add(elements: Int) { count += elements }

    /// Adds a value, or removes it if `sign` is -1.
    mutating func add(_ cell: Cell, sign: Int = 1) {
        guard values.contain(cell) else { return }
        count += sign
        switch sum {
        case .none: break
        case .integer(let total, let convert):
            guard case .word(let word) = cell else { break }
            sum = .integer(total + Int128(sign) * Int128(Int64(bitPattern: word)), convert)
        case .double(var total):
            guard case .word(let word) = cell else { break }
            // Not copied when it is changed.
            sum = .none
            total.add(Double(bitPattern: word), sign: Int64(sign))
            sum = .double(total)
        case .custom(var total):
            sum = .none
            if sign > 0 { total.add(cell) } else { total.remove(cell) }
            sum = .custom(total)
        }
    }

    /// The result: null if it is the average of no values.
    package var result: Cell {
        if isAverage, count == 0 { return .null }
        switch sum {
        case .none: return .word(UInt64(count))
        case .integer(let total, let convert):
            if isAverage { return .word(total.average(of: count).bitPattern) }
            return convert?(total) ?? .word(UInt64(bitPattern: total.clamped))
        case .double(let total):
            return .word((isAverage ? total.value / Double(count) : total.value).bitPattern)
        case .custom(let total): return isAverage ? total.average(of: count) : total.value
        }
    }
}

extension RunningAggregate: CellFold {
    mutating func add(_ cell: Cell) { add(cell, sign: 1) }

    mutating func add(_ buffer: ColumnBuffer, _ slots: Bits256) {
        let words = buffer.data.assumingMemoryBound(to: UInt64.self)
        slots.subtracting(buffer.nulls).forEach { add(.word(words[$0])) }
    }
}
