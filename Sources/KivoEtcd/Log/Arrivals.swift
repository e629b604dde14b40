import Dispatch
import KivoEngine
import KivoLog

/// The threads that wait for something to arrive. They wait by a monotonic clock: a change of the time of day prolongs no wait.
final class Arrivals: Sendable {
    private let waiting = Lock<[ObjectIdentifier: DispatchSemaphore]>([:])

    /// Wakes all threads that wait, which then check their conditions.
    func announce() {
        for semaphore in waiting.withLock({ Array($0.values) }) { semaphore.signal() }
    }

    /// Waits until a condition holds. Returns whether it does.
    func wait(until deadline: ContinuousClock.Instant, _ condition: () -> Bool) -> Bool {
        let semaphore = DispatchSemaphore(value: 0)
        let id = ObjectIdentifier(semaphore)
        waiting.withLock { $0[id] = semaphore }
        defer { waiting.withLock { _ = $0.removeValue(forKey: id) } }
        while !condition() {
            let rest = deadline - .now
            if rest <= .zero { return false }
            // Some conditions become true by the passing of time.
            _ = semaphore.wait(timeout: .now() + min(rest.inSeconds, 0.1))
        }
        return true
    }
}
