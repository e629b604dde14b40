import KivoEngine

/// One commit that is being carried out again.
///
/// Rows come first, then what was assigned (links can lead to new rows by then), then sequences, and what was deleted
/// goes last: every reference to it has been taken back by then.
struct CommitReplay {
    private let transaction: WriteTransaction
    private var deleted: [(table: TableID, keys: [ObjectKey])] = []
    /// Links of new rows, which may lead to rows that come later.
    private var links: [(table: TableID, key: ObjectKey, column: Int, target: ObjectKey)] = []
    private var lists: [(id: CollectionID, elements: [Cell])] = []

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    mutating func readTable(
        _ reader: inout ByteReader, _ table: TableID, _ columns: [Int], _ specs: [ColumnSpec]
    ) throws {
        transaction.reserveKeys(below: ObjectKey(try reader.readNumber()), in: table)
        for _ in 0..<(try reader.readCount()) {
            let index = try reader.readNumber()
            guard index >= 0, index < Int.max >> 9 else { throw reader.malformed("a leaf is out of range") }
            let key = { (slot: Int) in ObjectKey(index << 8 | slot) }
            let inserted = try readBits(&reader)
            let gone = try readBits(&reader)
            let assigned = try reader.readCount()
            var keys: [ObjectKey] = []
            gone.forEach { keys.append(key($0)) }
            deleted.append((table, keys))
            if !inserted.isEmpty {
                var isFree = true
                inserted.forEach {
                    isFree = isFree && key($0) > 0 && !transaction.table(table).contains(key($0))
                }
                guard isFree else { throw reader.malformed("a row is inserted twice") }
                inserted.forEach { transaction.insert(into: table, at: key($0)) }
                for (number, spec) in specs.enumerated() {
                    for (slot, value) in try readValues(&reader, inserted, spec) {
                        store(value, CollectionID(table: table, column: columns[number], key: key(slot)))
                    }
                }
            }
            for _ in 0..<assigned {
                let number = try reader.readNumber()
                guard specs.indices.contains(number) else {
                    throw reader.malformed("it names an unknown column")
                }
                let slots = try readBits(&reader)
                var isThere = true
                slots.forEach { isThere = isThere && transaction.table(table).contains(key($0)) }
                guard isThere else { throw reader.malformed("a row that is not there is assigned to") }
                for (slot, value) in try readValues(&reader, slots, specs[number]) {
                    store(value, CollectionID(table: table, column: columns[number], key: key(slot)))
                }
            }
        }
    }

    /// What stands in one column of one row.
    private enum Value {
        case cell(Cell)
        case elements([Cell])
    }

    private mutating func store(_ value: Value, _ place: CollectionID) {
        switch value {
        case .cell(.link(let target)): links.append((place.table, place.key, place.column, target))
        case .cell(let cell): transaction.set(cell, place.table, place.key, place.column)
        case .elements(let elements): lists.append((place, elements))
        }
    }

    private func readBits(_ reader: inout ByteReader) throws -> Bits256 {
        let mask = try reader.readByte()
        var bits = Bits256()
        for index in 0..<4 where mask >> UInt8(index) & 1 != 0 { bits[word: index] = try reader.readWord() }
        return bits
    }

    private func readValues(
        _ reader: inout ByteReader, _ slots: Bits256, _ spec: ColumnSpec
    ) throws -> [(slot: Int, value: Value)] {
        let hasNulls = spec.isOptional && (spec.kind == .word || spec.kind == .wide)
        let nulls = hasNulls ? try readBits(&reader) : Bits256()
        var values: [(slot: Int, value: Value)] = []
        var next = slots.next(from: 0)
        while let slot = next {
            next = slots.next(from: slot + 1)
            values.append((slot, try readValue(&reader, spec, isNull: nulls.contains(slot))))
        }
        return values
    }

    private func readValue(_ reader: inout ByteReader, _ spec: ColumnSpec, isNull: Bool) throws -> Value {
        switch spec.kind {
        case .word:
            let word = try reader.readWord()
            return .cell(isNull ? .null : .word(word))
        case .wide:
            let (a, b) = (try reader.readWord(), try reader.readWord())
            return .cell(isNull ? .null : .wide(a, b))
        case .link: return .cell(.link(ObjectKey(bitPattern: try reader.readWord())))
        case .string:
            let isPresent = spec.isOptional ? try reader.readFlag() : true
            return .cell(isPresent ? .string(try reader.readString()) : .null)
        case .bytes:
            let isPresent = spec.isOptional ? try reader.readFlag() : true
            return .cell(isPresent ? .bytes(try reader.readBytes()) : .null)
        case .sequence: return .elements(try readElements(&reader, try reader.readCount(), spec.element!))
        case .keySet: throw reader.malformed("it holds backlinks")
        }
    }

