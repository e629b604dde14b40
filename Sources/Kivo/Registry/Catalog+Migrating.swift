import KivoEngine

extension Catalog {
    /// What becomes of the table of a class, which has one; nil if that stays as it is. What a column links to belongs to it if
    /// that is embedded by now.
    ///
    /// - Parameter keepsRemoved: whether columns stay that the class no longer has.
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

    /// What gives a table columns, which take over the values of those that fit and have their names; nil if nothing changes.
    private func redefinition(
        _ table: TableID, _ typeName: String, _ given: [ColumnSpec]
    ) -> TableRedefinition? {
        let old = tables[table].columns
        var columns = given.sorted(by: ColumnSpec.isOrderedBefore)
        for index in columns.indices {
            columns[index].isOwning = columns[index].target.map { tables[$0].isEmbedded } ?? false
        }
        let sources = columns.map { Catalog.source(of: $0, columns, in: old, named: $0.name) }
        if columns == old, sources == Array(old.indices) { return nil }
        return TableRedefinition(table: table, typeName: typeName, columns: columns, sources: sources)
    }

    /// The old column of a name whose values a new one takes over, or nil. Maps are taken over with keys and values, or not.
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
    /// The stored name of the property that the column is of; maps have a second column.
    var propertyColumnName: String {
        order == .values ? String(name.dropLast(".values".count)) : name
    }
}

extension ClassInfo {
    /// Whether the class has a property of the stored name that a column is of.
    fileprivate func hasColumn(of column: ColumnSpec) -> Bool {
        storedProperties.contains { $0.columnName == column.propertyColumnName }
    }
}
