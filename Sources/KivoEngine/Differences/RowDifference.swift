/// A comparison of the rows of two versions of one table.
struct RowDifference {
    let table: TableID
    let columns: [ColumnSpec]
    /// The earlier table numbers of tables of the later version.
    let origins: [TableID: TableID]
    /// For each column of keys of a map, the column of its values.
    private let mapValues: [Int: Int]

    init(table: TableID, columns: [ColumnSpec], origins: [TableID: TableID]) {
        (self.table, self.columns, self.origins) = (table, columns, origins)
        var mapValues: [Int: Int] = [:]
        for property in columns.properties { mapValues[property.column] = property.valuesColumn }
        self.mapValues = mapValues
    }

    /// Returns the changes in the leaves of one span of keys. Adds the changes of sequences of rows that are in both versions.
    func change(
        from old: Leaf?, to new: Leaf?, _ sequences: inout [CollectionID: SequenceChange]
    ) -> LeafChange {
        let before = old.map { $0.keyBits(of: $0.occupied) } ?? Bits256()
        let after = new.map { $0.keyBits(of: $0.occupied) } ?? Bits256()
        var change = LeafChange(
            block: (old ?? new!).block, inserted: after.subtracting(before),
            deleted: before.subtracting(after), columns: [])
        guard let old, let new else { return change }
        var rows: [(bits: Int, old: Int, new: Int)] = []
        (before & after).forEach { bits in
            let key = change.block.key(at: bits)
            rows.append((bits, old.slot(of: key)!, new.slot(of: key)!))
        }
        var modified = Array(repeating: Bits256(), count: columns.count)
        for (column, spec) in columns.enumerated() {
            let buffers = (old.column(column), new.column(column))
            if buffers.0.data == buffers.1.data, mapValues[column] == nil { continue }
            switch spec.kind {
            case .keySet: break
            case .sequence:
                // The values of a map are compared with its keys.
                if spec.order == .values { continue }
                for row in rows {
                    let id = CollectionID(
                        table: table, column: column, key: change.block.key(at: row.bits))
                    for changed in compareSequence(id, (old, row.old), (new, row.new), &sequences) {
                        modified[changed].insert(row.bits)
                    }
                }
            default:
                for row in rows {
                    let cell = buffers.1.cell(row.new, spec.kind)
                    if buffers.0.cell(row.old, spec.kind) != cell.numbered(by: origins) {
                        modified[column].insert(row.bits)
                    }
                }
            }
        }
        for (column, slots) in modified.enumerated() where !slots.isEmpty {
            change.columns.append(.init(column: column, slots: slots))
        }
        return change
    }

    /// Compares a list, set or map. Returns which of its columns changed.
    private func compareSequence(
        _ id: CollectionID, _ old: (leaf: Leaf, slot: Int), _ new: (leaf: Leaf, slot: Int),
        _ sequences: inout [CollectionID: SequenceChange]
    ) -> [Int] {
        func contents(_ column: Int) -> SequenceContents {
            let element = columns[column].element!
            return SequenceContents(
                old: old.leaf.column(column).sequence(old.slot, element),
                new: new.leaf.column(column).sequence(new.slot, element), origins: origins)
        }
        var changed: [Int] = []
        func record(_ change: SequenceChange?, _ column: Int) {
            guard let change else { return }
            var id = id
            id.column = column
            sequences[id] = change
            changed.append(column)
        }
        let members = contents(id.column)
        let change = members.change(mayReplace: columns[id.column].order == .insertion)
        record(change, id.column)
        if let values = mapValues[id.column] {
            record(contents(values).change(along: change), values)
        }
        return changed
    }
}

extension Cell {
    /// Returns the value with the earlier number of its link's table, or nil if the table is new.
    func numbered(by origins: [TableID: TableID]) -> Cell? {
        guard let row = target else { return self }
        return origins[row.table].map { .typedLink(RowID(table: $0, key: row.key)) }
    }
}
