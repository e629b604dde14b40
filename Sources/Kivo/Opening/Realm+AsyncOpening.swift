import Dispatch
import KivoEngine
import Synchronization

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
