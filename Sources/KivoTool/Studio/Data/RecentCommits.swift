import KivoEngine
import KivoJournal

/// The numbers of objects that a commit changed.
struct CommitSummary: Sendable {
    struct Class: Sendable {
        /// The name, as other versions may have other numbers of tables.
        var name: String
        var inserted = 0
        var modified = 0
        var deleted = 0
    }

    /// The number of the commit, including those in files that this one replaced.
    var number: UInt64
    var offset: Int
    var size: Int
    /// The schema version, for a record that sets it.
    var schemaVersion: UInt64?
    var stamp: CommitStamp?
    var classes: [Class] = []

    /// Summarizes the last commit of a history.
    init(_ record: JournalReader.Record, _ commits: CommitHistory) {
        (number, offset, size, stamp) = (record.number, record.offset, record.size, record.stamp)
        switch record.kind {
        case .commit: break
        case .schemaVersion(let version), .migration(let version), .beginning(let version):
            schemaVersion = version
        }
        guard let changes = commits.last?.changes else { return }
        let catalog = commits.catalog
        for table in changes.tables {
            let spec = catalog.tables[table.table]
            if spec.isDerived || spec.isInternal { continue }
            var counts = Class(name: spec.name)
            for leaf in table.leaves {
                counts.inserted += leaf.inserted.count
                counts.deleted += leaf.deleted.count
                counts.modified += leaf.modified().count
            }
            classes.append(counts)
        }
        // Edits of lists, sets and maps are not among the assigned columns.
        for (id, sequence) in changes.sequences where !sequence.isUntouched {
            if changes.table(id.table)?.state(of: id.key) ?? .untouched != .untouched { continue }
            let name = catalog.tables[id.table].name
            if let index = classes.firstIndex(where: { $0.name == name }) {
                classes[index].modified += 1
            } else {
                classes.append(Class(name: name, modified: 1))
            }
        }
    }
}

/// The newest commits of a file: their summaries, and for the last few their versions, which are pinned.
struct RecentCommits {
    /// A version that is pinned, by the number of its commit.
    struct Pinned {
        var number: UInt64
        var version: UInt64
    }

    static let (largestCount, largestPinned) = (5000, 200)

    private(set) var summaries: [CommitSummary] = []
    private(set) var pinned: [Pinned] = []
    /// The number of the newest commit.
    private(set) var number: UInt64 = 0

    mutating func append(_ record: JournalReader.Record, _ commits: inout CommitHistory) {
        number = record.number
        if record.kind.isData {
            summaries.append(CommitSummary(record, commits))
            // Removed in bulk, because the array moves.
            if summaries.count > 2 * RecentCommits.largestCount {
                summaries.removeFirst(summaries.count - RecentCommits.largestCount)
            }
        }
        _ = commits.pin(commits.version)
        pinned.append(Pinned(number: number, version: commits.version))
        if pinned.count > RecentCommits.largestPinned { commits.unpin(pinned.removeFirst().version) }
    }

    /// Unpins all versions.
    mutating func unpinAll(_ unpin: (UInt64) -> Void) {
        for some in pinned { unpin(some.version) }
        pinned = []
    }

    /// Returns the pinned version of a commit and the one before it, which is nil for the oldest.
    func version(of number: UInt64) -> (version: UInt64, before: UInt64?)? {
        guard let index = pinned.lastIndex(where: { $0.number == number }) else { return nil }
        return (pinned[index].version, index > 0 ? pinned[index - 1].version : nil)
    }
}
