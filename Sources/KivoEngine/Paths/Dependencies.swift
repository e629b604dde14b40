/// The dependencies of the rows of a table: a tree of the paths along which changes affect the rows.
///
///     "name", "owner.name", "owner.friends.age"      Dog {name, owner} ─owner─▶ Person {name, friends} ─friends─▶ Person {age}
///
/// Each node is a table with the columns that are read there; paths with a common beginning share nodes. The tree encodes the
/// rules when it is built, and ``ChangeTraversals`` only follows the tree. Equivalent dependencies are equal, so callers with
/// equal dependencies share one traversal over a change set.
@usableFromInline package final class Dependencies: Sendable {
    /// The rows that are reached along one beginning of the paths.
    struct Node: Hashable {
        var table: TableID
        /// The columns in which assignments count; nil for all columns.
        var columns: Set<Int>? = []
        var countsInserted = false
        var countsDeleted = false
        /// The backlink tables in which a change affects the row to which the backlinks lead.
        var referrers: Set<TableID> = []
        var edges: [Edge] = []
        /// The nodes of lists and dictionaries, including this one, whose edges may form cycles. All other edges lead to later
        /// nodes.
        var loop: Range<Int>?
    }

    /// An edge from the rows of a node to those of another, later node in ``nodes``.
    struct Edge: Hashable {
        let hop: ResolvedPath.Hop
        /// The backlink table that leads back along the hop; nil for origins, whose link column leads back.
        let backlinks: TableID?
        let child: Int

        func hash(into hasher: inout Hasher) {
            hasher.combine(hop.columns)
            hasher.combine(hop.origins)
            hasher.combine(child)
        }
    }

    /// The nodes. The first is that of the rows themselves. Empty if the elements are plain values.
    let nodes: [Node]
    /// The tables and columns that a relevant change must touch, ascending by table.
    package let interests: [TableInterest]
    private let hash: Int
    /// The parameters of the dependencies if they include links of any columns. Such links can also lead to tables that are added
    /// later.
    private let links: Links?
    /// The dependencies for a later catalog: the most recent one that was requested.
    private let latest = Lock<Dependencies?>(nil)

    /// Everything that is reachable over at most `count` links.
    private struct Links {
        let count: Int
        let table: TableID
        /// The column of the any sequence from whose elements the links start; nil if they start from the rows.
        let column: Int?
        /// The number of tables when the dependencies were made.
        let tables: Int
    }

    private init(_ nodes: [Node], _ links: Links? = nil) {
        self.nodes = nodes
        self.links = links
        interests = Dependencies.interests(nodes)
        hash = nodes.hashValue
    }

    /// Creates the dependencies along paths from the rows of a table.
    ///
    /// Assignments along the paths count, and so do objects that begin or cease to refer to an object whose origins a path leads
    /// to.
    ///
    /// - Parameters:
    ///   - countsRows: Whether insertions and deletions of the rows themselves count too.
    ///   - countsOriginEdits: Whether an assignment to the link or list of an object that goes on referring counts too, for paths
    ///     that end with linking objects.
    package convenience init(
        _ paths: [ResolvedPath], from table: TableID, countsRows: Bool = false,
        countsOriginEdits: Bool = false, _ catalog: Catalog
    ) {
        var builder = Builder(
            catalog: catalog, countsOriginEdits: countsOriginEdits, nodes: [Node(table: table)])
        builder.nodes[0].countsInserted = countsRows
        builder.nodes[0].countsDeleted = countsRows
        for path in paths { builder.add(path) }
        self.init(builder.nodes)
    }

    /// Creates dependencies on all assignments in rows of a table, and in objects that are at most `links` links away.
    package convenience init(links: Int, from table: TableID, _ catalog: Catalog) {
        self.init(links, from: table, nil, catalog)
    }

    /// Creates dependencies on all assignments in the objects in an any sequence, and in objects that are at most `links` links
    /// away from them. They are dependencies of the rows that contain the sequence.
    package convenience init(
        links: Int, fromElementsOf column: Int, of table: TableID, _ catalog: Catalog
    ) { self.init(links, from: table, column, catalog) }

    private convenience init(_ links: Int, from table: TableID, _ column: Int?, _ catalog: Catalog) {
        var tree = LinkTree(catalog, Node(table: table, columns: column == nil ? nil : []))
        tree.isOpen = column != nil
        var layer = [0]
        // Objects in a sequence, list or dictionary count as no link away.
        if column != nil || catalog.tables[table].container != nil {
            layer = tree.expand(layer, only: column)
        }
        for _ in 0..<links { layer = tree.expand(layer, only: nil) }
        self.init(
            tree.nodes,
            tree.isOpen
                ? Links(count: links, table: table, column: column, tables: catalog.tables.count) : nil)
    }

    /// Creates empty dependencies, as plain values have them.
    package convenience init() { self.init([]) }

    private static func interests(_ nodes: [Node]) -> [TableInterest] {
        var interests: [TableInterest] = []
        for node in nodes {
            let countsRows = node.countsInserted || node.countsDeleted
            if countsRows || node.columns?.isEmpty != true {
                interests.add(TableInterest(table: node.table, columns: node.columns, countsRows: countsRows))
            }
            for edge in node.edges {
                guard let origins = edge.hop.origins, node.referrers.contains(origins.backlinks) else {
                    continue
                }
                // The set of rows that refer to a row changes with changes of the referring rows.
                interests.add(
                    TableInterest(table: origins.table, columns: [origins.column], countsRows: true))
            }
        }
        return interests
    }
}

