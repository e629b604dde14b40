import KivoRealmFiles

/// A writer of a file's contents as JSON.
struct FileDumper {
    private let file: RealmFile
    private let view: FileView
    private var values: ValueDumper

    init(_ file: RealmFile, _ view: FileView, _ writer: JSONWriter) {
        self.file = file
        self.view = view
        values = ValueDumper(view, writer)
    }

    func release() { values.writer.release() }

    mutating func dump(name: String) throws {
        let schema = try file.schema()
        values.classNames = [UInt32: [UInt8]](
            schema.tables.map { ($0.key.rawValue, Array(FileDumper.json($0.className).utf8)) },
            uniquingKeysWith: { first, _ in first })
        try write("{\"file\":")
        try values.writer.write(text: name)
        try write(",\"fileFormatVersion\":")
        try values.writer.write(digits: Int64(file.formatVersion))
        try write(",\"schemaVersion\":")
        if let version = try file.schemaVersion() {
            try values.writer.write(number: Int64(clamping: version))
        } else {
            try write("null")
        }
        try write(file.slot == 0 ? ",\"slot\":0" : ",\"slot\":1")
        try write(
            file.isStreaming ? ",\"streaming\":true,\"tables\":[\n" : ",\"streaming\":false,\"tables\":[\n")
        for (index, table) in schema.tables.enumerated() {
            if index > 0 { try write(",\n") }
            try dump(table)
            try write("],\"objects\":[")
            try dumpObjects(table, schema)
            try write("]}")
        }
        try write(schema.tables.isEmpty ? "]}\n" : "\n]}\n")
        try values.writer.flush()
    }

    private mutating func dump(_ table: RealmFile.Table) throws {
        try write("{\"name\":")
        try values.writer.write(text: table.className)
        try write(",\"tableName\":")
        try values.writer.write(text: table.name)
        try write(",\"tableKey\":")
        try values.writer.write(digits: Int64(table.key.rawValue))
        try write(",\"isEmbedded\":")
        try write(table.kind == .embedded)
        try write(",\"isAsymmetric\":")
        try write(table.kind == .asymmetric)
        try write(",\"primaryKey\":")
        try write(text: table.primaryKey?.name)
        try write(",\"properties\":[")
        for (index, property) in table.properties.enumerated() {
            try write(index > 0 ? ",\n {\"name\":" : "\n {\"name\":")
            try values.writer.write(text: property.name)
            try write(",\"type\":")
            try write(text: property.type.rawValue)
            try write(",\"nullable\":")
            try write(property.isNullable)
            try write(",\"collection\":")
            try write(text: property.collection?.rawValue)
            if let type = property.keyType {
                try write(",\"keyType\":")
                try write(text: type.rawValue)
            }
            try write(",\"target\":")
            try write(text: property.targetClassName)
            try write(",\"indexed\":")
            try write(property.isIndexed)
            try write(",\"fulltext\":")
            try write(property.isFullTextIndexed)
            try write(",\"enumerated\":")
            try write(property.isEnumerated)
            try write(",\"columnKey\":")
            try values.writer.write(number: property.columnKey)
            try write(",\"columnIndex\":")
            try values.writer.write(digits: Int64(property.columnIndex))
            try write("}")
        }
    }

    private mutating func dumpObjects(_ table: RealmFile.Table, _ schema: RealmFile.Schema) throws {
        let names = table.properties.map { Array(FileDumper.json($0.name).utf8) }
        let inverse = try InverseLinkDumper(table, schema)
        // All labels are in one array, so that writing a label does no reference counting.
        var bytes: [UInt8] = []
        var ends: [Int] = [0]
        for name in names {
            bytes += (bytes.isEmpty ? [] : [UInt8(ascii: ",")]) + name + [UInt8(ascii: ":")]
            ends.append(bytes.count)
        }
        try bytes.withUnsafeBytes { bytes in
            let labels = names.indices.map {
                UnsafeRawBufferPointer(rebasing: bytes[ends[$0]..<ends[$0 + 1]])
            }
            try dumpObjects(table, names, labels, inverse)
        }
    }

