import KivoEngine

/// The description of a table in a file.
struct TableDescription {
    /// A column. Its target is a name, because the file does not know the store's tables.
    struct Column {
        var spec: ColumnSpec
        var target: (name: String, isEmbedded: Bool)?
    }

    /// The number of the table in the file.
    var number: Int
    var name: String
    /// The name of the class in the program that wrote the description; empty if it is unknown.
    var typeName: String
    var isEmbedded: Bool
    var columns: [Column]
}

extension TableDescription {
    /// Reads a description.
    ///
    /// - Throws: ``JournalError`` if no class could have such a table.
    init(_ reader: inout ByteReader) throws(JournalError) {
        number = try reader.readNumber()
        name = try reader.readString()
        typeName = try reader.readString()
        isEmbedded = try reader.readFlag()
        columns = []
        for _ in 0..<(try reader.readCount(ofAtLeast: 6)) { columns.append(try Column(&reader)) }
        if let flaw { throw reader.malformed("table '\(name)' \(flaw)") }
    }

    /// The reason why no class can have such a table, or nil.
    var flaw: String? {
        if name.isEmpty { return "has no name" }
        if columns.count > 1 << 12 { return "has too many columns" }
        if Set(columns.map(\.spec.name)).count < columns.count { return "has two columns of one name" }
        // Appended records use the column order of the store.
        if zip(columns, columns.dropFirst()).contains(where: { !ColumnSpec.isOrderedBefore($0.spec, $1.spec) }
        ) {
            return "has its columns out of order"
        }
        let keys = columns.filter(\.spec.isPrimaryKey)
        if keys.count > 1 || isEmbedded && !keys.isEmpty { return "has a primary key too many" }
        let sorted = columns.filter { $0.spec.order == .sorted }
        let mapKeys = Dictionary(sorted.map { ($0.spec.name + ".values", $0) }) { first, _ in first }
        for column in columns {
            if let flaw = column.flaw { return "has column '\(column.spec.name)', which \(flaw)" }
            guard column.spec.order == .values else { continue }
            guard let keys = mapKeys[column.spec.name], keys.spec.element == .string, !keys.spec.isOptional
            else {
                return "has values without keys"
            }
        }
        return nil
    }
}

extension TableDescription.Column {
    fileprivate init(_ reader: inout ByteReader) throws(JournalError) {
        let hasTarget: Bool
        (spec, hasTarget) = try reader.readColumn()
        if hasTarget { target = (try reader.readString(), try reader.readFlag()) }
    }

    /// The reason why no property can have such a column, in words that follow "which", or nil.
    fileprivate var flaw: String? {
        if spec.name.isEmpty { return "has no name" }
        if spec.kind == .keySet { return "holds backlinks" }
        if (spec.kind == .sequence) != (spec.element != nil) { return "is no sequence, or one of nothing" }
        if spec.kind != .sequence, spec.order != .insertion { return "is no sequence, but ordered" }
        let isLinking = spec.kind == .link || spec.element == .link
        if isLinking != (target != nil) { return "links to nothing" }
        if target?.name.isEmpty == true { return "links to a table without a name" }
        if spec.isOwning, target?.isEmbedded != true { return "owns what it links to" }
        let isFound = spec.isIndexed || spec.isPrimaryKey
        if isFound, spec.kind == .sequence || isLinking { return "cannot be indexed" }
        if spec.isPrimaryKey, spec.kind == .any { return "cannot be a primary key" }
        return nil
    }
}

extension ByteWriter {
    /// Writes the description of a column, which ``ByteReader`` reads back.
    mutating func write(_ column: ColumnSpec, _ catalog: Catalog) {
        write(column) { writer, target in
            writer.write(catalog.tables[target].name)
            writer.write(catalog.tables[target].isEmbedded)
        }
    }
}
