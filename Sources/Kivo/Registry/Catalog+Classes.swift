import KivoEngine

extension Catalog {
    /// Adds a class and all that it links to, unless they exist already. Throws if a table with one of the names exists and
    /// differs; the catalog is then unchanged.
    mutating func register(_ info: ClassInfo) throws(SchemaMismatch) { try register([info]) }

    /// Adds classes and all that they link to; see ``register(_:)-(ClassInfo)``. Throws all differences at once.
    mutating func register(_ infos: [ClassInfo]) throws(SchemaMismatch) {
        let closure = Registry.closure(infos)
        var next = self
        var isChanged = next.define(closure)
        let differences = closure.compactMap { info in
            let columns = info.columns { next.table(named: $0.className())! }
            return next.difference(
                next.table(named: info.name)!, columns: columns, isEmbedded: info.isEmbedded)
        }
        if !differences.isEmpty { throw SchemaMismatch(differences) }
        // The file may belong to another program, or to an earlier one that declared the class elsewhere.
        var named: Set<String> = []
        for info in closure where named.insert(info.name).inserted {
            if next.setTypeName(info.qualifiedName, of: next.table(named: info.name)!) { isChanged = true }
        }
        if isChanged { self = next }
    }

    /// Adds those of some classes that have no table, and returns whether there were any. The classes include all that they link
    /// to.
    mutating func define(_ closure: [ClassInfo]) -> Bool {
        var undefined: [(info: ClassInfo, table: TableID)] = []
        for info in closure where !isDefined(info) {
            let table = self.table(named: info.name) ?? declare(info.name, isEmbedded: info.isEmbedded)
            // Several classes can share a table.
            if !undefined.contains(where: { $0.table == table }) { undefined.append((info, table)) }
        }
        for (info, table) in undefined {
            info.checkOrigins()
            var columns = info.columns { type in self.table(named: type.className())! }
            // Links do not own a target that the migration has yet to make embedded.
            for index in columns.indices {
                columns[index].isOwning = columns[index].target.map { tables[$0].isEmbedded } ?? false
            }
            define(table, columns: columns, typeName: info.qualifiedName)
        }
        return !undefined.isEmpty
    }

    /// Returns whether a class, and those that it links to, match the tables with their names. O(classes).
    func takes(_ info: ClassInfo) -> Bool {
        var copy = self
        do {
            try copy.register(info)
            return true
        } catch {
            return false
        }
    }

    /// Returns whether a class has a table whose columns are known.
    func isDefined(_ info: ClassInfo) -> Bool {
        table(named: info.name).map { tables[$0].isDefined } ?? false
    }
}

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
        let sources = columns.map { Catalog.source(of: $0, columns, in: old, named: $0.propertyName) }
        if columns == old, sources == Array(old.indices) { return nil }
        return TableRedefinition(table: table, typeName: typeName, columns: columns, sources: sources)
    }

    /// Returns the old column whose values a new column takes over from a property, or nil. A map is taken over with keys and values,
    /// or not at all.
    static func source(
        of column: ColumnSpec, _ columns: [ColumnSpec], in old: [ColumnSpec], named property: String
    ) -> Int? {
        func find(_ column: ColumnSpec) -> Int? {
            let name = column.order == .values ? ColumnSpec.valuesName(of: property) : property
            return old.firstIndex { $0.name == name && column.canTakeOver($0) }
        }
        guard let found = find(column) else { return nil }
        let partner = columns.first {
            $0.propertyName == column.propertyName && $0.name != column.name
        }
        let wasMap = old.contains { $0.order == .values && $0.propertyName == property }
        guard let partner else { return wasMap ? nil : found }
        return find(partner) == nil ? nil : found
    }
}

extension ClassInfo {
    /// Returns whether the class has the property of a column, by stored name.
    fileprivate func hasColumn(of column: ColumnSpec) -> Bool {
        storedProperties.contains { $0.columnName == column.propertyName }
    }
}
