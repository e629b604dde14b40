/// A change of the columns of a table that may have rows, as part of a migration.
@usableFromInline package struct TableRedefinition: Sendable, Equatable {
    /// The table.
    package var table: TableID
    /// The name of the class in the program.
    package var typeName: String
    /// The new columns, in the order of ``ColumnSpec/isOrderedBefore(_:_:)``.
    package var columns: [ColumnSpec]
    /// The old column from which each new column takes its values, each at most once. Nil for a column that starts with its
    /// default value in every row.
    package var sources: [Int?]

    /// Creates a redefinition.
    package init(table: TableID, typeName: String, columns: [ColumnSpec], sources: [Int?]) {
        self.table = table
        self.typeName = typeName
        self.columns = columns
        self.sources = sources
    }
}

/// The former definition of a redefined table, from which its rows are converted.
package struct RedefinedTable: Sendable {
    /// The former definition of the table.
    package let old: TableSpec
    /// The tables of backlinks that no column uses any more.
    package let orphans: [TableID]
}

/// Changes of existing tables. They are only allowed while no version of the store is being read, because each snapshot belongs
/// to one catalog.
extension Catalog {
    /// Replaces the columns of a table. ``WriteTransaction/rebuild(_:_:)`` converts its rows.
    package mutating func redefine(_ redefinition: TableRedefinition) -> RedefinedTable {
        let table = redefinition.table
        let old = tables[table]
        var newColumns: [Int: Int] = [:]
        for (column, source) in redefinition.sources.enumerated() {
            guard let source else { continue }
            precondition(
                newColumns.updateValue(column, forKey: source) == nil, "a column is taken over twice")
        }
        let orphans = moveOrigins(of: table, to: newColumns)
        tables[table].typeName = redefinition.typeName
        setColumns(redefinition.columns, of: table)
        for (column, source) in redefinition.sources.enumerated() {
            if let source {
                tables[table].backlinks[column] = old.backlinks[source]
                tables[table].anyBacklinks[column] = old.anyBacklinks[source]
            } else {
                connect(table, column)
            }
        }
        return RedefinedTable(old: old, orphans: orphans)
    }

    /// Removes the columns of a table without rows, so that its name can be defined again. Links may still lead to the table.
    package mutating func undefine(_ table: TableID) -> RedefinedTable {
        let old = tables[table]
        let orphans = moveOrigins(of: table, to: [:])
        setColumns([], of: table)
        tables[table].typeName = ""
        tables[table].isDefined = false
        return RedefinedTable(old: old, orphans: orphans)
    }

    /// Sets whether the rows of a table are owned by the links to them. Returns the tables of backlinks that no column uses any
    /// more. These belong to links of any columns, which cannot lead to embedded objects; there must be no such links.
    package mutating func setEmbedded(_ table: TableID, _ isEmbedded: Bool) -> [TableID] {
        guard tables[table].isEmbedded != isEmbedded else { return [] }
        tables[table].isEmbedded = isEmbedded
        var orphans: [TableID] = []
        for origins in tables[table].incoming {
            if tables[origins.table].columns[origins.column].isAny {
                tables[origins.table].anyBacklinks[origins.column]?[table] = nil
                orphans.append(origins.backlinks)
            } else {
                tables[origins.table].setOwning(isEmbedded, ofColumn: origins.column)
            }
        }
        if isEmbedded {
            tables[table].incoming.removeAll { orphans.contains($0.backlinks) }
        } else {
            for origin in tables.indices {
                for column in tables[origin].columns.indices where tables[origin].columns[column].isAny {
                    connect(origin, column, to: table)
                }
            }
        }
        return orphans
    }

    /// Renumbers the columns through which a table refers to others. Returns the backlinks of the columns that are omitted.
    private mutating func moveOrigins(of table: TableID, to newColumns: [Int: Int]) -> [TableID] {
        var orphans: [TableID] = []
        for target in tables.indices {
            tables[target].incoming = tables[target].incoming.compactMap { origins in
                guard origins.table == table else { return origins }
                guard let column = newColumns[origins.column] else {
                    orphans.append(origins.backlinks)
                    return nil
                }
                return Origins(table: table, column: column, backlinks: origins.backlinks)
            }
        }
        return orphans
    }
}

extension ColumnSpec {
    /// Returns whether this column can take over the values of an old one. The columns may differ only in optionality, in being
    /// indexed or the primary key, and in owning their targets.
    package func canTakeOver(_ old: ColumnSpec) -> Bool {
        kind == old.kind && element?.withoutNull == old.element?.withoutNull && order == old.order
            && typeCode == old.typeCode && target == old.target
    }
}

extension ElementKind {
    /// The kind of the same elements without null.
    fileprivate var withoutNull: ElementKind {
        switch self {
        case .optionalWord: .word
        case .optionalWide: .wide
        default: self
        }
    }
}
