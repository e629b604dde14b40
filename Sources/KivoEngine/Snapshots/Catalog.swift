/// How the elements of a sequence column are ordered and compared.
public enum SequenceOrder: UInt8, Sendable {
    /// In the order of insertion, duplicates allowed: a list.
    case insertion
    /// Ascending and unique: a set, or the keys of a map.
    case sorted
    /// Beside the sorted keys of another column: the values of a map.
    case values
}

/// One column of a table.
public struct ColumnSpec: Sendable, Equatable {
    /// The name of the property.
    public var name: String
    /// How values are laid out.
    public var kind: ColumnKind
    /// Whether values, or elements, can be null.
    public var isOptional: Bool
    /// What the elements of a sequence are; nil for other columns.
    public var element: ElementKind?
    /// How the elements of a sequence are ordered.
    public var order: SequenceOrder
    /// The table that links lead to.
    public var target: TableID?
    /// Whether links own their targets, which are deleted with them.
    public var isOwning: Bool
    /// Whether rows can be found by value.
    public var isIndexed: Bool
    /// Whether values are unique and rows can be found by them.
    public var isPrimaryKey: Bool
    /// A code of the layer above that tells apart types of one layout (an `Int8` from a `Date`).
    public var typeCode: UInt8

    /// A column of its properties.
    public init(
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

    /// Whether values or elements are of any type, and can be links to any table.
    public var isAny: Bool { kind == .any || element == .any }

    /// Whether each element has to lead to an object: nil is a value of maps of objects, and no element of lists and sets.
    public var requiresTargets: Bool { element == .link && order != .values }

    /// The order of the columns of classes and files: by name, the values of maps last. A class that declares its properties in
    /// another order has the same table.
    public static func isOrderedBefore(_ a: ColumnSpec, _ b: ColumnSpec) -> Bool {
        let (aIsLast, bIsLast) = (a.order == .values, b.order == .values)
        return aIsLast == bIsLast ? a.name < b.name : bIsLast
    }
}

/// What it takes to insert a value into a column.
struct ColumnLayout: Sendable, Equatable {
    var kind: ColumnKind
    var isOptional: Bool
    /// Whether the column has an index that a default has to go into.
    var isIndexed: Bool
    /// Whether rows can be found by value.
    var isFound: Bool

    init(_ column: ColumnSpec) {
        isFound = column.isIndexed || column.isPrimaryKey
        kind = column.kind
        isOptional = column.isOptional
        isIndexed = column.isIndexed && !column.isPrimaryKey
    }
}

/// One table: a class of objects, or the backlinks of one link column.
public struct TableSpec: Sendable, Equatable {
    /// The name of the class; for backlinks, of class and property.
    public var name: String
    /// The columns. Those of classes and files are in the order of ``ColumnSpec/isOrderedBefore(_:_:)``.
    public var columns: [ColumnSpec]
    /// Whether the columns are known: a table is declared before, so that others can refer to it.
    public internal(set) var isDefined = false
    /// What the program calls the class, its module included; empty if that is not known.
    public internal(set) var typeName = ""
    /// Whether each row is owned by a link.
    public var isEmbedded: Bool
    /// Whether this table holds backlinks and is derived from others.
    public var isDerived: Bool
    /// What the columns are, for loops over them.
    var layouts: [ColumnLayout] = []
    /// How many low bits of a key its leaf covers.
    var leafShift = TableSpec.leafShift(columns: 1)
    /// How many keys a leaf covers.
    var leafSpan: Int { 1 << leafShift }

    /// Inserting a row copies its leaf, so that the leaves of wide tables cover fewer keys.
    static func leafShift(columns: Int) -> Int { columns <= 16 ? 8 : columns <= 64 ? 6 : 4 }
    /// Whether rows own rows of other tables, which go with them.
    var isOwner = false
    /// Links into this table, in the order in which they became known.
    public internal(set) var incoming: [Origins] = []
    /// For each column, the table that keeps its backlinks, or nil.
    public internal(set) var backlinks: [TableID?] = []
    /// For each any column, by the tables that its links can lead to, those that keep their backlinks.
    public internal(set) var anyBacklinks: [Int: [TableID: TableID]] = [:]
    /// What values of any columns the rows are, if they are the lists or dictionaries among them.
    public let container: AnyContainer?
    /// Whether links of any columns can lead here.
    var isAnyTarget: Bool { !isDerived && (!isEmbedded || container != nil) }