    private mutating func dumpObjects(
        _ table: RealmFile.Table, _ names: [[UInt8]], _ labels: [UnsafeRawBufferPointer],
        _ inverse: InverseLinkDumper
    ) throws {
        let columns = table.properties.map { $0.layout }
        var leaves: [Leaf] = []
        var clusters = try ClusterCursor(root: table.root, view)
        var last: Int64 = -1
        while let cluster = try clusters.next() {
            try values.limit.spend(
                1 + cluster.count * (columns.count + inverse.columns.count + 1), at: cluster.ref)
            if cluster.count == 0 { continue }
            leaves.removeAll(keepingCapacity: true)
            for column in columns { leaves.append(try cluster.leaf(column, view)) }
            let links = try inverse.columns.map { try cluster.inverseLinks($0.leafIndex, view) }
            for index in 0..<cluster.count {
                guard let key = cluster.key(at: index), key > last else {
                    throw RealmFileError.damaged(
                        offset: cluster.ref, reason: "objects are not in the order of their keys")
                }
                if last >= 0 { try write(",\n") }
                last = key
                try write("{\"key\":")
                try values.writer.write(number: key)
                try write(",\"values\":{")
                for column in leaves.indices {
                    try values.writer.write(short: labels[column])
                    try values.dump(leaves[column].value(at: index, view), columns[column], column)
                }
                try write("}")
                if !values.unresolved.isEmpty { try values.dumpRawLinks(names, columns, leaves, index) }
                try inverse.dump(links, index, &values)
                try write("}")
            }
        }
    }

    @inline(__always)
    private mutating func write(_ text: StaticString) throws { try values.writer.write(text) }

    private mutating func write(_ value: Bool) throws { try write(value ? "true" : "false") }

    private mutating func write(text: String?) throws {
        if let text { try values.writer.write(text: text) } else { try write("null") }
    }

    /// Returns a name as a JSON string, including its quotes.
    static func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        do {
            var writer = JSONWriter(capacity: 4096) { bytes.append(contentsOf: $0) }
            defer { writer.release() }
            // No error occurs, because the closure that takes the text does not throw.
            try? writer.write(text: text)
            try? writer.flush()
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RealmFile {
    /// Writes the whole file as JSON: the format, and each table with its columns and its objects, including their values and
    /// inverse links.
    ///
    /// Integers beyond ±2^53 are strings. Floating-point and decimal numbers include their bits. Strings and data of more than
    /// 4096 bytes are written as their length, their start and a SHA-256 hash. The memory use does not depend on the size of the
    /// file, except for dictionaries that are not stored in order.
    ///
    /// - Parameters:
    ///   - name: The name of the file in the output.
    ///   - sink: Called with the text piece by piece. The bytes are UTF-8 and valid only during the call.
    /// - Throws: Errors of `sink`, and ``RealmFileError`` if the file is damaged. The text that was passed to `sink` before is
    ///   then incomplete, and not valid JSON.
    package func dump(name: String, to sink: (_ text: UnsafeRawBufferPointer) throws -> Void) throws {
        try reading { view in
            try withoutActuallyEscaping(sink) { sink in
                var dumper = FileDumper(self, view, JSONWriter(sink))
                defer { dumper.release() }
                try dumper.dump(name: name)
            }
        }
    }
}

/// A bound on how much is read at once. More values than a file of its size can hold are a sign of damage: for example, many
/// references to the same part of the file.
struct WorkLimit {
    private var remaining: Int
    private var remainingBytes: Int

    init(_ view: FileView) {
        remaining = view.elementLimit
        // The file contains each long value once.
        remainingBytes = view.limit
    }

    mutating func spend(_ amount: Int, at ref: Int) throws(RealmFileError) {
        remaining -= amount
        guard remaining >= 0 else { throw tooMuch(ref) }
    }

    /// Accounts for the bytes of a value that the file stores once.
    mutating func spend(bytes: Int, at ref: Int) throws(RealmFileError) {
        remainingBytes -= bytes
        guard remainingBytes >= 0 else { throw tooMuch(ref) }
    }

    private func tooMuch(_ ref: Int) -> RealmFileError {
        .damaged(offset: ref, reason: "there are more values than a file of this size can hold")
    }
}
