/// A function of the elements of a collection, such as their number or sum.
@usableFromInline package struct Aggregate: Sendable {
    /// A function of values.
    @usableFromInline package enum Function: Sendable {
        case count, min, max, sum, average
    }

    /// The rules for adding numbers, and for the results of sums and averages.
    @usableFromInline package enum Arithmetic: Sendable {
        /// Words as integers, which are added exactly. The closure turns a sum into a cell; without one, a sum that does not fit
        /// is clamped to the largest or smallest integer. Averages are doubles.
        case integer(_ sum: (@Sendable (Int128) -> Cell)?)
        /// Words as doubles.
        case floatingPoint
        /// A rule of the calling layer: the closure returns the sum of no values.
        case custom(@Sendable () -> any CellSum)

        /// Words as integers, whose sums are clamped.
        package static let saturating = Arithmetic.integer(nil)
    }

    /// The function of the values.
    package var function: Function
    /// The collection to aggregate. Each object with such a collection yields a result of its own.
    package var collection: ResolvedPath
    /// The path from an element that is an object to its value.
    package var value: ResolvedPath?
    /// The order by which the values are compared.
    package var order: CellOrder
    /// The rules for adding the values.
    package var arithmetic: Arithmetic

    /// Creates an aggregate of a collection.
    package init(
        _ function: Function, _ collection: ResolvedPath, value: ResolvedPath? = nil,
        order: CellOrder = .natural, arithmetic: Arithmetic = .saturating
    ) {
        self.function = function
        self.collection = collection
        self.value = value
        self.order = order
        self.arithmetic = arithmetic
    }

    /// The result for an empty collection.
    var emptyResult: Cell { AggregateFold(function, order, arithmetic).result }

    /// Returns the result for one owner. For an empty collection the minimum, maximum and average are null, the sum is 0.
    func result(_ snapshot: Snapshot, _ owner: Row) -> Cell {
        if function == .count { return .word(UInt64(collection.elementCount(snapshot, owner))) }
        var fold = AggregateFold(function, order, arithmetic)
        if let value {
            collection.forEachElement(snapshot, owner) { row in fold.add(value.cell(snapshot, row) ?? .null) }
        } else if case .elements(let column, let element) = collection.end {
            owner.sequence(column, element)
                .forEach { fold.add($0) }
        }
        return fold.result
    }
}

/// A sum by a rule of the calling layer, of values that are not null.
@usableFromInline package protocol CellSum {
    /// Adds a value.
    mutating func add(_ cell: Cell)
    /// Removes a value that was added.
    mutating func remove(_ cell: Cell)
    /// The sum.
    var value: Cell { get }
    /// Returns the sum divided by a number of values, which is not 0.
    func average(of count: Int) -> Cell
}

/// The values that an aggregate function does not ignore: neither null nor NaN, and of any values only those that it can combine.
struct CountedValues {
    private let ignoresNaN: Bool
    private let order: CellOrder
    /// Whether a value of any type counts, by its tag; nil for other columns, in which all values count.
    private let counts: ((AnyTag) -> Bool)?

    init(_ function: Aggregate.Function, _ order: CellOrder) {
        self.order = order
        ignoresNaN = function != .count
        counts =
            switch (order, function) {
            case (.mixed, .min), (.mixed, .max): { $0 != .link }
            case (.mixed, .sum), (.mixed, .average): { $0.isNumber }
            default: nil
            }
    }

    @inline(__always)
    func contain(_ cell: Cell) -> Bool {
        if cell == .null { return false }
        if let counts, !counts(cell.anyTag) { return false }
        return !(ignoresNaN && order.isNaN(cell))
    }
}

/// A computation of one result from values, one by one or by column.
protocol CellFold {
    mutating func add(_ cell: Cell)
    /// Adds the values of some slots of a column of words at once.
    mutating func add(_ buffer: ColumnBuffer, _ slots: Bits256)
}

