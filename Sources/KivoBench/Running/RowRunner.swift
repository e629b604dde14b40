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
