@testable import KivoEngine

/// The items of a store and the collections of its shelf, as dictionaries and arrays: the data from which tests of views compute
/// the expected results.
struct ViewModel {
    struct Item {
        var number: Int64?
        var weight: Double?
        var name: String?
        /// The key of another item, or 0.
        var parent: ObjectKey = 0
        /// The keys of other items, each possibly several times.
        var others: [ObjectKey] = []
    }

    /// An element of a source: an item, or a plain value at a position.
    struct Element {
        /// The key of the item, or the position of the value.
        var key: ObjectKey
        /// Empty for a plain value.
        var item = Item()
        var value: Int64?
    }

    var items: [ObjectKey: Item] = [:]
    var list: [ObjectKey] = []
    var set: Set<ObjectKey> = []
    var values: [Int64?] = []
    /// The key of the shelf, or 0 after its deletion.
    var shelf: ObjectKey = 0

    static let itemTable = 0
    static let shelfTable = 1

    enum Column {
        static let number = 0
        static let weight = 1
        static let name = 2
        static let parent = 3
        static let others = 4
        static let list = 0
        static let set = 1
        static let values = 2
    }

    static let catalog: Catalog = {
        var catalog = Catalog()
        precondition(catalog.declare("Item", isEmbedded: false) == itemTable)
        precondition(catalog.declare("Shelf", isEmbedded: false) == shelfTable)
        catalog.define(
            itemTable,
            columns: [
                ColumnSpec(name: "number", kind: .word, isOptional: true, isIndexed: true),
                ColumnSpec(name: "weight", kind: .word, isOptional: true),
                ColumnSpec(name: "name", kind: .string, isOptional: true),
                ColumnSpec(name: "parent", kind: .link, target: itemTable),
                ColumnSpec(name: "others", kind: .sequence, element: .link, target: itemTable),
            ])
        catalog.define(
            shelfTable,
            columns: [
                ColumnSpec(name: "list", kind: .sequence, element: .link, target: itemTable),
                ColumnSpec(name: "set", kind: .sequence, element: .link, order: .sorted, target: itemTable),
                ColumnSpec(name: "values", kind: .sequence, element: .optionalWord),
            ])
        return catalog
    }()

    /// The items that refer to another one as their parent.
    static let children = catalog.tables[itemTable].incoming.first {
        $0.table == itemTable && $0.column == Column.parent
    }!

    /// The items that refer to another one in their lists.
    static let holders = catalog.tables[itemTable].incoming.first {
        $0.table == itemTable && $0.column == Column.others
    }!

    /// Returns the items whose lists contain an item, each as often as it is contained.
    func holders(of key: ObjectKey) -> [ObjectKey] {
        items.keys.sorted().flatMap { holder in items[holder]!.others.filter { $0 == key }.map { _ in holder }
        }
    }

    func children(of key: ObjectKey) -> [ObjectKey] {
        items.filter { $0.value.parent == key }.keys.sorted()
    }

    func element(_ key: ObjectKey) -> Element { Element(key: key, item: items[key]!) }

    /// Deletes items and every reference to them.
    mutating func delete(_ keys: Set<ObjectKey>) {
        for key in keys { items[key] = nil }
        for (key, item) in items {
            if keys.contains(item.parent) { items[key]!.parent = 0 }
            items[key]!.others.removeAll { keys.contains($0) }
        }
        list.removeAll { keys.contains($0) }
        set.subtract(keys)
    }

    mutating func deleteShelf() { (shelf, list, set, values) = (0, [], [], []) }
}

extension ViewModel {
    /// A value by which elements are sorted and grouped. The cases are in ascending order.
    enum SortValue: Hashable, Comparable {
        case null
        case integer(Int64)
        case double(Double)
        case nan
        case text(String)
        /// The value of a property behind a null link.
        case unreached
    }

    /// A property by which a test sorts, groups or divides into sections.
    enum Property: CaseIterable {
        case number, weight, name, foldedName, parent, parentNumber
        /// Integers that many elements have in common.
        case tens
    }

    func sortValue(_ property: Property, of element: Element) -> SortValue {
        let item = element.item
        switch property {
        case .number: return (item.number ?? element.value).map(SortValue.integer) ?? .null
        case .tens:
            return (item.number ?? element.value).map { SortValue.integer($0 >> 3) } ?? .null
        case .weight: return item.weight.map { $0.isNaN ? SortValue.nan : .double($0) } ?? .null
        case .name: return item.name.map(SortValue.text) ?? .null
        case .foldedName: return item.name.map { .text($0.lowercased()) } ?? .null
        case .parent: return item.parent == 0 ? .null : .integer(item.parent)
        case .parentNumber:
            return item.parent == 0 ? .unreached : sortValue(.number, of: self.element(item.parent))
        }
    }
}
