/// The order of the elements of a sequence column.
@usableFromInline package enum SequenceOrder: UInt8, Sendable {
    /// The order of insertion, with duplicates: a list.
    case insertion
    /// Ascending without duplicates: a set, or the keys of a map.
    case sorted
    /// The order of the sorted keys in another column: the values of a map.
    case values
}

/// One column of a table.
@usableFromInline package struct ColumnSpec: Sendable, Equatable {
    /// The name of the property.
    package var name: String
    /// The memory layout of the values.
    package var kind: ColumnKind
    /// A Boolean value that indicates whether values, or elements, can be null.
    package var isOptional: Bool
    /// The kind of the elements of a sequence; nil for other columns.
    package var element: ElementKind?
    /// The order of the elements of a sequence.
    package var order: SequenceOrder
    /// The table to which links lead.
    package var target: TableID?
    /// A Boolean value that indicates whether links own their targets, which are deleted with them.
    package var isOwning: Bool
    /// A Boolean value that indicates whether rows can be looked up by value.
    package var isIndexed: Bool
    /// A Boolean value that indicates whether values are unique and rows can be looked up by them.
    package var isPrimaryKey: Bool
    /// A code by which the calling layer distinguishes types with the same layout, such as `Int8` and `Date`.
    package var typeCode: UInt8

    /// Creates a column from its properties.
    package init(
        name: String, kind: ColumnKind, isOptional: Bool = false, element: ElementKind? = nil,
        order: SequenceOrder = .insertion, target: TableID? = nil, isOwning: Bool = false,
        isIndexed: Bool = false, isPrimaryKey: Bool = false, typeCode: UInt8 = 0
    ) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.element = element
        self.order = order
        self.target = target
        self.isOwning = isOwning
        self.isIndexed = isIndexed
        self.isPrimaryKey = isPrimaryKey
        self.typeCode = typeCode
    }

    /// A Boolean value that indicates whether values or elements are of any type, and may link to any table.
    package var isAny: Bool { kind == .any || element == .any }

    /// A Boolean value that indicates whether each element must lead to an object. Maps of objects can contain nil; lists and
    /// sets cannot.
    package var requiresTargets: Bool { element == .link && order != .values }

    /// Returns whether a column comes before another in classes and files: by name, with the values of maps last. So the order in
    /// which a class declares its properties does not change its table.
    package static func isOrderedBefore(_ a: ColumnSpec, _ b: ColumnSpec) -> Bool {
        let (aIsLast, bIsLast) = (a.order == .values, b.order == .values)
        return aIsLast == bIsLast ? a.name < b.name : bIsLast
    }
}

/// The properties of a column that inserting a value requires.
struct ColumnLayout: Sendable, Equatable {
    var kind: ColumnKind
    var isOptional: Bool
    /// Whether the column has an index that must include a default value.
    var isIndexed: Bool
    /// Whether rows can be looked up by value.
    var isFound: Bool

    init(_ column: ColumnSpec) {
        isFound = column.isIndexed || column.isPrimaryKey
        kind = column.kind
        isOptional = column.isOptional
        isIndexed = column.isIndexed && !column.isPrimaryKey
    }
}

