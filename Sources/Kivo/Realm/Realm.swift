import Dispatch
import Foundation
import KivoEngine
import KivoJournal

/// A database of live objects, as one thread or serial queue sees it.
///
/// A `Realm` belongs to the thread or queue on which it was opened, and so do its objects and collections; using
/// them elsewhere traps. Opening the same file again on the same thread gives the same instance. Reads see one
/// version of the data until the instance is refreshed; writes are transactions of one writer at a time.
///
///     let realm = try Realm()
///     try realm.write { realm.add(dog) }
public struct Realm {
    private let instanceOwner: InstanceOwner
    var instance: RealmInstance { instanceOwner.instance }

    init(_ instanceOwner: InstanceOwner) { self.instanceOwner = instanceOwner }

    init(_ instance: RealmInstance) { instanceOwner = instance.instanceOwner }

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
        store.reportRecovery(configuration)
        if let known = store.instance(confinement) {
            instanceOwner = known
        } else {
            instanceOwner = InstanceOwner(RealmInstance(store, configuration, confinement, queue))
        }
    }

    /// The configuration that the realm was opened with.
    public var configuration: Configuration { instance.configuration }

    /// Whether the realm holds no object at all. O(classes).
    public var isEmpty: Bool {
        instance.checkConfinement()
        let snapshot = instance.snapshot
        return instance.catalog.tables.indices.allSatisfy { snapshot.table($0).count == 0 }
    }
}

extension Realm {
    /// How many instances of this data there are on all threads that are not frozen, for tests.
    package var instanceCount: Int { instance.store.instanceCount }

    /// How many observers this instance keeps, and rows that are observed by key path, for tests.
    package var observerCount: Int { instance.observers.count + instance.keyValueRegistry.count }

    /// How many versions of the data are kept, for tests.
    package var versionCount: Int { instance.store.versionCount }
}

extension Realm: Equatable {
    /// Whether two values are the same instance: the same data on the same thread or queue.
    public static func == (a: Realm, b: Realm) -> Bool { a.instance === b.instance }
}

/// The open stores of the process, by identity. Thread-safe.
enum Stores {
    static func open(_ configuration: Realm.Configuration) throws -> Store {
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
            try FileLocation.makeStandardFolder(for: url)
            let device =
                try configuration.makeDevice?(url.path, configuration.readOnly)
                ?? FileDevice.open(path: url.path, readOnly: configuration.readOnly)
            let log = JournalLog(
                device, readOnly: configuration.readOnly, schemaVersion: configuration.schemaVersion)
            let store = try Store(configuration, log: log, known: known)
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
