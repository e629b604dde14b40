/// What a transaction does, row by row and in order, for results of queries that are read in between.
///
/// A transaction keeps one only while somebody reads it; see ``WriteTransaction/rowLog``. Direct stores pass it by, so
/// whoever starts one has to forbid them.
public final class RowLog {
    /// One change: a row that came or went, or a column of a row that was assigned.
    struct Entry {
        enum Kind: UInt8 {
            /// A column was assigned or its collection edited.
            case assigned
            /// A column lost its references to an object that is being deleted, and nothing else.
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
    /// The number of entries that were forgotten.
    private var start = 0
    private var lastRead = 0
    private var isNullifying = false
    private let onIdle: () -> Void

    private static let capacity = 1 << 16
    private static let idleLimit = 1 << 14

    /// An empty log. `onIdle` is called when it grew for long and nobody read it.
    public init(onIdle: @escaping () -> Void) { self.onIdle = onIdle }

    /// The place behind the last entry.
    var end: Int { start + entries.count }

    /// The entries from a place on; nil if some of them were forgotten.
    func entries(since place: Int) -> ArraySlice<Entry>? {
        lastRead = end
        return place < start ? nil : entries[(place - start)...]
    }

    /// Notes that a column is about to be assigned.
    func noteAssignment(_ table: TableID, _ key: ObjectKey, _ column: Int) {
        append(table, key, column, isNullifying ? .nullified : .assigned)
    }

    /// Notes that a row was inserted, filled or deleted.
    public func noteRow(_ table: TableID, _ key: ObjectKey) { append(table, key, 0, .row) }

    /// Notes that more happened than is worth noting.
    func forget() {
        start = end + 1
        entries.removeAll(keepingCapacity: true)
    }

    /// Carries out what takes the references to an object out of columns, before the object is deleted.
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

extension ChangeSet {
    /// The changes of some entries of a log, as far as they can be told from it: that rows came or went and what was
    /// assigned, but not how collections were edited.
    init(_ entries: ArraySlice<RowLog.Entry>, _ catalog: Catalog) {
        self.init()
        let ordered = entries.sorted { ($0.table, $0.key, $0.column) < ($1.table, $1.key, $1.column) }
        for entry in ordered {
            if catalog.tables[Int(entry.table)].isDerived {
                ChangeSet.add(entry, &backlinks)
            } else {
                ChangeSet.add(entry, &tables)
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
        let place = columns.partitionPoint { $0.column < column }
        if place == columns.count || columns[place].column != column {
            columns.insert(Column(column: column, slots: Bits256()), at: place)
        }
        columns[place].slots.insert(slot)
    }
}
