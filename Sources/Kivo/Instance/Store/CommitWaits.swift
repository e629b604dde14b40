import KivoEngine
import KivoObserving
import Synchronization

/// The consumers that wait for the next commit of a store. Thread-safe.
final class CommitWaits: Sendable {
    private let waits = Lock<[ObjectIdentifier: ConsumerWait]>([:])
    /// Whether there are any, so that a commit without consumers costs one load.
    private let isWaited = Atomic(false)

    /// Waits for the next commit, unless a condition holds already.
    ///
    /// - Parameter isOver: Called once the consumer is registered, so that no commit is missed in between.
    func wait(
        _ wait: ConsumerWait, _ isolation: isolated (any Actor)?, unless isOver: @Sendable () -> Bool
    ) async {
        waits.withLock { waits in
            waits[ObjectIdentifier(wait)] = wait
            isWaited.store(true, ordering: .sequentiallyConsistent)
        }
        if !isOver() { await wait.wait(isolation) }
        waits.withLock { waits in
            waits[ObjectIdentifier(wait)] = nil
            isWaited.store(!waits.isEmpty, ordering: .sequentiallyConsistent)
        }
    }

    /// Wakes the consumers, after a commit was published.
    func wake() {
        guard isWaited.load(ordering: .sequentiallyConsistent) else { return }
        for wait in waits.withLock({ Array($0.values) }) { wait.wake() }
    }
}
