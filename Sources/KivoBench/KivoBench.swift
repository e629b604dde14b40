import Foundation

/// `kivo-bench`: measures Kivo through its public API and prints each figure beside its target and its floor.
@main
enum KivoBench {
    static func main() {
        let options: Options
        do {
            options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("kivo-bench: \(error)\n\n\(Options.usage)")
            exit(64)
        }

        let fixtures = Fixtures(scale: options.quick ? 10 : 1)
        var status: Int32 = 0
        do {
            switch options.mode {
            case .help: print(Options.usage)
            case .list: Report.list(options.rows)
            case .memoryChild(let probe, let count): print(try probe.bytesPerObject(count))
            case .measure: try measure(options, fixtures)
            }
        } catch {
            complain("kivo-bench: \(error)")
            status = 1
        }
        fixtures.removeFiles()
        exit(status)
    }

    private static func measure(_ options: Options, _ fixtures: Fixtures) throws {
        let runner = Runner(rows: options.rows, fixtures: fixtures)
        if options.json {
            var measurements: [Measurement] = []
            try runner.run { measurements.append($0) }
            print(Report.json(measurements))
        } else {
            var table = Report.Table(quick: options.quick)
            try runner.run { table.add($0) }
            table.finish()
        }
    }

    /// Standard output belongs to the results, so whatever else there is to say goes to standard error.
    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
    }
}
