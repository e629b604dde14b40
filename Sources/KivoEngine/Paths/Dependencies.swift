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
        /// The nodes of lists and dictionaries, this one among them, whose edges may lead to one another: all others lead to
        /// nodes behind them.
        var loop: Range<Int>?
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
        var tree = LinkTree(catalog, Node(table: table, columns: column == nil ? nil : []))
        tree.isOpen = column != nil
        var layer = [0]
        // The objects in a sequence, and those in a list or dictionary, are no link away from who asks for them.
        if column != nil || catalog.tables[table].container != nil {
            layer = tree.expand(layer, only: column)
        }
        for _ in 0..<links { layer = tree.expand(layer, only: nil) }
        self.init(
            tree.nodes,
            tree.isOpen
                ? Links(count: links, table: table, column: column, tables: catalog.tables.count) : nil)
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

/// Makes a tree of all that links lead to, layer by layer: one for each link between objects.
///
/// Lists and dictionaries that are values of any columns belong to the object that has the value, however deep they lie in one
/// another: they are in the layer of that object.
private struct LinkTree {
    let catalog: Catalog
    var nodes: [Dependencies.Node]
    /// Whether links of any columns are among them.
    var isOpen = false

    init(_ catalog: Catalog, _ root: Dependencies.Node) {
        self.catalog = catalog
        nodes = [root]
    }

    /// Adds what the nodes of a layer lead to; returns the nodes of the next one.
    ///
    /// - Parameter column: the one column of the root that is followed; nil for all.
    mutating func expand(_ layer: [Int], only column: Int?) -> [Int] {
        var containers: [TableID: Int] = [:]
        var all = layer
        let begin = nodes.count
        // Appended to meanwhile: containers lead to containers.
        var place = 0
        while place < all.count {
            let index = all[place]
            place += 1
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

    /// The hops from the rows of a node to other rows.
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
