@testable import KivoEngine

/// A catalog with columns of all kinds and tables of all widths (leaves of 16, 64 and 256 keys). Also the names of its tables,
/// and of the columns that tests use.
enum TestCatalog {
    static let person = 0
    static let dog = 1
    static let address = 2
    static let room = 3

    enum Person {
        static let number = 0
        static let age = 1
        static let name = 2
        static let friend = 6
        static let notes = 9
    }

    static let catalog: Catalog = {
        var catalog = Catalog()
        precondition(catalog.declare("Person", isEmbedded: false) == person)
        precondition(catalog.declare("Dog", isEmbedded: false) == dog)
        precondition(catalog.declare("Address", isEmbedded: true) == address)
        precondition(catalog.declare("Room", isEmbedded: true) == room)
        catalog.define(
            person,
            columns: [
                ColumnSpec(name: "number", kind: .word, isPrimaryKey: true),
                ColumnSpec(name: "age", kind: .word, isOptional: true, isIndexed: true),
                ColumnSpec(name: "name", kind: .string, isIndexed: true),
                ColumnSpec(name: "nick", kind: .string, isOptional: true),
                ColumnSpec(name: "photo", kind: .bytes),
                ColumnSpec(name: "uuid", kind: .wide, isOptional: true, isIndexed: true),
                ColumnSpec(name: "friend", kind: .link, target: person),
                ColumnSpec(name: "pet", kind: .link, target: dog),
                ColumnSpec(name: "scores", kind: .sequence, element: .optionalWord),
                ColumnSpec(name: "notes", kind: .sequence, element: .string),
                ColumnSpec(name: "friends", kind: .sequence, element: .link, target: person),
                ColumnSpec(name: "tags", kind: .sequence, element: .word, order: .sorted),
                ColumnSpec(name: "kennel", kind: .sequence, element: .string, order: .sorted),
                ColumnSpec(
                    name: "kennel.values", kind: .sequence, element: .link, order: .values, target: dog),
                ColumnSpec(name: "address", kind: .link, target: address, isOwning: true),
                ColumnSpec(name: "rooms", kind: .sequence, element: .link, target: room, isOwning: true),
                ColumnSpec(name: "height", kind: .word),
            ])
        catalog.define(
            dog,
            columns: [
                ColumnSpec(name: "name", kind: .string, isPrimaryKey: true),
                ColumnSpec(name: "weight", kind: .word, isIndexed: true),
                ColumnSpec(name: "height", kind: .word, isOptional: true),
                ColumnSpec(name: "chip", kind: .wide, isOptional: true),
                ColumnSpec(name: "owner", kind: .link, target: person),
                ColumnSpec(name: "pack", kind: .sequence, element: .link, order: .sorted, target: dog),
            ] + (0..<60).map { ColumnSpec(name: "marker \($0)", kind: .word, isOptional: $0 & 1 == 0) })
        catalog.define(
            address,
            columns: [
                ColumnSpec(name: "street", kind: .string),
                ColumnSpec(name: "hall", kind: .link, target: room, isOwning: true),
                ColumnSpec(name: "resident", kind: .link, target: person),
            ])
        catalog.define(
            room,
            columns: [
                ColumnSpec(name: "label", kind: .bytes, isOptional: true, isIndexed: true),
                ColumnSpec(name: "areas", kind: .sequence, element: .bytes, order: .sorted),
                ColumnSpec(name: "areas.values", kind: .sequence, element: .optionalWide, order: .values),
            ])
        return catalog
    }()

    /// Returns a catalog like `catalog`, but with columns that all take null, or none of which does. Random elements are null
    /// anywhere.
    static func catalog(takingNull: Bool) -> Catalog {
        var catalog = Catalog()
        let tables = TestCatalog.catalog.tables.filter { !$0.isDerived }
        for table in tables { _ = catalog.declare(table.name, isEmbedded: table.isEmbedded) }
        for (number, table) in tables.enumerated() {
            var columns = table.columns
            for index in columns.indices { columns[index].isOptional = takingNull }
            catalog.define(number, columns: columns)
        }
        return catalog
    }

    /// The tables that are not derived.
    static let tables = [person, dog, address, room]

    static func spec(_ id: CollectionID) -> ColumnSpec { catalog.tables[id.table].columns[id.column] }

    /// The two columns of the map that a sequence is a part of, or nil.
    static func map(_ id: CollectionID) -> (keys: CollectionID, values: CollectionID)? {
        let columns = catalog.tables[id.table].columns
        guard
            let values = [id.column, id.column + 1].first(where: {
                $0 < columns.count && columns[$0].order == .values
            })
        else { return nil }
        func column(_ index: Int) -> CollectionID {
            CollectionID(table: id.table, column: index, key: id.key)
        }
        return (column(values - 1), column(values))
    }
}
