import KivoEngine

/// A table of Kivo's own, whose rows are stored in a realm beside those of classes, and committed with them.
///
/// It is added to a realm when the first row is written. A table of the same name with other columns, which a later version may have
/// written, is left alone.
struct InternalTable {
    /// The name, which begins with `$`: see `TableSpec.isInternal`.
    let name: String
    /// The columns, in the order of their names.
    let columns: [ColumnSpec]

    /// Returns the table in a realm; nil if there is none.
    func find(in catalog: Catalog) -> TableID? {
        guard let table = catalog.table(named: name), catalog.tables[table].columns == columns else {
            return nil
        }
        return table
    }

    /// Adds the table unless it exists.
    ///
    /// - Throws: ``JournalError/refused(_:)`` if there is another one of that name.
    func define(in catalog: inout Catalog) throws(JournalError) {
        let table = catalog.table(named: name) ?? catalog.declare(name, isEmbedded: false)
        if !catalog.tables[table].isDefined { catalog.define(table, columns: columns) }
        if find(in: catalog) == nil {
            throw .refused("a later version of Kivo keeps its history and its consumers in another form")
        }
    }
}

extension ColumnSpec {
    // The numbers are those of the types `Int64`, `String` and `Data` of classes.

    /// A column of numbers of an internal table.
    static func number(_ name: String) -> ColumnSpec { ColumnSpec(name: name, kind: .word, typeCode: 5) }

    /// A column of strings or null of an internal table.
    static func text(_ name: String) -> ColumnSpec {
        ColumnSpec(name: name, kind: .string, isOptional: true, typeCode: 9)
    }

    /// A column of bytes of an internal table.
    static func bytes(_ name: String) -> ColumnSpec { ColumnSpec(name: name, kind: .bytes, typeCode: 10) }
}

/// A row of an internal table, whose cells are read by column.
struct InternalRow {
    let table: Table
    let key: ObjectKey

    func number(_ column: Int) -> UInt64 {
        if case .word(let word) = table.cell(key, column, .word) { word } else { 0 }
    }

    func text(_ column: Int) -> String? {
        if case .string(let text) = table.cell(key, column, .string) { text } else { nil }
    }

    func bytes(_ column: Int) -> [UInt8] {
        if case .bytes(let bytes) = table.cell(key, column, .bytes) { bytes } else { [] }
    }
}
