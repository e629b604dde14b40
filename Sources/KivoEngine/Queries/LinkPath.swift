/// A path over to-one links to a column, which is followed for many rows at once.
struct LinkPath {
    private let route: LinkRoute
    private let column: Int
    private let kind: ColumnKind
    /// The value of rows from which a link of the path is null.
    private let unreached: Cell

    /// Creates a path in a snapshot; fails if a step is another than a to-one link, or the end another than a value.
    init?(_ path: ResolvedPath, _ snapshot: Snapshot) {
        guard case .column(let column, let kind) = path.end, let route = LinkRoute(path.hops[...], snapshot)
        else { return nil }
        switch kind {
        case .word, .wide, .string, .bytes, .link, .any: break
        case .sequence, .keySet: return nil
        }
        (self.route, self.column, self.kind, unreached) = (route, column, kind, path.end.unreached)
    }

    /// Returns the candidates whose values pass a test.
    func matches(_ leaf: Leaf, _ candidates: Bits256, _ test: ValueTest) -> Bits256 {
        let nulls = route.nulls(leaf) & candidates
        var matches = !nulls.isEmpty && test.holds(unreached) ? nulls : Bits256()
        var last: Leaf?
        candidates.subtracting(nulls).forEach { slot in
            guard let end = route.end(leaf, slot, last: &last) else {
                if test.holds(unreached) { matches.insert(slot) }
                return
            }
            if test.holds(end.leaf.column(column).cell(end.slot, kind)) { matches.insert(slot) }
        }
        return matches
    }
}

extension ResolvedPath {
    /// Returns a scan for the rows whose value at the end of to-one links passes a test. Returns nil if the test holds for rows
    /// with a null link: the scan asks for those of the first link's targets that pass, and not for null.
    func scanLinked(_ test: ValueTest, _ snapshot: Snapshot) -> LeafScan? {
        guard case .link(let column, let target)? = hops.first, !test.holds(end.unreached) else { return nil }
        let rows = MatchingRows(.test(.any, .path(dropping(1)), test), target, snapshot)
        return { leaf, candidates in
            let keys = leaf.column(column).data.assumingMemoryBound(to: ObjectKey.self)
            var matches = Bits256()
            candidates.subtracting(ComparisonOperator.nullLinks(leaf.column(column))).forEach {
                if rows.contains(keys[$0]) { matches.insert($0) }
            }
            return matches
        }
    }
}
