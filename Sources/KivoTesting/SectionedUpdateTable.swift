import Foundation
import Kivo

/// A stand-in for a table view with sections in tests; see ``BatchUpdateTable``.
///
/// Pass it every change of one observation of sectioned results. It applies deletions, deleted sections, inserted sections,
/// insertions and modifications as a batch update of `UITableView` does: deletions and reloads by the positions before the update,
/// insertions by those after it. It reports whatever would crash such a view, with the reason of the exception. It also reports
/// rows that differ from the sections after an update, which a table view cannot detect.
///
///     let table = SectionedUpdateTable<String, Dog, String> { $0.name }
///     let token = sections.observe { table.apply($0) }
///
/// Belongs to the thread of the observation.
public final class SectionedUpdateTable<
    Key: _Persistable & Hashable, Element: RealmCollectionValue, Row: Equatable
> {
    /// A section that is shown.
    public struct Section: Equatable {
        /// The key.
        public var key: Key
        /// The rows of the section that are shown, in order.
        public var rows: [Row]

        /// Creates a section.
        public init(key: Key, rows: [Row]) {
            self.key = key
            self.rows = rows
        }
    }

    /// The sections that are shown.
    public private(set) var sections: [Section] = []
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
    public func apply(_ change: SectionedResultsChange<SectionedResults<Key, Element>>) {
        changeCount += 1
        switch change {
        case .initial(let results): sections = shown(results)
        case .update(
            let results, let deletions, let insertions, let modifications, let inserted, let deleted):
            let new = shown(results)
            checkOrder(deletions, "deletions")
            checkOrder(insertions, "insertions")
            checkOrder(modifications, "modifications")
            for path in deletions + modifications where deleted.contains(path[0]) {
                note("row \(path) of a deleted section is among the deletions or modifications")
            }
            let update = TableViewUpdate(
                deletions: deletions, insertions: insertions, reloads: modifications,
                deletedSections: deleted, insertedSections: inserted)
            let counts = { (sections: [Section]) in sections.map(\.rows.count) }
            if let exception = update.exception(from: counts(sections), to: counts(new)) {
                note(exception)
                sections = new
            } else {
                apply(update, new)
            }
            compare(new)
        }
    }

    /// Shows the current contents of the sections, after a write of which the observer is not notified. O(rows).
    public func show(_ results: SectionedResults<Key, Element>) { sections = shown(results) }

    private func shown(_ results: SectionedResults<Key, Element>) -> [Section] {
        results.map { Section(key: $0.key, rows: $0.map(row)) }
    }

    private func apply(_ update: TableViewUpdate, _ new: [Section]) {
        var (keys, rows) = (sections.map(\.key), sections.map(\.rows))
        for section in update.deletedSections.reversed() { keys.remove(at: section) }
        for section in update.insertedSections { keys.insert(new[section].key, at: section) }
        update.apply(to: &rows, reading: new.map(\.rows))
        sections = zip(keys, rows).map { Section(key: $0, rows: $1) }
    }

    private func compare(_ new: [Section]) {
        if sections == new { return }
        let index = zip(sections, new).enumerated().first { $1.0 != $1.1 }?.offset
        note("section \(index.map(String.init) ?? "count") shows \(sections) and should show \(new)")
        sections = new
    }

    private func checkOrder(_ paths: [IndexPath], _ name: String) {
        let isAscending = zip(paths, paths.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending { note("\(name) \(paths) do not ascend") }
    }

    private func note(_ problem: String) { problems.append("change \(changeCount): \(problem)") }
}
