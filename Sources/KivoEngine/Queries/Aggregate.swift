/// A function of the elements of a collection, such as their number or sum.
@usableFromInline package struct Aggregate: Sendable {
    /// A function of values.
    @usableFromInline package enum Function: Sendable {
        case count, min, max, sum, average
    }

    /// The rules for adding numbers, and for the results of sums and averages.
    @usableFromInline package enum Arithmetic: Sendable {
        /// Words as integers, which are added exactly. The closure turns a sum into a cell; averages are doubles.
        case integer(_ sum: @Sendable (Int128) -> Cell)
        /// Words as doubles.
        case floatingPoint
        /// A rule of the calling layer, which returns the sum or the average of values that are not null.
        case custom(@Sendable ([Cell], Function) -> Cell)

        /// Words as integers. A sum that does not fit is clamped to the largest or smallest integer.
        package static let saturating = Arithmetic.integer { .word(UInt64(bitPattern: Int64(clamping: $0))) }
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
