/// What a row measured, in nanoseconds or bytes.
struct Samples {
    var values: [Double]
    /// Whether each value is one step, as a user of the library would wait for it, and not the mean of many or the total
    /// of a long workload.
    let areSteps: Bool

    /// Totals of workloads, or means of loops whose steps are too short for the clock.
    init(_ values: [Double]) { self.init(values, areSteps: false) }

    /// Steps that were timed one by one.
    init(steps values: [Double]) { self.init(values, areSteps: true) }

    /// What several rounds of one row measured.
    init(joining rounds: [Samples]) {
        self.init(rounds.flatMap(\.values), areSteps: rounds.allSatisfy(\.areSteps))
    }

    private init(_ values: [Double], areSteps: Bool) {
        self.values = values
        self.areSteps = areSteps
    }

    var median: Double { values.median }

    /// What 99 of 100 steps do not exceed; nil where no steps were timed, or too few.
    var percentile99: Double? { areSteps && values.count >= 100 ? values.percentile(99) : nil }
}

extension [Double] {
    /// The middle one, or the mean of the two in the middle. There must be one.
    var median: Double {
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The smallest of them that at least so many of 100 do not exceed. There must be one.
    func percentile(_ percent: Int) -> Double {
        let rank = (count * percent + 99) / 100
        return sorted()[Swift.max(rank, 1) - 1]
    }
}
