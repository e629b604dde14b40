import KivoEngine

/// A table of a file, and the table and columns of the store that correspond to it.
struct FileTable {
    /// A column of the file.
    struct Column {
        /// The specification of the column, in terms of the store's tables.
        var spec: ColumnSpec
        /// The index of the column among those of the store.
        var index: Int
        /// The store's columns of the keys and values of the map to which the column belongs; nil if it belongs to none.
        var map: (keys: Int, values: Int)?
    }

    var table: TableID
    var name: String
    var isEmbedded: Bool
    var columns: [Column]
    /// The store's column of the primary key, and the ordinal of its index among the table's.
    var primaryKey: (column: Int, kind: ColumnKind, index: Int)?
}

extension FileTable {
    /// Finds a table in the store's catalog, or adds it as the file describes it.
    init(_ description: TableDescription, _ catalog: inout Catalog) throws {
        let table = try FileTable.table(description.name, description.isEmbedded, &catalog)
        var specs: [ColumnSpec] = []
        for column in description.columns { specs.append(try FileTable.spec(column, &catalog)) }
        let ordered = specs.sorted(by: ColumnSpec.isOrderedBefore)
        if !catalog.tables[table].isDefined {
            catalog.define(table, columns: ordered, typeName: description.typeName)
        }
        try catalog.check(
            table, columns: ordered, isEmbedded: description.isEmbedded, areStored: true)
        self.init(table, specs, ordered, catalog)
    }

    /// Creates a table from a checkpoint, whose columns are in the store's order.
    init(_ table: TableID, _ catalog: Catalog) {
        let columns = catalog.tables[table].columns
        self.init(table, columns, columns, catalog)
    }

    private init(_ table: TableID, _ specs: [ColumnSpec], _ ordered: [ColumnSpec], _ catalog: Catalog) {
        let indices = Dictionary(uniqueKeysWithValues: zip(ordered.map(\.name), 0...))
        var maps: [Int: (keys: Int, values: Int)] = [:]
        for property in ordered.properties {
            guard let values = property.valuesColumn else { continue }
            for column in property.columns { maps[column] = (property.column, values) }
        }
        let columns = specs.map { spec in
            let index = indices[spec.name]!
            return Column(spec: spec, index: index, map: maps[index])
        }
        self.init(
            table: table, name: catalog.tables[table].name, isEmbedded: catalog.tables[table].isEmbedded,
            columns: columns,
            primaryKey: columns.first(where: \.spec.isPrimaryKey).map { column in
                (column.index, column.spec.kind, catalog.tables[table].indexOrdinal(of: column.index)!)
            })
    }

    /// Returns the specification of a column in terms of the store's tables.
    static func spec(_ column: TableDescription.Column, _ catalog: inout Catalog) throws -> ColumnSpec {
        var spec = column.spec
        // Files of earlier versions do not mark values of maps as owning.
        if column.target?.isEmbedded == true { spec.isOwning = true }
        spec.target = try column.target.map { try table($0.name, $0.isEmbedded, &catalog) }
        return spec
    }

    /// Updates whether links own their targets, and whether rows are owned, after a change of the catalog.
    mutating func update(_ catalog: Catalog) {
        isEmbedded = catalog.tables[table].isEmbedded
        for index in columns.indices {
            columns[index].spec.isOwning = catalog.tables[table].columns[columns[index].index].isOwning
        }
    }

    private static func table(
        _ name: String, _ isEmbedded: Bool, _ catalog: inout Catalog
    ) throws -> TableID {
        guard let known = catalog.table(named: name) else {
            return catalog.declare(name, isEmbedded: isEmbedded)
        }
        // A table that is only declared was declared by this file. For a class, `check` reports the differences.
        if !catalog.tables[known].isDefined, catalog.tables[known].isEmbedded != isEmbedded {
            throw JournalError.senseless("table '\(name)' is embedded in one place and not in another")
        }
        return known
    }
}
