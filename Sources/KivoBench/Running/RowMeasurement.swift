/// What came out of one row, in the row's unit. Encoded, it goes from the process of a group to the one that reports.
struct RowMeasurement: Codable {
    let name: String
    let median: Double
    let min: Double
    /// What 99 of 100 steps do not exceed, where single steps were timed.
    let percentile99: Double?
    /// How many times its floor the row takes, where it names one that was not disturbed: the median over rounds that
    /// each measured both.
    let ratio: Double?
    /// Why the figures do not count, if they do not: what floor was disturbed.
    let disturbance: String?

    init(_ row: Row, _ samples: Samples, ratios: [Double] = [], disturbance: String? = nil) {
        let values = samples.values
        expect(values.count >= 5, "\(row.name) took only \(values.count) samples")
        self.name = row.name
        self.median = samples.median / row.unit.size
        self.min = (values.min() ?? 0) / row.unit.size
        self.percentile99 = samples.percentile99.map { $0 / row.unit.size }
        self.ratio = ratios.isEmpty || disturbance != nil ? nil : ratios.median
        self.disturbance = disturbance
    }

    /// Whether the median reaches the row's target; nil where there is none, or where the figures do not count.
    func reachesTarget(of row: Row) -> Bool? {
        if disturbance != nil { return nil }
        return switch row.target {
        case .atMost(let figure): median <= figure
        case .timesFloor(let factor): ratio.map { $0 <= factor }
        case nil: nil
        }
    }
}
