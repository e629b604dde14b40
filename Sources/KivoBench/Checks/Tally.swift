import Kivo
import Synchronization

/// A counter of callbacks that all run on one thread.
///
/// The atomics allow sendable handlers to share it. Only one thread writes, so that plain loads and stores suffice, which cost no
/// more than those of an ordinary variable.
final class Tally: Sendable {
    private let calls = Atomic<Int>(0)
    private let lastValue = Atomic<Int>(0)

    var count: Int { calls.load(ordering: .relaxed) }

    /// The value that was passed to the last callback.
    var last: Int { lastValue.load(ordering: .relaxed) }

    func add(_ value: Int = 0) {
        calls.store(calls.load(ordering: .relaxed) + 1, ordering: .relaxed)
        lastValue.store(value, ordering: .relaxed)
    }

    func reset() {
        calls.store(0, ordering: .relaxed)
    }

    /// Traps unless exactly that many callbacks ran since the last check.
    @inline(__always)
    func take(_ expected: Int, _ name: String) {
        expect(count == expected, "\(name): \(count) callbacks instead of \(expected)")
        reset()
    }
}
