import Foundation
import Kivo

/// A stand-in for a table view with sections in tests; see ``BatchUpdateTable``.
///
/// Pass it every change of one observation of sectioned results. It applies deletions, deleted sections, inserted sections,
/// insertions and modifications as a table view's batch update does. It reports whatever would crash such a view: index paths out
/// of range or out of order, and counts that do not add up. It also reports rows that differ from the sections after an update,
/// which a table view cannot detect.
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
            let isSound =
                check(deletions, "deletions", sections) && check(insertions, "insertions", new)
                && check(modifications, "modifications", new)
                && check(deleted, "sectionsToDelete", sections.count)
                && check(inserted, "sectionsToInsert", new.count)
            if isSound { update(new, deletions, insertions, modifications, inserted, deleted) }
            compare(new)
        }
    }

    /// Shows the current contents of the sections, after a write of which the observer is not notified. O(rows).
    public func show(_ results: SectionedResults<Key, Element>) { sections = shown(results) }

    private func shown(_ results: SectionedResults<Key, Element>) -> [Section] {
        results.map { Section(key: $0.key, rows: $0.map(row)) }
    }

    private func update(
        _ new: [Section], _ deletions: [IndexPath], _ insertions: [IndexPath], _ modifications: [IndexPath],
        _ inserted: IndexSet, _ deleted: IndexSet
    ) {
        if let path = deletions.first(where: { deleted.contains($0[0]) }) {
            note("row \(path) of a deleted section is among the deletions")
        }
        for path in deletions.reversed() { sections[path[0]].rows.remove(at: path[1]) }
        for section in deleted.reversed() { sections.remove(at: section) }
        guard sections.count + inserted.count == new.count else {
            return note("\(sections.count) sections + \(inserted.count) do not make \(new.count)")
        }
        for section in inserted {
            sections.insert(Section(key: new[section].key, rows: []), at: section)
        }
        for path in insertions {
            guard path[1] <= sections[path[0]].rows.count else {
                return note("insertion \(path) is beyond the end of its section")
            }
            sections[path[0]].rows.insert(new[path[0]].rows[path[1]], at: path[1])
        }
        for path in modifications where path[1] < sections[path[0]].rows.count {
            if insertions.contains(path) { note("\(path) is both inserted and modified") }
            sections[path[0]].rows[path[1]] = new[path[0]].rows[path[1]]
        }
    }

    private func compare(_ new: [Section]) {
        if sections == new { return }
        let index = zip(sections, new).enumerated().first { $1.0 != $1.1 }?.offset
        note("section \(index.map(String.init) ?? "count") shows \(sections) and should show \(new)")
        sections = new
    }

    private func check(_ paths: [IndexPath], _ name: String, _ sections: [Section]) -> Bool {
        let isAscending = zip(paths, paths.dropFirst()).allSatisfy { $0 < $1 }
        let isInRange = paths.allSatisfy {
            $0.count == 2 && sections.indices.contains($0[0])
                && sections[$0[0]].rows.indices.contains($0[1])
        }
        if !isAscending { note("\(name) \(paths) do not ascend") }
        if !isInRange { note("\(name) \(paths) are not all within the sections") }
        return isAscending && isInRange
    }

    private func check(_ indexes: IndexSet, _ name: String, _ count: Int) -> Bool {
        let isInRange = indexes.allSatisfy { $0 < count }
        if !isInRange { note("\(name) \(Array(indexes)) are not all below \(count)") }
        return isInRange
    }

    private func note(_ problem: String) { problems.append("change \(changeCount): \(problem)") }
}