/// A table: a class of objects, or the backlinks of one link column.
package struct TableSpec: Sendable, Equatable {
    /// The name of the class; for backlinks, the names of class and property.
    package var name: String
    /// The columns. Those of classes and files are in the order of ``ColumnSpec/isOrderedBefore(_:_:)``.
    package private(set) var columns: [ColumnSpec]
    /// The properties that have the columns.
    package private(set) var properties: [TableProperty] = []
    /// A Boolean value that indicates whether the columns are defined. A table is declared first so that others can refer to it.
    package internal(set) var isDefined = false
    /// The name of the class in the program, including its module; empty if unknown.
    package internal(set) var typeName = ""
    /// A Boolean value that indicates whether each row is owned by a link.
    package var isEmbedded: Bool
    /// A Boolean value that indicates whether this table contains backlinks, which are derived from other tables.
    package var isDerived: Bool
    /// The layouts of the columns, for loops over them.
    var layouts: [ColumnLayout] = []
    /// The columns with an index, in the order of the index roots in the table's header.
    package private(set) var indexedColumns: [Int] = []
    /// The column of the primary key, or nil if there is none.
    private(set) var primaryColumn: Int?
    /// The number of low bits of a key that its leaf covers.
    var leafShift = TableSpec.leafShift(columns: 1)
    /// The number of keys that a leaf covers.
    var leafSpan: Int { 1 << leafShift }

    /// Returns the number of low bits of a key that its leaf covers. Inserting a row copies its leaf, so wide tables have fewer.
    static func leafShift(columns: Int) -> Int { columns <= 16 ? 8 : columns <= 64 ? 6 : 4 }
    /// Whether rows own rows of other tables, which are deleted with them.
    var isOwner = false
    /// The links into this table, in the order in which they were defined.
    package internal(set) var incoming: [Origins] = []
    /// The table of backlinks of each column, or nil.
    package internal(set) var backlinks: [TableID?] = []
    /// The tables of backlinks of each any column, by the tables to which its links can lead.
    package internal(set) var anyBacklinks: [Int: [TableID: TableID]] = [:]
    /// The kind of container if the rows are the lists or dictionaries that are any values; otherwise nil.
    package let container: AnyContainer?
    /// Whether links of any columns can lead to this table.
    var isAnyTarget: Bool { !isDerived && !isInternal && (!isEmbedded || container != nil) }
    /// A Boolean value that indicates whether the rows belong to Kivo itself. Names of classes do not begin like this.
    package var isInternal: Bool { name.utf8.first == UInt8(ascii: "$") }
    /// A Boolean value that indicates whether the rows are objects of a class of the app, also of one that it does not declare.
    package var isClass: Bool { !isDerived && isDefined && container == nil && !isInternal }

    /// Creates a table with a name.
    init(
        name: String, columns: [ColumnSpec], isDefined: Bool = false, isEmbedded: Bool, isDerived: Bool,
        layouts: [ColumnLayout] = []
    ) {
        self.name = name
        self.columns = columns
        self.isDefined = isDefined
        self.isEmbedded = isEmbedded
        self.isDerived = isDerived
        self.layouts = layouts
        container = isEmbedded && !isDerived ? AnyContainer(rawValue: name) : nil
    }

    /// Sets the columns without connecting their links.
    fileprivate mutating func setColumns(_ columns: [ColumnSpec]) {
        self.columns = columns
        properties = columns.properties
        layouts = columns.map(ColumnLayout.init)
        indexedColumns = columns.indices.filter { layouts[$0].isFound }
        primaryColumn = columns.firstIndex { $0.isPrimaryKey }
        leafShift = TableSpec.leafShift(columns: columns.count)
        isOwner = columns.contains { $0.isOwning || $0.isAny }
        backlinks = Array(repeating: nil, count: columns.count)
        anyBacklinks = [:]
    }

    /// Sets whether the links of a column own their targets.
    mutating func setOwning(_ isOwning: Bool, ofColumn column: Int) {
        columns[column].isOwning = isOwning
        properties = columns.properties
        isOwner = columns.contains { $0.isOwning || $0.isAny }
    }

    /// Returns the table that stores which rows refer to rows of a table through a column, or nil if there is none.
    func backlinks(of column: Int, to target: TableID) -> TableID? {
        backlinks[column] ?? anyBacklinks[column]?[target]
    }

    /// Returns the position of a column's index among those of the table, or nil if the column has no index.
    package func indexOrdinal(of column: Int) -> Int? { indexedColumns.firstIndex(of: column) }

    /// The position of the primary key's index among those of the table, or nil if there is no primary key.
    var primaryIndex: Int? { primaryColumn.flatMap(indexOrdinal) }
}

