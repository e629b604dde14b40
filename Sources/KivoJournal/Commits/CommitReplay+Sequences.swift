import KivoEngine

extension CommitReplay {
    /// Replays the changes of the list, set or map of one row.
    mutating func readSequence(_ reader: inout ByteReader, _ file: FileTable) throws {
        let number = try reader.readNumber()
        let key = try reader.readKey()
        guard file.columns.indices.contains(number), file.columns[number].spec.kind == .sequence else {
            throw reader.malformed("a list that is none changed")
        }
        let column = file.columns[number]
        let oldCount = try reader.readNumber()
        let runs = try SequenceReplay(&reader, column.spec, oldCount: oldCount)
        let id = CollectionID(table: file.table, column: column.index, key: key)
        guard transaction.table(id.table).contains(key) else {
            return try tolerate(
                "a list of no object changed", .valueOfMissingObject, file.name, column.spec.name)
        }
        guard transaction.sequence(id).count == oldCount else {
            return try tolerate(
                "a list was not as long as it says", .collectionOfOtherContents, file.name, column.spec.name)
        }
        if let map = column.map {
            maps[CollectionID(table: id.table, column: map.keys, key: key)] = map.values
        }
        try apply(runs, oldCount, id, column, file.name)
    }

    /// Brings a sequence to its new contents. O(changed elements · log n): unchanged elements are not touched.
    ///
    /// Elements that are removed or moved are taken out from the end on, so that earlier positions stay valid. New and moved
    /// elements are then inserted from the start on. Owned objects that are moved are not deleted.
    private func apply(
        _ replay: SequenceReplay, _ oldCount: Int, _ id: CollectionID, _ column: FileTable.Column,
        _ table: String
    ) throws {
        guard replay.keepsAny else {
            transaction.removeAllElements(from: id)
            try insert(replay.runs.flatMap { $0.elements ?? [] }, at: 0, into: id, column, table)
            let count = transaction.sequence(id).count
            return try checkOrder(id, column, table, around: 0..<count)
        }
        var runs = replay.runs
        var end = oldCount
        for index in replay.byOrigin.reversed() {
            let run = runs[index]
            transaction.removeElements(run.origin + run.count..<end, from: id)
            end = run.origin
            if run.isStaying { continue }
            if run.elements == nil {
                let sequence = transaction.sequence(id)
                runs[index].elements = (run.origin..<run.origin + run.count).map { sequence.cell(at: $0) }
                for position in (run.origin..<run.origin + run.count).reversed() {
                    transaction.releaseElement(at: position, from: id)
                }
            } else {
                for offset in (0..<run.count).reversed() {
                    let position = run.origin + offset
                    // An embedded object may have been assigned to its own place: it is not deleted.
                    if transaction.sequence(id).cell(at: position) == run.elements![offset] {
                        transaction.releaseElement(at: position, from: id)
                    } else {
                        transaction.removeElement(at: position, from: id)
                    }
                }
            }
        }
        transaction.removeElements(0..<end, from: id)
        var position = 0
        var changed: [Range<Int>] = []
        for run in runs {
            let start = position
            if let elements = run.elements, run.isStaying {
                for (offset, element) in elements.enumerated() {
                    // An equal element needs no change, as a replay has no observers. An embedded object may be assigned to its
                    // own place.
                    if transaction.sequence(id).cell(at: position + offset) == element { continue }
                    guard let cell = try checked(element, id, column, table) else { continue }
                    transaction.replaceElement(cell, at: position + offset, in: id)
                }
                position += run.count
            } else if let elements = run.elements {
                position += try insert(elements, at: position, into: id, column, table)
            } else {
                position += run.count
                continue
            }
            changed.append(start..<position)
        }
        // Removal keeps the order of the remaining elements, so only the inserted ones are checked.
        for positions in changed { try checkOrder(id, column, table, around: positions) }
    }

    /// Inserts elements, and returns how many were inserted. If links without a target are tolerated, they are left out, or
    /// stored as null where the collection allows it.
    @discardableResult
    func insert(
        _ elements: [Cell], at position: Int, into id: CollectionID, _ column: FileTable.Column,
        _ table: String
    ) throws -> Int {
        guard column.spec.element!.isLinking else {
            transaction.insertElements(elements, at: position, into: id)
            return elements.count
        }
        var end = position
        // The order of links in such a set depends on the numbers of tables, which differ between sessions. Sets with links are
        // therefore written whole, and sorted again here.
        let isAnySet = column.spec.element == .any && column.spec.order == .sorted
        for element in isAnySet ? elements.sortedAndUnique() : elements {
            guard let cell = try checked(element, id, column, table) else { continue }
            transaction.insertElement(cell, at: end, into: id)
            end += 1
        }
        return end - position
    }

