import Dispatch
import KivoEngine

/// The lease of a log in memory, and the stores that wait for it, in order. Thread-safe.
final class MemoryLeases: Sendable {
    private struct State: Sendable {
        var last: UInt64 = 0
        /// The token of the store that has the lease; nil if it is free.
        var holder: UInt64?
        var line: [(token: UInt64, semaphore: DispatchSemaphore)] = []

        /// Passes the lease to the next store.
        mutating func pass() -> DispatchSemaphore? {
            let next = line.isEmpty ? nil : line.removeFirst()
            holder = next?.token
            return next?.semaphore
        }
    }

    private let state = Lock(State())

    func acquire(until deadline: ContinuousClock.Instant?) -> LogLease? {
        let (token, semaphore) = state.withLock { state -> (UInt64, DispatchSemaphore?) in
            state.last += 1
            if state.holder == nil {
                state.holder = state.last
                return (state.last, nil)
            }
            let semaphore = DispatchSemaphore(value: 0)
            state.line.append((state.last, semaphore))
            return (state.last, semaphore)
        }
        if let semaphore {
            guard let deadline else {
                semaphore.wait()
                return LogLease(token: token)
            }
            if semaphore.wait(timeout: .now() + max(0, (deadline - .now).inSeconds)) == .timedOut {
                return state.withLock { state in
                    state.line.removeAll { $0.token == token }
                    return state.holder == token ? LogLease(token: token) : nil
                }
            }
        }
        return LogLease(token: token)
    }

    /// Returns whether a request may be carried out: its lease is the one that counts, or there is none at all.
    func allow(_ lease: LogLease?) -> Bool { state.withLock { $0.holder == lease?.token } }

    func release(_ lease: LogLease) {
        state.withLock { $0.holder == lease.token ? $0.pass() : nil }?.signal()
    }

    func revoke() { state.withLock { $0.pass() }?.signal() }
}
