/// The elements of a collection, or of several: what aggregates and subqueries go over.
public struct CollectionPath: Sendable {
    /// What the elements are.
    public enum Elements: Sendable {
        case objects(column: Int, target: TableID)
        case values(column: Int, ElementKind)
        case origins(ValuePath.Origins)
    }

    /// The way to the owners of the collections. Aggregates of each owner are values of their own.
    public var owner: [ValuePath.Hop]
    /// What is at its end.
    public var elements: Elements

    /// A collection and the way to its owner.
    public init(owner: [ValuePath.Hop], elements: Elements) {
        self.owner = owner
        self.elements = elements
    }

    /// The step from an owner to the elements, if they are objects.
    var hop: ValuePath.Hop? {
        switch elements {
        case .objects(let column, let target): .elements(column: column, target: target)
        case .values: nil
        case .origins(let origins): .origins(origins)
        }
    }

    func count(_ snapshot: Snapshot, _ owner: Row) -> Int {
        switch elements {
        case .objects(let column, _):
            owner.sequence(column, .link).count
        case .values(let column, let element):
            owner.sequence(column, element).count
        case .origins(let origins): snapshot.backlinks(origins.backlinks, of: owner.key).count
        }
    }

    /// Calls `body` with each row among the elements, one that is there several times as often: they are counted and
    /// added up, where for conditions on them once is enough.
    func forEachRow(_ snapshot: Snapshot, _ owner: Row, _ body: (Row) -> Void) {
        func follow(_ key: ObjectKey, _ table: TableID) {
            if key != 0, let row = snapshot.table(table).row(key) { body(row) }
        }
        switch elements {
        case .values: return
        case .objects(let column, let target):
            owner.sequence(column, .link)
                .forEachLink { follow($0, target) }
        case .origins(let origins):
            snapshot.backlinks(origins.backlinks, of: owner.key).forEach { follow($0, origins.table) }
        }
    }
}

/// What is made of the elements of a collection.
public struct Aggregate: Sendable {
    /// What is made of values.
    public enum Function: Sendable {
        case count, min, max, sum, average
    }

    /// How numbers are added, and what sums and averages are.
    public enum Arithmetic: Sendable {
        /// Words as integers; averages are doubles.
        case integer
        /// Words as doubles.
        case floatingPoint
        /// By a rule of the layer above, which gives the sum or the average of values that are not null.
        case custom(@Sendable ([Cell], Function) -> Cell)
    }

    /// What is made of the values.
    public var function: Function
    /// What the function goes over.
    public var collection: CollectionPath
    /// The way from an element that is an object to its value.
    public var value: ValuePath?
    /// How the values compare.
    public var order: CellOrder
    /// How the values are added.
    public var arithmetic: Arithmetic

    /// A function of a collection.
    public init(
        _ function: Function, _ collection: CollectionPath, value: ValuePath? = nil,
        order: CellOrder = .natural, arithmetic: Arithmetic = .integer
    ) {
        self.function = function
        self.collection = collection
        self.value = value
        self.order = order
        self.arithmetic = arithmetic
    }

    /// The result for one owner. The smallest, largest or average of nothing is null, its sum 0.
    func result(_ snapshot: Snapshot, _ owner: Row) -> Cell {
        if function == .count { return .word(UInt64(collection.count(snapshot, owner))) }
        var fold = AggregateFold(function, order, arithmetic)
        if case .values(let column, let element) = collection.elements {
            owner.sequence(column, element)
                .forEach { fold.add($0) }
        } else if let value {
            collection.forEachRow(snapshot, owner) { row in fold.add(value.cell(snapshot, row) ?? .null) }
        }
        return fold.result
    }
}
