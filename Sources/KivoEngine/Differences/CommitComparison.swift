#if DEBUG
import Synchronization

/// A comparison of a transaction's result with that of a second transaction on the same version, which is then undone. Debug
/// builds carry out each encoded commit a second time in this way.
///
/// The comparison covers the rows of the leaves that either transaction touched, and what is derived from them. O(rows of touched
/// leaves); for an edited list O(elements of its touched leaves).
package struct CommitComparison {
    /// The tables of the version.
    package let catalog: Catalog
    /// The heap of the version's nodes.
    package let heap: Heap
    /// The version on which the commit was made.
    package let base: Snapshot
    private let transaction: WriteTransaction
    private let changes: RowChangeSet

    private static let numbers = Atomic<UInt64>(3 << 61)

    /// The keys of a leaf, by its table and its first key.
    private struct LeafSpan: Hashable {
        var table: TableID
        var firstKey: ObjectKey
    }

    /// Creates a comparison with a transaction and the changes that it reported.
    ///
    /// - Parameter base: the version before the changes; nil for the base version of the transaction.
    package init(_ transaction: WriteTransaction, _ changes: RowChangeSet, from base: Snapshot? = nil) {
        self.transaction = transaction
        self.changes = changes
        self.base = base ?? transaction.base
        catalog = transaction.catalog
        heap = transaction.memory.heap
    }

    /// Carries out changes on the version before and undoes them. Returns a description of how the results differ, or nil if they
    /// do not.
    package func difference<Failure: Error>(
        _ body: (WriteTransaction) throws(Failure) -> Void
    ) throws(Failure) -> String? {
        let number = CommitComparison.numbers.add(1, ordering: .relaxed).newValue
        return try ReaderState.withTemporary { reader throws(Failure) in
            let second = WriteTransaction(
                id: number, base: base, catalog: catalog, heap: heap, reader: reader)
            defer { second.undo() }
            try body(second)
            return difference(second)
        }
    }

    private func difference(_ second: WriteTransaction) -> String? {
        var spans: Set<LeafSpan> = []
        for entry in transaction.touched {
            spans.insert(LeafSpan(table: entry.table, firstKey: entry.firstKey))
        }
        for entry in second.touched { spans.insert(LeafSpan(table: entry.table, firstKey: entry.firstKey)) }
        for table in changes.tables + changes.backlinks {
            let span = ObjectKey(catalog.tables[table.table].leafSpan)
            for leaf in table.leaves {
                for first in stride(
                    from: leaf.block.key(at: 0), through: leaf.block.key(at: 255), by: Int(span))
                {
                    spans.insert(LeafSpan(table: table.table, firstKey: first))
                }
            }
        }
        for change in changes.tables {
            let table = change.table
            let (a, b) = (transaction.snapshot.table(table), second.snapshot.table(table))
            if a.nextKey != b.nextKey { return "'\(catalog.tables[table].name)' has another next key" }
        }
        // A row of backlinks without origins is equivalent to no row.
        for table in Set(spans.map { $0.table }) where !catalog.tables[table].isDerived {
            let (a, b) = (transaction.snapshot.table(table), second.snapshot.table(table))
            if a.count != b.count {
                return "'\(catalog.tables[table].name)' has \(b.count) rows instead of \(a.count)"
            }
        }
        for span in spans {
            if let difference = difference(span, transaction.snapshot, second.snapshot) { return difference }
        }
        return nil
    }

    private func difference(_ span: LeafSpan, _ first: Snapshot, _ second: Snapshot) -> String? {
        let spec = catalog.tables[span.table]
        let tables = (first.table(span.table), second.table(span.table))
        let leaves = (
            tables.0.leaf(containing: span.firstKey), tables.1.leaf(containing: span.firstKey)
        )
        let bits = (
            leaves.0.map { $0.keyBits(of: $0.occupied) } ?? Bits256(),
            leaves.1.map { $0.keyBits(of: $0.occupied) } ?? Bits256()
        )
        if spec.isDerived { return derivedDifference(span, bits.0 | bits.1, tables, spec) }
        guard bits.0 == bits.1 else { return "'\(spec.name)' has other rows from key \(span.firstKey)" }
        guard let a = leaves.0, let b = leaves.1, a.base != b.base else { return nil }
        let before = base.table(span.table).leaf(containing: span.firstKey)
        var rows: [Row] = []
        bits.0.forEach { bit in
            let key = a.block.key(at: bit)
            rows.append(
                Row(key: key, first: a.slot(of: key)!, second: b.slot(of: key)!, base: before?.slot(of: key)))
        }
        for (index, column) in spec.columns.enumerated() {
            let buffers = (a.column(index), b.column(index))
            if buffers.0.data == buffers.1.data { continue }
            let old = before?.column(index)
            let isIndexed = column.isIndexed || column.isPrimaryKey
            for row in rows {
                let isUntouched =
                    CommitComparison.areIdentical(buffers.0, row.first, buffers.1, row.second, column.kind)
                    && row.base.map {
                        CommitComparison.areIdentical(buffers.0, row.first, old!, $0, column.kind)
                    } ?? false
                if isUntouched { continue }
                let isSame =
                    CommitComparison.areEqual(buffers.0, row.first, buffers.1, row.second, column)
                    && (!isIndexed
                        || CommitComparison.areIndexed(
                            buffers.0.cell(row.first, column.kind), row.key, index, spec, tables))
                if !isSame { return "'\(spec.name).\(column.name)' of row \(row.key) differs" }
            }
        }
        return nil
    }

    /// The slots of a row in the leaves of both transactions, and in the leaf of the version before if the row exists there.
    private struct Row {
        var key: ObjectKey
        var first: Int
        var second: Int
        var base: Int?
    }

    /// Whether two slots contain the same bytes, and therefore the same value. Most rows of a copied leaf were not written.
    private static func areIdentical(
        _ a: ColumnBuffer, _ aSlot: Int, _ b: ColumnBuffer, _ bSlot: Int, _ kind: ColumnKind
    ) -> Bool {
        let (first, second) = (a.data + aSlot * kind.stride, b.data + bSlot * kind.stride)
        var offset = 0
        while offset + 8 <= kind.stride {
            if first.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != second.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            {
                return false
            }
            offset += 8
        }
        while offset < kind.stride {
            if first.load(fromByteOffset: offset, as: UInt8.self)
                != second.load(fromByteOffset: offset, as: UInt8.self)
            {
                return false
            }
            offset += 1
        }
        return a.isNull(aSlot) == b.isNull(bSlot)
    }

    /// Compares the origins of backlinks.
    private func derivedDifference(
        _ span: LeafSpan, _ bits: Bits256, _ tables: (Table, Table), _ spec: TableSpec
    ) -> String? {
        func origins(_ table: Table, _ key: ObjectKey, _ column: Int) -> KeyMultiset {
            guard let (leaf, slot) = table.locate(key) else { return KeyMultiset() }
            return KeyMultiset(slot: leaf.column(column).data + slot * 8)
        }
        let block = KeyBlock(number: Int(span.firstKey >> 8))
        var different: ObjectKey?
        for column in spec.columns.indices where spec.columns[column].kind == .keySet {
            bits.forEach { bit in
                if different != nil { return }
                let key = block.key(at: bit)
                let keys = (origins(tables.0, key, column), origins(tables.1, key, column))
                if keys.0.word != keys.1.word, keys.0.keys != keys.1.keys { different = key }
            }
        }
        return different.map { "'\(spec.name)' has other origins for row \($0)" }
    }

    private static func areEqual(
        _ a: ColumnBuffer, _ aSlot: Int, _ b: ColumnBuffer, _ bSlot: Int, _ column: ColumnSpec
    ) -> Bool {
        switch column.kind {
        case .sequence:
            return a.sequence(aSlot, column.element!).holdsSame(as: b.sequence(bSlot, column.element!))
        case .keySet:
            let keys = (KeyMultiset(slot: a.data + aSlot * 8), KeyMultiset(slot: b.data + bSlot * 8))
            return keys.0.word == keys.1.word
                || keys.0.count == keys.1.count && keys.0.keys == keys.1.keys
        case .word, .wide, .string, .bytes, .link, .any:
            return a.cell(aSlot, column.kind) == b.cell(bSlot, column.kind)
        }
    }

    /// Whether the indexes of both tables contain a row under a value, among the same number of rows.
    private static func areIndexed(
        _ cell: Cell, _ key: ObjectKey, _ column: Int, _ spec: TableSpec, _ tables: (Table, Table)
    ) -> Bool {
        let counts = (
            tables.0.candidateCount(where: column, equals: cell, spec),
            tables.1.candidateCount(where: column, equals: cell, spec)
        )
        return counts.0 == counts.1 && tables.0.isIndexed(key, where: column, equals: cell, spec)
            && tables.1.isIndexed(key, where: column, equals: cell, spec)
    }
}

extension PersistentSequence {
    /// Whether another version of the sequence has the same elements. Shared nodes are skipped.
    fileprivate func holdsSame(as other: PersistentSequence) -> Bool {
        if root == other.root { return true }
        if count != other.count { return false }
        var (position, stride) = (0, element.stride)
        while position < count {
            let (a, b) = (run(containing: position), other.run(containing: position))
            let end = min(a.range.upperBound, b.range.upperBound)
            let addresses = (
                a.elements + (position - a.range.lowerBound) * stride,
                b.elements + (position - b.range.lowerBound) * stride
            )
            if addresses.0 != addresses.1 {
                for index in 0..<end - position {
                    guard
                        element.load(addresses.0 + index * stride)
                            == element.load(addresses.1 + index * stride)
                    else { return false }
                }
            }
            position = end
        }
        return true
    }
}
#endif
