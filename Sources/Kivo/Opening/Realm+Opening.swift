import Dispatch
import Foundation
import KivoEngine
import KivoJournal

extension Realm {
    /// Opens the default realm, on the current thread or for a serial queue.
    ///
    /// With a queue, the instance belongs to the queue, and notifications are delivered there.
    ///
    /// - Precondition: The caller runs on the queue, which is serial.
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens the realm of a file, on the current thread.
    ///
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; it is left untouched.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration, queue: nil)
    }

    /// Opens the realm of a configuration, on the current thread or for a serial queue.
    ///
    /// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm (it is left untouched), or if its
    ///   schema differs from that of the classes.
    /// - Precondition: The caller runs on the queue, if there is one.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        let confinement = Confinement.of(queue)
        if !confinement.isCurrent {
            trap("A realm for a queue must be opened on that queue: wrap the call in 'queue.sync { }'.")
        }
        let configuration = try configuration.resolved()
        let store = try Stores.open(configuration)
        self.init(
            store.instance(confinement)
                ?? InstanceOwner(RealmInstance(store, configuration, confinement, queue)))
    }
}

/// The open stores of the process, by identity. Thread-safe.
enum Stores {
    /// Returns the store of a resolved configuration, and opens it if it is not open yet.
    static func open(_ configuration: Realm.Configuration) throws -> Store {
        let logger = Logger.shared
        _ = notices
        let name = configuration.fileURL?.path ?? configuration.inMemoryIdentifier ?? "of another log"
        logger.log(level: .detail, message: "DB: Open realm '\(name)'")
        let store = try openResolved(configuration)
        logger.log(level: .trace, message: "DB: Realm '\(name)' is open at version \(store.head)")
        store.reportRecovery(configuration)
        return store
    }

    /// The handler that logs notices about files; registered once for the process.
    private static let notices: Void = FileNotice.handle { Logger.shared.log(level: .warn, message: $0) }

    private static func openResolved(_ configuration: Realm.Configuration) throws -> Store {
        // Before the store's place is taken: describing classes runs their initialisers, which may open the same file.
        let known = Registry.describe(configuration.objectTypes ?? [])
        let store = try sharedStore(configuration, known)
        do {
            _ = try store.register(known)
        } catch {
            throw Realm.Error.wrapping(error, configuration.fileURL, isOpening: true)
        }
        return store
    }

