/// A key path resolved against the tables along it: over to-one links, collections, map entries and backlinks, to its end.
///
/// Queries, sort keys, aggregates, filters of listeners and dependencies of views are all made of such paths. A row has one value
/// at the end, several, or none. A null to-one link on the way yields no value: conditions and groups read it as null, and orders
/// sort it last.
package struct ResolvedPath: Sendable {
    /// A part of the path that leads from an object to other objects.
    package enum Hop: Sendable, Equatable {
        /// A to-one link.
        case link(column: Int, target: TableID)
        /// The objects in a list or set, or the values of a map.
        case elements(column: Int, target: TableID)
        /// The value of a map for a key.
        case entry(MapEntry, target: TableID)
        /// The objects that refer to this one through a column.
        case origins(Origins)
        /// A link of an any column, if it leads to the table.
        case anyLink(column: Int, target: TableID)
        /// The objects of one table among any values in a collection.
        case anyElements(column: Int, target: TableID)
    }

    /// The end of the path.
    package enum End: Sendable {
        case column(Int, ColumnKind)
        /// The elements of a list or set, the keys or the values of a map.
        case elements(Int, ElementKind)
        /// The element of a list at a position. Negative positions count from the end; the last element is -1.
        case position(Int, ElementKind, Int)
        /// The value of a map for a key.
        case entry(MapEntry, ElementKind)
        /// The contents of lists and dictionaries that are any values.
        indirect case nested(End, [AnyStep], AnyTables)
        /// The object itself, as a link to it.
        case object
    }

    /// The table of the rows that the path starts from.
    package let table: TableID
    /// The hops to the objects that have the values, in order.
    package private(set) var hops: [Hop] = []
    /// The end of the path.
    package private(set) var end = End.object
    /// The order by which the values are compared.
    package var order = CellOrder.natural
    /// The table of the objects at the end; nil if the path ends at plain values.
    package private(set) var target: TableID?

    /// Creates the path from the rows of a table to themselves.
    package init(from table: TableID) {
        self.table = table
        target = table
    }
}

extension ResolvedPath {
    /// The part of a map that a path leads to.
    package enum MapPart: Sendable {
        case keys, values
        /// The value for a key.
        case entry(Cell)
    }

    /// Appends a column of the objects at the end. The path must end at objects.
    package mutating func append(_ column: Int, order: CellOrder = .natural, in catalog: Catalog) {
        let spec = catalog.tables[follow()].columns[column]
        end = spec.element.map { .elements(column, $0) } ?? .column(column, spec.kind)
        target = spec.target
        self.order = order
    }

    /// Appends a map of the objects at the end, which has a column for its keys and one for its values.
    package mutating func append(
        keys: Int, values: Int, _ part: MapPart, order: CellOrder = .natural, in catalog: Catalog
    ) {
        if case .keys = part { return append(keys, in: catalog) }
        append(values, order: order, in: catalog)
        if case .entry(let key) = part, case .elements(_, let element) = end {
            end = .entry(MapEntry(keys: keys, values: values, key: key), element)
        }
    }

    /// Appends steps into the lists and dictionaries that are the any values at the end.
    package mutating func append(_ steps: [AnyStep], in catalog: Catalog) {
        if steps.isEmpty { return }
        end = .nested(end, steps, AnyTables(catalog))
    }

    /// Appends steps into the collection of any values at the end. The first step selects from its elements, the others go into
    /// these.
    package mutating func appendToCollection(_ steps: [AnyStep], in catalog: Catalog) {
        guard case .elements(let column, let element) = end, let first = steps.first else {
            return append(steps, in: catalog)
        }
        var rest = steps[...]
        switch first {
        case .index(let position): end = .position(column, element, position)
        case .all: break
        case .key, .size, .equals: return append(steps, in: catalog)
        }
        rest.removeFirst()
        end = .nested(end, Array(rest), AnyTables(catalog))
    }

    /// Appends a hop to the objects that refer to those at the end.
    package mutating func append(_ origins: Origins) {
        _ = follow()
        hops.append(.origins(origins))
        (end, target, order) = (.object, origins.table, .natural)
    }

