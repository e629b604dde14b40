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
