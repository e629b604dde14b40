import KivoEngine

/// A replay of one commit.
///
/// Rows are inserted first, then their links are set (which may lead to later rows), then sequences are changed. Rows are deleted
/// last, when nothing refers to them any more.
///
/// The contents of the record are checked. Keys are in range and not used before, links lead to objects, and embedded objects
/// have one owner. Sequences have the length that the record says, and sets are ascending. Maps have a value for each key, and
/// primary keys are unique.
struct CommitReplay {
    let transaction: WriteTransaction
    /// The object that notes changes that cannot be replayed when a damaged file is salvaged; nil if they are thrown instead.
    let losses: SalvageLosses?
    private var deleted: [(table: TableID, keys: [ObjectKey])] = []
    private var links: [Link] = []
    private var lists: [(id: CollectionID, table: String, column: FileTable.Column, elements: [Cell])] = []
    /// The rows whose primary key was set.
    private var keyed: [(file: FileTable, keys: [ObjectKey])] = []
    /// The changed maps: the columns of their values, by the collections of their keys.
    var maps: [CollectionID: Int] = [:]

    /// A link of a row, which may lead to a row that is inserted later.
    private struct Link {
        var source: CollectionID
        var target: ObjectKey
        var targets: TableID
        var isOwning: Bool
        /// Whether the link is a value of an any column.
        var isAny = false
    }

    /// The limit of keys. No table reaches it, and computations with keys do not overflow below it: the number of a leaf is an
    /// `Int`.
    static let keyLimit: ObjectKey = Int.bitWidth < 64 ? 1 << 34 : 1 << 55

    /// The object that notes elements without a target; nil if they are rejected.
    let missing: MissingTargets?

    init(
        _ transaction: WriteTransaction, _ losses: SalvageLosses?, _ missing: MissingTargets? = nil
    ) {
        self.missing = missing
        transaction.keepsElementsWithoutTarget = missing != nil
        self.transaction = transaction
        self.losses = losses
    }

    /// Notes a change that cannot be replayed. Throws it instead unless a damaged file is salvaged.
    func tolerate(
        _ what: @autoclosure () -> String, _ kind: SalvageReport.Loss.Kind, _ table: String,
        _ column: String? = nil
    ) throws {
        guard let losses else { throw JournalError.senseless(what()) }
        losses.note(kind, table, column)
    }

    // MARK: Rows

    /// Reads the rows of a table.
    ///
    /// New keys may be below the table's next key. A transaction that is discarded, or that deletes the rows that it inserts, uses up
    /// keys without a trace in the log. Another process does not know them, but a checkpoint of the one that made it does.
    mutating func readTable(_ reader: inout ByteReader, _ file: FileTable) throws {
        let next = try reader.readKey()
        guard 1 <= next, next <= CommitReplay.keyLimit else {
            throw reader.malformed("keys are out of range")
        }
        transaction.reserveKeys(below: next, in: file.table)
        for _ in 0..<(try reader.readCount(ofAtLeast: 4)) {
            let number = try reader.readNumber()
            guard number <= CommitReplay.keyLimit >> 8 else {
                throw reader.malformed("a leaf is out of range")
            }
            let block = KeyBlock(number: number)
            let inserted = try reader.readBits()
            let gone = try reader.readBits()
            var keys: [ObjectKey] = []
            gone.forEach { keys.append(block.key(at: $0)) }
            if !keys.isEmpty { deleted.append((file.table, keys)) }
            let assignedCount = try reader.readCount(ofAtLeast: 2)
            try readInserted(&reader, file, inserted, in: block, to: next)
            for _ in 0..<assignedCount { try readAssigned(&reader, file, in: block) }
        }
    }

    private mutating func readInserted(
        _ reader: inout ByteReader, _ file: FileTable, _ slots: Bits256, in block: KeyBlock,
        to next: ObjectKey
    ) throws {
        guard let first = slots.next(from: 0) else { return }
        var last = first
        slots.forEach { last = $0 }
        guard block.key(at: first) >= 1, block.key(at: last) < next,
            (transaction.table(file.table).keyBits(in: block) & slots).isEmpty
        else { throw reader.malformed("a row has a key that is not new") }
        slots.forEach { transaction.insert(into: file.table, at: block.key(at: $0)) }
        for column in file.columns { try readColumn(&reader, file, column, slots, in: block) }
    }

    private mutating func readAssigned(
        _ reader: inout ByteReader, _ file: FileTable, in block: KeyBlock
    ) throws {
        let number = try reader.readNumber()
        guard file.columns.indices.contains(number), file.columns[number].spec.kind != .sequence else {
            throw reader.malformed("it assigns to an unknown column")
        }
        let slots = try reader.readBits()
        let there = transaction.table(file.table).keyBits(in: block)
        slots.subtracting(there).forEach { _ in
            losses?.note(.valueOfMissingObject, file.name, file.columns[number].spec.name)
        }
        guard losses != nil || slots.subtracting(there).isEmpty else {
            throw reader.malformed("a row that is not there is assigned to")
        }
        try readColumn(&reader, file, file.columns[number], slots, in: block, there: there)
    }