    /// A table by name.
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

    /// The table that keeps which rows refer to one of a table through a column, or nil.
    func backlinks(of column: Int, to target: TableID) -> TableID? {
        backlinks[column] ?? anyBacklinks[column]?[target]
    }

    /// The place of a column's index among the table's, or nil.
    public func indexOrdinal(of column: Int) -> Int? { indexedColumns.firstIndex(of: column) }

    /// The columns with an index, in the order of the index roots in the table's header.
    var indexedColumns: [Int] { columns.indices.filter { columns[$0].isIndexed || columns[$0].isPrimaryKey } }
}

/// The tables of a store. It only grows: an id stays valid for the life of the store.
public struct Catalog: Sendable {
    /// The tables, by id.
    public internal(set) var tables: [TableSpec] = []

    /// An empty catalog.
    public init() {}

    /// The table of a name, or nil. O(tables).
    public func table(named name: String) -> TableID? {
        tables.firstIndex { $0.name == name && !$0.isDerived }
    }

    /// Adds a table without columns, so that others can refer to it. Its columns follow by ``define(_:columns:)``.
    public mutating func declare(_ name: String, isEmbedded: Bool) -> TableID {
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

    /// Gives a declared table its columns, once, and makes backlink tables for its links. `typeName` is what the program
    /// calls the class.
    public mutating func define(_ table: TableID, columns: [ColumnSpec], typeName: String = "") {
        precondition(!tables[table].isDefined, "a table's columns are defined once")
        tables[table].isDefined = true
        tables[table].typeName = typeName
        setColumns(columns, of: table)
        for index in columns.indices { connect(table, index) }
    }

    /// Says what the program calls the class of a table; returns whether that was not known.
    public mutating func setTypeName(_ typeName: String, of table: TableID) -> Bool {
        if tables[table].typeName == typeName { return false }
        tables[table].typeName = typeName
        return true
    }

    /// Gives a table columns whose links are not known yet.
    mutating func setColumns(_ columns: [ColumnSpec], of table: TableID) {
        tables[table].columns = columns
        tables[table].layouts = columns.map(ColumnLayout.init)
        tables[table].leafShift = TableSpec.leafShift(columns: columns.count)
        tables[table].isOwner = columns.contains { $0.isOwning || $0.isAny }
        tables[table].backlinks = Array(repeating: nil, count: columns.count)
        tables[table].anyBacklinks = [:]
    }

    /// Makes the backlink tables of a column, if it holds links.
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

    /// Adds a table of a checkpoint, without what connects it to others.
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

    /// Makes a table keep the backlinks of a column to another table.
    mutating func connect(_ table: TableID, _ column: Int, to target: TableID, by backlinks: TableID) {
        tables[backlinks].name = "\(tables[table].name).\(tables[table].columns[column].name)"
        tables[target].incoming.append(Origins(table: table, column: column, backlinks: backlinks))
        if tables[table].columns[column].isAny {
            tables[table].anyBacklinks[column, default: [:]][target] = backlinks
        } else {
            tables[table].backlinks[column] = backlinks
        }
    }

    /// Makes links of an any column able to lead to a table.
    mutating func connect(_ table: TableID, _ column: Int, to target: TableID) {
        tables[table].anyBacklinks[column, default: [:]][target] = addBacklinks(table, column, to: target)
    }

    /// Adds the table that keeps which rows of a table refer to one of another through a column.
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

    /// Whether what refers to rows of a table owns them.
    public func isOwning(_ origins: Origins, _ target: TableID) -> Bool {
        let column = tables[origins.table].columns[origins.column]
        return column.isOwning || (column.isAny && tables[target].isEmbedded)
    }
}
