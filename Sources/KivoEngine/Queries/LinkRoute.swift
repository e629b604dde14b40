/// The to-one links with which a path begins, followed for the rows of a leaf at a time.
///
/// An unowned view of the tables to which the links lead: valid as long as the snapshot.
struct LinkRoute {
    private let first: Int
    private let target: Table
    /// The further links, with the tables to which they lead.
    private let further: [(column: Int, target: Table)]

    /// Creates the route of hops in a snapshot. Returns nil if there are none, or one is not a to-one link.
    init?(_ hops: ArraySlice<ResolvedPath.Hop>, _ snapshot: Snapshot) {
        var links: [(column: Int, target: Table)] = []
        for hop in hops {
            guard case .link(let column, let target) = hop else { return nil }
            links.append((column, snapshot.table(target)))
        }
        guard let first = links.first else { return nil }
        (self.first, target) = first
        further = Array(links.dropFirst())
    }

    /// Returns the slots of a leaf whose first link is null.
    func nulls(_ leaf: Leaf) -> Bits256 { ComparisonOperator.nullLinks(leaf.column(first)) }

    /// Returns the row at the end of the links of a row, or nil if one of them is null or leads to a deleted object.
    ///
    /// - Parameter last: the leaf to which the first link of the previous row led. Neighbours often lead to neighbours, so it is
    ///   tried before the table is searched.
    @inline(__always)
    func end(_ leaf: Leaf, _ slot: Int, last: inout Leaf?) -> (leaf: Leaf, slot: Int)? {
        let key = ObjectKey(bitPattern: leaf.column(first).word(slot))
        if key == 0 { return nil }
        if last?.covers(key) != true { last = target.leaf(containing: key) }
        guard let leaf = last, let slot = leaf.slot(of: key) else { return nil }
        return further.isEmpty ? (leaf, slot) : end(ofFurther: leaf, slot)
    }

    private func end(ofFurther leaf: Leaf, _ slot: Int) -> (leaf: Leaf, slot: Int)? {
        var (leaf, slot) = (leaf, slot)
        for link in further {
            let key = ObjectKey(bitPattern: leaf.column(link.column).word(slot))
            guard let row = link.target.locate(key) else { return nil }
            (leaf, slot) = row
        }
        return (leaf, slot)
    }
}
