/// A way from the rows of a table to values: over to-one links, collections and backlinks.
///
/// A row has one value, several, or none: where a link on the way is null there is nothing.
public struct ValuePath: Sendable {
    /// A step from an object to others.
    public enum Hop: Sendable {
        /// Along a to-one link.
        case link(column: Int, target: TableID)
        /// To the objects in a list or set, or to the values of a map.
        case elements(column: Int, target: TableID)
        /// To the value of a map for a key.
        case entry(MapEntry, target: TableID)
        /// To the objects that refer to this one through a column.
        case origins(Origins)

        /// Whether it leads to at most one object.
        var isSingle: Bool {
            switch self {
            case .link, .entry: true
            case .elements, .origins: false
            }
        }
    }

    /// What is at the end of the way.
    public enum End: Sendable {
        case column(Int, ColumnKind)
        /// The elements of a list or set, the keys or the values of a map.
        case elements(Int, ElementKind)
        /// The value of a map for a key.
        case entry(MapEntry, ElementKind)
        /// The object itself, as a link to it.
        case object
    }

    /// The columns of a map and the key that is looked up in it.
    public struct MapEntry: Sendable {
        /// The column of the keys, ascending.
        public var keys: Int
        /// The column of the values, in the order of their keys.
        public var values: Int
        /// The key that is looked up.
        public var key: Cell

        /// A key of a map.
        public init(keys: Int, values: Int, key: Cell) {
            self.keys = keys
            self.values = values
            self.key = key
        }

        /// The value for the key in a row's map; nil if it is not there.
        func cell(_ row: Row, _ element: ElementKind) -> Cell? {
            let (position, isEqual) = row.sequence(keys, .string).lowerBound(key)
            return isEqual ? row.sequence(values, element).cell(at: position) : nil
        }
    }

    /// The objects of a table that refer to one through a column, and the table that keeps them.
    public struct Origins: Sendable {
        /// The table of the objects that refer.
        public var table: TableID
        /// The column through which they do.
        public var column: Int
        /// The table that keeps who refers to whom.
        public var backlinks: TableID

        /// The origins that refer to an object through a column of theirs.
        public init(table: TableID, column: Int, backlinks: TableID) {
            self.table = table
            self.column = column
            self.backlinks = backlinks
        }
    }

    /// The steps, in their order.
    public var hops: [Hop]
    /// What the last step leads to.
    public var end: End
    /// How the values compare.
    public var order: CellOrder

    /// A way to values.
    public init(hops: [Hop] = [], end: End, order: CellOrder = .natural) {
        self.hops = hops
        self.end = end
        self.order = order
    }

    /// The column of the rows themselves that the path is, if it leads nowhere else.
    var directColumn: (column: Int, kind: ColumnKind)? {
        if hops.isEmpty, case .column(let column, let kind) = end { (column, kind) } else { nil }
    }

    /// Whether a row has at most one value.
    public var isSingle: Bool {
        if case .elements = end { return false }
        return hops.allSatisfy(\.isSingle)
    }

    /// The value of a path that leads to at most one; nil if a link on the way is null.
    @inline(__always)
    public func cell(_ snapshot: Snapshot, _ row: Row) -> Cell? {
        if hops.isEmpty, case .column(let column, let kind) = end {
            return row.leaf.column(column).cell(row.slot, kind)
        }
        return linkedCell(snapshot, row)
    }

    private func linkedCell(_ snapshot: Snapshot, _ row: Row) -> Cell? {
        var found: Cell?
        _ = forEach(snapshot, row) { cell in
            found = cell
            return false
        }
        return found
    }

    /// Calls `body` with each value of a row until it returns false; false if it did.
    public func forEach(_ snapshot: Snapshot, _ row: Row, _ body: (Cell) -> Bool) -> Bool {
        hops[...].forEachRow(snapshot, row) { row in
            switch end {
            case .column(let column, let kind): return body(row.leaf.column(column).cell(row.slot, kind))
            case .object: return body(.link(row.key))
            case .entry(let entry, let element):
                // A key that is not there has no value, like one whose value is null.
                return body(entry.cell(row, element) ?? .null)
            case .elements(let column, let element):
                var goesOn = true
                row.sequence(column, element).forEachRun { elements, range in
                    for index in 0..<range.count where goesOn {
                        goesOn = body(element.load(elements + index * element.stride))
                    }
                    return goesOn
                }
                return goesOn
            }
        }
    }
}

/// A row of a table: where it is in a leaf. Valid as long as its ``Snapshot``.
public struct Row {
    /// The leaf that holds the row.
    public let leaf: Leaf
    /// The place of the row in the leaf.
    public let slot: Int
    /// The key of the object.
    public let key: ObjectKey

    /// The row of an object that is in a slot of a leaf.
    @inline(__always)
    public init(_ leaf: Leaf, _ slot: Int, _ key: ObjectKey) {
        self.leaf = leaf
        self.slot = slot
        self.key = key
    }

    /// The sequence in a column.
    func sequence(_ column: Int, _ element: ElementKind) -> PersistentSequence {
        PersistentSequence(word: leaf.column(column).word(slot), element: element)
    }
}

extension Table {
    /// The row of an object, or nil.
    @inline(__always)
    public func row(_ key: ObjectKey) -> Row? {
        guard let (leaf, slot) = locate(key) else { return nil }
        return Row(leaf, slot, key)
    }
}

extension ArraySlice<ValuePath.Hop> {
    /// Calls `body` with each row that the hops lead to until it returns false; false if it did.
    func forEachRow(_ snapshot: Snapshot, _ row: Row, _ body: (Row) -> Bool) -> Bool {
        guard let hop = first else { return body(row) }
        let rest = dropFirst()
        var goesOn = true
        func follow(_ key: ObjectKey, _ table: TableID) {
            guard key != 0, let next = snapshot.table(table).row(key) else { return }
            goesOn = rest.forEachRow(snapshot, next, body)
        }
        switch hop {
        case .link(let column, let target):
            follow(ObjectKey(bitPattern: row.leaf.column(column).word(row.slot)), target)
        case .entry(let entry, let target):
            if let cell = entry.cell(row, .link) { follow(cell.linkKey, target) }
        case .elements(let column, let target):
            row.sequence(column, .link).forEachRun { elements, range in
                let keys = elements.assumingMemoryBound(to: ObjectKey.self)
                for index in 0..<range.count where goesOn { follow(keys[index], target) }
                return goesOn
            }
        case .origins(let origins):
            var last: ObjectKey = 0
            snapshot.backlinks(origins.backlinks, of: row.key).forEach { key in
                // An origin counts once however often it refers to the object.
                guard goesOn, key != last else { return }
                last = key
                follow(key, origins.table)
            }
        }
        return goesOn
    }
}
