import KivoEngine

/// A checkpoint: all data after one commit, as tables whose contents are in pages.
struct CheckpointRecord {
    /// The position from which records are not part of the checkpoint: after the last commit that is.
    struct Tail: Equatable {
        var offset: Int
        /// The sequence number of the record before.
        var sequence: UInt64
    }

    /// The beginning of the tail. Only commits after it are replayed in addition to the checkpoint. It is all 0 if there were no
    /// commits while the checkpoint was written: the tail then begins behind the record.
    var tail: Tail
    /// The identity of the first file of these data, which compaction keeps.
    var lineage: UInt64
    /// The number of commits before the tail, including those in earlier files.
    var commits: UInt64
    /// The version of the program's classes.
    var schemaVersion: UInt64
    /// The size of the file and its number of rows when it was last written as a whole. The current size is compared with them.
    var base: CheckpointBase
    var tables: [StoredTable]
    /// The numbers by which commits name tables.
    var numbers: TableNumbers
    var roots: [TableRoot]
    /// The log that the data come from; nil if the file itself is the log. It is an addition at the end of the payload.
    var origin: LogOrigin?
}

/// The size of a file when it held only live data.
struct CheckpointBase: Equatable, Sendable {
    var bytes = 0
    var rows = 0
}

extension CheckpointRecord {
    /// Added to the height of a table with ascending rows, which are described after the seed of its hashes. Before version 6, a
    /// file has no such tables.
    private static let ascendingMark = 16

    /// The payload of the record.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(word: UInt64(tail.offset))
        writer.write(word: tail.sequence)
        writer.write(word: lineage)
        writer.write(word: commits)
        writer.write(word: schemaVersion)
        writer.write(base.bytes)
        writer.write(base.rows)
        writer.write(tables.count)
        for table in tables { writer.write(table) }
        writer.write(numbers.next)
        writer.write(numbers.byTable.count)
        for (table, number) in numbers.byTable.sorted(by: { $0.value < $1.value }) {
            writer.write(number)
            writer.write(table)
        }
        writer.write(roots.count)
        for root in roots {
            writer.write(root.table)
            writer.write(root.count)
            writer.write(root.nextKey)
            let isAscending = root.ascending.end > 1
            writer.write(root.height + (isAscending ? CheckpointRecord.ascendingMark : 0))
            writer.write(word: root.hashSeed)
            if isAscending {
                writer.write(root.ascending.end)
                writer.write(word: UInt64(bitPattern: root.ascending.least))
                writer.write(word: UInt64(bitPattern: root.ascending.greatest))
                writer.write(root.ascending.count)
            }
            writer.write(root.root)
            writer.write(root.indexes.count)
            for index in root.indexes { writer.write(index) }
        }
        if let origin { writer.write(origin) }
        return writer.bytes
    }

    /// Reads a payload. Throws if it is invalid.
    init(_ payload: UnsafeRawBufferPointer) throws(JournalError) {
        var reader = ByteReader(payload)
        guard let offset = Int(exactly: try reader.readWord()) else {
            throw reader.malformed("an offset is too large")
        }
        tail = Tail(offset: offset, sequence: try reader.readWord())
        lineage = try reader.readWord()
        commits = try reader.readWord()
        schemaVersion = try reader.readWord()
        base = CheckpointBase(bytes: try reader.readNumber(), rows: try reader.readNumber())
        (tables, numbers, roots) = ([], TableNumbers(), [])
        // Within these limits, computations with the numbers do not overflow.
        guard base.bytes < PageReference.offsetLimit, base.rows <= CommitReplay.keyLimit else {
            throw reader.malformed("a number is too large")
        }
        for _ in 0..<(try reader.readCount()) { tables.append(try reader.readTable()) }
        for table in tables { if let flaw = table.flaw(among: tables) { throw reader.malformed(flaw) } }
        let next = try reader.readNumber()
        var (byTable, last) = ([TableID: Int](), -1)
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let number = try reader.readNumber()
            let table = try reader.readNumber()
            guard number > last, number < next, tables.indices.contains(table), byTable[table] == nil,
                case .objects(_, _, _, true, _) = tables[table]
            else { throw reader.malformed("a table has a number out of turn") }
            byTable[table] = number
            last = number
        }
        numbers = TableNumbers(byTable, next: next)
        for _ in 0..<(try reader.readCount(ofAtLeast: 14)) {
            var root = TableRoot(
                table: try reader.readNumber(), count: try reader.readNumber(), nextKey: try reader.readKey(),
                height: try reader.readNumber(), hashSeed: try reader.readWord())
            if root.height >= CheckpointRecord.ascendingMark {
                root.height -= CheckpointRecord.ascendingMark
                root.ascending.end = try reader.readKey()
                root.ascending.least = Int64(bitPattern: try reader.readWord())
                root.ascending.greatest = Int64(bitPattern: try reader.readWord())
                root.ascending.count = try reader.readNumber()
            }
            root.root = try reader.readNumber()
            for _ in 0..<(try reader.readCount()) { root.indexes.append(try reader.readNumber()) }
            guard isSound(root) else { throw reader.malformed("a table is not as its columns are") }
            roots.append(root)
        }
        if !reader.isAtEnd { origin = try reader.readOrigin() }
        guard reader.isAtEnd else { throw reader.malformed("there is more than it says") }
    }

    private func isSound(_ root: TableRoot) -> Bool {
        guard tables.indices.contains(root.table), root.table > roots.last?.table ?? -1, root.height <= 12,
            root.nextKey > 0, root.nextKey <= CommitReplay.keyLimit, root.count < root.nextKey,
            root.ascending.end >= 1, root.ascending.end <= root.nextKey, root.ascending.count <= root.count,
            root.ascending.least <= root.ascending.greatest,
            (root.root == 0) == (root.count == 0), root.root & 7 == 0, root.root < PageReference.offsetLimit
        else { return false }
        var (indexes, canAscend) = (0, false)
        if case .objects(_, _, _, let isDefined, let columns) = tables[root.table] {
            guard isDefined, root.count == 0 || numbers[root.table] != nil else { return false }
            indexes = columns.filter { $0.isIndexed || $0.isPrimaryKey }.count
            canAscend = columns.contains { $0.isPrimaryKey && $0.kind == .word }
        }
        return (canAscend || root.ascending.end == 1) && root.indexes.count == indexes
            && root.indexes.allSatisfy { $0 & 7 == 0 && $0 < PageReference.offsetLimit }
    }
}

