import Kivo
import KivoEngine
import KivoRealmFiles

extension Importer {
    /// Writes the elements of a list or a set.
    func write(_ list: RealmFile.List, _ place: ValuePlace) throws {
        let isSet = place.property.target.collection == .set
        let id = CollectionID(
            table: place.row.table, column: place.property.target.column, key: place.row.key)
        var elements: [Cell] = []
        var position = 0
        try list.forEach { value in
            defer { position += 1 }
            try limit.spend(value, isShared: place.property.source.isEnumerated)
            guard let cell = try cell(of: value, place, .position(position)) else { return }
            if isSet, place.isNew {
                let (index, isEqual) = writer.transaction.sequence(id).lowerBound(cell)
                if isEqual {
                    note(
                        .duplicateElement, place.object, place.plan, place.property, value.summary,
                        at: .position(position))
                } else {
                    writer.transaction.insertElement(cell, at: index, into: id)
                }
                return
            }
            elements.append(cell)
            if place.isNew, elements.count == Importer.elementsAtATime { append(&elements, to: id) }
        }
        if place.isNew {
            append(&elements, to: id)
        } else {
            writer.update(elements: elements, place.property.target, place.row.key, place.plan.target)
        }
    }

    /// Appends elements to a list and clears the buffer.
    func append(_ elements: inout [Cell], to id: CollectionID) {
        if elements.isEmpty { return }
        writer.transaction.insertElements(elements, at: writer.transaction.sequence(id).count, into: id)
        elements.removeAll(keepingCapacity: true)
    }

    /// Writes the entries of a dictionary to a map property.
    func write(_ dictionary: RealmFile.Dictionary, _ place: ValuePlace) throws {
        let target = place.property.target
        func id(_ column: Int) -> CollectionID {
            CollectionID(table: place.row.table, column: column, key: place.row.key)
        }
        guard !place.isNew else {
            return try write(
                dictionary, place, keys: id(target.column), values: id(target.valuesColumn!)
            ) { value, key in try cell(of: value, place, .key(key)) }
        }
        var entries: [(key: String, value: Cell)] = []
        var taken: Set<[UInt8]> = []
        try forEachEntry(dictionary, place) { key, value in
            guard taken.insert(Array(key.utf8)).inserted else { return noteKey(key, value, place) }
            if let cell = try cell(of: value, place, .key(key)) { entries.append((key, cell)) }
        }
        writer.update(entries: entries, target, place.row.key, place.plan.target)
    }

    /// Writes the entries of a dictionary to an empty map.
    ///
    /// - Parameter cell: Returns the cell of a value, or nil to leave the entry out.
    func write(
        _ dictionary: RealmFile.Dictionary, _ place: ValuePlace, keys: CollectionID, values: CollectionID,
        _ cell: (RealmFile.Value, String) throws -> Cell?
    ) throws {
        let transaction = writer.transaction
        try forEachEntry(dictionary, place) { key, value in
            let (index, isEqual) = transaction.sequence(keys).lowerBound(.string(key))
            if isEqual { return noteKey(key, value, place) }
            guard let cell = try cell(value, key) else { return }
            transaction.insertElement(.string(key), at: index, into: keys)
            transaction.insertElement(cell, at: index, into: values)
        }
    }

    /// Calls `body` with each entry whose key is valid in a map. Numeric keys become strings of digits.
    private func forEachEntry(
        _ dictionary: RealmFile.Dictionary, _ place: ValuePlace,
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
                    return noteKey(text, value, place)
                }
                try body(other, value)
            case .malformedString(let bytes):
                note(
                    .malformedText, place.object, place.plan, place.property, value.summary,
                    at: .key(String(decoding: bytes, as: UTF8.self)))
            }
        }
    }

    private func noteKey(_ key: String, _ value: RealmFile.Value, _ place: ValuePlace) {
        note(.mapKey, place.object, place.plan, place.property, value.summary, at: .key(key))
    }
}
