@testable import KivoEngine

/// A store done the slow and obvious way: dictionaries of arrays, and links that are found by looking everywhere.
struct StoreModel {
    struct Object: Equatable {
        /// The values of the columns; that of a sequence is unused.
        var cells: [Cell]
        /// The elements of the columns; those of a column that is not a sequence are unused.
        var elements: [[Cell]]
    }

    /// A link column, as seen from its target.
    struct Incoming: Hashable {
        var origin: TableID
        var column: Int
        var target: ObjectKey
    }

    private let catalog = TestCatalog.catalog
    private(set) var tables: [[ObjectKey: Object]]
    /// The collections that were assigned since ``forgetAssignments()``, also by the deletion of a linked row.
    private(set) var assigned: Set<CollectionID> = []

    init() { tables = Array(repeating: [:], count: TestCatalog.tables.count) }

    func keys(_ table: TableID) -> [ObjectKey] { tables[table].keys.sorted() }

    func elements(_ id: CollectionID) -> [Cell] { tables[id.table][id.key]!.elements[id.column] }

    func cell(_ id: CollectionID) -> Cell { tables[id.table][id.key]!.cells[id.column] }

    mutating func forgetAssignments() { assigned = [] }

    mutating func insert(_ key: ObjectKey, into table: TableID) {
        let columns = catalog.tables[table].columns
        let cells = columns.map { column -> Cell in
            if column.kind == .link { return .link(0) }
            if column.isOptional { return .null }
            return switch column.kind {
            case .string: .string("")
            case .bytes: .bytes([])
            case .wide: .wide(0, 0)
            default: .word(0)
            }
        }
        tables[table][key] = Object(cells: cells, elements: Array(repeating: [], count: columns.count))
    }

    /// Assigns a value or link; the object that an owning link led to is deleted.
    mutating func set(_ cell: Cell, _ id: CollectionID) {
        let old = self.cell(id)
        tables[id.table][id.key]!.cells[id.column] = cell
        assigned.insert(id)
        if old != cell { deleteOwned([old], id) }
    }

    /// Changes the elements of a sequence; what an owning sequence does not hold any more is deleted.
    mutating func edit(_ id: CollectionID, _ body: (inout [Cell]) -> Void) {
        let old = elements(id)
        body(&tables[id.table][id.key]!.elements[id.column])
        assigned.insert(id)
        let new = elements(id)
        deleteOwned(old.filter { !new.contains($0) }, id)
    }

    private mutating func deleteOwned(_ cells: [Cell], _ id: CollectionID) {
        let spec = TestCatalog.spec(id)
        if spec.isOwning { delete(cells.map { $0.linkKey }.filter { $0 != 0 }, from: spec.target!) }
    }

    /// Deletes objects with all that they own, and takes every link to them away.
    mutating func delete(_ keys: [ObjectKey], from table: TableID) {
        for key in keys {
            guard let object = tables[table].removeValue(forKey: key) else { continue }
            for incoming in catalog.tables[table].incoming { nullify(incoming, key) }
            for (index, column) in catalog.tables[table].columns.enumerated() where column.isOwning {
                let owned = [object.cells[index]] + object.elements[index]
                delete(owned.map { $0.linkKey }.filter { $0 != 0 }, from: column.target!)
            }
        }
    }

    mutating func deleteAll() { tables = Array(repeating: [:], count: tables.count) }

    private mutating func nullify(_ incoming: Origins, _ target: ObjectKey) {
        for key in keys(incoming.table) {
            let id = CollectionID(table: incoming.table, column: incoming.column, key: key)
            let spec = TestCatalog.spec(id)
            let link = Cell.link(target)
            if spec.kind == .link, cell(id) == link {
                tables[id.table][id.key]!.cells[id.column] = .link(0)
                assigned.insert(id)
            } else if spec.kind == .sequence, elements(id).contains(link) {
                let rest: [Cell]
                if spec.order == .values {
                    rest = elements(id).map { $0 == link ? .link(0) : $0 }
                } else {
                    rest = elements(id).filter { $0 != link }
                }
                tables[id.table][id.key]!.elements[id.column] = rest
                assigned.insert(id)
            }
        }
    }

    /// All links by what they lead to: the origins, ascending, one that links several times as often.
    func incomingLinks() -> [Incoming: [ObjectKey]] {
        var found: [Incoming: [ObjectKey]] = [:]
        for table in TestCatalog.tables {
            for (column, spec) in catalog.tables[table].columns.enumerated() where spec.target != nil {
                for key in keys(table) {
                    let object = tables[table][key]!
                    let links = spec.kind == .link ? [object.cells[column]] : object.elements[column]
                    for link in links where link.linkKey != 0 {
                        let incoming = Incoming(origin: table, column: column, target: link.linkKey)
                        found[incoming, default: []].append(key)
                    }
                }
            }
        }
        return found
    }
}
