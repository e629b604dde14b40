/// The piece of work that a row, and the reaching of its target, belongs to.
enum Issue: String {
    case floor
    case standUp = "stand-up"
    case queries
    case kvo
    case sound
    case observing
    case delivery
    case files
    case realmFiles = "realm-files"
}

/// What a figure is printed in. Samples are taken in nanoseconds, in bytes, or in multiples of something.
enum FigureUnit: String {
    case ns, us, ms
    case bytes = "B"
    case times = "×"

    /// Samples in one of this unit.
    var size: Double {
        switch self {
        case .ns, .bytes, .times: 1
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
    let measure: (Fixtures) throws -> Samples
    /// Floor operations in one figure: 1 for rows per operation, the number of operations for rows in total.
    let operations: (Fixtures) -> Int

    init(_ floor: Floor, operations: @escaping (Fixtures) -> Int = { _ in 1 }) {
        self.init(floor.row, operations: operations)
    }

    /// Another row, which shows what the same costs without something.
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
    /// Whether the disk has part in the figure, so that it counts only if the disk was not disturbed.
    let usesDisk: Bool
    /// Takes at least five samples, in nanoseconds (as they are for `FigureUnit.bytes` and `.times`).
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

    /// The target as the table says it, "≤ 5 us" or "≤ 2 × floor.get".
    var targetText: String {
        switch target {
        case .atMost(let figure): "≤ \(Figure.text(figure)) \(unit.rawValue)"
        case .timesFloor(let factor): "≤ \(Figure.text(factor)) × \(floor?.name ?? "floor")"
        case nil: ""
        }
    }
}

/// Rows that are measured in one process, one after the other, because they share data or because one of them is no
/// burden to the next.
struct RowGroup {
    let name: String
    let rows: [Row]

    init(_ name: String, _ rows: [Row]) {
        self.name = name
        self.rows = rows
    }
}
