import KivoEngine
import KivoLog

/// The state of a store's log: the position up to which the store has read it, and the numbers of its tables there. Encodes the
/// store's commits, applies the commits of other stores, and exchanges only bytes with the log itself.
///
/// Thread-safe. The holder of the store's write lock makes one call at a time of the members that append or read commits.
package final class StoreLog: Sendable {
    /// The log; nil if commits are not stored.
    let log: (any CommitLog)?
    let readOnly: Bool
    /// The schema version of the program.
    private let schemaVersion: UInt64
    /// Whether debug builds replay each commit before it is appended.
    private let rehearses: Bool
    /// How long a write waits for the answer of a log, in all.
    let patience: Duration
    /// The random number that the commits of this store share.
    let identity = UInt64.random(in: 1 ... .max)
    let state: Lock<State>
    /// The pages of checkpoints that a log other than a realm file has stored.
    private let keptPages = KeptPages()

    struct State: Sendable {
        /// The part of the log that the store has.
        var log = LogState()
        /// The number of the log, and the last commit of each store in it.
        var origin = LogOrigin()
        /// The lease of the open write; nil if there is none.
        var lease: LogLease?
        /// The number of commits that were encoded.
        var encoded: UInt64 = 0
        /// The newest state of the connection with the log.
        var connection = LogConnection()
        /// The schema version to which another store has migrated the log since it was opened; nil if none has.
        var migration: UInt64?
        /// The number of elements without a target that were removed when the log was opened.
        var removedElements: [String: Int] = [:]
        /// The closure that is called with each commit that the store has.
        var observer: (@Sendable (LogEntry) -> Void)?
        /// The heap in which the nodes of the store are allocated; nil before the store was loaded.
        var heap: Heap?
    }

    /// Creates the log of a store that is not loaded yet.
    ///
    /// - Parameters:
    ///   - log: The log of the commits; nil if they are not stored.
    ///   - schemaVersion: The schema version of the program.
    ///   - rehearses: Whether debug builds replay each commit before it is appended. False for commits that will never be
    ///     replayed.
    ///   - patience: How long a write waits for the answer of a log that loses answers, or is on another machine.
    package init(
        _ log: (any CommitLog)?, readOnly: Bool = false, schemaVersion: UInt64 = 0, rehearses: Bool = true,
        patience: Duration = .seconds(10)
    ) {
        self.log = log
        self.rehearses = rehearses
        self.patience = patience
        self.readOnly = readOnly
        self.schemaVersion = schemaVersion
        state = Lock(State())
    }

    // MARK: Opening

    /// Brings a new, empty store to the newest version of the log.
    ///
    /// - Throws: An error if the log is invalid or was written by a program with a higher schema version. The store is then
    ///   discarded, and the log unchanged.
    package func load(into store: inout some CommitReplayer) throws {
        guard let log else {
            state.withLock { $0.heap = store.heap }
            return
        }
        var applier = CommitApplier.opening()
        var origin = LogOrigin()
        var removed: UInt64 = 0
        do {
            while true {
                do {
                    try loadOnce(&applier, &origin, from: log, into: &store)
                    break
                } catch CommitLogError.removed(let checkpoint) where checkpoint > removed {
                    // A checkpoint that is newer than the one with which the store began. Restoring it discards the contents of
                    // the store.
                    removed = checkpoint
                    applier.pages.map(keptPages.keep)
                    applier = .opening()
                }
            }
        } catch {
            applier.pages.map(keptPages.keep)
            store.discard()
            throw error
        }
        origin.id = log.id
        let reached = State(log: applier.state, origin: origin, heap: store.heap)
        state.withLock { $0 = reached }
        if applier.missing?.mayExist == true { try removeMissingTargets(from: &store) }
    }

    private func loadOnce(
        _ applier: inout CommitApplier, _ origin: inout LogOrigin, from log: any CommitLog,
        into store: inout some CommitReplayer
    ) throws {
        origin = LogOrigin()
        try log.open { checkpoint in
            let image = try image(of: checkpoint)
            origin = try image.record.origin.checked(log.id)
            try applier.restore(image, into: &store)
            applier.pages.map(image.keep)
        } reading: { entry in
            try origin.note(entry, after: applier.version, id: log.id)
            try applier.apply(entry.commit, into: &store)
        } accepting: {
            let stored = applier.schemaVersion ?? 0
            if schemaVersion < stored { throw SchemaVersionError(stored: stored, provided: schemaVersion) }
            if let mismatch = applier.mismatch { throw mismatch }
        }
    }

    /// Returns a checkpoint as a journal whose pages can be read.
    func image(of checkpoint: LogCheckpoint) throws -> JournalCheckpoint {
        switch checkpoint.contents {
        case .image(let image):
            guard let image = image as? JournalCheckpoint else { throw CommitLogError.foreignCheckpoint }
            return image
        case .bytes(let bytes):
            let device = try CheckpointDevice.make(bytes, name: bytes.name ?? log?.name ?? "")
            let image = try JournalCheckpoint(in: device, keptPages.keep)
            guard image.record.commits == checkpoint.version else {
                throw JournalError.corrupt(
                    offset: 0,
                    reason: """
                        the checkpoint of version \(checkpoint.version) holds version \(image.record.commits)
                        """)
            }
            return image
        }
    }

    /// The schema version of the log; nil if nothing was ever written to it. Valid once the log was loaded.
    package var storedSchemaVersion: UInt64? { state.withLock { $0.log.schemaVersion } }

    /// The number of commits of the log that the store has.
    package var version: UInt64 { state.withLock { $0.log.version } }

    /// The name of the log.
    package var name: String { log?.name ?? "" }

    /// The number of the log; 0 if it has none.
    package var number: UInt64 { log?.id ?? 0 }

    /// Sets the closure that is called with each commit from now on, of this store and of others, in order. The caller of the member
    /// that appends or reads the commit calls it. Without a log, commits are encoded and counted for the closure only.
    package func observeCommits(_ body: @escaping @Sendable (LogEntry) -> Void) {
        state.withLock { state in
            state.observer = body
            if log == nil { state.log.schemaVersion = schemaVersion }
        }
    }

    /// Whether commits are encoded and counted: for the log, or only for the observer.
    var countsCommits: Bool { log != nil || state.withLock { $0.observer != nil } }

    /// The place of the newest version among the commits that are counted; nil if they are not.
    package var countedPlace: LogPlace? { countsCommits ? LogPlace(version) : nil }

    /// The number of elements without a target that were removed when the log was opened, by class and property.
    package var removedElements: [String: Int] { state.withLock { $0.removedElements } }

    /// A Boolean value that indicates whether a commit takes as long as a disk access.
    package var isSlow: Bool { log?.isSlow ?? false }

    /// A Boolean value that indicates whether a store that opens the log by its name does not find the commits of this one.
    package var isDisplaced: Bool { log?.isDisplaced ?? false }

    /// Releases the resources of the log, because the store is closing.
    package func close() { log?.close() }

    // MARK: Appending

    /// Appends the changes of a transaction before it is committed, so that the commit is durable.
    ///
    /// - Parameters:
    ///   - changes: The changed values, which are read from the transaction's snapshot.
    ///   - base: The version before the changes; nil for the version on which the transaction was built.
    ///   - label: The label and the author of the commit.
    /// - Throws: ``CommitLogError/conflict`` if another store appended first; any error of the log. The log is then unchanged,
    ///   except after ``UnknownAppend``.
    package func append(
        _ transaction: WriteTransaction, _ changes: RowChangeSet, from base: Snapshot? = nil,
        label: CommitLabel = CommitLabel()
    ) throws {
        if changes.isEmpty { return }
        guard countsCommits else {
            #if DEBUG
            rehearse(transaction, changes, from: base)
            #endif
            return
        }
        let numbers = state.withLock { $0.log.numbers }
        var encoder = CommitEncoder(transaction.snapshot, transaction.catalog, numbers: numbers)
        let payload = encoder.encode(changes)
        if log == nil, (try? encoder.check()) == nil {
            // What no log would take stays in memory. The observer notices that a number is missing.
            state.withLock { $0.log.version += 1 }
            return
        }
        try encoder.check()
        #if DEBUG
        if rehearses {
            CommitRehearsal.check(
                payload, CommitComparison(transaction, changes, from: base), numbers: numbers)
        }
        #endif
        try append(.changes, consume payload, numbers: encoder.numbers, label: label)
    }

    #if DEBUG
    /// Encodes a commit of a store without a log, and rehearses it: the classes of a realm in memory may also be stored in files.
    private func rehearse(_ transaction: WriteTransaction, _ changes: RowChangeSet, from base: Snapshot?) {
        guard CommitRehearsal.isOn else { return }
        let numbers = state.withLock { $0.log.numbers }
        var encoder = CommitEncoder(transaction.snapshot, transaction.catalog, numbers: numbers)
        CommitRehearsal.check(
            encoder.encode(changes), CommitComparison(transaction, changes, from: base), numbers: numbers)
        let extended = encoder.numbers
        state.withLock { $0.log.numbers = extended }
    }
    #endif

    /// Appends a migration to the program's schema version as one commit.
    ///
    /// - Parameters:
    ///   - base: The version before the migration.
    ///   - catalog: The tables of that version.
    package func append(_ steps: [MigrationStep], from base: Snapshot, _ catalog: Catalog) throws {
        let numbers = state.withLock { $0.log.numbers }
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

    /// Appends the schema version of the program, if the log has a lower one and is not read-only. Called when everything is read
    /// and the classes are known to match.
    package func recordSchemaVersion() throws {
        guard log != nil, !readOnly, schemaVersion > storedSchemaVersion ?? 0 else { return }
        do {
            try append(
                .schemaVersion, SchemaVersionPayload.encode(schemaVersion), schemaVersion: schemaVersion)
        } catch let error as CommitLogError where error.isPassing {
            // Another store has written since, or the log does not answer, or only lets this program read. The next store that
            // opens the log records the version.
        }
    }
}
