import KivoEngine
import KivoLog

/// The part of a log that a store has: its commits up to a version, and the terms in which the next commit is written.
struct LogState: Sendable {
    /// The number of commits of the log.
    var version: UInt64 = 0
    /// The numbers of the store's tables in the log.
    var numbers = TableNumbers()
    /// The schema version of the log; nil if the log has no commits.
    var schemaVersion: UInt64?
}

/// Applies a checkpoint and commits to a store, in order.
///
/// It alone interprets the kinds of commits: for a store that opens, one that follows other stores, a reader of a file's history,
/// and the salvage of a damaged file.
struct CommitApplier {
    /// The number of commits of the log that the store has.
    private(set) var version: UInt64 = 0
    /// The version of the classes in the log; nil if the log has no commits.
    private(set) var schemaVersion: UInt64?
    /// The stamp of the last commit that was applied; nil if it has none.
    private(set) var stamp: CommitStamp?
    /// The pages from which nodes of the store are loaded; nil if there is no checkpoint.
    private(set) var pages: JournalPages?
    /// The reason why the contents of the log do not fit an opening store. It is not thrown at once: a later commit may show that
    /// the data are of a later version, which is the more helpful error.
    private(set) var mismatch: SchemaMismatch?
    /// The object that notes whether the log has elements without a target; nil if they are rejected.
    let missing: MissingTargets?
    private var decoder: CommitDecoder
    private let isOpening: Bool
    private let isForeign: Bool

    /// The state of the log that the store has reached. O(tables).
    var state: LogState {
        LogState(version: version, numbers: decoder.numbers, schemaVersion: schemaVersion)
    }

    private init(
        _ decoder: CommitDecoder, missing: MissingTargets? = nil, isOpening: Bool = false,
        isForeign: Bool = false
    ) {
        (self.decoder, self.missing) = (decoder, missing)
        (self.isOpening, self.isForeign) = (isOpening, isForeign)
    }

    /// Returns an applier for an empty store that is being opened. It tolerates and notes elements without a target.
    static func opening() -> CommitApplier {
        let missing = MissingTargets()
        return CommitApplier(CommitDecoder(missing: missing), missing: missing, isOpening: true)
    }

    /// Returns an applier for the commits that other stores append while this one is open. It rejects migrations.
    static func following(_ state: LogState, _ catalog: Catalog) -> CommitApplier {
        var applier = CommitApplier(CommitDecoder(restoring: state.numbers, catalog), isForeign: true)
        (applier.version, applier.schemaVersion) = (state.version, state.schemaVersion)
        return applier
    }

    /// Returns an applier for an empty store to which the history of a file is applied.
    static func reading() -> CommitApplier { CommitApplier(CommitDecoder()) }

    /// Returns an applier for an empty store to which the intact commits of a damaged file are applied.
    static func salvaging(_ losses: SalvageLosses) -> CommitApplier { CommitApplier(CommitDecoder(losses)) }

    /// Restores a checkpoint. Called before all else, or not at all.
    mutating func restore(_ checkpoint: JournalCheckpoint, into store: inout some CommitReplayer) throws {
        let record = checkpoint.record
        let catalog = try Catalog(restoring: record.tables)
        let pages = checkpoint.makePages(store.heap, catalog)
        self.pages = pages
        decoder = CommitDecoder(restoring: record.numbers, catalog, missing: missing)
        if checkpoint.mayMissTargets { missing?.mayExist = true }
        (version, schemaVersion) = (record.commits, record.schemaVersion)
        do {
            try store.restore(record.roots, of: pages.number, catalog)
        } catch let error as SchemaMismatch where isOpening {
            mismatch = error
        }
    }

    /// Applies the next commit.
    ///
    /// - Throws: ``JournalError`` if the commit is invalid; ``JournalError/migrated(schemaVersion:)`` for a migration that the
    ///   store cannot follow. The state of the applier then stays as it was.
    mutating func apply(
        _ kind: EncodedCommit.Kind, _ payload: UnsafeRawBufferPointer, into store: inout some CommitReplayer
    ) throws {
        stamp = nil
        store.expect(version + 1)
        switch kind {
        case .changes: try applyChanges(payload, into: &store)
        case .schemaVersion: (schemaVersion, stamp) = try SchemaVersionPayload.decode(payload)
        case .migration:
            if isForeign {
                throw JournalError.migrated(schemaVersion: SchemaVersionPayload.ofMigration(payload) ?? 0)
            }
            schemaVersion = try decoder.migrate(payload, into: &store)
            stamp = decoder.stamp
        }
        version += 1
        schemaVersion = schemaVersion ?? 0
    }

    /// Applies the next commit.
    mutating func apply(_ commit: EncodedCommit, into store: inout some CommitReplayer) throws {
        try commit.payload.withUnsafeBytes { try apply(commit.kind, $0, into: &store) }
    }

    private mutating func applyChanges(
        _ payload: UnsafeRawBufferPointer, into store: inout some CommitReplayer
    ) throws {
        if mismatch != nil { return }
        do {
            try decoder.replay(payload, into: &store)
            stamp = decoder.stamp
        } catch let error as SchemaMismatch where isOpening {
            mismatch = error
        }
    }
}

extension EncodedCommit.Kind {
    /// The kind of the record that stores such a commit.
    var record: RecordKind { RecordKind(rawValue: rawValue) }

    /// Creates the kind of the commit that a record stores; nil if the record contains pages or a checkpoint.
    init?(_ record: RecordKind) throws(JournalError) {
        guard record.isData else { return nil }
        guard let kind = EncodedCommit.Kind(rawValue: record.rawValue) else {
            throw .senseless("it is of the unknown kind \(record.rawValue)")
        }
        self = kind
    }
}

extension EncodedCommit {
    /// Decodes the commit of a record; returns nil if the record contains pages or a checkpoint.
    init?(_ record: JournalRecord) throws(JournalError) {
        guard let kind = try Kind(record.kind) else { return nil }
        self.init(kind, Array(record.payload))
    }
}