extension StoredTable {
    /// Returns the reason why no program can have such a table; nil if a program can.
    fileprivate func flaw(among tables: [StoredTable]) -> String? {
        guard case .objects(let name, let typeName, let isEmbedded, let isDefined, let specs) = self else {
            return nil
        }
        var columns: [TableDescription.Column] = []
        for spec in specs {
            var column = TableDescription.Column(spec: spec, target: nil)
            if let target = spec.target {
                guard tables.indices.contains(target),
                    case .objects(let name, _, let isEmbedded, _, _) = tables[target]
                else { return "a link leads to no class" }
                column.target = (name, isEmbedded)
            }
            columns.append(column)
        }
        let table = TableDescription(
            number: 0, name: name, typeName: typeName, isEmbedded: isEmbedded, columns: columns)
        if !isDefined, !specs.isEmpty { return "table '\(name)' has columns that are not known" }
        if let flaw = table.flaw { return "table '\(name)' \(flaw)" }
        let container = isEmbedded && isDefined ? AnyContainer(rawValue: name) : nil
        if let container, specs.count != container.values + 1 || specs[container.values].element != .any {
            return "table '\(name)' is not as it is in all files"
        }
        return nil
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ origin: LogOrigin) {
        write(word: origin.id)
        write(origin.last.isComplete)
        write(origin.last.commits.count)
        for (store, commit) in origin.last.commits.sorted(by: { $0.key < $1.key }) {
            write(word: store)
            write(word: commit.number)
            write(word: commit.version)
        }
    }

    fileprivate mutating func write(_ table: StoredTable) {
        switch table {
        case .objects(let name, let typeName, let isEmbedded, let isDefined, let columns):
            write(UInt8(0))
            write(name)
            write(typeName)
            write(isEmbedded)
            write(isDefined)
            write(columns.count)
            for column in columns {
                write(column) {
                    writer, target in writer.write(target)
                }
            }
        case .backlinks(let origin, let column, let target):
            write(UInt8(1))
            write(origin)
            write(column)
            write(target)
        case .unused: write(UInt8(2))
        }
    }
}

extension ByteReader {
    fileprivate mutating func readOrigin() throws(JournalError) -> LogOrigin {
        let (id, isComplete) = (try readWord(), try readFlag())
        var commits: [UInt64: LastCommits.Commit] = [:]
        for _ in 0..<(try readCount(ofAtLeast: 24)) {
            let store = try readWord()
            commits[store] = .init(number: try readWord(), version: try readWord())
        }
        return LogOrigin(id: id, last: LastCommits(commits, isComplete: isComplete))
    }

    fileprivate mutating func readTable() throws(JournalError) -> StoredTable {
        switch try readByte() {
        case 0:
            let name = try readString()
            let typeName = try readString()
            let (isEmbedded, isDefined) = (try readFlag(), try readFlag())
            var columns: [ColumnSpec] = []
            for _ in 0..<(try readCount(ofAtLeast: 6)) {
                var (column, hasTarget) = try readColumn()
                if hasTarget { column.target = try readNumber() }
                columns.append(column)
            }
            return .objects(
                name: name, typeName: typeName, isEmbedded: isEmbedded, isDefined: isDefined, columns: columns
            )
        case 1:
            return .backlinks(
                origin: try readNumber(), column: try readNumber(), target: try readNumber())
        case 2: return .unused
        default: throw malformed("a table is of an unknown sort")
        }
    }
}
