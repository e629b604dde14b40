/// What is made of the elements of a collection.
public struct Aggregate: Sendable {
    /// What is made of values.
    public enum Function: Sendable {
        case count, min, max, sum, average
    }

    /// How numbers are added, and what sums and averages are.
    public enum Arithmetic: Sendable {
        /// Words as integers, which are added exactly. The closure makes the cell of a sum; averages are doubles.
        case integer(_ sum: @Sendable (Int128) -> Cell)
        /// Words as doubles.
        case floatingPoint
        /// By a rule of the layer above, which gives the sum or the average of values that are not null.
        case custom(@Sendable ([Cell], Function) -> Cell)

        /// Words as integers. A sum that does not fit one is the largest or the smallest there is.
        public static let saturating = Arithmetic.integer { .word(UInt64(bitPattern: Int64(clamping: $0))) }
    }

    /// What is made of the values.
    public var function: Function
    /// The collection that the function goes over. Each object that has one makes a result of its own.
    public var collection: ResolvedPath
    /// The path from an element that is an object to its value.
    public var value: ResolvedPath?
    /// How the values compare.
    public var order: CellOrder
    /// How the values are added.
    public var arithmetic: Arithmetic

    /// A function of a collection.
    public init(
        _ function: Function, _ collection: ResolvedPath, value: ResolvedPath? = nil,
        order: CellOrder = .natural, arithmetic: Arithmetic = .saturating
    ) {
        self.function = function
        self.collection = collection
        self.value = value
        self.order = order
        self.arithmetic = arithmetic
    }

    /// The result for a collection without elements.
    var resultOfNothing: Cell { AggregateFold(function, order, arithmetic).result }

    /// The result for one owner. The smallest, largest or average of nothing is null, its sum 0.
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
