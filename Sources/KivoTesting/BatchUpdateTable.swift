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