/// The tables of a store. Tables are only added, so an id stays valid for the lifetime of the store.
@usableFromInline package struct Catalog: Sendable {
    /// The tables, by id.
    package internal(set) var tables: [TableSpec] = []

    /// Creates an empty catalog.
    package init() {}

    /// Returns the table with a name, or nil if there is none. O(tables).
    package func table(named name: String) -> TableID? {
        tables.firstIndex { $0.name == name && !$0.isDerived }
    }

    /// Adds a table without columns, so that others can refer to it. ``define(_:columns:typeName:)`` sets its columns later.
    package mutating func declare(_ name: String, isEmbedded: Bool) -> TableID {
        tables.append(TableSpec(name: name, columns: [], isEmbedded: isEmbedded, isDerived: false))
        let table = tables.count - 1
        if tables[table].isAnyTarget {
            for origin in tables.indices {
                for column in tables[origin].columns.indices where tables[origin].columns[column].isAny {
                    connect(origin, column, to: table)
                }
            }
        }
        return table
    }

    /// Sets the columns of a declared table, once, and creates backlink tables for its links. `typeName` is the name of the class
    /// in the program.
    package mutating func define(_ table: TableID, columns: [ColumnSpec], typeName: String = "") {
        precondition(!tables[table].isDefined, "a table's columns are defined once")
        tables[table].isDefined = true
        tables[table].typeName = typeName
        setColumns(columns, of: table)
        for index in columns.indices { connect(table, index) }
    }

    /// Sets the name of a table's class in the program. Returns whether the name changed.
    package mutating func setTypeName(_ typeName: String, of table: TableID) -> Bool {
        if tables[table].typeName == typeName { return false }
        tables[table].typeName = typeName
        return true
    }

    /// Sets the columns of a table without connecting their links.
    mutating func setColumns(_ columns: [ColumnSpec], of table: TableID) {
        tables[table].setColumns(columns)
    }

    /// Creates the backlink tables of a column, if it contains links.
    mutating func connect(_ table: TableID, _ index: Int) {
        let column = tables[table].columns[index]
        if column.isAny {
            for target in tables.indices where tables[target].isAnyTarget {
                connect(table, index, to: target)
            }
        } else if let target = column.target {
            tables[table].backlinks[index] = addBacklinks(table, index, to: target)
        }
    }

    /// Adds a table of a checkpoint, without its connections to others.
    mutating func append(_ stored: StoredTable) {
        switch stored {
        case .objects(let name, let typeName, let isEmbedded, let isDefined, let columns):
            tables.append(TableSpec(name: name, columns: [], isEmbedded: isEmbedded, isDerived: false))
            guard isDefined else { return }
            tables[tables.count - 1].isDefined = true
            tables[tables.count - 1].typeName = typeName
            setColumns(columns, of: tables.count - 1)
        case .backlinks, .unused:
            let origins = ColumnSpec(name: "origins", kind: .keySet)
            tables.append(
                TableSpec(
                    name: "", columns: [origins], isDefined: true, isEmbedded: false, isDerived: true,
                    layouts: [ColumnLayout(origins)]))
        }
    }

    /// Registers a table as the backlinks of a column to another table.
    mutating func connect(_ table: TableID, _ column: Int, to target: TableID, by backlinks: TableID) {
        tables[backlinks].name = "\(tables[table].name).\(tables[table].columns[column].name)"
        tables[target].incoming.append(Origins(table: table, column: column, backlinks: backlinks))
        if tables[table].columns[column].isAny {
            tables[table].anyBacklinks[column, default: [:]][target] = backlinks
        } else {
            tables[table].backlinks[column] = backlinks
        }
    }

    /// Connects an any column to a table, so that its links can lead there.
    mutating func connect(_ table: TableID, _ column: Int, to target: TableID) {
        tables[table].anyBacklinks[column, default: [:]][target] = addBacklinks(table, column, to: target)
    }

    /// Adds the table of backlinks of a column to another table.
    private mutating func addBacklinks(_ table: TableID, _ column: Int, to target: TableID) -> TableID {
        let origins = ColumnSpec(name: "origins", kind: .keySet)
        tables.append(
            TableSpec(
                name: "\(tables[table].name).\(tables[table].columns[column].name)", columns: [origins],
                isDefined: true, isEmbedded: false, isDerived: true, layouts: [ColumnLayout(origins)]))
        let backlinks = tables.count - 1
        tables[target].incoming.append(Origins(table: table, column: column, backlinks: backlinks))
        return backlinks
    }

    /// Returns whether the links to rows of a table own them.
    package func isOwning(_ origins: Origins, _ target: TableID) -> Bool {
        let column = tables[origins.table].columns[origins.column]
        return column.isOwning || (column.isAny && tables[target].isEmbedded)
    }
}

/// The rows of a table that refer to others through a link column, and the table that stores these backlinks.
@usableFromInline package struct Origins: Sendable, Hashable {
    /// The table of the referring rows.
    package var table: TableID
    /// The link column through which they refer.
    package var column: Int
    /// The table that stores the backlinks of that column.
    package var backlinks: TableID

    /// Creates the description of the origins that refer through a column.
    package init(table: TableID, column: Int, backlinks: TableID) {
        self.table = table
        self.column = column
        self.backlinks = backlinks
    }
}
