/// A log of a transaction's changes, row by row and in order, for query results that are read during the transaction.
///
/// A transaction keeps a log only while it is read; see ``WriteTransaction/rowLog``. Direct stores bypass the log, so the code
/// that starts a log must disable them.
package final class RowLog {
    /// A change: an insertion or deletion of a row, or an assignment of one of its columns.
    struct Entry {
        enum Kind: UInt8 {
            /// A column was assigned, or the collection in it was edited.
            case assigned
            /// A column lost its references to a deleted object, and was not changed otherwise.
            case nullified
            /// A row was inserted, filled or deleted.
            case row
        }

        var key: ObjectKey
        var table: Int32
        var column: UInt16
        var kind: Kind
    }

    private var entries: [Entry] = []
    /// The number of entries that were dropped.
    private var start = 0
    private var lastRead = 0
    private var isNullifying = false
    private let onIdle: () -> Void

    private static let capacity = 1 << 16
    private static let idleLimit = 1 << 14

    /// Creates an empty log. `onIdle` is called when the log has grown for long without being read.
    package init(onIdle: @escaping () -> Void) { self.onIdle = onIdle }

    /// The position after the last entry.
    var end: Int { start + entries.count }

    /// Returns the entries from a position on, or nil if some of them were dropped.
    func entries(since position: Int) -> ArraySlice<Entry>? {
        lastRead = end
        return position < start ? nil : entries[(position - start)...]
    }

    /// Records that a column is about to be assigned.
    func recordAssignment(_ table: TableID, _ key: ObjectKey, _ column: Int) {
        append(table, key, column, isNullifying ? .nullified : .assigned)
    }

    /// Records that a row was inserted, filled or deleted.
    package func recordRow(_ table: TableID, _ key: ObjectKey) { append(table, key, 0, .row) }

    /// Drops all entries, because there were more changes than are useful to record.
    func removeAll() {
        start = end + 1
        entries.removeAll(keepingCapacity: true)
    }

    /// Calls `body`, which removes the references to an object before its deletion, and records its assignments as nullified.
    func nullifying(_ body: () -> Void) {
        isNullifying = true
        body()
        isNullifying = false
    }

    private func append(_ table: TableID, _ key: ObjectKey, _ column: Int, _ kind: Entry.Kind) {
        if entries.count == RowLog.capacity {
            start = end
            entries.removeAll(keepingCapacity: true)
        }
        entries.append(
            Entry(
                key: key, table: Int32(truncatingIfNeeded: table),
                column: UInt16(truncatingIfNeeded: column), kind: kind))
        if end - lastRead >= RowLog.idleLimit { onIdle() }
    }
}

extension RowChangeSet {
    /// Creates the changes that can be derived from log entries: assignments, and inserted, filled or deleted rows, which are all
    /// recorded as inserted. Edits of collections are not included.
    init(_ entries: ArraySlice<RowLog.Entry>, _ catalog: Catalog) {
        self.init()
        let ordered = entries.sorted { ($0.table, $0.key, $0.column) < ($1.table, $1.key, $1.column) }
        for entry in ordered {
            if catalog.tables[Int(entry.table)].isDerived {
                RowChangeSet.add(entry, &backlinks)
            } else {
                RowChangeSet.add(entry, &tables)
            }
        }
    }

    private static func add(_ entry: RowLog.Entry, _ tables: inout [TableChange]) {
        let table = Int(entry.table)
        if tables.last?.table != table { tables.append(TableChange(table: table, leaves: [])) }
        tables[tables.count - 1].add(entry.key, entry.kind == .row ? nil : Int(entry.column))
    }
}

extension TableChange {
    fileprivate mutating func add(_ key: ObjectKey, _ column: Int?) {
        let block = KeyBlock(of: key)
        if leaves.last?.block != block {
            leaves.append(LeafChange(block: block, inserted: Bits256(), deleted: Bits256(), columns: []))
        }
        leaves[leaves.count - 1].add(KeyBlock.offset(of: key), column)
    }
}

extension LeafChange {
    fileprivate mutating func add(_ slot: Int, _ column: Int?) {
        guard let column else { return inserted.insert(slot) }
        let index = columns.partitionPoint { $0.column < column }
        if index == columns.count || columns[index].column != column {
            columns.insert(Column(column: column, slots: Bits256()), at: index)
        }
        columns[index].slots.insert(slot)
    }
}
