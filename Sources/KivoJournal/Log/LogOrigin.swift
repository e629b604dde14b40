import KivoEngine
import KivoLog

/// The log that a store's data come from, and the last commit of each store in it: with these an append whose answer was lost is
/// found even if a checkpoint has replaced its commit.
struct LogOrigin: Equatable, Sendable {
    /// The number of the log; 0 if it has none.
    var id: UInt64 = 0
    var last = LastCommits()

    /// Notes a commit that was read.
    ///
    /// - Throws: ``CommitLogError`` if it is not the next one, or of another log.
    mutating func note(_ entry: LogEntry, after version: UInt64, id: UInt64) throws(CommitLogError) {
        guard entry.version == version + 1 else {
            throw .gap(expected: version + 1, found: entry.version)
        }
        guard id != 0 else { return }
        guard entry.commit.log == id || entry.commit.log == 0 else {
            throw .otherLog("commit \(entry.version) is of log \(entry.commit.log), not \(id)")
        }
        last.note(entry.commit.identity, version: entry.version)
    }
}

extension LogOrigin? {
    /// The origin of a checkpoint that was read from a log.
    ///
    /// - Throws: ``CommitLogError/otherLog(_:)`` if the checkpoint is of another one.
    func checked(_ id: UInt64) throws(CommitLogError) -> LogOrigin {
        guard let self else { return LogOrigin(id: id, last: LastCommits(isComplete: id == 0)) }
        guard id == 0 || self.id == id else {
            throw .otherLog("the checkpoint is of log \(self.id), not \(id)")
        }
        return self
    }
}

/// The last commit of each store of a log. Of stores that have not written for long it knows nothing.
struct LastCommits: Equatable, Sendable {
    struct Commit: Equatable, Sendable {
        var number: UInt64
        var version: UInt64
    }

    /// The number of stores that are kept.
    private static let limit = 1024

    private(set) var commits: [UInt64: Commit] = [:]
    /// Whether no store was left out.
    private(set) var isComplete: Bool

    init(_ commits: [UInt64: Commit] = [:], isComplete: Bool = true) {
        (self.commits, self.isComplete) = (commits, isComplete)
    }

    mutating func note(_ identity: EncodedCommit.Identity, version: UInt64) {
        if identity.store == 0 { return }
        commits[identity.store] = Commit(number: identity.number, version: version)
        // A part at once, so that it happens rarely.
        guard commits.count > LastCommits.limit + LastCommits.limit / 4 else { return }
        let oldest = commits.sorted { $0.value.version < $1.value.version }
        for (store, _) in oldest.dropLast(LastCommits.limit) { commits[store] = nil }
        isComplete = false
    }

    /// Returns whether a commit is among those that a checkpoint contains; nil if that is not known any more. A store appends its
    /// commits one after the other, so that a commit whose outcome is unknown is its last one, or not there.
    func contains(_ identity: EncodedCommit.Identity) -> Bool? {
        guard let last = commits[identity.store] else { return isComplete ? false : nil }
        if last.number == identity.number { return true }
        return last.number < identity.number ? false : nil
    }
}

/// The connection of a store with its log.
package struct LogConnection: Equatable, Sendable {
    /// The reason why there is none; nil if there is one.
    package var problem: String?
    /// When it was lost.
    package var lostAt: ContinuousClock.Instant?
}
