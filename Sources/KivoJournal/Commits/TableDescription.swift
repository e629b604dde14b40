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
        let mapKeys = Dictionary(sorted.map { ($0.spec.name, $0) }) { first, _ in first }
        for column in columns {
            if let flaw = column.flaw { return "has column '\(column.spec.name)', which \(flaw)" }
            guard column.spec.order == .values else { continue }
            guard let keys = mapKeys[column.spec.propertyName], keys.spec.element == .string,
                !keys.spec.isOptional
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

extension ByteWriter {
    /// Writes a column. `writeTarget` writes the table to which it links, after the rest.
    mutating func write(_ column: ColumnSpec, _ writeTarget: (inout ByteWriter, TableID) -> Void) {
        write(column.name)
        write(column.kind.rawValue)
        write(column.element?.rawValue ?? 0xFF)
        write(column.order.rawValue)
        write(column.typeCode)
        let flags = [
            column.isOptional, column.isOwning, column.isIndexed, column.isPrimaryKey, column.target != nil,
        ]
        write(flags.enumerated().reduce(UInt8(0)) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
        if let target = column.target { writeTarget(&self, target) }
    }
}

extension ByteReader {
    /// Reads a column, and whether the table to which it links follows.
    mutating func readColumn() throws(JournalError) -> (spec: ColumnSpec, hasTarget: Bool) {
        let name = try readString()
        guard let kind = ColumnKind(rawValue: try readByte()) else {
            throw malformed("a column is of an unknown kind")
        }
        let elementCode = try readByte()
        let element = ElementKind(rawValue: elementCode)
        guard element != nil || elementCode == 0xFF else {
            throw malformed("a sequence is of unknown elements")
        }
        guard let order = SequenceOrder(rawValue: try readByte()) else {
            throw malformed("a sequence is of an unknown order")
        }
        let typeCode = try readByte()
        let flags = try readByte()
        guard flags < 32 else { throw malformed("a column has unknown attributes") }
        let spec = ColumnSpec(
            name: name, kind: kind, isOptional: flags & 1 != 0, element: element, order: order,
            isOwning: flags & 2 != 0, isIndexed: flags & 4 != 0, isPrimaryKey: flags & 8 != 0,
            typeCode: typeCode)
        return (spec, flags & 16 != 0)
    }
}

/// The numbers that a file assigns to tables. No number is used twice: a table that is redefined gets a new one. So a commit that
/// names a number can be decoded only by a reader that has read the description of that table.
struct TableNumbers: Sendable {
    private(set) var byTable: [TableID: Int] = [:]
    /// The next number to assign.
    private(set) var next = 0

    /// Creates an empty set of numbers.
    init() {}

    /// Creates the set of numbers that were assigned so far.
    init(_ byTable: [TableID: Int], next: Int) {
        self.byTable = byTable
        self.next = next
    }

    subscript(table: TableID) -> Int? { byTable[table] }

    /// Assigns the next number to a table, in place of its number if it has one.
    mutating func give(_ table: TableID) -> Int {
        byTable[table] = next
        next += 1
        return next - 1
    }

    /// Removes the number of a table.
    mutating func drop(_ table: TableID) { byTable[table] = nil }
}
