import KivoEngine
import KivoJournal

/// The right to read the batches of a consumer, until it is released.
final class ConsumerLease: Sendable {
    private static let pause = Duration.milliseconds(25)

    private let name: String
    private let store: Store

    private init(_ name: String, _ store: Store) { (self.name, self.store) = (name, store) }

    /// Waits until no other iteration reads a consumer, in this process or another one. Returns nil if the task is cancelled.
    static func take(_ name: String, _ store: Store, _ isolation: isolated (any Actor)?) async
        -> ConsumerLease?
    {
        while !Task.isCancelled {
            if let lease = tryTake(name, store) { return lease }
            // The system does not notify a process when another one releases its lock.
            try? await Task.sleep(for: pause)
        }
        return nil
    }

    private static func tryTake(_ name: String, _ store: Store) -> ConsumerLease? {
        guard store.activeConsumers.withLock({ $0.insert(name).inserted }) else { return nil }
        if store.log.tryReserve(name) { return ConsumerLease(name, store) }
        store.activeConsumers.withLock { _ = $0.remove(name) }
        return nil
    }

    deinit {
        store.log.endReservation(name)
        store.activeConsumers.withLock { _ = $0.remove(name) }
    }
}
