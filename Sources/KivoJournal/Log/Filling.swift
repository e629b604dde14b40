import KivoEngine
import KivoLog

/// The state of a store that is being filled from a log: from a checkpoint, then from the commits after it.
struct Filling {
    /// The number of commits of the log that the store has.
    private(set) var version: UInt64 = 0
    /// The version of the classes in the log; nil if the log has no commits.
    private(set) var schemaVersion: UInt64?
    /// The pages from which nodes of the store are loaded; nil if there is no checkpoint.
    private(set) var pages: JournalPages?
    private(set) var decoder: CommitDecoder
    /// The object that notes whether the log has elements without a target.
    let missing = MissingTargets()
    /// The reason why the contents of the log do not fit the store. It is not thrown at once: a later commit may show that the
    /// data are of a later version, which is the more helpful error.
    private(set) var mismatch: SchemaMismatch?

    init() { decoder = CommitDecoder(missing: missing) }

    /// Restores a checkpoint. Called before all else, or not at all.
    mutating func begin(
        _ checkpoint: LogCheckpoint, _ image: JournalCheckpoint, in store: inout some CommitReplayer
    ) throws {
        let catalog = try Catalog(restoring: image.record.tables)
        let pages = image.makePages(store.heap, catalog)
        self.pages = pages
        decoder = CommitDecoder(restoring: image.record.numbers, catalog, missing: missing)
        if image.mayMissTargets { missing.mayBeThere = true }
        version = checkpoint.version
        schemaVersion = image.record.schemaVersion
        do {
            try store.restore(image.record.roots, of: pages.number, catalog)
        } catch let error as SchemaMismatch {
            mismatch = error
        }
    }

    /// Replays the next commit.
    mutating func read(_ commit: EncodedCommit, into store: inout some CommitReplayer) throws {
        version += 1
        schemaVersion = schemaVersion ?? 0
        try commit.payload.withUnsafeBytes { payload in
            switch commit.kind {
            case .changes:
                if mismatch != nil { return }
                do {
                    try decoder.replay(payload, into: &store)
                } catch let error as SchemaMismatch {
                    mismatch = error
                }
            case .schemaVersion: schemaVersion = try SchemaVersionPayload.decode(payload)
            case .migration: schemaVersion = try decoder.migrate(payload, into: &store)
            }
        }
    }
}