extension Dependencies: Hashable {
    /// Returns whether two dependencies are equivalent.
    @usableFromInline package static func == (a: Dependencies, b: Dependencies) -> Bool {
        a === b || (a.hash == b.hash && a.nodes == b.nodes)
    }

    /// Hashes the dependencies by their stored hash, which is computed once.
    @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Dependencies {
    /// The columns of the rows themselves in which assignments count; nil for all columns.
    package var ownColumns: Set<Int>? { nodes.isEmpty ? [] : nodes[0].columns }

    /// A Boolean value that indicates whether tables that are added later may become part of the dependencies.
    package var isOpen: Bool { links != nil }

    /// Returns the dependencies for the tables of a catalog: any values may also lead to tables that were added since. O(1)
    /// except on the first call.
    package func extended(to catalog: Catalog) -> Dependencies {
        guard let links, links.tables < catalog.tables.count else { return self }
        return latest.withLock { known in
            if let known, known.links?.tables == catalog.tables.count { return known }
            let made = Dependencies(links.count, from: links.table, links.column, catalog)
            known = made
            return made
        }
    }

    /// A Boolean value that indicates whether only the rows' own columns count.
    package var areOwn: Bool { nodes.isEmpty || (nodes[0].edges.isEmpty && nodes[0].referrers.isEmpty) }

    /// Whether a column of a table, or a table of backlinks, affects rows other than its own.
    func areIndirectlyAffected(by table: TableID, _ column: Int) -> Bool {
        for (index, node) in nodes.enumerated() {
            if index > 0, node.table == table, node.columns?.contains(column) ?? true { return true }
            if node.referrers.contains(table) { return true }
        }
        return false
    }
}

extension ResolvedPath.Hop {
    var origins: Origins? { if case .origins(let origins) = self { origins } else { nil } }
}

/// A builder of the tree of everything that links lead to: one layer for each link between objects.
///
/// Lists and dictionaries that are values of any columns belong to the layer of the object that contains them, however deeply
/// they are nested.
private struct LinkTree {
    let catalog: Catalog
    var nodes: [Dependencies.Node]
    /// Whether the tree includes links of any columns.
    var isOpen = false

    init(_ catalog: Catalog, _ root: Dependencies.Node) {
        self.catalog = catalog
        nodes = [root]
    }

