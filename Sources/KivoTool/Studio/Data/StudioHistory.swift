import Foundation
import KivoEngine
import KivoJournal

/// The versions of a file in memory, which views and exports pin. It is freed with the last of them.
final class StudioHistory: @unchecked Sendable {
    // Proof of `Sendable`: its members are used within `StudioCore.withSession` only, or by the thread that made it, before it is
    // shared. An export, which runs elsewhere, retains it, reads a version that it has pinned, and unpins that within the session.

    private(set) var commits: CommitHistory
    private let device: FileDevice
    private var reader: JournalReader
    private let newCommits: DispatchSemaphore?
    private var knownSizes: CheckpointSizes?

    /// Opens a file and reads nothing.
    ///
    /// - Parameters:
    ///   - newCommits: The semaphore that is signalled when another process commits; nil if the history is not followed.
    ///   - isWhole: Whether all commits of the file are read, and not only those after its newest checkpoint.
    init(_ path: String, newCommits: DispatchSemaphore?, isWhole: Bool = false) throws {
        commits = CommitHistory(keepsChanges: true)
        device = try FileDevice.open(path: path, readOnly: true, isShared: newCommits != nil, isLocked: false)
        reader = JournalReader(device, fromCheckpointUpTo: isWhole ? 0 : .max)
        self.newCommits = newCommits
        if let newCommits { device.sharing?.watch { newCommits.signal() } }
    }

    deinit {
        commits.discard()
        device.sharing?.close()
        device.close()
    }

    /// The number of the newest version, by which it is pinned.
    var version: UInt64 { commits.version }
    var snapshot: Snapshot { commits.snapshot }
    var catalog: Catalog { commits.catalog }
    /// The size of the file in bytes.
    var size: Int { (try? device.size()) ?? 0 }
    /// Returns what the classes occupy in the file. O(pages) after a checkpoint, O(1) until the next.
    func sizes() throws -> CheckpointSizes {
        let sizes = try CheckpointSizes(of: device, orIfUnchanged: knownSizes)
        knownSizes = sizes
        return sizes
    }

    /// Whether commits are announced. If not, the file has to be polled.
    var isAnnounced: Bool { device.sharing != nil }
    /// Whether the file is no longer the one at its path.
    var isDisplaced: Bool { (try? device.checkName()) == nil }

    /// Reads the available records, and calls `body` after each one. The last commit is that of the record.
    func readOn(_ body: (JournalReader.Record, inout CommitHistory) throws -> Void) throws {
        try reader.readOn(into: &commits) { commits, record in
            try body(record, &commits)
            commits.forgetLast()
        }
    }

    /// Reads up to a commit, whose changes are kept. Returns whether the file has it.
    func readOn(to number: UInt64) throws -> Bool {
        struct Found: Error {}
        do {
            try reader.readOn(into: &commits) { commits, record in
                if record.number == number { throw Found() }
                commits.forgetLast()
            }
            return false
        } catch is Found {
            return true
        }
    }

    /// Returns the changes of the commit up to which the file was read.
    func lastChanges(limit: Int) -> CommitChanges {
        guard let last = commits.last else { return CommitChanges([]) }
        return CommitChanges(
            last.changes, from: StoredValues(last.before, catalog), to: StoredValues(snapshot, catalog),
            limit: limit)
    }

    func pin(_ version: UInt64) -> Snapshot { commits.pin(version) }
    func unpin(_ version: UInt64) { commits.unpin(version) }
    func changes(from: UInt64, to: UInt64) -> RowChangeSet { commits.changes(from: from, to: to) }
}
