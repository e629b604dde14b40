import Kivo
import KivoEngine
import KivoRealmFiles

extension Importer {
    /// Writes the elements of a list or a set.
    func write(_ list: RealmFile.List, _ destination: ValueDestination) throws {
        let isSet = destination.property.target.collection == .set
        let id = CollectionID(
            table: destination.row.table, column: destination.property.target.column, key: destination.row.key
        )
        var elements: [Cell] = []
        var position = 0
        try list.forEach { value in
            defer { position += 1 }
            try limit.spend(value, isShared: destination.property.source.isEnumerated)
            guard let cell = try cell(of: value, destination, .position(position)) else { return }
            if isSet, destination.isNew {
                let (index, isEqual) = writer.transaction.sequence(id).lowerBound(cell)
                if isEqual {
                    note(
                        .duplicateElement, destination.object, destination.plan, destination.property,
                        value.summary,
                        at: .position(position))
                } else {
                    writer.transaction.insertElement(cell, at: index, into: id)
                }
                return
            }
            elements.append(cell)
            if destination.isNew, elements.count == Importer.elementsAtATime { append(&elements, to: id) }
        }
        if destination.isNew {
            append(&elements, to: id)
        } else {
            writer.update(
                elements: elements, destination.property.target, destination.row.key, destination.plan.target)
        }
    }

    /// Appends elements to a list and clears the buffer.
    func append(_ elements: inout [Cell], to id: CollectionID) {
        if elements.isEmpty { return }
        writer.transaction.insertElements(elements, at: writer.transaction.sequence(id).count, into: id)
        elements.removeAll(keepingCapacity: true)
    }

    /// Writes the entries of a dictionary to a map property.
    func write(_ dictionary: RealmFile.Dictionary, _ destination: ValueDestination) throws {
        let target = destination.property.target
        func id(_ column: Int) -> CollectionID {
            CollectionID(table: destination.row.table, column: column, key: destination.row.key)
        }
        guard !destination.isNew else {
            return try write(
                dictionary, destination, keys: id(target.column), values: id(target.valuesColumn!)
            ) { value, key in try cell(of: value, destination, .key(key)) }
        }
        var entries: [(key: String, value: Cell)] = []
        var taken: Set<[UInt8]> = []
        try forEachEntry(dictionary, destination) { key, value in
            guard taken.insert(Array(key.utf8)).inserted else { return noteKey(key, value, destination) }
            if let cell = try cell(of: value, destination, .key(key)) { entries.append((key, cell)) }
        }
        writer.update(entries: entries, target, destination.row.key, destination.plan.target)
    }

    /// Writes the entries of a dictionary to an empty map.
    ///
    /// - Parameter cell: Returns the cell of a value, or nil to leave the entry out.
    func write(
        _ dictionary: RealmFile.Dictionary, _ destination: ValueDestination, keys: CollectionID,
        values: CollectionID,
        _ cell: (RealmFile.Value, String) throws -> Cell?
    ) throws {
        let transaction = writer.transaction
        try forEachEntry(dictionary, destination) { key, value in
            let (index, isEqual) = transaction.sequence(keys).lowerBound(.string(key))
            if isEqual { return noteKey(key, value, destination) }
            guard let cell = try cell(value, key) else { return }
            transaction.insertElement(.string(key), at: index, into: keys)
            transaction.insertElement(cell, at: index, into: values)
        }
    }

    /// Calls `body` with each entry whose key is valid in a map. Numeric keys become strings of digits.
    private func forEachEntry(
        _ dictionary: RealmFile.Dictionary, _ destination: ValueDestination,
        _ body: (String, RealmFile.Value) throws -> Void
    ) throws {
        try dictionary.forEach { key, value in
            try limit.spend(key)
            try limit.spend(value, isShared: false)
            switch key {
            case .int(let number): try body(String(number), value)
            case .string(let text):
                if RowWriter.isMapKey(text) { return try body(text, value) }
                guard let other = options.mapKey?(text), RowWriter.isMapKey(other) else {
                    return noteKey(text, value, destination)
                }
                try body(other, value)
            case .malformedString(let bytes):
                note(
                    .malformedText, destination.object, destination.plan, destination.property, value.summary,
                    at: .key(String(decoding: bytes, as: UTF8.self)))
            }
        }
    }

    private func noteKey(_ key: String, _ value: RealmFile.Value, _ destination: ValueDestination) {
        note(
            .mapKey, destination.object, destination.plan, destination.property, value.summary, at: .key(key))
    }
}
