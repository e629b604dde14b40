import Dispatch
import Synchronization

/// How long `body` took, in nanoseconds.
@inline(__always)
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start)
}

/// The ways a row takes its samples. All of them throw one warm-up away.
enum Sampling {
    /// A workload that sets itself up and answers how long the part that counts took.
    static func repetitions(_ count: Int = 5, _ workload: () throws -> Double) rethrows -> [Double] {
        _ = try workload()
        var samples: [Double] = []
        for _ in 0..<count { samples.append(try workload()) }
        return samples
    }

    /// Nanoseconds per operation of a loop over `operations` of them.
    static func perOperation(
        _ operations: Int, repetitions count: Int = 7, _ loop: (Int) throws -> Void
    ) rethrows -> [Double] {
        try repetitions(count) { try nanoseconds { try loop(operations) } / Double(operations) }
    }

    /// Nanoseconds per step, for steps of microseconds that need nothing untimed in between: a sample is the
    /// mean of a batch of up to `maximum` steps, fewer where they turn out slow.
    static func steps(
        atMost maximum: Int, repetitions count: Int = 7, _ step: () throws -> Void
    ) rethrows -> [Double] {
        let trial = try nanoseconds { for _ in 0..<3 { try step() } } / 3
        let batch = min(maximum, max(1, Int(50e6 / max(trial, 1))))
        return try perOperation(batch, repetitions: count) { for _ in 0..<$0 { try step() } }
    }

    /// Events that each have untimed preparation, up to `maximum` of them: no new one begins after `seconds`,
    /// unless there would be fewer than five.
    static func events(
        atMost maximum: Int, seconds: Double = 2, _ event: () throws -> Double
    ) rethrows -> [Double] {
        let start = DispatchTime.now().uptimeNanoseconds
        _ = try event()
        var samples: [Double] = []
        while samples.count < maximum {
            let spent = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            if samples.count >= 5, spent > seconds { break }
            samples.append(try event())
        }
        return samples
    }
}

private let sink = Atomic<Int>(0)

/// Uses a result, so that the work behind it cannot be optimised away.
@inline(never)
func consume(_ value: Int) {
    sink.store(value, ordering: .relaxed)
}

/// The same within a loop: the store costs nothing, and because it is atomic the compiler does not move reads of
/// memory out of the loop, as it otherwise does even with calls that are not inlined.
@inline(__always)
func keep(_ value: Int) {
    sink.store(value, ordering: .relaxed)
}

/// Stops the benchmark: a figure for work that was not done, or done wrongly, must not be printed.
@inline(__always)
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError("kivo-bench: \(message())") }
}