    /// Reads the values of one column in some slots of a leaf, and stores those whose rows exist.
    private mutating func readColumn(
        _ reader: inout ByteReader, _ file: FileTable, _ column: FileTable.Column, _ slots: Bits256,
        in block: KeyBlock, there: Bits256 = .all
    ) throws {
        let spec = column.spec
        let hasNulls = spec.isOptional && (spec.kind == .word || spec.kind == .wide)
        let nulls = hasNulls ? try reader.readBits() : Bits256()
        var next = slots.next(from: 0)
        while let slot = next {
            next = slots.next(from: slot + 1)
            let key = block.key(at: slot)
            let source = CollectionID(table: file.table, column: column.index, key: key)
            let isThere = there.contains(slot)
            switch spec.kind {
            case .link:
                let target = ObjectKey(bitPattern: try reader.readWord())
                if isThere {
                    links.append(
                        Link(source: source, target: target, targets: spec.target!, isOwning: spec.isOwning))
                }
            case .sequence:
                let elements = try reader.readElements(spec)
                if !elements.isEmpty { lists.append((source, file.name, column, elements)) }
            default:
                let cell = try reader.readCell(spec, isNull: nulls.contains(slot))
                guard isThere else { continue }
                if let row = cell.target {
                    let isOwning = transaction.catalog.tables[row.table].isEmbedded
                    links.append(
                        Link(
                            source: source, target: row.key, targets: row.table, isOwning: isOwning,
                            isAny: true
                        ))
                    continue
                }
                transaction.set(cell, source.table, source.key, source.column)
            }
        }
        if spec.isPrimaryKey {
            var keys: [ObjectKey] = []
            (slots & there).forEach { keys.append(block.key(at: $0)) }
            keyed.append((file, keys))
        }
    }

    /// Sets the links and sequences of rows, once all rows are inserted.
    mutating func finishInsertions() throws {
        for link in links {
            guard try isThere(link.source) else { continue }
            let target = try checked(link)
            let cell: Cell =
                !link.isAny
                ? .link(target) : target == 0 ? .null : .typedLink(RowID(table: link.targets, key: target))
            transaction.set(cell, link.source.table, link.source.key, link.source.column)
        }
        for list in lists {
            guard try isThere(list.id) else { continue }
            if let map = list.column.map {
                maps[CollectionID(table: list.id.table, column: map.keys, key: list.id.key)] = map.values
            }
            try insert(list.elements, at: 0, into: list.id, list.column, list.table)
            try checkOrder(list.id, list.column, list.table, around: 0..<list.elements.count)
        }
        links = []
        lists = []
    }

    /// Whether a row still exists. An owned row is deleted if it loses its place in the same commit.
    private func isThere(_ source: CollectionID) throws -> Bool {
        if transaction.table(source.table).contains(source.key) { return true }
        let spec = transaction.catalog.tables[source.table]
        try tolerate(
            "a row that goes is assigned to", .valueOfMissingObject, spec.name,
            spec.columns[source.column].name)
        return false
    }

    private func checked(_ link: Link) throws -> ObjectKey {
        if link.target == 0 { return 0 }
        let source = link.source
        guard isTarget(link.targets, isAny: link.isAny), transaction.table(link.targets).contains(link.target)
        else {
            let spec = transaction.catalog.tables[source.table]
            try tolerate(
                "a link leads nowhere", .linkToMissingObject, spec.name, spec.columns[source.column].name)
            return 0
        }
        if link.isOwning {
            let current = transaction.table(source.table)
                .cell(source.key, source.column, link.isAny ? .any : .link)
            let isHeld =
                link.isAny
                ? current == .typedLink(RowID(table: link.targets, key: link.target))
                : current == .link(link.target)
            if !isHeld { try checkOwner(source, link.target, link.targets) }
        }
        return link.target
    }

    /// Whether links may lead to a table. `isAny` says that the link is in a value of type any, which cannot link to embedded
    /// objects of the program's classes.
    func isTarget(_ table: TableID, isAny: Bool) -> Bool {
        let spec = transaction.catalog.tables[table]
        return !isAny || !spec.isEmbedded || spec.container != nil
    }

    /// Throws if an embedded object that is assigned already has an owner, or if the source of the link is within the object itself.
    func checkOwner(_ source: CollectionID, _ target: ObjectKey, _ table: TableID) throws {
        let owners = EmbeddedOwners(transaction)
        guard owners.owner(of: target, table) == nil, !owners.isOwner(source, within: target, table) else {
            throw JournalError.senseless("an embedded object has two places")
        }
    }

    // MARK: The end

    /// Deletes the rows that the commit deletes, and performs the checks that need the whole commit.
    mutating func finish() throws {
        for (table, keys) in deleted { transaction.delete(keys, from: table) }
        for (id, values) in maps where transaction.table(id.table).contains(id.key) {
            let valuesID = CollectionID(table: id.table, column: values, key: id.key)
            guard transaction.sequence(id).count != transaction.sequence(valuesID).count else { continue }
            let spec = transaction.catalog.tables[id.table]
            try tolerate(
                "a map has not as many values as keys", .collectionOfOtherContents, spec.name,
                spec.columns[id.column].name)
            transaction.removeAllElements(from: id)
            transaction.removeAllElements(from: valuesID)
        }
        for (file, keys) in keyed { for key in keys { try checkPrimaryKey(file, key) } }
    }

    private func checkPrimaryKey(_ file: FileTable, _ key: ObjectKey) throws {
        guard let (column, kind, ordinal) = file.primaryKey, transaction.table(file.table).contains(key)
        else { return }
        let value = transaction.table(file.table).cell(key, column, kind)
        while let first = transaction.table(file.table).firstKey(
            index: ordinal, column: column, kind: kind, equals: value), first != key
        {
            try tolerate("two rows have one primary key", .objectOfTakenPrimaryKey, file.name)
            transaction.delete([first], from: file.table)
        }
    }
}
