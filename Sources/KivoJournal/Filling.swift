import KivoEngine
import KivoLog

/// A store that is being filled from a log: with a checkpoint, and the commits after it.
struct Filling {
    /// How many commits of the log the store has.
    private(set) var version: UInt64 = 0
    /// The version of the classes that the log says; nil if it has no commits.
    private(set) var schemaVersion: UInt64?
    /// The pages that nodes of the store are brought in from.
    private(set) var pages: JournalPages?
    private(set) var decoder: CommitDecoder
    /// The elements that lead nowhere, if the log has any.
    let missing = MissingTargets()
    /// Why the store cannot have what the log says. Not thrown at once: that the data are of a later version says more, and a
    /// later commit may say so.
    private(set) var mismatch: SchemaMismatch?

    init() { decoder = CommitDecoder(missing: missing) }

    /// Begins with a checkpoint. Called before all else, or not at all.
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

    /// Carries out the next commit.
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
