/// A key path that was followed through the tables it passes: over to-one links, collections, map entries and
/// backlinks, to what is at its end.
///
/// Queries, sort keys, aggregates, the filters of listeners and what views depend on are all made of such paths. A row
/// has one value at the end, several, or none. Where a to-one link on the way is null there is nothing, which conditions and
/// groups read as null and orders put at the end.
public struct ResolvedPath: Sendable {
    /// A part of the path that leads from an object to others.
    public enum Hop: Sendable, Equatable {
        /// Along a to-one link.
        case link(column: Int, target: TableID)
        /// To the objects in a list or set, or to the values of a map.
        case elements(column: Int, target: TableID)
        /// To the value of a map for a key.
        case entry(MapEntry, target: TableID)
        /// To the objects that refer to this one through a column.
        case origins(Origins)
        /// Along a link of an any column, if it leads to the table.
        case anyLink(column: Int, target: TableID)
        /// To the objects of one table among any values in a collection.
        case anyElements(column: Int, target: TableID)
    }

    /// What is at the end of the path.
    public enum End: Sendable {
        case column(Int, ColumnKind)
        /// The elements of a list or set, the keys or the values of a map.
        case elements(Int, ElementKind)
        /// The element of a list at a position; counted from the end, the last of which is -1, if it is negative.
        case position(Int, ElementKind, Int)
        /// The value of a map for a key.
        case entry(MapEntry, ElementKind)
        /// What is inside of lists and dictionaries that any values are.
        indirect case nested(End, [AnyStep], AnyTables)
        /// The object itself, as a link to it.
        case object
    }

    /// The table of the rows that the path starts from.
    public let table: TableID
    /// What leads to the objects that have the values, in order.
    public private(set) var hops: [Hop] = []
    /// What is at the end.
    public private(set) var end = End.object
    /// How the values compare.
    public var order = CellOrder.natural
    /// The table of the objects at the end; nil if plain values are there.
    public private(set) var target: TableID?

    /// The path from the rows of a table to themselves.
    public init(from table: TableID) {
        self.table = table
        target = table
    }
}

extension ResolvedPath {
    /// What a path takes of a map.
    public enum MapPart: Sendable {
        case keys, values
        /// The value for a key.
        case entry(Cell)
    }

    /// Goes on to a column of the objects at the end, which must be objects.
    public mutating func append(_ column: Int, order: CellOrder = .natural, in catalog: Catalog) {
        let spec = catalog.tables[follow()].columns[column]
        end = spec.element.map { .elements(column, $0) } ?? .column(column, spec.kind)
        target = spec.target
        self.order = order
    }

    /// Goes on to a map of the objects at the end, which has a column for its keys and one for its values.
    public mutating func append(
        keys: Int, values: Int, _ part: MapPart, order: CellOrder = .natural, in catalog: Catalog
    ) {
        if case .keys = part { return append(keys, in: catalog) }
        append(values, order: order, in: catalog)
        if case .entry(let key) = part, case .elements(_, let element) = end {
            end = .entry(MapEntry(keys: keys, values: values, key: key), element)
        }
    }

    /// Goes on into the lists and dictionaries that the any values at the end are.
    public mutating func append(_ steps: [AnyStep], in catalog: Catalog) {
        if steps.isEmpty { return }
        end = .nested(end, steps, AnyTables(catalog))
    }

    /// Goes on into the collection of any values at the end: the first step picks from its elements, the others go into these.
    public mutating func appendToCollection(_ steps: [AnyStep], in catalog: Catalog) {
        guard case .elements(let column, let element) = end, let first = steps.first else {
            return append(steps, in: catalog)
        }
        var rest = steps[...]
        switch first {
        case .index(let position): end = .position(column, element, position)
        case .all: break
        case .key, .size: return append(steps, in: catalog)
        }
        rest.removeFirst()
        end = .nested(end, Array(rest), AnyTables(catalog))
    }

    /// Goes on to the objects that refer to those at the end.
    public mutating func append(_ origins: Origins) {
        _ = follow()
        hops.append(.origins(origins))
        (end, target, order) = (.object, origins.table, .natural)
    }

    /// The path that leads to where this one does and from there on along another, which starts from the objects there.
    func appending(_ path: ResolvedPath) -> ResolvedPath {
        var result = self
        let table = result.follow()
        precondition(table == path.table, "a path goes on from the table that it leads to")
        result.hops += path.hops
        (result.end, result.target, result.order) = (path.end, path.target, path.order)
        return result
    }

    /// Turns the end into a hop, because the path goes on; returns the table that it goes on from.
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
    /// Whether a row has at most one value.
    public var isSingle: Bool {
        if !end.isSingle { return false }
        return hops.allSatisfy { $0.isSingle }
    }

    /// The column of the rows themselves that the path is, if it leads nowhere else.
    var directColumn: (column: Int, kind: ColumnKind)? {
        if hops.isEmpty, case .column(let column, let kind) = end { (column, kind) } else { nil }
    }
}

extension ResolvedPath.Hop {
    /// Whether it leads to at most one object.
    var isSingle: Bool {
        switch self {
        case .link, .entry, .anyLink: true
        case .elements, .origins, .anyElements: false
        }
    }

    /// The table of the objects that it leads to.
    var target: TableID {
        switch self {
        case .link(_, let target), .elements(_, let target), .entry(_, let target), .anyLink(_, let target),
            .anyElements(_, let target):
            target
        case .origins(let origins): origins.table
        }
    }

    /// The columns that it reads in the objects it starts from; none for origins, which are read elsewhere.
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
    /// The columns that it reads in the objects that the hops lead to.
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
