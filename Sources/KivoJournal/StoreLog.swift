import KivoEngine
import KivoLog

/// What a store knows of its log: how far it is, and how tables are numbered there. Encodes what the store commits, carries out
/// what others have committed, and speaks to the log itself in bytes alone.
///
/// Thread-safe; the holder of the store's place for writing makes one call at a time of those which append or read commits.
public final class StoreLog: Sendable {
    /// The log; nil if nothing is kept.
    let log: (any CommitLog)?
    let readOnly: Bool
    /// The version of the program's classes.
    private let schemaVersion: UInt64
    /// Whether debug builds replay each commit before it is appended.
    private let rehearses: Bool
    /// What the commits of this store have in common.
    private let identity = UInt64.random(in: 1 ... .max)
    let state: Lock<State>
    /// The pages of checkpoints that a log of another kind has kept.
    private let keptPages = KeptPages()

    struct State: Sendable {
        /// How many commits of the log the store has.
        var version: UInt64 = 0
        /// How many commits were encoded.
        var encoded: UInt64 = 0
        /// The numbers that the store's tables have in the log.
        var numbers = TableNumbers()
        /// The version of the classes that the log says; nil if it has no commits.
        var schemaVersion: UInt64?
        /// The version of the classes to which others have migrated the log since it was opened.
        var migration: UInt64?
        /// How many elements were taken out when the log was opened, because they led nowhere.
        var removedElements: [String: Int] = [:]
        /// What the nodes of the store are made in; nil before it was filled.
        var heap: Heap?
    }

    /// The log of a store that is not filled yet.
    ///
    /// - Parameters:
    ///   - log: Where commits go; nil if they are not kept.
    ///   - schemaVersion: The version of the classes that the program has.
    ///   - rehearses: Whether debug builds replay each commit before it is appended. False for commits that nobody is to replay.
    public init(
        _ log: (any CommitLog)?, readOnly: Bool = false, schemaVersion: UInt64 = 0, rehearses: Bool = true
    ) {
        self.log = log
        self.rehearses = rehearses
        self.readOnly = readOnly
        self.schemaVersion = schemaVersion
        state = Lock(State())
    }

    // MARK: Opening

    /// Brings a new, empty store to the last version of the log. Throws, and the store is discarded and the log as it was, if that
    /// makes no sense, or was written by a program with a higher schema version.
    public func replay(into store: inout some CommitReplayer) throws {
        guard let log else { return }
        var filling = Filling()
        var removed: UInt64 = 0
        do {
            while true {
                do {
                    try fill(&filling, from: log, into: &store)
                    break
                } catch CommitLogError.removed(let checkpoint) where checkpoint > removed {
                    // A newer checkpoint than the one that the store began with. Beginning with it gives up what the store has.
                    removed = checkpoint
                    filling.pages.map(keptPages.keep)
                    filling = Filling()
                }
            }
        } catch {
            filling.pages.map(keptPages.keep)
            store.discard()
            throw error
        }
        let reached = State(
            version: filling.version, numbers: filling.decoder.numbers, schemaVersion: filling.schemaVersion,
            heap: store.heap)
        state.withLock { $0 = reached }
        if filling.missing.mayBeThere { try removeMissingTargets(from: &store) }
    }

    private func fill(
        _ filling: inout Filling, from log: any CommitLog, into store: inout some CommitReplayer
    ) throws {
        try log.open { checkpoint in
            let image = try image(of: checkpoint)
            try filling.begin(checkpoint, image, in: &store)
            filling.pages.map(image.keep)
        } reading: { commit in
            try filling.read(commit, into: &store)
        } accepting: {
            let stored = filling.schemaVersion ?? 0
            if schemaVersion < stored { throw SchemaVersionError(stored: stored, given: schemaVersion) }
            if let mismatch = filling.mismatch { throw mismatch }
        }
    }

    /// A checkpoint as a journal whose pages can be read.
    func image(of checkpoint: LogCheckpoint) throws -> JournalCheckpoint {
        switch checkpoint.contents {
        case let image as JournalCheckpoint: return image
        case let bytes as CheckpointBytes:
            let device = CheckpointDevice(bytes, name: log?.name ?? "")
            let image = try JournalCheckpoint(in: device, keptPages.keep)
            guard image.record.commits == checkpoint.version else {
                throw JournalError.corrupt(
                    offset: 0,
                    reason: """
                        the checkpoint of version \(checkpoint.version) holds version \(image.record.commits)
                        """)
            }
            return image
        default: throw CommitLogError.foreignCheckpoint
        }
    }

    /// The version of the classes that the log has; nil if nothing was ever written to it. Known once the log was replayed.
    public var storedSchemaVersion: UInt64? { state.withLock { $0.schemaVersion } }

    /// How many commits of the log the store has.
    public var version: UInt64 { state.withLock { $0.version } }

    /// Whether a commit takes the time that a disk takes.
    public var isSlow: Bool { log?.isSlow ?? false }

    /// Whether whoever opens the log finds what is committed here.
    public var isInPlace: Bool { log?.isInPlace ?? true }

    /// Gives back what the log holds: the store is closing.
    public func close() { log?.close() }

