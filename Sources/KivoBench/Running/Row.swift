/// The piece of work to which a row and its target belong.
enum Issue: String {
    case floor
    case standUp = "stand-up"
    case queries
    case fast
    case kvo
    case observed
    case sound
    case observing
    case delivery
    case files
    case realmFiles = "realm-files"
    case studio
    case etcd
    case truth
    case history
    case memory
    case pace
}

/// The unit in which a figure is printed. Samples are in nanoseconds, in bytes, or in multiples of another measurement.
enum FigureUnit: String {
    case ns, us, ms
    case bytes = "B"
    case times = "×"

    /// The size of this unit, in the unit of the samples.
    var size: Double {
        switch self {
        case .ns, .bytes, .times: 1
        case .us: 1e3
        case .ms: 1e6
        }
    }
}

/// The target of a row.
enum Target {
    /// A figure in the row's unit.
    case atMost(Double)
    /// A multiple of the row's floor.
    case timesFloor(Double)
}

/// The floor of a row, which is measured in turns with it, and the number of floor operations in one figure of the row.
struct FloorReference {
    let name: String
    let measure: (Fixtures) throws -> Samples
    /// The number of floor operations in one figure: 1 for rows per operation, the number of operations for rows in total.
    let operations: (Fixtures) -> Int

    init(_ floor: Floor, operations: @escaping (Fixtures) -> Int = { _ in 1 }) {
        self.init(floor.row, operations: operations)
    }

    /// Creates a reference to another row, which measures the same work without some part.
    init(_ row: Row, operations: @escaping (Fixtures) -> Int = { _ in 1 }) {
        self.name = row.name
        self.measure = row.measure
        self.operations = operations
    }
}

/// One line of the table: its name, its target and its measurement.
struct Row {
    let name: String
    let issue: Issue
    let unit: FigureUnit
    let target: Target?
    let floor: FloorReference?
    /// Whether the figure includes the disk, so that it only counts if the disk was not disturbed.
    let usesDisk: Bool
    /// Takes at least five samples, in nanoseconds (unscaled for `FigureUnit.bytes` and `.times`).
    let measure: (Fixtures) throws -> Samples

    init(
        _ name: String, _ issue: Issue, _ unit: FigureUnit, _ target: Target? = nil,
        floor: FloorReference? = nil, usesDisk: Bool = false,
        measure: @escaping (Fixtures) throws -> Samples
    ) {
        self.name = name
        self.issue = issue
        self.unit = unit
        self.target = target
        self.floor = floor
        self.usesDisk = usesDisk
        self.measure = measure
    }

    /// The target in the format of the table, "≤ 5 us" or "≤ 2 × floor.get".
    var targetText: String {
        switch target {
        case .atMost(let figure): "≤ \(Figure.text(figure)) \(unit.rawValue)"
        case .timesFloor(let factor): "≤ \(Figure.text(factor)) × \(floor?.name ?? "floor")"
        case nil: ""
        }
    }
}

/// Rows that are measured in one process, one after the other, because they share data or because no row disturbs the next.
struct RowGroup {
    let name: String
    let rows: [Row]

    init(_ name: String, _ rows: [Row]) {
        self.name = name
        self.rows = rows
    }
}

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
