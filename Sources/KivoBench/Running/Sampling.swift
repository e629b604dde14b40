import Dispatch
import Synchronization

/// Returns the duration of `body`, in nanoseconds.
@inline(__always)
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start)
}

/// The ways in which rows take samples. All of them discard a warm-up.
enum Sampling {
    /// Samples a workload that includes its setup and returns the duration of the relevant part.
    static func repetitions(_ count: Int = 5, _ workload: () throws -> Double) rethrows -> Samples {
        _ = try workload()
        var samples: [Double] = []
        for _ in 0..<count { samples.append(try workload()) }
        return Samples(samples)
    }

    /// Samples the nanoseconds per operation of a loop over `operations`, which are too short to be timed one by one.
    static func perOperation(
        _ operations: Int, repetitions count: Int = 7, _ loop: (Int) throws -> Void
    ) rethrows -> Samples {
        try repetitions(count) { try nanoseconds { try loop(operations) } / Double(operations) }
    }

    /// Samples at most `maximum` steps that are timed one by one and return the duration of the relevant part. No step begins
    /// after `seconds`, unless there would be fewer than five.
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

/// Uses a result, so that its computation cannot be optimised away.
@inline(never)
func consume(_ value: Int) {
    sink.store(value, ordering: .relaxed)
}

/// Uses a result within a loop. The store costs nothing. Because it is atomic, the compiler does not move reads of memory out of
/// the loop, as it otherwise does even with calls that are not inlined.
@inline(__always)
func keep(_ value: Int) {
    sink.store(value, ordering: .relaxed)
}

/// Stops the benchmark if a condition is false: a figure for work that was not done, or done incorrectly, must not be printed.
@inline(__always)
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError("kivo-bench: \(message())") }
}

/// The samples of a row, in nanoseconds or bytes.
struct Samples {
    var values: [Double]
    /// Whether each value is a single step that a user of the library would wait for. Otherwise it is the mean of many steps or
    /// the total of a long workload.
    let areSteps: Bool

    /// Creates samples from totals of workloads, or from means of loops whose steps are too short for the clock.
    init(_ values: [Double]) { self.init(values, areSteps: false) }

    /// Creates samples from steps that were timed one by one.
    init(steps values: [Double]) { self.init(values, areSteps: true) }

    /// Joins the samples of several rounds of one row.
    init(joining rounds: [Samples]) {
        self.init(rounds.flatMap(\.values), areSteps: rounds.allSatisfy(\.areSteps))
    }

    private init(_ values: [Double], areSteps: Bool) {
        self.values = values
        self.areSteps = areSteps
    }

    var median: Double { values.median }

    /// The value that 99 of 100 steps do not exceed, or nil if no steps or too few were timed.
    var percentile99: Double? { areSteps && values.count >= 100 ? values.percentile(99) : nil }
}

extension [Double] {
    /// The middle value, or the mean of the two in the middle.
    ///
    /// - Precondition: The array is not empty.
    var median: Double {
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// Returns the smallest value that at least `percent` of 100 values do not exceed.
    ///
    /// - Precondition: The array is not empty.
    func percentile(_ percent: Int) -> Double {
        let rank = (count * percent + 99) / 100
        return sorted()[Swift.max(rank, 1) - 1]
    }
}
