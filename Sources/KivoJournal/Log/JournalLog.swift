import KivoEngine
import KivoLog
import Synchronization

/// The log of a realm file. Each commit is one record, which counts once it is flushed. The processes that have the file open
/// share it.
///
/// Thread-safe.
package final class JournalLog: CommitLog {
    private enum State: Sendable {
        case closed(any JournalDevice)
        case open(Contents)
    }

    /// An open journal.
    struct Contents: Sendable {
        let journal: Journal
        /// The identity of the first file of these data, which compaction preserves.
        let lineage: UInt64
        /// The lock and notifications shared with other processes; nil if no other process can have the file open.
        let sharing: (any JournalSharing)?
        /// The pages to which a checkpoint refers; nil if there is none yet.
        var pages: JournalPages?
        /// The baseline for the size of the file.
        var base: CheckpointBase
    }

    private let state: Lock<State>
    let readOnly: Bool
    let policy: CheckpointPolicy
    /// Whether the whole file is verified before it is read.
    private let verifies: Bool
    /// The number of bytes of commits that a program which opens the file now would have to carry out.
    let tailBytes = Atomic<Int>(0)
    /// Whether what was written since the last checkpoint takes more memory than it should.
    let isCheckpointDemanded = Atomic(false)
    /// The number of bytes by which the file grew while the last checkpoint was written.
    let checkpointBytes = Atomic<Int>(0)
    /// The size of the file when compaction failed for a reason that may last; 0 if it did not.
    let uncompactedSize = Atomic<Int>(0)
    /// The pages to which nodes may refer.
    let keptPages = KeptPages()
    /// The time at which a checkpoint of closing is abandoned; nil if none is being made.
    let closingDeadline = Lock<ContinuousClock.Instant?>(nil)

    /// Whether opening found an existing journal.
    private let hadJournal = Atomic(false)

    /// Held while the log switches to another file, and while it reads the commits of other processes.
    let switching = Lock(())
    /// The position up to which the store has read: the end of its version in the journal's file.
    let cursor = Lock(LogPosition(journal: 0))
    /// Whether the store prevents other processes from writing, and has read what they wrote.
    let isExclusive = Atomic(false)

    /// Creates a log on a device, which is read when the log is opened.
    ///
    /// - Parameters:
    ///   - policy: The policy that determines when checkpoints are made.
    ///   - verifies: Whether the whole file is verified before it is read.
    package init(
        _ device: any JournalDevice, readOnly: Bool, policy: CheckpointPolicy = CheckpointPolicy(),
        verifies: Bool = false
    ) {
        self.policy = policy
        self.verifies = verifies
        state = Lock(.closed(device))
        self.readOnly = readOnly
    }

    /// The name of the device.
    package var name: String {
        state.withLock { state in
            switch state {
            case .closed(let device): device.name
            case .open(let contents): contents.journal.file.device.name
            }
        }
    }

    /// A Boolean value that indicates whether the journal existed before the log was opened.
    package var existed: Bool { hadJournal.load(ordering: .relaxed) }

    /// A Boolean value that indicates whether other processes can have the file open.
    package var isShared: Bool { contents?.sharing != nil }

    /// Reads the newest checkpoint of the file, and the commits after it one by one, in one pass.
    ///
    /// - Throws: ``JournalError`` if the file is damaged or of another format; any error of the closures. The file is then
    ///   unchanged.
    package func open(
        restoring restore: (LogCheckpoint) throws -> Void, reading read: (LogEntry) throws -> Void,
        accepting accept: () throws -> Void
    ) throws {
        guard case .closed(let device) = state.withLock({ $0 }) else { return }
        // A record that another process is writing looks like damage. A reader without write access does not wait for it, but
        // stops before it.
        if !readOnly { try device.sharing?.lock() }
        defer { if !readOnly { device.sharing?.unlock() } }
        try device.checkName()
        // Read once: no other process publishes while this one holds the lock.
        let published = device.sharing?.published()
        try JournalLog.checkContents(of: device, published)
        if verifies { try JournalVerification.verify(device).check() }
        var checkpoint: JournalCheckpoint?
        var version: UInt64 = 0
        let journal = try Journal.recover(
            device, readOnly: readOnly, upTo: readOnly ? JournalLog.durableEnd(of: device) : nil,
            published: readOnly ? nil : published
        ) { record, header in
            let newest = JournalCheckpoint(record, device, header, keptPages.keep)
            checkpoint = newest
            version = record.commits
            try restore(newest.logCheckpoint)
        } replaying: { record in
            guard let commit = try EncodedCommit(record) else { return }
            version += 1
            try read(LogEntry(version: version, commit))
        } checking: { journal in
            hadJournal.store(true, ordering: .relaxed)
            try accept()
            // A process that publishes where a file ends has made the file's name durable before. If none did, the process that
            // put the file there may have been killed too early: a loss of power would bring the previous file back.
            if !readOnly, published?.journal != journal { try device.synchronizeName() }
        }
        let position = journal.position
        tailBytes.store(
            position.end - (checkpoint?.record.tail.offset ?? journal.recordsOffset), ordering: .relaxed)
        cursor.withLock { $0 = position }
        let contents = Contents(
            journal: journal, lineage: checkpoint?.record.lineage ?? position.journal,
            sharing: device.sharing, pages: checkpoint?.pages,
            base: checkpoint?.record.base ?? CheckpointBase())
        state.withLock { $0 = .open(contents) }
        // A process that was killed may not have published where the file ends.
        if !readOnly, let published,
            published.journal != position.journal || published.sequence != position.sequence
        {
            publish(contents)
        }
    }

    /// The repairs that were made when the file was opened, or nil.
    package var recovery: JournalRecovery? { contents?.journal.recovery }

    /// The open journal; nil before the file is read.
    var contents: Contents? {
        state.withLock { state in if case .open(let contents) = state { contents } else { nil } }
    }

    /// Changes the open journal. Called only when the log switches to another file or makes a checkpoint.
    func update(_ body: (inout Contents) -> Void) {
        state.withLock { state in
            guard case .open(var contents) = state else { return }
            body(&contents)
            state = .open(contents)
        }
    }

    /// A Boolean value that indicates whether the file's name now leads elsewhere, so that the next opening does not find the
    /// commits of this file.
    package var isDisplaced: Bool {
        guard let journal = contents?.journal else { return false }
        do {
            try journal.checkName()
            return false
        } catch {
            return error == .displaced
        }
    }

    /// Closes the file. Nothing can be appended afterwards.
    package func close() {
        state.withLock { state in
            switch state {
            case .open(let contents):
                contents.sharing?.close()
                contents.journal.close()
            case .closed(let device):
                device.sharing?.close()
                device.close()
            }
        }
    }

    /// Returns whether the file has a format with stamps, or was given one because a commit has a label.
    package func takesStamp(isLabeled: Bool) -> Bool {
        guard let contents else { return false }
        if (try? contents.journal.use({ !$0.isOld })) == true { return true }
        do {
            try contents.sharing?.lock()
            defer { contents.sharing?.unlock() }
            return try contents.journal.writeAtEnd(isAtEnd: isExclusive.load(ordering: .relaxed)) {
                writer throws(JournalError) in isLabeled ? try writer.upgrade() : !writer.isOld
            }
        } catch {
            // The append that follows reports what is wrong with the file.
            return false
        }
    }

    /// Writes a commit as one record, and calls the completion when it is durable, before this returns.
    package func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) { completion(Result { try append(request) }) }

    /// Writes a commit as one record, and returns when it is durable.
    package func append(_ request: AppendRequest) throws -> AppendOutcome {
        let (commit, version) = (request.commit, request.version)
        guard let contents else { throw JournalError.senseless("the journal was not opened") }
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        let (position, isFirst) = try commit.payload.withUnsafeBytes { payload in
            try contents.journal.writeAtEnd(isAtEnd: isExclusive.load(ordering: .relaxed)) {
                writer throws(JournalError) in
                guard writer.position.version == version else { return (writer.position, false) }
                try writer.append(commit.kind.record, payload)
                // Inside the closure, because a compaction may replace the file right afterwards, and moves the cursor along.
                let position = writer.position
                cursor.withLock { $0 = position }
                return (position, true)
            }
        }
        guard isFirst else { return .behind(head: position.version) }
        tailBytes.add(commit.payload.count + RecordHeader.size + 8, ordering: .relaxed)
        // The store was at the version before, so it knows all new records.
        publish(contents, to: .others)
        return .appended(version: version + 1)
    }
}
