import Foundation
import Kivo

/// A stand-in for a table view in tests: it shows what a collection's notifications tell it to show.
///
/// Feed it every change of one observation. It applies deletions, insertions and modifications as a table view's batch
/// update does, and refuses what such a view would crash on: indices out of range or out of order, counts that do not
/// add up, and, what a table view cannot see, rows that differ from the collection afterwards.
///
///     let table = BatchUpdateTable<Dog, String> { $0.name }
///     let token = dogs.observe { table.apply($0) }
///
/// Belongs to the thread of the observation.
public final class BatchUpdateTable<Element: RealmCollectionValue, Row: Equatable> {
    /// What is shown, row by row.
    public private(set) var rows: [Row] = []
    /// How many changes were applied, the first one included.
    public private(set) var changeCount = 0
    /// What was wrong with the changes, in words; empty if all of them added up.
    public private(set) var problems: [String] = []

    private let row: (Element) -> Row

    /// A table that shows elements as rows.
    public init(row: @escaping (Element) -> Row) {
        self.row = row
    }

    /// Applies one change. O(rows).
    public func apply<Elements: RealmCollection>(_ change: RealmCollectionChange<Elements>)
    where Elements.Element == Element {
        follow(change)
    }

    /// Applies one change of a collection that a projection shows. O(rows).
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
            // A section that is gone as a whole lists none of its elements.
            let deletions = deletedSections.isEmpty ? deletions.map { $0[1] } : Array(rows.indices)
            update(section.map(row), deletions, insertions.map { $0[1] }, modifications.map { $0[1] })
        }
    }

    /// Takes a row out that its user removed, without a change that says so: for a write that was silent for the observation.
    /// O(rows).
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
