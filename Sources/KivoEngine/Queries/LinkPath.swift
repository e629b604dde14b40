/// A path over to-one links to a column, which is followed for many rows at once.
struct LinkPath {
    private let first: Int
    private let target: Table
    /// The further links, with the tables to which they lead.
    private let links: [(column: Int, target: Table)]
    private let column: Int
    private let kind: ColumnKind
    /// The value of rows from which a link of the path is null.
    private let unreached: Cell

    /// Creates a path in a snapshot; fails if a step is another than a to-one link, or the end another than a value.
    init?(_ path: ResolvedPath, _ snapshot: Snapshot) {
        guard case .column(let column, let kind) = path.end, !path.hops.isEmpty else { return nil }
        var links: [(column: Int, target: Table)] = []
        for hop in path.hops {
            guard case .link(let column, let target) = hop else { return nil }
            links.append((column, snapshot.table(target)))
        }
        switch kind {
        case .word, .wide, .string, .bytes, .link, .any: break
        case .sequence, .keySet: return nil
        }
        (first, target) = (links[0].column, links[0].target)
        self.links = Array(links.dropFirst())
        (self.column, self.kind, unreached) = (column, kind, path.end.unreached)
    }

    /// Returns the candidates whose values pass a test.
    func matches(_ leaf: Leaf, _ candidates: Bits256, _ test: ValueTest) -> Bits256 {
        let buffer = leaf.column(first)
        let nulls = ComparisonOperator.nullLinks(buffer) & candidates
        var matches = !nulls.isEmpty && test.holds(unreached) ? nulls : Bits256()
        // Neighbours often lead to neighbours, so the last leaf is tried before the table is searched.
        var last: Leaf?
        candidates.subtracting(nulls).forEach { slot in
            let key = ObjectKey(bitPattern: buffer.word(slot))
            if last?.covers(key) != true { last = target.row(key)?.leaf }
            guard let leaf = last, let slotOfKey = leaf.slot(of: key) else {
                if test.holds(unreached) { matches.insert(slot) }
                return
            }
            if test.holds(value(leaf, slotOfKey)) { matches.insert(slot) }
        }
        return matches
    }

    /// Returns the value at the end of the further links.
    private func value(_ leaf: Leaf, _ slot: Int) -> Cell {
        var (leaf, slot) = (leaf, slot)
        for link in links {
            let key = ObjectKey(bitPattern: leaf.column(link.column).word(slot))
            guard key != 0, let row = link.target.row(key) else { return unreached }
            (leaf, slot) = (row.leaf, row.slot)
        }
        return leaf.column(column).cell(slot, kind)
    }
}
