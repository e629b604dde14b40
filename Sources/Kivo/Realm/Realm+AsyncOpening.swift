import Dispatch
import KivoEngine
import Synchronization

extension Realm {
    /// An opening that is under way; it can be cancelled anywhere.
    public struct AsyncOpenTask: Sendable {
        fileprivate let state = State()

        fileprivate final class State: Sendable {
            let isCancelled = Atomic<Bool>(false)
        }

        /// Gives the opening up: the callback is told of a `CancellationError`, unless it has been called.
        public func cancel() { state.isCancelled.store(true, ordering: .releasing) }
    }

    /// Opens a realm elsewhere, and calls back with it on the main queue, to which it belongs.
    ///
    /// - Parameters:
    ///   - configuration: what to open.
    ///   - callback: called once, on the main queue. With ``Realm/Error`` if the file cannot be opened or is no realm (it is left
    ///     untouched), or with a `CancellationError`.
    /// - Returns: what the opening can be cancelled by.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration,
        callback: @escaping (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        open(configuration, on: .main, callback)
    }

    /// Opens a realm elsewhere, and calls back with it on a queue, to which it belongs.
    ///
    /// - Parameters:
    ///   - configuration: what to open.
    ///   - callbackQueue: the serial queue of the realm; a concurrent one traps.
    ///   - callback: called once, on the queue, wherever it was written; see ``asyncOpen(configuration:callback:)``.
    /// - Returns: what the opening can be cancelled by.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        open(configuration, on: callbackQueue, callback)
    }

    private static func open(
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

    /// Carries a callback to its queue, where alone it is called.
    private struct AsyncOpening: @unchecked Sendable {
        let configuration: Configuration
        let queue: DispatchQueue
        let confinement: Confinement
        let task: AsyncOpenTask
        let callback: (Result<Realm, any Swift.Error>) -> Void

        func run() {
            let opened = Result {
                let configuration = try configuration.resolved()
                return (try Stores.open(configuration), configuration)
            }
            queue.async {
                if task.state.isCancelled.load(ordering: .acquiring) {
                    return callback(.failure(CancellationError()))
                }
                callback(
                    opened.map { store, configuration in
                        Realm(
                            store.instance(confinement)
                                ?? InstanceOwner(RealmInstance(store, configuration, confinement, queue)))
                    })
            }
        }
    }
}
