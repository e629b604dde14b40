import KivoRealmFiles

/// A writer of the inverse links of a table's objects as JSON. It includes links from link columns, but not from values of any
/// type.
struct InverseLinkDumper {
    let columns: [RealmFile.InverseColumn]
    /// The text before the keys of each column.
    private let labels: [[UInt8]]

    init(_ table: RealmFile.Table, _ schema: RealmFile.Schema) throws(RealmFileError) {
        var labelled: [(order: (Int, Int), column: RealmFile.InverseColumn, label: [UInt8])] = []
        for column in table.inverseColumns {
            // In files before format 24, type 13 is a list of links.
            guard column.originType == 12 || column.originType == 13 else { continue }
            guard let origin = schema[column.origin],
                let position = origin.properties.firstIndex(where: {
                    $0.columnIndex == column.originIndex && $0.type == .link
                })
            else {
                throw .damaged(
                    offset: Int(truncatingIfNeeded: table.root),
                    reason: "a column with inverse links of \(table.name) leads nowhere")
            }
            let label =
                "{\"class\":\(FileDumper.json(origin.className)),\"property\":"
                + "\(FileDumper.json(origin.properties[position].name)),\"keys\":["
            labelled.append(((column.origin.index, position), column, Array(label.utf8)))
        }
        labelled.sort { $0.order < $1.order }
        columns = labelled.map(\.column)
        labels = labelled.map(\.label)
    }

    /// Writes the inverse links of an object, or nothing if there are none.
    func dump(_ links: [IntegerArray], _ index: Int, _ values: inout ValueDumper) throws {
        var isFirst = true
        for column in columns.indices {
            let slot = links[column].slot(index)
            if case .none = slot { continue }
            let label = labels[column]
            if case .tagged(let key) = slot {
                try values.writer.write(isFirst ? ",\"backlinks\":[" : ",")
                isFirst = false
                try values.writer.write(label)
                try values.writer.write(number: Int64(bitPattern: key))
                try values.writer.write("]}")
                continue
            }
            let keys = try InverseLinkCursor(slot, values.view)
            if keys.count == 0 { continue }
            try values.limit.spend(keys.count, at: Int(truncatingIfNeeded: slot.ref))
            try values.writer.write(isFirst ? ",\"backlinks\":[" : ",")
            isFirst = false
            try values.writer.write(label)
            try dump(keys, &values)
            try values.writer.write("]}")
        }
        if !isFirst { try values.writer.write("]") }
    }

    /// Writes keys in ascending order, in which most files store them.
    private func dump(_ cursor: InverseLinkCursor, _ values: inout ValueDumper) throws {
        var isFirst = true
        if try areAscending(cursor) {
            var keys = cursor
            while let some = try keys.next() {
                for index in 0..<some.count {
                    if !isFirst { try values.writer.write(",") }
                    isFirst = false
                    try values.writer.write(number: some[index])
                }
            }
            return
        }
        for (key, count) in try counts(cursor) {
            for _ in 0..<count {
                if !isFirst { try values.writer.write(",") }
                isFirst = false
                try values.writer.write(number: key)
            }
        }
    }

    private func areAscending(_ cursor: InverseLinkCursor) throws(RealmFileError) -> Bool {
        var keys = cursor
        var last = Int64.min
        while let some = try keys.next() {
            for index in 0..<some.count {
                if some[index] < last { return false }
                last = some[index]
            }
        }
        return true
    }

    /// Returns the number of occurrences of each key, ordered by key. Repeated keys can take less than a bit each in the file,
    /// but distinct ones cannot. Therefore the memory use is proportional to the file.
    private func counts(_ cursor: InverseLinkCursor) throws(RealmFileError) -> [(key: Int64, value: Int)] {
        var keys = cursor
        var counts: [Int64: Int] = [:]
        while let some = try keys.next() {
            for index in 0..<some.count { counts[some[index], default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }
    }
}
