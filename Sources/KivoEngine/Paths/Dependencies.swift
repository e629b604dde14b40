/// What the rows of a table depend on: paths from them along which changes count, as a tree.
///
///     "name", "owner.name", "owner.friends.age"      Dog {name, owner} ─owner─▶ Person {name, friends} ─friends─▶ Person {age}
///
/// Each node is a table and the columns that are read there; paths that begin alike share their nodes. What a policy says
/// is told here, once, when the tree is made: ``ChangeWalks`` only follows it. Dependencies that say the same are equal, so
/// that all callers which ask the same of a change set share one walk.
public final class Dependencies: Sendable {
    /// The rows that are reached along one beginning of the paths.
    struct Node: Hashable {
        var table: TableID
        /// The columns whose assignment counts; nil for all.
        var columns: Set<Int>? = []
        var countsInserted = false
        var countsDeleted = false
        /// The tables of backlinks in which a change counts for the row that it is about.
        var referrers: Set<TableID> = []
        var edges: [Edge] = []
    }

    /// What leads from the rows of a node to those of another, which is behind it in ``nodes``.
    struct Edge: Hashable {
        let hop: ResolvedPath.Hop
        /// The table that keeps which row leads to which; nil for origins, whose column says it.
        let backlinks: TableID?
        let child: Int

        func hash(into hasher: inout Hasher) {
            hasher.combine(hop.columns)
            hasher.combine(hop.origins)
            hasher.combine(child)
        }
    }

    /// The nodes; the first is that of the rows themselves. None if the elements are plain values.
    let nodes: [Node]
    /// The tables and columns that a change must touch to matter, ascending by table.
    public let interests: [TableInterest]
    private let hash: Int
    /// What they are made of, if links of any columns are among them: those lead to whatever classes there are.
    private let links: Links?
    /// The same for a later catalog, the last that was asked for.
    private let grown = Lock<Dependencies?>(nil)

    /// All that lies behind links, so many at most.
    private struct Links {
        let count: Int
        let table: TableID
        /// The any sequence in whose elements they begin; nil if they begin in the rows.
        let column: Int?
        /// How many tables there were.
        let tables: Int
    }

    private init(_ nodes: [Node], _ links: Links? = nil) {
        self.nodes = nodes
        self.links = links
        interests = Dependencies.interests(nodes)
        hash = nodes.hashValue
    }

    /// What counts along paths that start from the rows of a table. With ``ChangePolicy/queryResults``, `countsRows` says
    /// whether it counts as well that rows come and go.
    public convenience init(
        _ paths: [ResolvedPath], from table: TableID, _ policy: ChangePolicy, countsRows: Bool = false,
        _ catalog: Catalog
    ) {
        var builder = Builder(policy: policy, catalog: catalog, nodes: [Node(table: table)])
        builder.nodes[0].countsInserted = countsRows
        builder.nodes[0].countsDeleted = countsRows
        for path in paths { builder.add(path) }
        self.init(builder.nodes)
    }

    /// Any assignment in rows of a table, and in objects that are at most so many links away.
    public convenience init(links: Int, from table: TableID, _ catalog: Catalog) {
        self.init(links, from: table, nil, catalog)
    }

    /// Any assignment in the objects among the any values of a sequence, and in objects that are at most so many links away from
    /// them. For the rows that have the sequence.
    public convenience init(
        links: Int, fromElementsOf column: Int, of table: TableID, _ catalog: Catalog
    ) { self.init(links, from: table, column, catalog) }

