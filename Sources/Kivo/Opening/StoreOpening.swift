import Foundation
import KivoEngine
import KivoJournal
import KivoLog

/// The opening of a store: the steps from a resolved configuration to the one store of its data, whose tables match the program's
/// classes.
///
/// The internals page draws the steps. Each function is one step, and calls the next one.
struct StoreOpening {
    let configuration: Realm.Configuration
    /// The classes that the configuration names, and those that they reach.
    let declared: [ClassInfo]
    /// The repairs of the file, also those of an attempt that failed because classes had to be inspected first.
    var recovery: Realm.Recovery?

    /// Returns the store of a resolved configuration, which is opened if it is not open yet. Thread-safe.
    static func run(_ configuration: Realm.Configuration) throws -> Store {
        let logger = Logger.shared
        _ = notices
        let name = configuration.fileURL?.path ?? configuration.inMemoryIdentifier ?? "of another log"
        logger.log(level: .detail, message: "DB: Open realm '\(name)'")
        // Before the store is shared: the inspection of classes runs their initialisers, which may open the same file.
        let declared = Registry.describe(configuration.objectTypes ?? [])
        var opening = StoreOpening(configuration: configuration, declared: declared)
        let store = try opening.share()
        do {
            _ = try store.register(declared)
        } catch {
            throw Realm.Error.wrapping(error, configuration.fileURL, isOpening: true)
        }
        logger.log(level: .trace, message: "DB: Realm '\(name)' is open at version \(store.head)")
        opening.reportRecovery()
        return store
    }

    /// The handler that logs notices about files; registered once for the process.
    private static let notices: Void = FileNotice.handle { Logger.shared.log(level: .warn, message: $0) }

    /// Returns the open store, or a new one. Waits for a store to close that cannot be shared and that no realm uses any more.
    private mutating func share() throws -> Store {
        var closing = ClosingWait()
        while true {
            // The store is released before the pause: two openings would hold it for each other.
            if let store = try sharedStore(&closing) { return store }
            ClosingWait.pause()
        }
    }

    /// Returns the open store, or a new one; nil if an open one cannot be shared and may close.
    private mutating func sharedStore(_ closing: inout ClosingWait) throws -> Store? {
        while true {
            do {
                let store = try StoreEntry.of(configuration.identity).findOrCreate { try create() }
                do {
                    try store.checkSharing(with: configuration)
                    return store
                } catch {
                    guard closing.continues(for: store) else { throw error }
                    return nil
                }
            } catch let undescribed as UndescribedClasses {
                // Here no other opening of the store waits for this one, so initialisers may open the same file.
                _ = Registry.describe(undescribed.types)
            }
        }
    }

    /// Creates the store, with data in memory, in a file or in another log.
    private mutating func create() throws -> Store {
        do {
            if let url = configuration.fileURL { return try createFromFile(url) }
            guard let source = configuration.commitLog else {
                return try populate(StoreLog(nil, schemaVersion: configuration.schemaVersion))
            }
            return try createFromLog(source)
        } catch let undescribed as UndescribedClasses {
            throw undescribed
        } catch {
            throw Realm.Error.wrapping(error, configuration.fileURL, isOpening: true)
        }
    }

    /// The number of attempts to open a log that others write to.
    private static let attempts = 100

    /// Creates the store of another log. Begins again if another store migrates the log meanwhile: then nothing is left to be
    /// migrated.
    private mutating func createFromLog(_ source: CommitLogSource) throws -> Store {
        var attempt = 1
        while true {
            let log = StoreLog(
                try source.open(), readOnly: configuration.readOnly,
                schemaVersion: configuration.schemaVersion,
                patience: .seconds(max(0, configuration.commitTimeout)))
            do {
                return try populate(log)
            } catch {
                log.close()
                guard let passing = error as? CommitLogError, passing == .conflict || passing == .fenced,
                    attempt < StoreOpening.attempts
                else { throw error }
                attempt += 1
                Thread.sleep(forTimeInterval: .random(in: 0.001...0.02))
            }
        }
    }

    /// Creates a store and brings it to the newest version of its log, and to the program's classes.
    ///
    /// - Parameter journal: The log, if it is that of a file.
    func populate(_ log: StoreLog, _ journal: JournalLog? = nil) throws -> Store {
        let store = try Store(configuration, log: log, known: declared)
        do {
            try reconcile(store, existed: journal?.existed ?? false)
            try log.recordSchemaVersion()
            store.noteOpened()
            setHistory(of: store)
            if let journal { compactIfWanted(store, journal) }
            if !configuration.isUnchanging { store.beginRecording() }
        } catch {
            store.abandon()
            throw error
        }
        store.watch()
        return store
    }

    /// Reconciles the tables of a store with the program's classes, after a migration if the data is of a lower version.
    ///
    /// - Parameter existed: Whether the file existed before. A file to which nothing was written is then of version 0.
    private func reconcile(_ store: Store, existed: Bool) throws {
        let isUse = configuration.objectTypes != nil
        let classes = try isUse ? declared : Registry.classes(of: store.catalog)
        let stored = store.log.storedSchemaVersion ?? (existed ? 0 : nil)
        if let stored, stored < configuration.schemaVersion, !configuration.readOnly {
            try migrate(store, to: classes, from: stored)
        }
        _ = try store.register(classes, isUse: isUse)
    }

    /// Stores which part of its past the realm keeps. Opening does not fail if that cannot be written now.
    private func setHistory(of store: Store) {
        guard let history = configuration.history, !configuration.readOnly else { return }
        do {
            try store.setHistory(history)
        } catch {
            let path = configuration.fileURL?.path ?? store.log.name
            Logger.shared.log(
                level: .warn,
                message: "Realm '\(path)' does not keep the history that was asked for: \(error).")
        }
    }

    private func migrate(_ store: Store, to classes: [ClassInfo], from stored: UInt64) throws {
        if configuration.deleteRealmIfMigrationNeeded { throw MigrationNeeded() }
        if let located = Registry.namesLocatedHere.first {
            throw Realm.Error(
                .fail,
                """
                The file has to be migrated before a default value or initialiser of class '\(located)' can open it: open the \
                realm once before the first object of the class is made.
                """, fileURL: configuration.fileURL)
        }
        let block = configuration.migrationBlock
        try MigrationRun(store, classes, hasBlock: block != nil).run(
            block, from: stored, log: store.log.append)
    }

    /// Reports the repairs of the file to the program.
    private func reportRecovery() {
        guard let recovery else { return }
        Logger.shared.log(level: .warn, message: "\(recovery)")
        configuration.recoveryHandler?(recovery)
    }
}

/// The error of an opening that needs a migration, if the file is to be deleted instead.
struct MigrationNeeded: Error {}
