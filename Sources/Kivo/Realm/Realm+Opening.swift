import Dispatch
import Foundation
import KivoEngine
import KivoJournal

extension Realm {
    /// Opens the default realm, on the current thread or for a serial queue.
    ///
    /// With a queue, the caller must be on it, the instance belongs to it, and notifications are delivered there. A
    /// concurrent queue is refused.
    ///
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
    /// The store of a resolved configuration, which is opened if it is not open yet.
    static func open(_ configuration: Realm.Configuration) throws -> Store {
        let store = try openResolved(configuration)
        store.reportRecovery(configuration)
        return store
    }

    private static func openResolved(_ configuration: Realm.Configuration) throws -> Store {
        let known = configuration.objectTypes?.map { Registry.info($0) } ?? []
        let store = try StorePlace.of(configuration.identity).open { try make(configuration, known) }
        try store.checkSharing(with: configuration)
        do {
            _ = try store.register(known)
        } catch {
            throw Realm.Error.wrapping(error, configuration.fileURL)
        }
        return store
    }

    private static func make(_ configuration: Realm.Configuration, _ known: [ClassInfo]) throws -> Store {
        let fileURL = configuration.fileURL
        do {
            guard let url = fileURL else {
                return try Store(configuration, log: MemoryLog(), known: known)
            }
            if configuration.makeDevice == nil {
                try FileLocation.prepare(url, seed: configuration.seedFilePath)
            }
            let device =
                try configuration.makeDevice?(url.path, configuration.readOnly)
                ?? FileDevice.open(
                    // Not by a link: what takes the file's place would take that of the link.
                    path: configuration.identity.path ?? url.path, readOnly: configuration.readOnly)
            let log = JournalLog(
                device, readOnly: configuration.readOnly, schemaVersion: configuration.schemaVersion,
                policy: configuration.checkpoints)
            let store = try Store(configuration, log: log, known: known)
            compactIfWanted(store, log)
            try log.recordSchemaVersion()
            store.untoldRecovery.withLock {
                $0 = log.recovery.map { Realm.Recovery($0, url, isReadOnly: configuration.readOnly) }
            }
            return store
        } catch {
            throw Realm.Error.wrapping(error, fileURL)
        }
    }
}