    private func readElements(_ reader: inout ByteReader, _ count: Int, _ kind: ElementKind) throws -> [Cell]
    {
        var elements: [Cell] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            switch kind {
            case .word: elements.append(.word(try reader.readWord()))
            case .link: elements.append(.link(ObjectKey(try reader.readNumber())))
            case .wide: elements.append(.wide(try reader.readWord(), try reader.readWord()))
            case .optionalWord:
                elements.append(try reader.readFlag() ? .word(try reader.readWord()) : .null)
            case .optionalWide:
                elements.append(
                    try reader.readFlag() ? .wide(try reader.readWord(), try reader.readWord()) : .null)
            case .string: elements.append(try reader.readFlag() ? .string(try reader.readString()) : .null)
            case .bytes: elements.append(try reader.readFlag() ? .bytes(try reader.readBytes()) : .null)
            }
        }
        return elements
    }

    // MARK: Sequences

    /// A run of a changed sequence: where it was before (-1 if nowhere), and its elements if they are new.
    private struct Run {
        var origin: Int
        var count: Int
        var elements: [Cell]?
    }

    mutating func readSequence(_ reader: inout ByteReader, _ table: TableID, _ columns: [Int]) throws {
        finishInsertions()
        let number = try reader.readNumber()
        let key = ObjectKey(try reader.readNumber())
        guard columns.indices.contains(number), transaction.table(table).contains(key) else {
            throw reader.malformed("a list of no object changed")
        }
        let id = CollectionID(table: table, column: columns[number], key: key)
        guard let kind = transaction.catalog.tables[table].columns[id.column].element else {
            throw reader.malformed("a list that is none changed")
        }
        let oldCount = try reader.readNumber()
        guard oldCount == transaction.sequence(id).count else {
            throw reader.malformed("a list was not as long as it says")
        }
        var runs: [Run] = []
        for _ in 0..<(try reader.readCount()) {
            var run = Run(origin: try reader.readNumber() - 1, count: try reader.readNumber(), elements: nil)
            let isReplaced = try reader.readFlag()
            guard run.count >= 0, run.origin < 0 || run.count <= oldCount - run.origin else {
                throw reader.malformed("a run is out of range")
            }
            if run.origin < 0 || isReplaced { run.elements = try readElements(&reader, run.count, kind) }
            runs.append(run)
        }
        apply(runs, oldCount, id)
    }

    private func apply(_ runs: [Run], _ oldCount: Int, _ id: CollectionID) {
        let kept = runs.filter { $0.origin >= 0 }
        let isInOrder = zip(kept, kept.dropFirst()).allSatisfy { $0.origin + $0.count <= $1.origin }
        guard isInOrder else { return rebuild(runs, id) }
        var end = oldCount
        for run in kept.reversed() {
            for position in (run.origin + run.count..<end).reversed() {
                transaction.removeElement(at: position, from: id)
            }
            end = run.origin
        }
        for position in (0..<end).reversed() { transaction.removeElement(at: position, from: id) }
        var position = 0
        for run in runs {
            if let elements = run.elements, run.origin < 0 {
                transaction.insertElements(elements, at: position, into: id)
            } else if let elements = run.elements {
                for (offset, element) in elements.enumerated() {
                    transaction.replaceElement(element, at: position + offset, in: id)
                }
            }
            position += run.count
        }
    }

    /// Elements moved: the list is made anew.
    private func rebuild(_ runs: [Run], _ id: CollectionID) {
        let old = transaction.sequence(id)
        var elements: [Cell] = []
        for run in runs {
            elements += run.elements ?? (run.origin..<run.origin + run.count).map { old.cell(at: $0) }
        }
        // Owned objects must survive: what stays is put in its place before what goes is taken out.
        let count = old.count
        transaction.insertElements(elements, at: 0, into: id)
        for position in (elements.count..<elements.count + count).reversed() {
            let element = transaction.sequence(id).cell(at: position)
            if transaction.catalog.tables[id.table].columns[id.column].isOwning, elements.contains(element) {
                transaction.releaseElement(at: position, from: id)
            } else {
                transaction.removeElement(at: position, from: id)
            }
        }
    }

    /// Sets the links and lists of new rows, once all rows are there.
    private mutating func finishInsertions() {
        for link in links { transaction.set(.link(link.target), link.table, link.key, link.column) }
        for list in lists { transaction.insertElements(list.elements, at: 0, into: list.id) }
        links = []
        lists = []
    }

    mutating func deleteRows() {
        finishInsertions()
        for (table, keys) in deleted { transaction.delete(keys, from: table) }
    }
}
