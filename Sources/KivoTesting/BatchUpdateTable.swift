import Foundation
import Kivo

/// A stand-in for a table view in tests. It updates its rows from a collection's notifications.
///
/// Pass it every change of one observation. It applies deletions, insertions and modifications as a table view's batch update
/// does, and reports whatever would crash such a view: indices out of range or out of order, and counts that do not add up. It
/// also reports rows that differ from the collection after an update, which a table view cannot detect.
///
///     let table = BatchUpdateTable<Dog, String> { $0.name }
///     let token = dogs.observe { table.apply($0) }
///
/// Belongs to the thread of the observation.
public final class BatchUpdateTable<Element: RealmCollectionValue, Row: Equatable> {
    /// The rows that are shown, in order.
    public private(set) var rows: [Row] = []
    /// The number of applied changes, including the first one.
    public private(set) var changeCount = 0
    /// Descriptions of the inconsistencies in the changes; empty if there are none.
    public private(set) var problems: [String] = []

    private let row: (Element) -> Row

    /// Creates a table that shows elements as rows.
    public init(row: @escaping (Element) -> Row) {
        self.row = row
    }

    /// Applies one change. O(rows).
    public func apply<Elements: RealmCollection>(_ change: RealmCollectionChange<Elements>)
    where Elements.Element == Element {
        follow(change)
    }

    /// Applies one change of a projected collection. O(rows).
    public func apply(_ change: RealmCollectionChange<ProjectedCollection<Element>>) { follow(change) }

    private func follow<Elements: Swift.Collection>(_ change: RealmCollectionChange<Elements>)
    where Elements.Element == Element {
        changeCount += 1
        switch change {
        case .initial(let elements): rows = elements.map(row)
        case .update(let elements, let deletions, let insertions, let modifications):
            update(Array(elements.map(row)), deletions, insertions, modifications)
        case .error(let error): problems.append("change \(changeCount) is an error: \(error)")
        }
    }

    /// Applies one change of a single section of sectioned results. O(rows).
    public func apply<Key>(_ change: SectionedResultsChange<ResultsSection<Key, Element>>) {
        changeCount += 1
        switch change {
        case .initial(let section): rows = section.map(row)
        case .update(let section, let deletions, let insertions, let modifications, _, let deletedSections):
            // A deleted section does not list its elements as deletions.
            let deletions = deletedSections.isEmpty ? deletions.map { $0[1] } : Array(rows.indices)
            update(section.map(row), deletions, insertions.map { $0[1] }, modifications.map { $0[1] })
        }
    }

    /// Removes the row that a user removed, for a write of which the observation is not notified. O(rows).
    public func removeRow(at index: Int) {
        guard rows.indices.contains(index) else {
            return note("there is no row \(index) among \(rows.count) to remove")
        }
        rows.remove(at: index)
    }

    private func update(_ new: [Row], _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) {
        let sound =
            check(deletions, "deletions", below: rows.count)
            && check(insertions, "insertions", below: new.count)
            && check(modifications, "modifications", below: new.count)
        guard sound, rows.count - deletions.count + insertions.count == new.count else {
            if sound {
                note("\(rows.count) rows - \(deletions.count) + \(insertions.count) do not make \(new.count)")
            }
            rows = new
            return
        }
        for index in deletions.reversed() { rows.remove(at: index) }
        for index in insertions { rows.insert(new[index], at: index) }
        for index in modifications { rows[index] = new[index] }
        if let index = rows.indices.first(where: { rows[$0] != new[$0] }) {
            note("row \(index) shows \(rows[index]) and should show \(new[index])")
            rows = new
        }
    }

    private func check(_ indices: [Int], _ name: String, below end: Int) -> Bool {
        let isAscending = zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }
        let isInRange = indices.allSatisfy { $0 >= 0 && $0 < end }
        if !isAscending { note("\(name) \(indices) do not ascend") }
        if !isInRange { note("\(name) \(indices) are not all below \(end)") }
        return isAscending && isInRange
    }

    private func note(_ problem: String) { problems.append("change \(changeCount): \(problem)") }
}

/// A counterpart of ``BatchUpdateTable`` for maps. It updates its entries from a map's notifications.
///
/// Pass it every change of one observation. It removes deleted entries, and reads inserted and modified ones from the map. It
/// reports keys that do not ascend, deletions and modifications of keys that are not shown, and insertions of keys that are. It
/// also reports entries that differ from the map after an update.
///
///     let table = MapUpdateTable<String, Int, Int> { $0 }
///     let token = inventory.stock.observe { table.apply($0) }
///
/// Belongs to the thread of the observation.
public final class MapUpdateTable<Key: _MapKey, Value: RealmCollectionValue, Row: Equatable> {
    /// The row of each value that is shown, by key.
    public private(set) var rows: [Key: Row] = [:]
    /// The number of applied changes, including the first one.
    public private(set) var changeCount = 0
    /// Descriptions of the inconsistencies in the changes; empty if there are none.
    public private(set) var problems: [String] = []

    private let row: (Value) -> Row

    /// Creates a table that shows values as rows.
    public init(row: @escaping (Value) -> Row) {
        self.row = row
    }

    /// Applies one change. O(entries).
    public func apply(_ change: RealmMapChange<Map<Key, Value>>) {
        changeCount += 1
        switch change {
        case .initial(let map): rows = shown(of: map)
        case .update(let map, let deletions, let insertions, let modifications):
            update(shown(of: map), deletions, insertions, modifications)
        case .error(let error): problems.append("change \(changeCount) is an error: \(error)")
        }
    }

    /// Returns the rows of a map, or none if its object was deleted.
    private func shown(of map: Map<Key, Value>) -> [Key: Row] {
        if map.isInvalidated { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(map.keys, map.values.map(row)))
    }

    private func update(
        _ new: [Key: Row], _ deletions: [Key], _ insertions: [Key], _ modifications: [Key]
    ) {
        checkOrder(deletions, "deletions")
        checkOrder(insertions, "insertions")
        checkOrder(modifications, "modifications")
        for key in deletions where rows.removeValue(forKey: key) == nil {
            note("\(key) is deleted and was not there")
        }
        for key in modifications where rows[key] == nil { note("\(key) is modified and was not there") }
        for key in insertions where rows[key] != nil { note("\(key) is inserted and was there") }
        for key in insertions + modifications { rows[key] = new[key] }
        for key in Set(rows.keys).union(new.keys).sorted() where rows[key] != new[key] {
            note("\(key) shows \(text(rows[key])) and should show \(text(new[key]))")
        }
        rows = new
    }

    private func checkOrder(_ keys: [Key], _ name: String) {
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending { note("\(name) \(keys) do not ascend") }
    }

    private func text(_ row: Row?) -> String { row.map { "\($0)" } ?? "nothing" }

    private func note(_ problem: String) { problems.append("change \(changeCount): \(problem)") }
}
