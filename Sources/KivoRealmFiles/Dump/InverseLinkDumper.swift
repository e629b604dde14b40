/// Writes the inverse links of a table's objects as JSON: those from columns of links, not those from values of any type.
struct InverseLinkDumper {
    let columns: [RealmFile.InverseColumn]
    /// What comes before the keys of each column.
    private let labels: [[UInt8]]

    /// More keys than these are not collected to be put in order.
    private static let fewKeys = 4096

    init(_ table: RealmFile.Table, _ schema: RealmFile.Schema) throws(RealmFileError) {
        var found: [(place: (Int, Int), column: RealmFile.InverseColumn, label: [UInt8])] = []
        for column in table.inverseColumns {
            // 13 is a list of links in files before format 24.
            guard column.originType == 12 || column.originType == 13 else { continue }
            guard let origin = schema[column.origin],
                let position = origin.properties.firstIndex(where: {
                    $0.columnIndex == column.originIndex && $0.type == .link
                })
            else {
                throw .damaged(
                    offset: Int(table.root),
                    reason: "a column with inverse links of \(table.name) leads nowhere")
            }
            let label =
                "{\"class\":\(FileDumper.json(origin.className)),\"property\":"
                + "\(FileDumper.json(origin.properties[position].name)),\"keys\":["
            found.append(((column.origin.index, position), column, Array(label.utf8)))
        }
        found.sort { $0.place < $1.place }
        columns = found.map(\.column)
        labels = found.map(\.label)
    }

    /// Writes the inverse links of an object, nothing if there are none.
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
            let (count, areAscending) = try scan(slot, values.view)
            if count == 0 { continue }
            try values.limit.spend(count, at: Int(slot.ref))
            try values.writer.write(isFirst ? ",\"backlinks\":[" : ",")
            isFirst = false
            try values.writer.write(label)
            try dumpKeys(slot, sorted: areAscending, &values)
            try values.writer.write("]}")
        }
        if !isFirst { try values.writer.write("]") }
    }

    /// How many keys there are, and whether they are in order.
    private func scan(_ slot: Slot, _ view: FileView) throws(RealmFileError) -> (Int, Bool) {
        var keys = try InverseLinkCursor(slot, view)
        var last = Int64.min
        var areAscending = true
        while let key = try keys.next() {
            if key < last { areAscending = false }
            last = key
        }
        return (keys.count, areAscending)
    }

    private func dumpKeys(_ slot: Slot, sorted: Bool, _ values: inout ValueDumper) throws {
        var keys = try InverseLinkCursor(slot, values.view)
        var isFirst = true
        func write(_ key: Int64, _ values: inout ValueDumper) throws {
            if !isFirst { try values.writer.write(",") }
            isFirst = false
            try values.writer.write(number: key)
        }
        if sorted {
            while let key = try keys.next() { try write(key, &values) }
        } else if keys.count <= InverseLinkDumper.fewKeys {
            var all: [Int64] = []
            all.reserveCapacity(keys.count)
            while let key = try keys.next() { all.append(key) }
            for key in all.sorted() { try write(key, &values) }
        } else {
            // Keys can take less than a bit each in the file; different ones do not.
            var counts: [Int64: Int] = [:]
            while let key = try keys.next() { counts[key, default: 0] += 1 }
            for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
                for _ in 0..<count { try write(key, &values) }
            }
        }
    }
}
