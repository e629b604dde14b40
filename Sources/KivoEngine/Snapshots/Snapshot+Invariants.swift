extension Snapshot {
    /// Checks all tables: counts, occupancy, sequences, indexes, and that links and backlinks agree. O(everything).
    package func checkInvariants(_ catalog: Catalog) {
        #if DEBUG
        for table in catalog.tables.indices { checkInvariants(table, catalog) }
        #endif
    }

    #if DEBUG
    /// Checks one table.
    func checkInvariants(_ id: TableID, _ catalog: Catalog) {
        let table = self.table(id)
        let spec = catalog.tables[id]
        guard let header = table.header else { return }
        if let root = header.rootNode {
            precondition(
                Snapshot.check(root, level: header.height) == header.count, "a table's count is wrong")
        } else {
            precondition(header.count == 0, "an empty table has no rows")
        }
        table.forEachKey { precondition($0 < header.nextKey, "keys are allocated upwards") }
        table.forEachLeaf { leaf in
            leaf.checkInvariants(spec)
            return true
        }
        for (index, column) in spec.columns.enumerated() where column.kind == .sequence {
            table.forEachKey { table.sequence($0, index, column.element!).checkInvariants() }
        }
        for ordinal in 0..<header.indexCount {
            let ascending = ordinal == spec.primaryIndex ? header.ascending.count : 0
            precondition(header.index(ordinal).count + ascending == header.count, "an index is incomplete")
        }
        if let column = spec.primaryColumn { table.checkAscendingRows(header.ascending, column) }
        for (index, column) in spec.columns.enumerated() where column.isAny {
            table.forEachKey { key in
                forEachAnyTarget(of: key, id, index, catalog) { row in
                    precondition(self.table(row.table).contains(row.key), "a link leads nowhere")
                    let backlinks = self.backlinks(spec.anyBacklinks[index]![row.table]!, of: row.key)
                    precondition(backlinks.contains(key), "a link without a backlink")
                    let isOwned = catalog.tables[row.table].isEmbedded
                    precondition(!isOwned || backlinks.count == 1, "a list or dictionary is in two places")
                }
            }
        }
        for (index, backlinks) in spec.backlinks.enumerated() {
            guard let backlinks else { continue }
            table.forEachKey { key in
                forEachTarget(of: key, id, index, catalog) { target in
                    precondition(
                        self.table(spec.columns[index].target!).contains(target), "a link leads nowhere")
                    var isKnown = false
                    self.backlinks(backlinks, of: target).forEach { if $0 == key { isKnown = true } }
                    precondition(isKnown, "a link without a backlink")
                }
            }
        }
    }

    private static func check(_ node: UnsafeMutableRawPointer, level: Int) -> Int {
        if level == 0 { return Leaf(base: node).occupied.count }
        let inner = InnerNode(base: node)
        var sum = 0
        for index in 0..<InnerNode.fanout {
            let count = inner.child(index, level: level).map { check($0, level: level - 1) } ?? 0
            precondition(count == Int(inner.counts[index]), "a subtree's count is wrong")
            sum += count
        }
        return sum
    }
    #endif
}

#if DEBUG
extension Leaf {
    /// Checks the fields of a leaf that describe its rows. O(columns).
    fileprivate func checkInvariants(_ spec: TableSpec) {
        precondition(columnCount == spec.columns.count, "a leaf has a buffer for each column")
        precondition(firstKey & ObjectKey(spec.leafSpan - 1) == 0, "a leaf begins where its span does")
        precondition(isPacked == (capacity < spec.leafSpan), "a leaf is packed unless it has all slots")
        precondition(occupied.subtracting(Bits256(0..<capacity)).isEmpty, "a row is outside of its leaf")
        guard isPacked else { return }
        precondition(stored.count <= capacity, "a leaf has more rows than slots")
        precondition(
            occupied.subtracting(Bits256(0..<stored.count)).isEmpty, "a row has a slot that is not its own")
    }
}
#endif
