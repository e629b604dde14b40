/// A table of a catalog as stored with a checkpoint, in the order of the tables' numbers.
package enum StoredTable: Sendable, Equatable {
    /// A class of objects. `isDefined` is false if its columns are not defined yet.
    case objects(name: String, typeName: String, isEmbedded: Bool, isDefined: Bool, columns: [ColumnSpec])
    /// The backlinks of a column to a table.
    case backlinks(origin: TableID, column: Int, target: TableID)
    /// The backlinks of a column that a migration removed: an empty table whose number stays in use.
    case unused
}

extension Catalog {
    /// The tables in stored form, from which ``init(restoring:)`` creates the same catalog.
    package var storedTables: [StoredTable] {
        var stored = tables.map { table in
            if table.isDerived { return StoredTable.unused }
            return StoredTable.objects(
                name: table.name, typeName: table.typeName, isEmbedded: table.isEmbedded,
                isDefined: table.isDefined, columns: table.columns)
        }
        for (target, table) in tables.enumerated() {
            for origins in table.incoming {
                stored[origins.backlinks] = .backlinks(
                    origin: origins.table, column: origins.column, target: target)
            }
        }
        return stored
    }

    /// Restores a catalog from its stored tables, which keep their numbers. Throws if they are inconsistent.
    package init(restoring stored: [StoredTable]) throws(PageFlaw) {
        self.init()
        var names: Set<String> = []
        for table in stored {
            if case .objects(let name, _, _, _, _) = table, !names.insert(name).inserted {
                throw PageFlaw("two classes have one name")
            }
            append(table)
        }
        for (number, table) in stored.enumerated() {
            switch table {
            case .objects(_, _, _, _, let columns):
                for column in columns {
                    guard column.target.map(isObjects) ?? true else {
                        throw PageFlaw("a link leads to no class")
                    }
                }
            case .backlinks(let origin, let column, let target):
                guard isObjects(origin), isObjects(target), tables[origin].columns.indices.contains(column),
                    isLinking(tables[origin].columns[column], to: target),
                    tables[origin].backlinks(of: column, to: target) == nil
                else {
                    throw PageFlaw("backlinks are those of no column")
                }
                connect(origin, column, to: target, by: number)
            case .unused: break
            }
        }
        for table in tables {
            for (index, column) in table.columns.enumerated() where !table.isDerived {
                for target in tables.indices where isLinking(column, to: target) {
                    guard table.backlinks(of: index, to: target) != nil else {
                        throw PageFlaw("a column has no backlinks")
                    }
                }
            }
        }
    }

    /// Whether values of a column can lead to a table.
    private func isLinking(_ column: ColumnSpec, to target: TableID) -> Bool {
        column.isAny ? tables[target].isAnyTarget : column.target == target
    }

    private func isObjects(_ table: TableID) -> Bool {
        tables.indices.contains(table) && !tables[table].isDerived
    }
}
