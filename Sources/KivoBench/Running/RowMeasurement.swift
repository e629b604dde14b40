/// The result of one row, in the row's unit. The process of a group encodes it for the process that reports it.
struct RowMeasurement: Codable {
    let name: String
    let median: Double
    let min: Double
    /// The value that 99 of 100 steps do not exceed, if single steps were timed.
    let percentile99: Double?
    /// The ratio of the row to its floor: the median over rounds that each measured both. Nil if there is no floor or it was
    /// disturbed.
    let ratio: Double?
    /// The disturbance of a floor because of which the figures do not count, or nil if there was none.
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

    /// Returns whether the median reaches the row's target, or nil if there is no target or the figures do not count.
    func reachesTarget(of row: Row) -> Bool? {
        if disturbance != nil { return nil }
        return switch row.target {
        case .atMost(let figure): median <= figure
        case .timesFloor(let factor): ratio.map { $0 <= factor }
        case nil: nil
        }
    }
}
