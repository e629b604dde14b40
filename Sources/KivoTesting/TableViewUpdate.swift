import Foundation

/// A batch update of `UITableView`: deleted and reloaded rows by their positions before it, inserted ones by those after it.
struct TableViewUpdate {
    var deletions: [IndexPath] = []
    var insertions: [IndexPath] = []
    var reloads: [IndexPath] = []
    var deletedSections = IndexSet()
    var insertedSections = IndexSet()

    /// An update of a table with one section.
    init(deletions: [Int], insertions: [Int], reloads: [Int]) {
        let paths = { (rows: [Int]) in rows.map { IndexPath(indexes: [0, $0]) } }
        self.deletions = paths(deletions)
        self.insertions = paths(insertions)
        self.reloads = paths(reloads)
    }

    init(
        deletions: [IndexPath], insertions: [IndexPath], reloads: [IndexPath], deletedSections: IndexSet,
        insertedSections: IndexSet
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.reloads = reloads
        self.deletedSections = deletedSections
        self.insertedSections = insertedSections
    }

    /// Returns the reason of the exception that `UITableView` raises, or nil if it accepts the update.
    ///
    /// - Parameters:
    ///   - old: the number of rows of each section before the update.
    ///   - new: the number of rows of each section after it, as the data source returns them.
    func exception(from old: [Int], to new: [Int]) -> String? {
        if let section = deletedSections.last, section >= old.count {
            return
                "attempt to delete section \(section), but there are only \(old.count) sections before the update"
        }
        if let section = insertedSections.last, section >= new.count {
            return
                "attempt to insert section \(section) but there are only \(new.count) sections after the update"
        }
        // A reload is a deletion and an insertion, also in the words of the exception.
        for path in deletions + reloads {
            if let reason = refusal(of: path, in: old, "delete", "from", "before") { return reason }
        }
        for path in insertions {
            if let reason = refusal(of: path, in: new, "insert", "into", "after") { return reason }
        }
        let deleted = Set(deletions)
        if let path = reloads.first(where: deleted.contains) {
            return """
                attempt to delete and reload the same index path (<NSIndexPath> {length = 2, path = \(path[0]) - \(path[1])})
                """
        }
        if old.count - deletedSections.count + insertedSections.count != new.count {
            return """
                Invalid update: invalid number of sections. The number of sections contained in the table view after the \
                update (\(new.count)) must be equal to the number of sections contained in the table view before the update \
                (\(old.count)), plus or minus the number of sections inserted or deleted (\(insertedSections.count) inserted, \
                \(deletedSections.count) deleted).
                """
        }
        return retainedSections(old.count, new.count).lazy.compactMap { before, after in
            invalidCount(old[before], new[after], section: before, newSection: after)
        }.first
    }

    private func refusal(
        of path: IndexPath, in counts: [Int], _ verb: String, _ preposition: String, _ time: String
    ) -> String? {
        let attempt = "attempt to \(verb) row \(path[1]) \(preposition) section \(path[0])"
        guard counts.indices.contains(path[0]) else {
            return "\(attempt), but there are only \(counts.count) sections \(time) the update"
        }
        let count = counts[path[0]]
        if (0..<count).contains(path[1]) { return nil }
        return verb == "delete"
            ? "\(attempt) which only contains \(count) rows before the update"
            : "\(attempt), but there are only \(count) rows in section \(path[0]) after the update"
    }

    private func invalidCount(_ old: Int, _ new: Int, section: Int, newSection: Int) -> String? {
        let reloaded = reloads.count { $0[0] == section }
        let inserted = insertions.count { $0[0] == newSection } + reloaded
        let deleted = deletions.count { $0[0] == section } + reloaded
        if old + inserted - deleted == new { return nil }
        return """
            Invalid update: invalid number of rows in section \(section). The number of rows contained in an existing section \
            after the update (\(new)) must be equal to the number of rows contained in that section before the update \
            (\(old)), plus or minus the number of rows inserted or deleted from that section (\(inserted) inserted, \
            \(deleted) deleted) and plus or minus the number of rows moved into or out of that section (0 moved in, 0 moved out).
            """
    }

    /// Returns the old and new indexes of the sections that are neither deleted nor inserted.
    private func retainedSections(_ old: Int, _ new: Int) -> [(Int, Int)] {
        Array(
            zip(
                (0..<old).filter { !deletedSections.contains($0) },
                (0..<new).filter { !insertedSections.contains($0) }))
    }

    /// Applies the update to sections of rows, and reads inserted and reloaded rows from `new`. The table view must accept the
    /// update.
    func apply<Row>(to sections: inout [[Row]], reading new: [[Row]]) {
        var shown: [[Row?]] = sections
        for path in reloads { shown[path[0]][path[1]] = nil }
        for path in deletions.sorted().reversed() { shown[path[0]].remove(at: path[1]) }
        for section in deletedSections.reversed() { shown.remove(at: section) }
        for section in insertedSections { shown.insert([], at: section) }
        for path in insertions.sorted() {
            shown[path[0]].insert(nil, at: min(path[1], shown[path[0]].count))
        }
        sections = zip(shown, new).map { shown, new in
            shown.enumerated().compactMap { $1 ?? ($0 < new.count ? new[$0] : nil) }
        }
    }
}
