import KivoEngine

/// An encoder that writes the changes of a transaction as the payload of one record.
///
///     tables    count, then the descriptions of tables that the file does not know yet
///     changes   count, then for each changed table: its number in the file, its next key, its leaves
///     leaves    index, inserted, deleted; the inserted rows column by column; the assigned columns
///     sequences count, then for each changed list, set or map: its object and column, its runs, the new elements
///     stamp     of the commit, which `StoreLog` adds
///
/// Rows are grouped by leaf and column, as they are in memory. A sequence of an inserted row is written whole, in its column; of
/// another row, only the changes are written. Derived data (backlinks, indexes) is not stored.
struct CommitEncoder {
    private var writer = ByteWriter()
    private let snapshot: Snapshot
    private let catalog: Catalog
    /// The numbers that tables have in the file.
    private(set) var numbers: TableNumbers
    /// The tables that are described although they already have numbers.
    private let described: [TableID]
    /// The class and property of the first list or set of objects that has an element without a target.
    private var withoutTarget: (table: TableID, column: Int)?
    /// The first table in which an inserted or assigned row has the primary key of another one.
    private var withTwins: TableID?
    private var ownerCheck: EmbeddedOwnerCheck
    /// The table of the first embedded object whose owner is wrong, and what is wrong.
    private var withoutOneOwner: (table: TableID, flaw: String)?
    /// The size of the largest string or data, in bytes.
    private var largestValue = 0

    init(
        _ snapshot: Snapshot, _ catalog: Catalog, numbers: TableNumbers,
        describing described: [TableID] = []
    ) {
        self.snapshot = snapshot
        self.catalog = catalog
        self.numbers = numbers
        self.described = described
        ownerCheck = EmbeddedOwnerCheck(snapshot, catalog)
    }

    /// Returns the payload.
    mutating func encode(_ changes: RowChangeSet) -> [UInt8] {
        writeTables(changes)
        writer.write(changes.tables.count)
        for change in changes.tables { write(change) }
        writeSequences(changes)
        // Released here, so that the stamp is added without a copy.
        defer { writer = ByteWriter() }
        return writer.bytes
    }

    /// Throws if the encoded commit would be rejected on reading.
    func check() throws(JournalError) {
        let limit = PageLayout.largestValue
        guard largestValue <= limit else {
            throw .refused("a value of \(largestValue) bytes is larger than the \(limit) that one can have")
        }
        if let table = withTwins {
            throw .senseless("two rows of '\(catalog.tables[table].name)' have one primary key")
        }
        if let (table, flaw) = withoutOneOwner {
            throw .senseless("an embedded object of '\(catalog.tables[table].name)' \(flaw)")
        }
        guard let (table, column) = withoutTarget else { return }
        let spec = catalog.tables[table]
        throw .senseless("an element of '\(spec.name).\(spec.columns[column].name)' leads nowhere")
    }

    // MARK: Tables

    private mutating func writeTables(_ changes: RowChangeSet) {
        let unknown = changes.tables.map(\.table).filter { numbers[$0] == nil }
        writer.write(described.count + unknown.count)
        for table in described + unknown {
            let spec = catalog.tables[table]
            writer.write(numbers[table] ?? numbers.give(table))
            writer.write(spec.name)
            writer.write(spec.typeName)
            writer.write(spec.isEmbedded)
            writer.write(spec.columns.count)
            for column in spec.columns { writer.write(column, catalog) }
        }
    }

    // MARK: Rows

    private mutating func write(_ change: TableChange) {
        let table = snapshot.table(change.table)
        if withTwins == nil, hasTwins(change, table) { withTwins = change.table }
        let columns = catalog.tables[change.table].columns
        writer.write(numbers[change.table]!)
        writer.write(table.nextKey)
        writer.write(change.leaves.count)
        for leafChange in change.leaves {
            writer.write(leafChange.block.number)
            write(leafChange.inserted)
            write(leafChange.deleted)
            let assigned = leafChange.columns.filter { columns[$0.column].kind != .sequence }
            writer.write(assigned.count)
            if !leafChange.inserted.isEmpty {
                let rows = rows(leafChange.inserted, leafChange.block, table)
                for index in columns.indices { write(rows, index, columns[index], change.table) }
            }
            for column in assigned {
                writer.write(column.column)
                write(column.slots)
                write(
                    rows(column.slots, leafChange.block, table), column.column, columns[column.column],
                    change.table)
            }
        }
    }

