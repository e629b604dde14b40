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
        do {
            switch options.mode {
            case .help: print(Options.usage)
            case .list: Table.list(options.rows)
            case .group(let name): try GroupRunner.runAsChild(options, group: name)
            case .memory(let probe, let count): print(try probe.bytesPerObject(count))
            case .opening(let probe): print(try probe.bytes())
            case .closed(let probe): print(try probe.run())
            case .largeFile(let probe): print(try probe.run())
            case .writing(let writer): try writer.run()
            case .measure: try measure(options)
            }
        } catch {
            complain("kivo-bench: \(error)")
            exit(1)
        }
    }

    private static func measure(_ options: Options) throws {
        let runner = GroupRunner(options)
        if options.json {
            var report = JSONReport()
            defer { print(report.text) }
            try runner.run { report.add($0, of: $1) }
        } else {
            var table = Table(quick: options.quick)
            defer { table.finish() }
            try runner.run { table.add($0, of: $1) }
        }
    }

    /// Prints a message to standard error, because standard output is for the results.
    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
    }
}
