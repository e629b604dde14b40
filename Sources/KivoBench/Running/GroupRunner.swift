import Foundation

/// A runner that measures groups of rows, each in its own process.
struct GroupRunner {
    /// An error for groups that were not measured completely.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    let options: Options
    /// Measures a group in a child process, and calls the closure with each of its lines, one per measurement.
    private let child: (RowGroup, (String) throws -> Void) throws -> Void

    init(_ options: Options) {
        self.init(options) { group, line in
            try ChildProcess(arguments: options.arguments(for: group)).run(line)
        }
    }

    init(_ options: Options, child: @escaping (RowGroup, (String) throws -> Void) throws -> Void) {
        self.options = options
        self.child = child
    }

    /// Calls `report` with each measurement as soon as it is made. If a group fails, the others are still measured.
    func run(_ report: (RowMeasurement, Row) -> Void) throws {
        var failures: [String] = []
        for group in options.groups {
            do {
                try run(group, report)
            } catch {
                failures.append("group '\(group.name)': \(error)")
            }
        }
        if !failures.isEmpty { throw Failed(description: failures.joined(separator: "\n")) }
    }

    private func run(_ group: RowGroup, _ report: (RowMeasurement, Row) -> Void) throws {
        var left = group.rows[...]
        func take(_ measurement: RowMeasurement) throws {
            guard let row = left.popFirst(), row.name == measurement.name else {
                throw Failed(description: "'\(measurement.name)' was measured out of turn")
            }
            report(measurement, row)
        }
        if options.oneProcess {
            try Self.measure(group, scale: options.scale, take)
        } else {
            let decoder = JSONDecoder()
            do {
                try child(group) { line in
                    try take(decoder.decode(RowMeasurement.self, from: Data(line.utf8)))
                }
            } catch let failure as ChildProcess.Failure {
                throw Failed(
                    description: "\(failure), in \(left.first.map { "row '\($0.name)'" } ?? "the end")")
            }
        }
        if let row = left.first { throw Failed(description: "row '\(row.name)' was not measured") }
    }

    /// Measures the rows of a group and writes one line for each. The child process runs this.
    static func runAsChild(_ options: Options, group name: String) throws {
        guard let group = options.groups.first(where: { $0.name == name }) else {
            throw Failed(description: "no group '\(name)'")
        }
        let encoder = JSONEncoder()
        try measure(group, scale: options.scale) { measurement in
            print(String(decoding: try encoder.encode(measurement), as: UTF8.self))
            fflush(nil)
        }
    }

    /// Measures a group of rows with their own data.
    private static func measure(
        _ group: RowGroup, scale: Int, _ report: (RowMeasurement) throws -> Void
    ) throws {
        let fixtures = Fixtures(scale: scale)
        defer { fixtures.removeFiles() }
        try RowRunner(fixtures: fixtures).run(group.rows, report)
    }
}

/// A child process that runs a program, by default this one. It shares no memory with earlier work in this process.
struct ChildProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var executable = Bundle.main.executableURL
    let arguments: [String]

    /// Calls the closure with each line that the child writes to its standard output, as soon as it is written. Throws if the
    /// child fails.
    func run(_ line: (String) throws -> Void) throws {
        guard let executable else {
            throw Failure(description: "the program does not know where it is")
        }
        let child = Process()
        let output = Pipe()
        child.executableURL = executable
        child.arguments = arguments
        child.standardOutput = output
        try child.run()
        var rest = Data()
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try line(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
        }
        child.waitUntilExit()
        switch child.terminationReason {
        case .uncaughtSignal: throw Failure(description: "was ended by signal \(child.terminationStatus)")
        case .exit where child.terminationStatus == 0: break
        default: throw Failure(description: "ended with status \(child.terminationStatus)")
        }
    }
}

/// A runner that measures rows in this process, one after the other.
struct RowRunner {
    let fixtures: Fixtures

    /// Calls `report` with each measurement as soon as it is made.
    func run(_ rows: [Row], _ report: (RowMeasurement) throws -> Void) throws {
        for row in rows { try report(try measure(row)) }
    }

    /// Measures a row and its floor in turns, and compares them within each round. The clock of a shared machine can change by
    /// half within a second.
    private func measure(_ row: Row) throws -> RowMeasurement {
        var disk: [Double] = []
        func watchDisk() throws {
            if row.usesDisk { disk += try Floor.fsync.row.measure(fixtures).values }
        }
        try watchDisk()
        guard let reference = row.floor else {
            let samples = try row.measure(fixtures)
            try watchDisk()
            return RowMeasurement(row, samples, disturbance: Floor.fsync.disturbance(disk))
        }
        let operations = Double(reference.operations(fixtures))
        var samples: [Samples] = []
        var ratios: [Double] = []
        for _ in 0..<Self.rounds {
            let floor = try reference.measure(fixtures)
            let round = try row.measure(fixtures)
            if reference.name == Floor.fsync.rawValue { disk += floor.values }
            samples.append(round)
            ratios.append(round.median / (floor.median * operations))
        }
        try watchDisk()
        return RowMeasurement(
            row, Samples(joining: samples), ratios: ratios, disturbance: Floor.fsync.disturbance(disk))
    }

    private static let rounds = 7
}
