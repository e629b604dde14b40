import Dispatch
import Foundation
import KivoEngine
import Synchronization

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

extension Realm {
    /// An opening that is in progress; it can be cancelled on any thread.
    public struct AsyncOpenTask: Sendable {
        fileprivate let state = State()

        fileprivate final class State: Sendable {
            let isCancelled = Atomic<Bool>(false)
        }

        /// Cancels the opening: the callback receives a `CancellationError`, unless it was already called.
        public func cancel() { state.isCancelled.store(true, ordering: .releasing) }
    }

    /// Opens a realm on another thread, and passes it to a callback on the main queue, to which it belongs.
    ///
    /// - Parameters:
    ///   - configuration: The realm to open.
    ///   - callback: A closure that is called once, on the main queue. It receives a ``Realm/Error`` if the file cannot be opened
    ///     or is no realm (it is left untouched), or a `CancellationError`.
    /// - Returns: A task by which the opening can be cancelled.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration,
        callback: @escaping (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        start(configuration, on: .main, callback)
    }

    /// Opens a realm on another thread, and passes it to a callback on a queue, to which it belongs.
    ///
    /// - Parameters:
    ///   - configuration: The realm to open.
    ///   - callbackQueue: The serial queue of the realm; a concurrent one traps.
    ///   - callback: A closure that is called once, on the queue, whatever its own isolation; see
    ///     ``asyncOpen(configuration:callback:)``.
    /// - Returns: A task by which the opening can be cancelled.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        start(configuration, on: callbackQueue, callback)
    }

    private static func start(
        _ configuration: Configuration, on callbackQueue: DispatchQueue,
        _ callback: @escaping (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        let work = AsyncOpening(
            configuration: configuration, queue: callbackQueue, confinement: .of(callbackQueue), task: task,
            callback: callback)
        DispatchQueue.global(qos: .userInitiated).async { work.run() }
        return task
    }

    /// An opening with its callback, which is sent to the callback's queue. The callback is called only there.
    private struct AsyncOpening: @unchecked Sendable {
        let configuration: Configuration
        let queue: DispatchQueue
        let confinement: Confinement
        let task: AsyncOpenTask
        let callback: (Result<Realm, any Swift.Error>) -> Void

        func run() {
            let opened = Result {
                let configuration = try configuration.resolved()
                return (try StoreOpening.run(configuration), configuration)
            }
            queue.async {
                if task.state.isCancelled.load(ordering: .acquiring) {
                    return callback(.failure(CancellationError()))
                }
                callback(opened.map { Realm($0, $1, confinement, queue) })
            }
        }
    }
}
