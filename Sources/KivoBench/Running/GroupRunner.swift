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