/// An incremental computation of the minimum, maximum, sum or average of values. Null and NaN are ignored.
package struct AggregateFold {
    private let function: Aggregate.Function
    private let values: CountedValues
    private let order: CellOrder
    private let arithmetic: Aggregate.Arithmetic
    private var best = Cell.null
    /// The exact sum of integers.
    private var total: Int128 = 0
    private var double = 0.0
    private var count = 0
    private var custom: (any CellSum)?

    /// Creates a fold without values.
    package init(_ function: Aggregate.Function, _ order: CellOrder, _ arithmetic: Aggregate.Arithmetic) {
        self.function = function
        self.order = order
        self.arithmetic = arithmetic
        values = CountedValues(function, order)
        if case .custom(let make) = arithmetic, function == .sum || function == .average { custom = make() }
    }

    /// Adds a value.
    package mutating func add(_ cell: Cell) {
        guard values.contain(cell) else { return }
        count += 1
        switch (function, arithmetic, cell) {
        case (.count, _, _): break
        case (.min, _, _): if best == .null || order.compare(cell, best) < 0 { best = cell }
        case (.max, _, _): if best == .null || order.compare(cell, best) > 0 { best = cell }
        case (_, .integer, .word(let word)): total += Int128(Int64(bitPattern: word))
        case (_, .floatingPoint, .word(let word)): double += Double(bitPattern: word)
        default: custom?.add(cell)
        }
    }

    /// The result so far.
    package var result: Cell {
        switch (function, arithmetic) {
        case (.count, _): return .word(UInt64(count))
        case (.min, _), (.max, _): return best
        case (.average, _) where count == 0: return .null
        case (.sum, .custom): return custom!.value
        case (.average, .custom): return custom!.average(of: count)
        case (.sum, .integer(let sum)): return sum?(total) ?? .word(UInt64(bitPattern: total.clamped))
        case (.sum, .floatingPoint): return .word(double.bitPattern)
        case (.average, .integer): return .word(total.average(of: count).bitPattern)
        case (.average, _): return .word((double / Double(count)).bitPattern)
        }
    }
}

extension AggregateFold: CellFold {
    /// Adds the values of some slots of a column of words at once.
    mutating func add(_ buffer: ColumnBuffer, _ slots: Bits256) {
        let slots = slots.subtracting(buffer.nulls)
        let words = buffer.data.assumingMemoryBound(to: UInt64.self)
        guard slots == .all, addAll(buffer.data) else {
            slots.forEach { add(.word(words[$0])) }
            return
        }
    }

    /// Adds all 256 values of a buffer. Returns false if there is no vectorised implementation for the function.
    private mutating func addAll(_ data: UnsafeMutableRawPointer) -> Bool {
        let integers = data.assumingMemoryBound(to: SIMD8<Int64>.self)
        let doubles = data.assumingMemoryBound(to: SIMD8<Double>.self)
        switch (function, arithmetic, order) {
        case (.sum, .integer, _), (.average, .integer, _):
            // 256 integers that fit 55 bits have a sum that fits 64.
            var (sum, bits) = (SIMD8<Int64>(), SIMD8<Int64>())
            for index in 0..<32 {
                sum &+= integers[index]
                bits |= integers[index] &+ (1 << 54)
            }
            if bits.allBits & (-1 << 55) == 0 {
                total += Int128(sum.wrappedSum())
                break
            }
            // The sums are computed in two halves, neither of which overflows.
            var (high, low) = (SIMD8<Int64>(), SIMD8<Int64>())
            for index in 0..<32 {
                high &+= integers[index] &>> 32
                low &+= integers[index] & 0xFFFF_FFFF
            }
            total += Int128(high.wrappedSum()) << 32 + Int128(low.wrappedSum())
        case (.sum, .floatingPoint, _), (.average, .floatingPoint, _):
            var sum = SIMD8<Double>()
            for index in 0..<32 { sum += doubles[index] }
            // If there is a NaN among the values, they are added one by one.
            if sum.sum().isNaN { return false }
            double += sum.sum()
        case (.min, _, .natural):
            var best = integers[0]
            for index in 1..<32 { best = pointwiseMin(best, integers[index]) }
            add(.word(UInt64(bitPattern: best.min())))
        case (.max, _, .natural):
            var best = integers[0]
            for index in 1..<32 { best = pointwiseMax(best, integers[index]) }
            add(.word(UInt64(bitPattern: best.max())))
        case (.min, _, .floatingPoint): return addBest(doubles, { $0 .< $1 }, { $0.min() })
        case (.max, _, .floatingPoint): return addBest(doubles, { $0 .> $1 }, { $0.max() })
        default: return false
        }
        count += 256
        return true
    }

    /// Adds the best of 256 doubles. Returns false if it is zero, because there are two and the first counts, or if one of the
    /// first eight is NaN, which no other double is better than.
    @inline(__always)
    private mutating func addBest(
        _ doubles: UnsafePointer<SIMD8<Double>>,
        _ isBetter: (SIMD8<Double>, SIMD8<Double>) -> SIMDMask<SIMD8<Int64>>,
        _ best: (SIMD8<Double>) -> Double
    ) -> Bool {
        var bests = doubles[0]
        if bests.sum().isNaN { return false }
        for index in 1..<32 { bests.replace(with: doubles[index], where: isBetter(doubles[index], bests)) }
        let best = best(bests)
        if best == 0 { return false }
        add(.word(best.bitPattern))
        return true
    }
}

extension SIMD8<Int64> {
    /// The bits that are set in any of the elements.
    fileprivate var allBits: Int64 { indices.reduce(0) { $0 | self[$1] } }
}