    /// Returns this path extended by another one, which starts from the objects at the end of this one.
    func appending(_ path: ResolvedPath) -> ResolvedPath {
        var result = self
        let table = result.follow()
        precondition(table == path.table, "a path goes on from the table that it leads to")
        result.hops += path.hops
        (result.end, result.target, result.order) = (path.end, path.target, path.order)
        return result
    }

    /// Returns the part of the path behind its first hops, which starts from the objects to which these lead.
    func dropping(_ count: Int) -> ResolvedPath {
        var result = ResolvedPath(from: hops[count - 1].target)
        result.hops = Array(hops.dropFirst(count))
        (result.end, result.target, result.order) = (end, target, order)
        return result
    }

    /// Turns the end into a hop because the path continues. Returns the table from which it continues.
    private mutating func follow() -> TableID {
        guard let target else { preconditionFailure("a path does not go on from plain values") }
        switch end {
        case .object: break
        case .column(let column, _): hops.append(.link(column: column, target: target))
        case .elements(let column, _): hops.append(.elements(column: column, target: target))
        case .entry(let entry, _): hops.append(.entry(entry, target: target))
        case .nested, .position: preconditionFailure("a path does not go on from any values")
        }
        end = .object
        return target
    }
}

extension ResolvedPath {
    /// A Boolean value that indicates whether a row has at most one value.
    package var isSingle: Bool {
        if !end.isSingle { return false }
        return hops.allSatisfy { $0.isSingle }
    }

    /// The column of the rows themselves if the path consists of it alone; otherwise nil.
    var directColumn: (column: Int, kind: ColumnKind)? {
        if hops.isEmpty, case .column(let column, let kind) = end { (column, kind) } else { nil }
    }
}

extension ResolvedPath.Hop {
    /// Whether the hop leads to at most one object.
    var isSingle: Bool {
        switch self {
        case .link, .entry, .anyLink: true
        case .elements, .origins, .anyElements: false
        }
    }

    /// The table of the objects that the hop leads to.
    var target: TableID {
        switch self {
        case .link(_, let target), .elements(_, let target), .entry(_, let target), .anyLink(_, let target),
            .anyElements(_, let target):
            target
        case .origins(let origins): origins.table
        }
    }

    /// The columns that the hop reads in the objects where it starts; none for origins, which are read elsewhere.
    var columns: [Int] {
        switch self {
        case .link(let column, _), .elements(let column, _), .anyLink(let column, _),
            .anyElements(let column, _):
            [column]
        case .entry(let entry, _): [entry.keys, entry.values]
        case .origins: []
        }
    }
}

extension ResolvedPath.End {
    /// The columns that the end reads in the objects that the hops lead to.
    var columns: [Int] {
        switch self {
        case .column(let column, _), .elements(let column, _), .position(let column, _, _): [column]
        case .entry(let entry, _): [entry.keys, entry.values]
        case .nested(let end, _, _): end.columns
        case .object: []
        }
    }

    /// Whether there is at most one value.
    fileprivate var isSingle: Bool {
        switch self {
        case .elements: false
        case .nested(let end, let steps, _): end.isSingle && !steps.contains(.all)
        case .column, .entry, .object, .position: true
        }
    }
}

/// The columns of a map and a key to look up.
package struct MapEntry: Sendable, Equatable {
    /// The column of the keys, which ascend.
    package var keys: Int
    /// The column of the values, in the order of their keys.
    package var values: Int
    /// The key that is looked up.
    package var key: Cell

    /// Creates a lookup of a key in a map.
    package init(keys: Int, values: Int, key: Cell) {
        self.keys = keys
        self.values = values
        self.key = key
    }

    /// Returns the value for the key in a row's map, or nil if the map has no such key.
    func cell(_ row: Row, _ element: ElementKind) -> Cell? {
        let (position, isEqual) = row.sequence(keys, .string).lowerBound(key)
        return isEqual ? row.sequence(values, element).cell(at: position) : nil
    }
}

extension Row {
    /// Returns the sequence in a column.
    func sequence(_ column: Int, _ element: ElementKind) -> PersistentSequence {
        leaf.column(column).sequence(slot, element)
    }
}