    /// Adds the targets of a layer's nodes. Returns the nodes of the next layer.
    ///
    /// - Parameter column: the only column of the root that is followed; nil for all.
    mutating func expand(_ layer: [Int], only column: Int?) -> [Int] {
        var containers: [TableID: Int] = [:]
        var all = layer
        let begin = nodes.count
        // The array grows during the loop, because containers lead to containers.
        var offset = 0
        while offset < all.count {
            let index = all[offset]
            offset += 1
            for hop in hops(from: index, only: column) where catalog.tables[hop.target].container != nil {
                if containers[hop.target] == nil { all.append(nodes.count) }
                add(hop, from: index, &containers)
            }
        }
        for index in begin..<nodes.count { nodes[index].loop = begin..<nodes.count }
        var next: [TableID: Int] = [:]
        for index in all {
            for hop in hops(from: index, only: column) where catalog.tables[hop.target].container == nil {
                add(hop, from: index, &next)
            }
        }
        return next.values.sorted()
    }

    private mutating func add(_ hop: ResolvedPath.Hop, from index: Int, _ known: inout [TableID: Int]) {
        let child = known[hop.target] ?? nodes.count
        if child == nodes.count { nodes.append(Dependencies.Node(table: hop.target, columns: nil)) }
        known[hop.target] = child
        let backlinks = hop.columns.first.flatMap {
            catalog.tables[nodes[index].table].backlinks(of: $0, to: hop.target)
        }
        nodes[index].edges.append(Dependencies.Edge(hop: hop, backlinks: backlinks, child: child))
    }

    /// Returns the hops from the rows of a node to other rows.
    private mutating func hops(from index: Int, only column: Int?) -> [ResolvedPath.Hop] {
        let origin = catalog.tables[nodes[index].table]
        let columns = index == 0 ? column.map { $0..<$0 + 1 } : nil
        var hops: [ResolvedPath.Hop] = []
        for column in columns ?? origin.columns.indices {
            let spec = origin.columns[column]
            if let target = spec.target {
                hops.append(
                    spec.kind == .link
                        ? .link(column: column, target: target) : .elements(column: column, target: target))
            } else if spec.isAny {
                isOpen = true
                for target in origin.anyBacklinks[column, default: [:]].keys.sorted() {
                    hops.append(
                        spec.kind == .any
                            ? .anyLink(column: column, target: target)
                            : .anyElements(column: column, target: target))
                }
            }
        }
        return hops
    }
}

/// A builder of the tree of the given paths.
private struct Builder {
    let catalog: Catalog
    let countsOriginEdits: Bool
    var nodes: [Dependencies.Node]

    mutating func add(_ path: ResolvedPath) {
        precondition(path.table == nodes[0].table, "all paths start from one table")
        var node = 0
        for hop in path.hops { node = child(of: node, hop) }
        nodes[node].columns?.formUnion(path.end.columns)
        if countsOriginEdits, case .object = path.end, let origins = path.hops.last?.origins {
            nodes[node].columns?.insert(origins.column)
        }
    }

    private mutating func child(of node: Int, _ hop: ResolvedPath.Hop) -> Int {
        nodes[node].columns?.formUnion(hop.columns)
        let edge = Dependencies.Edge(
            hop: hop,
            backlinks: hop.linkColumn.flatMap {
                catalog.tables[nodes[node].table].backlinks(of: $0, to: hop.target)
            },
            child: nodes.count)
        if let known = nodes[node].edges.first(where: { $0.hop == hop }) { return known.child }
        if let origins = hop.origins { nodes[node].referrers.insert(origins.backlinks) }
        nodes[node].edges.append(edge)
        nodes.append(Dependencies.Node(table: hop.target))
        return edge.child
    }
}

extension ResolvedPath.Hop {
    /// The column whose backlinks lead back along the hop.
    fileprivate var linkColumn: Int? {
        switch self {
        case .link(let column, _), .elements(let column, _), .anyLink(let column, _),
            .anyElements(let column, _):
            column
        case .entry(let entry, _): entry.values
        case .origins: nil
        }
    }
}