    /// Whether an inserted or assigned row has the primary key of another row. O(log n) a row.
    private func hasTwins(_ change: TableChange, _ table: Table) -> Bool {
        let spec = catalog.tables[change.table]
        guard let column = spec.columns.firstIndex(where: \.isPrimaryKey),
            let ordinal = spec.indexOrdinal(of: column)
        else {
            return false
        }
        let kind = spec.columns[column].kind
        for leaf in change.leaves {
            var isTwin = false
            // An inserted row comes after all others, so that another row with its primary key is found first.
            leaf.inserted.forEach { bits in
                let key = leaf.block.key(at: bits)
                let value = table.cell(key, column, kind)
                isTwin =
                    isTwin || table.firstKey(index: ordinal, column: column, kind: kind, equals: value) != key
            }
            for assigned in leaf.columns where assigned.column == column {
                assigned.slots.forEach { bits in
                    let value = table.cell(leaf.block.key(at: bits), column, kind)
                    isTwin = isTwin || table.keys(where: column, equals: value, spec).count > 1
                }
            }
            if isTwin { return true }
        }
        return false
    }

    /// Rows of one leaf: their slots, and the low eight bits of their keys.
    private struct Rows {
        var leaf: Leaf
        var slots: [Int] = []
        var bits: [Int] = []
    }

    private func rows(_ slots: Bits256, _ block: KeyBlock, _ table: Table) -> [Rows] {
        var rows: [Rows] = []
        slots.forEach { bits in
            let key = block.key(at: bits)
            if !(rows.last?.leaf.covers(key) ?? false), let leaf = table.leaf(containing: key) {
                rows.append(Rows(leaf: leaf))
            }
            rows[rows.count - 1].slots.append(rows[rows.count - 1].leaf.slot(of: key)!)
            rows[rows.count - 1].bits.append(bits)
        }
        return rows
    }

    /// Writes a bitmap: a mask that says which of its four words are not zero, then these words.
    private mutating func write(_ bits: Bits256) {
        let mask = (0..<4).reduce(UInt8(0)) { $0 | (bits[word: $1] == 0 ? 0 : 1 << UInt8($1)) }
        writer.write(mask)
        for index in 0..<4 where bits[word: index] != 0 { writer.write(word: bits[word: index]) }
    }

    private mutating func write(_ rows: [Rows], _ index: Int, _ column: ColumnSpec, _ table: TableID) {
        if column.isOptional, column.kind == .word || column.kind == .wide {
            var nulls = Bits256()
            for rows in rows {
                let buffer = rows.leaf.column(index)
                for (slot, bits) in zip(rows.slots, rows.bits) where buffer.isNull(slot) {
                    nulls.insert(bits)
                }
            }
            write(nulls)
        }
        for rows in rows { write(rows.leaf.column(index), rows.slots, column, (table, index)) }
    }

    private mutating func write(
        _ buffer: ColumnBuffer, _ slots: [Int], _ column: ColumnSpec, _ property: (TableID, Int)
    ) {
        switch column.kind {
        case .word: for slot in slots { writer.write(word: buffer.word(slot)) }
        case .link:
            for slot in slots {
                checkOwner(ObjectKey(bitPattern: buffer.word(slot)), column)
                writer.write(word: buffer.word(slot))
            }
        case .wide:
            for slot in slots {
                writer.write(word: buffer.word(slot * 2))
                writer.write(word: buffer.word(slot * 2 + 1))
            }
        case .any: for slot in slots { write(any: buffer.cell(slot, .any)) }
        case .string, .bytes:
            for slot in slots { write(buffer.cell(slot, column.kind), isOptional: column.isOptional) }
        case .sequence:
            for slot in slots {
                let sequence = buffer.sequence(slot, column.element!)
                writer.write(sequence.count)
                sequence.forEach { write(element: $0, column, property) }
            }
        case .keySet: break
        }
    }