    /// Returns the open store, or a new one. Waits for a store that is only finishing a checkpoint and cannot be shared.
    private static func sharedStore(_ configuration: Realm.Configuration, _ known: [ClassInfo]) throws
        -> Store
    {
        var wasFinishing = false
        var recovery: Realm.Recovery?
        while true {
            let store: Store
            do {
                store = try StoreEntry.of(configuration.identity).open { try make(configuration, known) }
            } catch let unopened as UnopenedFile {
                _ = Registry.describe(unopened.classes.types)
                recovery = unopened.recovery ?? recovery
                continue
            }
            if let recovery { store.untoldRecovery.withLock { $0 = $0 ?? recovery } }
            do {
                try store.checkSharing(with: configuration)
                return store
            } catch {
                let isFinishing = store.isFinishing
                // The checkpoint releases the store soon after its end.
                guard isFinishing || wasFinishing else { throw error }
                wasFinishing = isFinishing
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    private static func make(_ configuration: Realm.Configuration, _ known: [ClassInfo]) throws -> Store {
        let fileURL = configuration.fileURL
        do {
            guard let url = fileURL else {
                let store: Store
                if let source = configuration.commitLog {
                    let log = StoreLog(
                        try source.open(), readOnly: configuration.readOnly,
                        schemaVersion: configuration.schemaVersion)
                    store = try open(log, configuration, known)
                } else {
                    store = try Store(configuration, log: StoreLog(nil), known: known)
                }
                _ = try store.register(known)
                return store
            }
            if configuration.readOnly, configuration.deleteRealmIfMigrationNeeded {
                trap(
                    "A realm that is opened read-only cannot be deleted: do not set 'deleteRealmIfMigrationNeeded' with 'readOnly'."
                )
            }
            if configuration.makeDevice == nil {
                try FileLocation.prepare(url, seed: configuration.seedFilePath)
            }
            return try openOrDelete(url, configuration, known)
        } catch let unopened as UnopenedFile {
            throw unopened
        } catch let classes as UndescribedClasses {
            throw UnopenedFile(classes: classes)
        } catch {
            throw Realm.Error.wrapping(error, fileURL, isOpening: true)
        }
    }

    /// The failure of an opening for which classes have to be inspected first, outside of the store's place.
    private struct UnopenedFile: Error {
        let classes: UndescribedClasses
        /// The repairs that the opening made before it failed.
        var recovery: Realm.Recovery?
    }

    /// The time, in seconds, to wait for a file that is to be deleted while it is open elsewhere.
    private static let patience = 2.0

    /// Opens a file. If its classes differ and the configuration says so, deletes it first: under its lock, while it is not open
    /// elsewhere, and only the file that was inspected. Another process may meanwhile have deleted it and created one with these
    /// classes.
    private static func openOrDelete(
        _ url: URL, _ configuration: Realm.Configuration, _ known: [ClassInfo]
    ) throws -> Store {
        let end = Date() + patience
        while true {
            var found: FileIdentity?
            do {
                return try openFile(url, configuration, known) {
                    if configuration.deleteRealmIfMigrationNeeded { found = ($0 as? FileDevice)?.identity }
                }
            } catch  where configuration.deleteRealmIfMigrationNeeded && isOfOtherClasses(error) {
                do {
                    let isDeleted = try FileDeletion.delete(
                        configuration.identity.path ?? url.path, only: found)
                    // A device of another kind has no file to be searched for.
                    if !isDeleted, found == nil { throw error }
                } catch JournalError.alreadyOpen where Date() < end {
                    // Another process may be about to delete the file, too.
                    Thread.sleep(forTimeInterval: .random(in: 0.001...0.02))
                }
            }
        }
    }

    /// The error of an opening that needs a migration, if the file is to be deleted instead.
    private struct MigrationNeeded: Error {}

    private static func isOfOtherClasses(_ error: any Error) -> Bool {
        error is MigrationNeeded || error is SchemaMismatch || error is SchemaVersionError
    }

    private static func openFile(
        _ url: URL, _ configuration: Realm.Configuration, _ known: [ClassInfo],
        lookingAt look: (any JournalDevice) -> Void
    ) throws -> Store {
        for _ in 0..<100 {
            let device =
                try configuration.makeDevice?(url.path, configuration.readOnly)
                ?? FileDevice.open(
                    // The resolved path: a file that replaces this one would otherwise replace the symbolic link.
                    path: configuration.identity.path ?? url.path, readOnly: configuration.readOnly,
                    isShared: true)
            look(device)
            device.sharing?.setTimeout(configuration.lockTimeout)
            do {
                return try open(device, url, configuration, known)
            } catch JournalError.displaced {
                // Another process compacted the file after it was opened and before it was locked.
                device.close()
            } catch {
                device.close()
                throw error
            }
        }
        throw JournalError.displaced
    }

    private static func open(
        _ device: any JournalDevice, _ url: URL, _ configuration: Realm.Configuration, _ known: [ClassInfo]
    ) throws -> Store {
        // No other process may write the file before it has the program's classes.
        if !configuration.readOnly { try device.sharing?.lock() }
        defer { if !configuration.readOnly { device.sharing?.unlock() } }
        var policy = configuration.checkpoints
        policy.closingTimeLimit = .seconds(configuration.closingSeconds)
        let journal = JournalLog(
            device, readOnly: configuration.readOnly, policy: policy,
            verifies: configuration.verifiesOnOpening)
        let log = StoreLog(
            journal, readOnly: configuration.readOnly, schemaVersion: configuration.schemaVersion)
        func recovery() -> Realm.Recovery? {
            journal.recovery.map { Realm.Recovery($0, url, isReadOnly: configuration.readOnly) }
        }
        do {
            let store = try open(log, configuration, known, wasThere: { journal.existed }) {
                compactIfWanted($0, journal)
            }
            store.untoldRecovery.withLock { $0 = recovery() }
            if !configuration.readOnly { ProgramEnd.watch() }
            return store
        } catch let classes as UndescribedClasses {
            throw UnopenedFile(classes: classes, recovery: recovery())
        }
    }

    /// Returns the store of a log, with the program's classes.
    private static func open(
        _ log: StoreLog, _ configuration: Realm.Configuration, _ known: [ClassInfo],
        wasThere: () -> Bool = { false }, finishing finish: (Store) -> Void = { _ in }
    ) throws -> Store {
        let store = try Store(configuration, log: log, known: known)
        do {
            try bringTogether(store, known, wasThere: wasThere())
            try log.recordSchemaVersion()
            finish(store)
        } catch {
            store.abandon()
            throw error
        }
        store.watch()
        return store
    }

    /// Compares the tables of a file with the classes of the program, or migrates them if the file is of a lower version.
    ///
    /// - Parameter wasThere: Whether the file existed before. A file to which nothing was written is then of version 0.
    private static func bringTogether(_ store: Store, _ known: [ClassInfo], wasThere: Bool) throws {
        let configuration = store.configuration
        let isUse = configuration.objectTypes != nil
        let classes = try isUse ? known : Registry.classes(of: store.catalog)
        guard let stored = store.log.storedSchemaVersion ?? (wasThere ? 0 : nil),
            stored < configuration.schemaVersion,
            !configuration.readOnly
        else {
            _ = try store.register(classes, isUse: isUse)
            return
        }
        if configuration.deleteRealmIfMigrationNeeded { throw MigrationNeeded() }
        let located = Registry.namesLocatedHere
        guard located.isEmpty else {
            throw Realm.Error(
                .fail,
                """
                The file has to be migrated before a default value or initialiser of class '\(located[0])' can open it: open the \
                realm once before the first object of the class is made.
                """, fileURL: configuration.fileURL)
        }
        let block = configuration.migrationBlock
        try MigrationRun(store, classes, hasBlock: block != nil).run(
            block, from: stored, log: store.log.append)
        _ = try store.register(classes, isUse: isUse)
    }
}
