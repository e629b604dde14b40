import KivoEngine

/// Rows of plain values, which are written without an object: the scalars, and lists of them, of dictionaries.
///
/// A new list of embedded objects takes one row for each dictionary. An object would only carry the values there, with storage
/// for each, and run the initialiser of its class for defaults that are not used.
extension GraphAdder {
    /// Writes a given value into a list of a new object. Returns false, without an effect, if this takes objects or code of the
    /// app, or if the value does not fit.
    func insertPlain(_ value: Any, _ property: PropertyInfo, _ owner: ObjectBase) -> Bool {
        // A list that the initialiser of the class used remains the list of the object.
        guard property.type.collection == .list,
            property.wrapper.cachedCollection(property.address(in: owner)) == nil,
            !hasElements(property, owner)
        else { return false }
        let id = CollectionID(
            table: owner.kivoContext.table, column: property.column, key: owner.kivoRow.key)
        if property.isLinking {
            guard property.isOwning, let values = dictionaries(value) else { return false }
            let target = owner.kivoContext.target(of: property)
            guard let rows = PlainRows(values, target.info) else { return false }
            let keys = rows.insert(into: target.table, transaction)
            transaction.insertElements(keys.map(Cell.link), at: 0, into: id)
        } else {
            guard let cells = property.type.cells(ofPlain: value) else { return false }
            transaction.insertElements(cells, at: 0, into: id)
        }
        return true
    }

    /// Returns the dictionaries of an array; nil if a value is not an array, or has other elements.
    func dictionaries(_ value: Any) -> [[String: Any]]? {
        if let values = exactly(value, [[String: Any]].self) { return values }
        guard let values = exactly(value, [Any].self) else { return nil }
        let dictionaries = values.compactMap { exactly($0, [String: Any].self) }
        return dictionaries.count == values.count ? dictionaries : nil
    }
}

/// The contents of new rows of a class whose properties are all given as plain values.
private struct PlainRows {
    private let info: ClassInfo
    /// The contents of each row, in the order of the class's properties.
    private var rows: [[Content]] = []

    private enum Content {
        case scalar(Cell)
        case list([Cell])
    }

    /// Converts the values. Fails if a property is not given, is neither a scalar nor a list of scalars, or takes more than a
    /// store to write.
    init?(_ values: [[String: Any]], _ info: ClassInfo) {
        self.info = info
        guard info.primaryKey == nil, !info.hasLinks else { return nil }
        rows.reserveCapacity(values.count)
        for values in values {
            var row: [Content] = []
            row.reserveCapacity(info.storedProperties.count)
            for property in info.storedProperties {
                guard let value = values[property.name] else { return nil }
                if property.type.collection == .list, let cells = property.type.cells(ofPlain: value) {
                    row.append(.list(cells))
                } else if property.isDirect, let cell = property.type.cell(ofPlain: value) {
                    row.append(.scalar(cell))
                } else {
                    return nil
                }
            }
            rows.append(row)
        }
    }

    /// Inserts the rows. Returns their keys.
    func insert(into table: TableID, _ transaction: WriteTransaction) -> [ObjectKey] {
        rows.map { contents in
            let row = transaction.insertRow(into: table)
            for (property, content) in zip(info.storedProperties, contents) {
                guard case .scalar(let cell) = content else { continue }
                let column = row.leaf.column(property.column).data
                _ = ColumnBuffer.store(cell, column, row.slot, property.columnKind)
            }
            for (property, content) in zip(info.storedProperties, contents) {
                guard case .list(let cells) = content else { continue }
                let id = CollectionID(table: table, column: property.column, key: row.key)
                transaction.insertElements(cells, at: 0, into: id)
            }
            return row.key
        }
    }
}
