import Kivo
import Synchronization

/// Counts callbacks that all come on one thread.
///
/// The atomics let handlers that have to be sendable share it; as only one thread writes, a plain load and store
/// do, and they cost no more than those of an ordinary variable.
final class Tally: Sendable {
    private let calls = Atomic<Int>(0)
    private let lastValue = Atomic<Int>(0)

    var count: Int { calls.load(ordering: .relaxed) }

    /// What the last callback brought along.
    var last: Int { lastValue.load(ordering: .relaxed) }

    func add(_ value: Int = 0) {
        calls.store(calls.load(ordering: .relaxed) + 1, ordering: .relaxed)
        lastValue.store(value, ordering: .relaxed)
    }

    func reset() {
        calls.store(0, ordering: .relaxed)
    }

    /// Traps unless exactly that many callbacks came since the last check.
    @inline(__always)
    func take(_ expected: Int, _ name: String) {
        expect(count == expected, "\(name): \(count) callbacks instead of \(expected)")
        reset()
    }
}