    /// Returns the element to store; nil for a link without a target in a collection that cannot hold null.
    private func checked(
        _ element: Cell, _ id: CollectionID, _ column: FileTable.Column, _ table: String
    ) throws -> Cell? {
        if let row = element.target {
            guard isTarget(row.table, isAny: true), transaction.table(row.table).contains(row.key) else {
                try tolerate("an element leads nowhere", .linkToMissingObject, table, column.spec.name)
                return column.spec.order == .sorted ? nil : .null
            }
            if transaction.catalog.tables[row.table].isEmbedded { try checkOwner(id, row.key, row.table) }
            return element
        }
        guard case .link(let key) = element else { return element }
        let takesNull = column.spec.order == .values
        if key == 0, takesNull { return element }
        if key == 0, let missing {
            missing.mayExist = true
            return element
        }
        let target = column.spec.target!
        guard key != 0, transaction.table(target).contains(key) else {
            try tolerate(
                "an element leads nowhere", .linkToMissingObject, table, column.spec.name)
            return takesNull ? .link(0) : nil
        }
        if column.spec.isOwning { try checkOwner(id, key, target) }
        return element
    }

    /// Throws unless a set or the keys of a map are ascending around the given positions. If that is tolerated, sorts a set, and
    /// empties a map. O(positions · log n).
    func checkOrder(
        _ id: CollectionID, _ column: FileTable.Column, _ table: String, around positions: Range<Int>
    ) throws {
        guard column.spec.order == .sorted, !transaction.sequence(id).isAscending(around: positions) else {
            return
        }
        try tolerate(
            "a set is not in order", .collectionOfOtherContents, table, column.spec.name)
        var elements: [Cell] = []
        // A map whose keys are out of order has lost which value belongs to which key.
        if column.map == nil { transaction.sequence(id).forEach { elements.append($0) } }
        transaction.removeAllElements(from: id)
        transaction.insertElements(elements.sortedAndUnique(), at: 0, into: id)
    }
}

/// A change of a sequence in a record: the elements that the sequence has afterwards, in runs.
struct SequenceReplay {
    /// Neighbouring elements that are kept, moved, replaced or inserted together.
    struct Run {
        /// The old position of the first element; -1 if the elements were inserted.
        var origin: Int
        var count: Int
        /// The elements, if they were inserted or replaced.
        var elements: [Cell]?
        /// Whether the elements stay in place while others move around them.
        var isStaying = false
    }

    private(set) var runs: [Run] = []
    /// The indices of the runs that existed before, sorted by their old positions.
    private(set) var byOrigin: [Int] = []

    /// Whether any element existed before.
    var keepsAny: Bool { !byOrigin.isEmpty }

    /// Reads a change of a sequence that has `oldCount` elements.
    ///
    /// - Throws: ``JournalError`` if the change is invalid.
    init(_ reader: inout ByteReader, _ spec: ColumnSpec, oldCount: Int) throws(JournalError) {
        for _ in 0..<(try reader.readCount(ofAtLeast: 3)) {
            var run = Run(origin: try reader.readNumber() - 1, count: try reader.readNumber())
            let isReplaced = try reader.readFlag()
            guard run.count > 0,
                run.origin < 0 || (run.origin <= oldCount && run.count <= oldCount - run.origin)
            else { throw reader.malformed("a run is out of range") }
            if run.origin < 0 || isReplaced {
                run.elements = try reader.readElements(spec, count: run.count)
            }
            if run.origin >= 0 { byOrigin.append(runs.count) }
            runs.append(run)
        }
        let isInOrder = zip(byOrigin, byOrigin.dropFirst()).allSatisfy { runs[$0].origin < runs[$1].origin }
        let kept = byOrigin
        if !isInOrder { byOrigin.sort { runs[$0].origin < runs[$1].origin } }
        for (a, b) in zip(byOrigin, byOrigin.dropFirst())
        where runs[a].origin + runs[a].count > runs[b].origin {
            throw reader.malformed("an element is in two places")
        }
        if isInOrder {
            for index in kept { runs[index].isStaying = true }
        } else {
            markStaying(kept)
        }
    }

    /// Finds the runs that need not move: among the chains of runs with ascending origins, one with the most elements. O(n log n)
    /// in the number of runs.
    private mutating func markStaying(_ kept: [Int]) {
        var ranks = [Int](repeating: 0, count: runs.count)
        for (rank, index) in byOrigin.enumerated() { ranks[index] = rank }
        // Half the size of optional indexes, which the loops below would read.
        let none = -1
        // A binary indexed tree over the ranks. It contains the longest chains that end at or before a rank.
        var best = [(count: Int, run: Int)](repeating: (0, none), count: kept.count + 1)
        var before = [Int](repeating: none, count: runs.count)
        var longest = (count: 0, run: none)
        for index in kept {
            var chain = (count: 0, run: none)
            var node = ranks[index]
            while node > 0 {
                if best[node].count > chain.count { chain = best[node] }
                node &= node - 1
            }
            before[index] = chain.run
            let extended = (count: chain.count + runs[index].count, run: index)
            if extended.count > longest.count { longest = extended }
            node = ranks[index] + 1
            while node <= kept.count {
                if best[node].count < extended.count { best[node] = extended }
                node += node & -node
            }
        }
        var index = longest.run
        while index != none {
            runs[index].isStaying = true
            index = before[index]
        }
    }
}
