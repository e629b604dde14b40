import Dispatch
import Foundation

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
        self.init(try StoreOpening.run(configuration), configuration, confinement, queue)
    }

    /// Creates a realm of the instance that belongs to a thread or queue, which is created if there is none.
    ///
    /// - Precondition: The caller runs on that thread or queue.
    init(_ store: Store, _ configuration: Configuration, _ confinement: Confinement, _ queue: DispatchQueue?)
    {
        self.init(
            store.instance(confinement)
                ?? InstanceOwner(RealmInstance(store, configuration, confinement, queue)))
    }
}