    // MARK: Appending

    /// Appends what a transaction did, before it is committed, so that it lasts.
    ///
    /// - Parameters:
    ///   - changes: Which values are new; they are read from the transaction's snapshot.
    ///   - base: The version before the changes; nil for that on which the transaction was built.
    /// - Throws: ``CommitLogError/conflict`` if somebody was first, what the log throws. The log is as it was then.
    public func append(
        _ transaction: WriteTransaction, _ changes: ChangeSet, from base: Snapshot? = nil
    ) throws {
        if changes.isEmpty { return }
        guard log != nil else {
            #if DEBUG
            rehearse(transaction, changes, from: base)
            #endif
            return
        }
        let numbers = state.withLock { $0.numbers }
        var encoder = CommitEncoder(transaction.snapshot, transaction.catalog, numbers: numbers)
        let payload = encoder.encode(changes)
        try encoder.check()
        #if DEBUG
        if rehearses {
            CommitRehearsal.check(
                payload, CommitComparison(transaction, changes, from: base), numbers: numbers)
        }
        #endif
        try append(.changes, payload, numbers: encoder.numbers)
    }

    #if DEBUG
    /// Encodes a commit of a store without a log, and rehearses it: the classes of a realm in memory may be stored in files too.
    private func rehearse(_ transaction: WriteTransaction, _ changes: ChangeSet, from base: Snapshot?) {
        guard CommitRehearsal.isOn else { return }
        let numbers = state.withLock { $0.numbers }
        var encoder = CommitEncoder(transaction.snapshot, transaction.catalog, numbers: numbers)
        CommitRehearsal.check(
            encoder.encode(changes), CommitComparison(transaction, changes, from: base), numbers: numbers)
        let given = encoder.numbers
        state.withLock { $0.numbers = given }
    }
    #endif

    /// Appends a migration to the program's version of the classes as one commit.
    ///
    /// - Parameters:
    ///   - base: The version before the migration.
    ///   - catalog: The tables of that version.
    public func append(_ steps: [MigrationStep], from base: Snapshot, _ catalog: Catalog) throws {
        let numbers = state.withLock { $0.numbers }
        var encoder = MigrationEncoder(numbers: numbers)
        let payload = try encoder.encode(steps, schemaVersion: schemaVersion)
        #if DEBUG
        if let last = steps.last {
            MigrationRehearsal.check(
                payload, last, encoder.numbers, from: base, catalog, numbers: numbers)
        }
        #endif
        try append(.migration, payload, numbers: encoder.numbers, schemaVersion: schemaVersion)
    }

    /// Appends the version of the program's classes, if the log has a lower one and is not read only. Called when all is read and
    /// the classes are known to fit.
    public func recordSchemaVersion() throws {
        guard log != nil, !readOnly, schemaVersion > storedSchemaVersion ?? 0 else { return }
        do {
            try append(
                .schemaVersion, SchemaVersionPayload.encode(schemaVersion), schemaVersion: schemaVersion)
        } catch CommitLogError.conflict {
            // Somebody has written since. Whoever opens the log next says it.
        }
    }

    private func append(
        _ kind: EncodedCommit.Kind, _ payload: [UInt8], numbers: TableNumbers? = nil,
        schemaVersion: UInt64? = nil
    ) throws {
        guard let log else { return }
        let (version, number) = state.withLock { state in
            state.encoded += 1
            return (state.version, state.encoded)
        }
        let commit = EncodedCommit(kind, payload, identity: .init(store: identity, number: number))
        try append(commit, after: version, to: log)
        state.withLock { state in
            state.version = version + 1
            state.schemaVersion = schemaVersion ?? state.schemaVersion ?? 0
            if let numbers { state.numbers = numbers }
        }
    }

    /// How often a commit is given to a log that loses its answers.
    private static let attempts = 8

    private func append(_ commit: EncodedCommit, after version: UInt64, to log: any CommitLog) throws {
        for attempt in 0..<StoreLog.attempts {
            let outcome: AppendOutcome
            do {
                outcome = try log.append(commit, after: version)
            } catch CommitLogError.outcomeUnknown {
                // The same again does no harm: one of them at most is behind the version.
                if try log.hasCommit(commit, after: version) { return }
                continue
            }
            if outcome == .appended { return }
            // It may have been this one, when no answer came.
            if attempt > 0, try log.hasCommit(commit, after: version) { return }
            throw CommitLogError.conflict
        }
        throw CommitLogError.outcomeUnknown
    }
}

/// Ends the reading of commits.
private struct Enough: Error {}

extension CommitLog {
    /// Whether a commit is the one behind a version. Throws ``CommitLogError/outcomeUnknown`` if the log no longer has that.
    fileprivate func hasCommit(_ commit: EncodedCommit, after version: UInt64) throws -> Bool {
        var isSame = false
        do {
            try commits(after: version) { found in
                isSame = found.identity == commit.identity
                throw Enough()
            }
        } catch is Enough {
        } catch CommitLogError.removed {
            // What a checkpoint holds is not told apart.
            throw CommitLogError.outcomeUnknown
        }
        return isSame
    }
}