    private mutating func write(_ cell: Cell, isOptional: Bool) {
        if isOptional { writer.write(cell != .null) }
        largestValue = max(largestValue, cell.byteCount)
        switch cell {
        case .string(let string): writer.write(string)
        case .bytes(let bytes): writer.write(bytes)
        default: break
        }
    }

    /// Writes a value of any type: its tag, then the value as a column of its type has it. A link has the number of its table
    /// before the key.
    private mutating func write(any cell: Cell) {
        writer.write(cell.anyTag.rawValue)
        switch cell {
        case .typedWord(let word, _): writer.write(word: word)
        case .typedWide(let a, let b, _):
            writer.write(word: a)
            writer.write(word: b)
        case .typedLink(let row):
            checkOwner(row.key, row.table)
            writer.write(numbers[row.table]!)
            writer.write(row.key)
        default: write(cell, isOptional: false)
        }
    }

    /// Checks the owner of the object to which a link leads, if the link owns it.
    private mutating func checkOwner(_ key: ObjectKey, _ column: ColumnSpec) {
        if column.isOwning, key != 0, let target = column.target { checkOwner(key, target) }
    }

    private mutating func checkOwner(_ key: ObjectKey, _ table: TableID) {
        guard withoutOneOwner == nil, catalog.tables[table].isEmbedded,
            let flaw = ownerCheck.flaw(of: RowID(table: table, key: key))
        else { return }
        withoutOneOwner = (table, flaw)
    }

    // MARK: Sequences

    private mutating func writeSequences(_ changes: RowChangeSet) {
        let changed = changes.sequences.filter { !$0.value.isUntouched }.sorted { $0.key < $1.key }
        writer.write(changed.count)
        for (id, change) in changed {
            let element = catalog.tables[id.table].columns[id.column].element!
            let sequence = snapshot.table(id.table).sequence(id.key, id.column, element)
            writer.write(numbers[id.table]!)
            writer.write(id.column)
            writer.write(id.key)
            writer.write(change.oldCount)
            let column = catalog.tables[id.table].columns[id.column]
            let isWhole = element == .any && column.order == .sorted && !keepsOrder(sequence, change)
            typealias Run = SequenceChange.Run
            let all = sequence.count == 0 ? [] : [Run(origin: Run.new, count: sequence.count)]
            let runs = isWhole ? all : change.runs
            writer.write(runs.count)
            var position = 0
            for run in runs {
                writer.write(run.origin + 1)
                writer.write(run.count)
                writer.write(run.isReplaced)
                if run.isNew || run.isReplaced {
                    for index in position..<position + run.count {
                        write(element: sequence.cell(at: index), column, (id.table, id.column))
                    }
                }
                position += run.count
            }
        }
    }

    /// Whether a set of any values had no links and has none. Only then is its order the same for all readers of the file, which
    /// may number tables differently. Links are the last elements of a set.
    private func keepsOrder(_ sequence: PersistentSequence, _ change: SequenceChange) -> Bool {
        if sequence.count > 0, sequence.cell(at: sequence.count - 1).target != nil { return false }
        return change.oldCount == 0
            || change.runs.contains {
                $0.origin >= 0 && $0.origin + $0.count == change.oldCount && !$0.isReplaced
            }
    }

    private mutating func write(element cell: Cell, _ column: ColumnSpec, _ property: (TableID, Int)) {
        switch (column.element!, cell) {
        case (.any, _): write(any: cell)
        case (.word, .word(let word)): writer.write(word: word)
        case (.link, _):
            if cell.linkKey == 0, column.requiresTargets, withoutTarget == nil { withoutTarget = property }
            checkOwner(cell.linkKey, column)
            writer.write(cell.linkKey)
        case (.wide, .wide(let a, let b)):
            writer.write(word: a)
            writer.write(word: b)
        case (_, .null): writer.write(false)
        case (_, .word(let word)):
            writer.write(true)
            writer.write(word: word)
        case (_, .wide(let a, let b)):
            writer.write(true)
            writer.write(word: a)
            writer.write(word: b)
        default: write(cell, isOptional: true)
        }
    }
}
