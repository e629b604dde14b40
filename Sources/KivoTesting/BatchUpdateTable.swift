import Foundation
import Kivo

/// A stand-in for a table view in tests. It updates its rows from a collection's notifications.
///
/// Pass it every change of one observation. It applies deletions, insertions and modifications as a batch update of `UITableView`
/// does: deletions and reloads by the positions before the update, insertions by those after it. It reports whatever would crash
/// such a view, with the reason of the exception: rows that do not exist, a row that is both deleted and reloaded, and counts that
/// do not add up. It also reports rows that differ from the collection after an update, which a table view cannot detect.
///
///     let table = BatchUpdateTable<Dog, String> { $0.name }
///     let token = dogs.observe { table.apply($0) }
///
/// `BatchUpdateTable(as: .nsTableView)` plays the table view of AppKit instead; see ``TableViewKind``.
///
/// Belongs to the thread of the observation.
public final class BatchUpdateTable<Element: RealmCollectionValue, Row: Equatable> {
    /// The rows that are shown, in order.
    public private(set) var rows: [Row] = []
    /// The number of applied changes, including the first one.
    public private(set) var changeCount = 0
    /// Descriptions of the inconsistencies in the changes; empty if there are none.
    public private(set) var problems: [String] = []

    private let kind: TableViewKind
    private let row: (Element) -> Row

    /// Creates a table that shows elements as rows.
    ///
    /// - Parameters:
    ///   - kind: the table view to play.
    ///   - row: returns the row that shows an element.
    public init(as kind: TableViewKind = .uiTableView, row: @escaping (Element) -> Row) {
        (self.kind, self.row) = (kind, row)
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
            update(
                Array(elements.map(row)), deletions, insertions, modifications, change.currentModifications)
        case .error(let error): note("an error: \(error)")
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
            update(
                section.map(row), deletions, insertions.map { $0[1] }, modifications.map { $0[1] },
                change.currentModifications.map { $0[1] })
        }
    }

    /// Removes the row that a user removed, for a write of which the observation is not notified. O(rows).
    public func removeRow(at index: Int) {
        guard rows.indices.contains(index) else {
            return note("there is no row \(index) among \(rows.count) to remove")
        }
        rows.remove(at: index)
    }

    private func update(
        _ new: [Row], _ deletions: [Int], _ insertions: [Int], _ modifications: [Int], _ current: [Int]
    ) {
        checkOrder(deletions, "deletions")
        checkOrder(insertions, "insertions")
        checkOrder(modifications, "modifications")
        let exception =
            switch kind {
            case .uiTableView: updateInBatch(new, deletions, insertions, modifications)
            case .nsTableView: updateInSteps(new, deletions, insertions, current)
            }
        if let exception {
            note(exception)
        } else if rows.count != new.count {
            note("the table has \(rows.count) rows, and its data source \(new.count)")
        } else if let index = rows.indices.first(where: { rows[$0] != new[$0] }) {
            note("row \(index) shows \(rows[index]) and should show \(new[index])")
        }
        rows = new
    }

    /// Updates the rows as `UITableView` does, or returns the reason of its exception.
    private func updateInBatch(
        _ new: [Row], _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
    ) -> String? {
        let update = TableViewUpdate(deletions: deletions, insertions: insertions, reloads: modifications)
        if let exception = update.exception(from: [rows.count], to: [new.count]) { return exception }
        var sections = [rows]
        update.apply(to: &sections, reading: [new])
        rows = sections[0]
        return nil
    }

    /// Updates the rows as `NSTableView` does, or returns the reason of its exception.
    private func updateInSteps(
        _ new: [Row], _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
    ) -> String? {
        for index in deletions.reversed() {
            guard rows.indices.contains(index) else { return exception(index) }
            rows.remove(at: index)
        }
        for index in insertions {
            guard (0...rows.count).contains(index), index < new.count else { return exception(index) }
            rows.insert(new[index], at: index)
        }
        for index in modifications where index < min(rows.count, new.count) { rows[index] = new[index] }
        return nil
    }

    private func exception(_ index: Int) -> String {
        "NSTableView error inserting/removing/moving row \(index) (numberOfRows: \(rows.count))."
    }

    private func checkOrder(_ indices: [Int], _ name: String) {
        let isAscending = zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending { note("\(name) \(indices) do not ascend") }
    }

    private func note(_ problem: String) { problems.append("change \(changeCount): \(problem)") }
}

/// The table view that a ``BatchUpdateTable`` plays.
public enum TableViewKind: Sendable {
    /// `UITableView`, and `UICollectionView`: a batch update takes the positions of deleted and reloaded rows before it, and those
    /// of inserted rows after it. So it takes the `modifications` of a change.
    case uiTableView
    /// `NSTableView`: `removeRows`, `insertRows` and `reloadData` each take the positions in the rows that the calls before left,
    /// in this order. So `reloadData` takes the `currentModifications` of a change.
    case nsTableView
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
