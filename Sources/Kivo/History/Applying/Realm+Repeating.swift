import KivoEngine
import KivoJournal

extension Realm {
    /// Carries out change sets once more, in one commit and in a copy of the data that they are of. What does not fit is left out; inserted
    /// objects have the keys that they had, so that unsorted collections have the same order.
    package func repeatChanges(_ changes: [ChangeSet]) throws {
        try write {
            for changes in changes {
                _ = try ChangeApplier.apply(changes, to: self, .theirs, sharesKeys: true, keepsKeys: true)
            }
        }
    }

    /// The version that the realm shows, as a checkpoint of its log.
    ///
    /// - Precondition: It is the newest one.
    package func encodedCheckpoint() throws -> [UInt8] {
        let store = instance.store
        let (version, _, snapshot) = store.pinDurable()
        defer { store.unpin(version) }
        return try store.log.checkpoint(snapshot, store.catalog).bytes()
    }
}
