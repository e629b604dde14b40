/// Other columns for a table that may have rows: what a migration makes of a class.
public struct TableRedefinition: Sendable, Equatable {
    /// The table.
    public var table: TableID
    /// What the program calls the class.
    public var typeName: String
    /// The new columns, in the order of ``ColumnSpec/isOrderedBefore(_:_:)``.
    public var columns: [ColumnSpec]
    /// For each new column the old one whose values it takes over, each at most once; nil for one that begins with its
    /// default in every row.
    public var sources: [Int?]

    /// A redefinition.
    public init(table: TableID, typeName: String, columns: [ColumnSpec], sources: [Int?]) {
        self.table = table
        self.typeName = typeName
        self.columns = columns
        self.sources = sources
    }
}

/// What a table was before a catalog redefined it: what it takes to bring its rows along.
public struct RedefinedTable: Sendable {
    /// The table as it was.
    public let old: TableSpec
    /// The tables of backlinks that nothing refers to any more.
    public let orphans: [TableID]
}

/// Changes of tables that are there. Only while nobody reads a version of the store: snapshots and catalogs fit together in
/// pairs.
extension Catalog {
    /// Gives a table other columns; its rows are brought along by ``WriteTransaction/rebuild(_:_:)``.
    public mutating func redefine(_ redefinition: TableRedefinition) -> RedefinedTable {
        let table = redefinition.table
        let old = tables[table]
        var places: [Int: Int] = [:]
        for (place, source) in redefinition.sources.enumerated() {
            guard let source else { continue }
            precondition(places.updateValue(place, forKey: source) == nil, "a column is taken over twice")
        }
        let orphans = moveOrigins(of: table, to: places)
        tables[table].typeName = redefinition.typeName
        setColumns(redefinition.columns, of: table)
        for (place, source) in redefinition.sources.enumerated() {
            if let source {
                tables[table].backlinks[place] = old.backlinks[source]
                tables[table].anyBacklinks[place] = old.anyBacklinks[source]
            } else {
                connect(table, place)
            }
        }
        return RedefinedTable(old: old, orphans: orphans)
    }

    /// Forgets what the columns of a table without rows are, so that its name can be defined anew. Links may still lead to it.
    public mutating func undefine(_ table: TableID) -> RedefinedTable {
        let old = tables[table]
        let orphans = moveOrigins(of: table, to: [:])
        setColumns([], of: table)
        tables[table].typeName = ""
        tables[table].isDefined = false
        return RedefinedTable(old: old, orphans: orphans)
    }

    /// Says whether rows of a table belong to what links to them. Returns the tables of backlinks that nothing refers to any
    /// more: links of any columns do not lead to embedded objects, and there must be none.
    public mutating func setEmbedded(_ table: TableID, _ isEmbedded: Bool) -> [TableID] {
        guard tables[table].isEmbedded != isEmbedded else { return [] }
        tables[table].isEmbedded = isEmbedded
        var orphans: [TableID] = []
        for origins in tables[table].incoming {
            if tables[origins.table].columns[origins.column].isAny {
                tables[origins.table].anyBacklinks[origins.column]?[table] = nil
                orphans.append(origins.backlinks)
            } else {
                tables[origins.table].columns[origins.column].isOwning = isEmbedded
                tables[origins.table].isOwner = tables[origins.table].columns.contains {
                    $0.isOwning || $0.isAny
                }
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

    /// Renumbers the columns through which a table refers to others; returns the backlinks of those that are left out.
    private mutating func moveOrigins(of table: TableID, to places: [Int: Int]) -> [TableID] {
        var orphans: [TableID] = []
        for target in tables.indices {
            tables[target].incoming = tables[target].incoming.compactMap { origins in
                guard origins.table == table else { return origins }
                guard let place = places[origins.column] else {
                    orphans.append(origins.backlinks)
                    return nil
                }
                return Origins(table: table, column: place, backlinks: origins.backlinks)
            }
        }
        return orphans
    }
}

extension ColumnSpec {
    /// Whether the values of a column can be taken over into this one: they differ at most by null, by being indexed or the
    /// primary key, and in whether what they link to belongs to them.
    public func canTakeOver(_ old: ColumnSpec) -> Bool {
        kind == old.kind && element?.withoutNull == old.element?.withoutNull && order == old.order
            && typeCode == old.typeCode && target == old.target
    }
}

extension ElementKind {
    /// The kind of the same elements that are never null.
    fileprivate var withoutNull: ElementKind {
        switch self {
        case .optionalWord: .word
        case .optionalWide: .wide
        default: self
        }
    }
}
