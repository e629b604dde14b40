import Dispatch
import Synchronization

/// How long `body` took, in nanoseconds.
@inline(__always)
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start)
}

/// The ways a row takes its samples. All of them throw a warm-up away.
enum Sampling {
    /// A workload that sets itself up and returns how long the part that counts took.
    static func repetitions(_ count: Int = 5, _ workload: () throws -> Double) rethrows -> Samples {
        _ = try workload()
        var samples: [Double] = []
        for _ in 0..<count { samples.append(try workload()) }
        return Samples(samples)
    }

    /// Nanoseconds per operation of a loop over `operations` of them, which are too short to be timed one by one.
    static func perOperation(
        _ operations: Int, repetitions count: Int = 7, _ loop: (Int) throws -> Void
    ) rethrows -> Samples {
        try repetitions(count) { try nanoseconds { try loop(operations) } / Double(operations) }
    }

    /// Steps that are timed one by one, and return how long the part that counts took; up to `maximum` of them: no new
    /// one begins after `seconds`, unless there would be fewer than five.
    static func steps(
        atMost maximum: Int, seconds: Double = 2, _ step: () throws -> Double
    ) rethrows -> Samples {
        let start = DispatchTime.now().uptimeNanoseconds
        var spent: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }
        for round in 0...(maximum / 20) where round == 0 || spent < seconds / 10 { _ = try step() }
        var samples: [Double] = []
        samples.reserveCapacity(maximum)
        while samples.count < maximum, samples.count < 5 || spent <= seconds { samples.append(try step()) }
        return Samples(steps: samples)
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
