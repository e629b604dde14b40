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
