import KivoEngine

extension Catalog {
    /// Returns the change of a class's table, which exists, or nil if it stays unchanged. The new columns own their targets if
    /// these are embedded in this catalog.
    ///
    /// - Parameter keepsRemoved: Whether columns stay that the class no longer has.
    func redefinition(of info: ClassInfo, keepsRemoved: Bool) -> TableRedefinition? {
        let table = table(named: info.name)!
        let old = tables[table].columns
        var columns = info.columns { self.table(named: $0.className())! }
        if keepsRemoved {
            for var column in old where !info.hasColumn(of: column) {
                (column.isPrimaryKey, column.isIndexed) = (false, false)
                columns.append(column)
            }
        }
        return redefinition(table, info.qualifiedName, columns)
    }

    /// Returns the change that gives a table some columns, or nil if nothing changes. A column takes over the values of the old
    /// column of the same name if that fits.
    private func redefinition(
        _ table: TableID, _ typeName: String, _ wanted: [ColumnSpec]
    ) -> TableRedefinition? {
        let old = tables[table].columns
        var columns = wanted.sorted(by: ColumnSpec.isOrderedBefore)
        for index in columns.indices {
            columns[index].isOwning = columns[index].target.map { tables[$0].isEmbedded } ?? false
        }
        let sources = columns.map { Catalog.source(of: $0, columns, in: old, named: $0.name) }
        if columns == old, sources == Array(old.indices) { return nil }
        return TableRedefinition(table: table, typeName: typeName, columns: columns, sources: sources)
    }

    /// Returns the old column with a name whose values a new column takes over, or nil. A map is taken over with keys and values,
    /// or not at all.
    static func source(
        of column: ColumnSpec, _ columns: [ColumnSpec], in old: [ColumnSpec], named name: String
    ) -> Int? {
        func find(_ column: ColumnSpec, _ name: String) -> Int? {
            old.firstIndex { $0.name == name && column.canTakeOver($0) }
        }
        let isValues = column.order == .values
        guard let found = find(column, name) else { return nil }
        let (newName, oldName) =
            isValues
            ? (column.propertyColumnName, String(name.dropLast(".values".count)))
            : (ClassInfo.valuesName(column.name), ClassInfo.valuesName(name))
        let partner = columns.first { $0.name == newName }
        let isMap = old.contains { $0.name == oldName }
        guard let partner, isValues || partner.order == .values else { return isMap ? nil : found }
        return find(partner, oldName) == nil ? nil : found
    }
}

extension ColumnSpec {
    /// The stored name of the column's property; maps have a second column.
    var propertyColumnName: String {
        order == .values ? String(name.dropLast(".values".count)) : name
    }
}

extension ClassInfo {
    /// Returns whether the class has the property of a column, by stored name.
    fileprivate func hasColumn(of column: ColumnSpec) -> Bool {
        storedProperties.contains { $0.columnName == column.propertyColumnName }
    }
}
