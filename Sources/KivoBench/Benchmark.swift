/// The piece of work that a row, and the reaching of its target, belongs to.
enum Issue: String {
    case floor
    case standUp = "stand-up"
    case queries
    case kvo
    case sound
    case observing
    case files
}

/// What a figure is printed in. Samples are taken in nanoseconds, or in bytes.
enum FigureUnit: String {
    case ns, us, ms
    case bytes = "B"

    /// Samples in one of this unit.
    var size: Double {
        switch self {
        case .ns, .bytes: 1
        case .us: 1e3
        case .ms: 1e6
        }
    }
}

/// What a row has to reach.
enum Target {
    /// A figure in the row's unit.
    case atMost(Double)
    /// A multiple of the row's floor.
    case timesFloor(Double)
}

/// What a row is compared with, measured in turns with it, and how many of it one figure of the row stands for.
struct FloorReference {
    let name: String
    let measure: (Fixtures) throws -> [Double]
    /// Floor operations in one figure: 1 for rows per operation, the number of operations for rows in total.
    let operations: (Fixtures) -> Int

    init(_ floor: Floor, operations: @escaping (Fixtures) -> Int = { _ in 1 }) {
        self.init(floor.row, operations: operations)
    }

    /// Another row of the same unit, which shows what the same costs without something.
    init(_ row: Row, operations: @escaping (Fixtures) -> Int = { _ in 1 }) {
        self.name = row.name
        self.measure = row.measure
        self.operations = operations
    }
}

/// One line of the table: what it is called, what it has to reach, and how it is measured.
struct Row {
    let name: String
    let issue: Issue
    let unit: FigureUnit
    let target: Target?
    let floor: FloorReference?
    /// Samples in nanoseconds (bytes for `FigureUnit.bytes`), at least five.
    let measure: (Fixtures) throws -> [Double]

    init(
        _ name: String, _ issue: Issue, _ unit: FigureUnit, _ target: Target? = nil,
        floor: FloorReference? = nil,
        measure: @escaping (Fixtures) throws -> [Double]
    ) {
        self.name = name
        self.issue = issue
        self.unit = unit
        self.target = target
        self.floor = floor
        self.measure = measure
    }

    /// The target as the table says it, "≤ 5 us" or "≤ 2 × floor.get".
    var targetText: String {
        switch target {
        case .atMost(let figure): "≤ \(Report.figure(figure)) \(unit.rawValue)"
        case .timesFloor(let factor):
            "≤ \(Report.figure(factor)) × \(floor?.name ?? "floor")"
        case nil: ""
        }
    }
}

/// What came out of one row, in the row's unit.
struct Measurement {
    let row: Row
    let median: Double
    let min: Double
    /// How many times its floor the row takes, where it names one: the median over rounds that each measured both.
    let ratio: Double?

    init(_ row: Row, samples: [Double], ratios: [Double]) {
        expect(samples.count >= 5, "\(row.name) took only \(samples.count) samples")
        self.row = row
        self.median = samples.median / row.unit.size
        self.min = (samples.min() ?? 0) / row.unit.size
        self.ratio = ratios.isEmpty ? nil : ratios.median
    }

    /// Whether the median reaches the target; nil where there is none.
    var reachesTarget: Bool? {
        switch row.target {
        case .atMost(let figure): median <= figure
        case .timesFloor(let factor): ratio.map { $0 <= factor }
        case nil: nil
        }
    }
}

/// Measures rows one after the other, in the order of the table.
struct Runner {
    private let rows: [Row]
    private let fixtures: Fixtures

    /// - Parameter rows: what was asked for; floors that they are compared with are measured in addition.
    init(rows: [Row], fixtures: Fixtures) {
        let asked = Set(rows.map(\.name))
        let floors = Set(rows.compactMap { $0.floor?.name })
        let missing = Rows.all.filter {
            floors.contains($0.name) && !asked.contains($0.name)
        }
        self.rows = missing + rows
        self.fixtures = fixtures
    }

    /// Hands over each measurement as it is made.
    func run(_ report: (Measurement) -> Void) throws {
        for row in rows { report(try measure(row)) }
    }

    /// The clock of a shared machine changes by half within a second, so a row and its floor are measured in turns
    /// and each round compares what lay next to each other.
    private func measure(_ row: Row) throws -> Measurement {
        guard let reference = row.floor else {
            return Measurement(row, samples: try row.measure(fixtures), ratios: [])
        }
        let operations = Double(reference.operations(fixtures))
        var samples: [Double] = []
        var ratios: [Double] = []
        for _ in 0..<Self.rounds {
            let floor = try reference.measure(fixtures).median * operations
            let round = try row.measure(fixtures)
            samples += round
            ratios.append(round.median / floor)
        }
        return Measurement(row, samples: samples, ratios: ratios)
    }

    private static let rounds = 7
}

extension [Double] {
    /// The middle one, or the mean of the two in the middle. There must be one.
    fileprivate var median: Double {
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