    private convenience init(_ links: Int, from table: TableID, _ column: Int?, _ catalog: Catalog) {
        var nodes = [Node(table: table, columns: column == nil ? nil : [])]
        var isOpen = column != nil
        /// Adds what one column of a node's table leads to.
        func add(_ column: Int, of index: Int, _ next: inout [TableID: Int]) {
            let origin = catalog.tables[nodes[index].table]
            let spec = origin.columns[column]
            func add(_ hop: ResolvedPath.Hop) {
                let child = next[hop.target] ?? nodes.count
                if child == nodes.count { nodes.append(Node(table: hop.target, columns: nil)) }
                next[hop.target] = child
                let backlinks = origin.backlinks(of: column, to: hop.target)
                nodes[index].edges.append(Edge(hop: hop, backlinks: backlinks, child: child))
            }
            if let target = spec.target {
                let isLink = spec.kind == .link
                add(
                    isLink ? .link(column: column, target: target) : .elements(column: column, target: target)
                )
            } else if spec.isAny {
                isOpen = true
                let isValue = spec.kind == .any
                for target in origin.anyBacklinks[column, default: [:]].keys.sorted() {
                    add(
                        isValue
                            ? .anyLink(column: column, target: target)
                            : .anyElements(column: column, target: target))
                }
            }
        }
        var layer = [0]
        if let column {
            var next: [TableID: Int] = [:]
            add(column, of: 0, &next)
            layer = next.values.sorted()
        }
        for _ in 0..<links {
            var next: [TableID: Int] = [:]
            for index in layer {
                for column in catalog.tables[nodes[index].table].columns.indices {
                    add(column, of: index, &next)
                }
            }
            layer = next.values.sorted()
        }
        self.init(
            nodes,
            isOpen ? Links(count: links, table: table, column: column, tables: catalog.tables.count) : nil)
    }

    /// No dependencies: those of plain values.
    public convenience init() { self.init([]) }

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
                // The set of rows that refer to a row changes by what is done to those rows.
                interests.add(
                    TableInterest(table: origins.table, columns: [origins.column], countsRows: true))
            }
        }
        return interests
    }
}

extension Dependencies: Hashable {
    /// Whether two dependencies say the same.
    public static func == (a: Dependencies, b: Dependencies) -> Bool {
        a === b || (a.hash == b.hash && a.nodes == b.nodes)
    }

    /// Takes the hash, which was worked out once.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Dependencies {
    /// The columns of the rows themselves whose assignment counts; nil for all.
    public var ownColumns: Set<Int>? { nodes.isEmpty ? [] : nodes[0].columns }

    /// Whether classes that come later may be among them.
    public var isOpen: Bool { links != nil }

    /// What counts once there are the tables of a catalog: classes that came later are among what any values lead to. O(1) but for
    /// the first time.
    public func grown(_ catalog: Catalog) -> Dependencies {
        guard let links, links.tables < catalog.tables.count else { return self }
        return grown.withLock { known in
            if let known, known.links?.tables == catalog.tables.count { return known }
            let made = Dependencies(links.count, from: links.table, links.column, catalog)
            known = made
            return made
        }
    }

    /// Whether nothing but the rows' own columns counts.
    public var areOwn: Bool { nodes.isEmpty || (nodes[0].edges.isEmpty && nodes[0].referrers.isEmpty) }

    /// Whether a column of a table, or a table of backlinks, counts for other rows than its own.
    func reach(_ table: TableID, _ column: Int) -> Bool {
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

/// Makes a tree of paths.
private struct Builder {
    let policy: ChangePolicy
    let catalog: Catalog
    var nodes: [Dependencies.Node]

    mutating func add(_ path: ResolvedPath) {
        precondition(path.table == nodes[0].table, "all paths start from one table")
        var node = 0
        for hop in path.hops { node = child(of: node, hop) }
        nodes[node].columns?.formUnion(path.end.columns)
        // Objects that begin to refer are told of only where the path ends with them; where it goes on, what it goes on
        // to has to change.
        if policy == .keyPaths, case .object = path.end, let origins = path.hops.last?.origins {
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
        var child = Dependencies.Node(table: hop.target)
        if let origins = hop.origins {
            switch policy {
            case .queryResults: nodes[node].referrers.insert(origins.backlinks)
            case .keyPaths: child.countsInserted = true
            }
        }
        nodes[node].edges.append(edge)
        nodes.append(child)
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
