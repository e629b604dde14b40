import Foundation
import KivoEngine
import KivoJournal

/// The steps that only stores with a file take.
extension StoreOpening {
    /// The time, in seconds, to wait for a file that is to be deleted while it is open elsewhere.
    private static let deletionTimeout = 2.0

    /// Creates the store of a file. Repeats the attempt if the file is replaced meanwhile, by the compaction of another process or
    /// because its classes differ and the configuration says that it is to be deleted then.
    mutating func createFromFile(_ url: URL) throws -> Store {
        if configuration.readOnly, configuration.deleteRealmIfMigrationNeeded {
            trap(
                "A realm that is opened read-only cannot be deleted: do not set 'deleteRealmIfMigrationNeeded' with 'readOnly'."
            )
        }
        if configuration.makeDevice == nil {
            RealmEngineFile.report(besideDefaultFile: url)
            try FileLocation.prepare(url, seed: configuration.seedFilePath)
        }
        let deadline = Date() + StoreOpening.deletionTimeout
        var attempts = 0
        while true {
            let device = try attach(url)
            let identity =
                configuration.deleteRealmIfMigrationNeeded ? (device as? FileDevice)?.identity : nil
            do {
                return try populateLocked(device, url)
            } catch {
                device.close()
                attempts += 1
                switch error {
                case JournalError.displaced where attempts < 100:
                    // Another process compacted the file after it was opened and before it was locked.
                    break
                case is MigrationNeeded, is SchemaMismatch, is SchemaVersionError:
                    guard configuration.deleteRealmIfMigrationNeeded else { throw error }
                    try delete(url, only: identity, until: deadline, because: error)
                    attempts = 0
                default: throw error
                }
            }
        }
    }

    /// Opens the device of a file.
    private func attach(_ url: URL) throws -> any JournalDevice {
        let device =
            try configuration.makeDevice?(url.path, configuration.readOnly)
            ?? FileDevice.open(
                // The resolved path: a file that replaces this one would otherwise replace the symbolic link.
                path: configuration.identity.path ?? url.path, readOnly: configuration.readOnly,
                isShared: true)
        device.sharing?.setTimeout(configuration.lockTimeout)
        return device
    }

    /// Creates the store of a device under its lock: no other process may write the file before it has the program's classes.
    private mutating func populateLocked(_ device: any JournalDevice, _ url: URL) throws -> Store {
        if !configuration.readOnly { try device.sharing?.lock() }
        defer { if !configuration.readOnly { device.sharing?.unlock() } }
        var policy = configuration.checkpoints
        policy.closingTimeLimit = .seconds(configuration.closingSeconds)
        let journal = JournalLog(
            device, readOnly: configuration.readOnly, policy: policy,
            verifies: configuration.verifiesOnOpening)
        let log = StoreLog(
            journal, readOnly: configuration.readOnly, schemaVersion: configuration.schemaVersion)
        do {
            let store = try populate(log, journal)
            noteRecovery(journal, url)
            if !configuration.readOnly { ProgramEnd.watch() }
            return store
        } catch let undescribed as UndescribedClasses {
            // The next attempt finds a file that is already repaired.
            noteRecovery(journal, url)
            throw undescribed
        }
    }

    private mutating func noteRecovery(_ journal: JournalLog, _ url: URL) {
        guard let repairs = journal.recovery else { return }
        recovery = Realm.Recovery(repairs, url, isReadOnly: configuration.readOnly)
    }

    /// Deletes a file whose classes differ: under its lock, while it is not open elsewhere, and only the file that was inspected.
    /// Another process may meanwhile have deleted it and created one with these classes.
    private func delete(
        _ url: URL, only identity: FileIdentity?, until deadline: Date, because mismatch: any Error
    ) throws {
        do {
            let isDeleted = try FileDeletion.delete(configuration.identity.path ?? url.path, only: identity)
            // A device of another kind has no file to be searched for.
            if !isDeleted, identity == nil { throw mismatch }
        } catch JournalError.alreadyOpen where Date() < deadline {
            // Another process may be about to delete the file, too.
            Thread.sleep(forTimeInterval: .random(in: 0.001...0.02))
        }
    }

    /// Rewrites the file of a store that is not in use yet, if the configuration's closure returns true. So is a file that is too
    /// large because programs that were never open for long had no time to record its history. A failure leaves the file unchanged and
    /// is logged as a warning.
    func compactIfWanted(_ store: Store, _ journal: JournalLog) {
        // The closure is not called for a new file.
        if configuration.readOnly || store.log.version == 0 { return }
        do {
            if try isCompactionWanted(store, journal) { try compact(store, journal) }
        } catch {
            let path = configuration.fileURL?.path ?? ""
            Logger.shared.log(level: .warn, message: "Realm file '\(path)' was not compacted: \(error).")
        }
    }

    private func isCompactionWanted(_ store: Store, _ journal: JournalLog) throws -> Bool {
        let version = store.head
        let snapshot = store.pin(version)
        defer { store.unpin(version) }
        if store.log.lacksHistory(snapshot, store.catalog) { return true }
        guard let isWanted = configuration.shouldCompactOnLaunch else { return false }
        let used = try JournalCopy.size(
            snapshot, store.catalog, schemaVersion: store.log.storedSchemaVersion ?? 0)
        return isWanted(try journal.fileSize, used)
    }

    private func compact(_ store: Store, _ journal: JournalLog) throws {
        func rewrite(_ version: UInt64, _ snapshot: Snapshot) throws {
            defer { store.unpin(version) }
            if store.log.keepsHistory(snapshot, store.catalog) {
                _ = try journal.rewrite(store.log.checkpoint(snapshot, store.catalog))
            } else {
                let recorded = try store.recordHistory()
                try rewrite(recorded.version, recorded.snapshot)
            }
        }
        let version = store.head
        try rewrite(version, store.pin(version))
    }
}

extension Realm {
    /// The repairs that opening a file made; see ``Realm/Configuration/recoveryHandler``.
    ///
    /// They never affect a commit that was acknowledged.
    public struct Recovery: Sendable, Equatable, CustomStringConvertible {
        /// The file.
        public let fileURL: URL
        /// The bytes of an unfinished commit, because the program or the machine stopped in the middle of it; empty if there were
        /// none.
        public let discardedBytes: Range<Int>
        /// A Boolean value that indicates whether one of the two copies of the file's header was damaged.
        public let isHeaderDamaged: Bool
        /// A Boolean value that indicates whether the file was left unchanged because it was opened for reading only.
        public let isReadOnly: Bool

        init(_ recovery: JournalRecovery, _ url: URL, isReadOnly: Bool) {
            fileURL = url
            discardedBytes = recovery.discardedBytes
            isHeaderDamaged = recovery.isHeaderDamaged
            self.isReadOnly = isReadOnly
        }

        /// A textual description of the repairs, in sentences.
        public var description: String {
            var sentences: [String] = []
            if !discardedBytes.isEmpty {
                sentences.append(
                    """
                    bytes \(discardedBytes.lowerBound) to \(discardedBytes.upperBound) are a commit that was not \
                    finished and \(isReadOnly ? "are passed over" : "were cut off").
                    """)
            }
            if isHeaderDamaged {
                sentences.append(
                    "one copy of the header is damaged\(isReadOnly ? "" : ", and was replaced by the other")."
                )
            }
            return "Realm file '\(fileURL.path)': " + sentences.joined(separator: " ")
        }
    }
}
