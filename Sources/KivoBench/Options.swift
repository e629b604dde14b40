import Foundation

/// What the command line asks for.
struct Options {
    enum Mode: Equatable {
        case measure
        case list
        case help
        /// Hidden: this process is a child that measures its own memory for a row of the table.
        case memoryChild(MemoryProbe, Int)
    }

    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    static let memoryChildFlag = "--memory-child"

    static let usage = """
        usage: kivo-bench [--quick] [--growth] [--filter REGEX] [--json | --list]

          --quick         a tenth of the sizes (for CI; the targets hold for the full sizes)
          --growth        more rows, which show how figures grow with the data: view.sorted/1@10M is
                          view.sorted/1 with 10M rows, whatever the size of the table is. They have no
                          targets, need some GB of memory, and are all that --filter @ selects
          --filter REGEX  only rows whose name contains a match, and the floors they are compared with
          --json          only JSON on standard output: name, median, min, unit, floor, ratio
          --list          print the names, issues, units and targets, measure nothing
          --help          print this

        A ratio to a floor is the median over rounds that measured the row and the floor next to each other,
        because a shared machine drifts; it need not be the quotient of the two medians printed.
        """

    private(set) var mode = Mode.measure
    private(set) var json = false
    private(set) var quick = false
    private(set) var growth = false
    private var filter: Regex<AnyRegexOutput>?

    init(arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": json = true
            case "--quick": quick = true
            case "--growth": growth = true
            case "--list": mode = .list
            case "--help", "-h": mode = .help
            case "--filter": filter = try Self.regex(rest.popFirst())
            case _ where argument.hasPrefix("--filter="):
                filter = try Self.regex(String(argument.dropFirst("--filter=".count)))
            case Self.memoryChildFlag:
                guard let probe = rest.popFirst().flatMap(MemoryProbe.init),
                    let count = rest.popFirst().flatMap(Int.init), count > 0
                else {
                    throw UsageError(description: "\(Self.memoryChildFlag) needs a row and a number of objects")
                }
                mode = .memoryChild(probe, count)
            default:
                throw UsageError(description: "unknown argument '\(argument)'")
            }
        }
    }

    /// The rows that are asked for, in the order of the table.
    var rows: [Row] {
        let rows = growth ? Rows.all + Rows.growth : Rows.all
        guard let filter else { return rows }
        return rows.filter { $0.name.firstMatch(of: filter) != nil }
    }

    private static func regex(_ pattern: String?) throws -> Regex<AnyRegexOutput> {
        guard let pattern else { throw UsageError(description: "--filter needs a regular expression") }
        do {
            return try Regex(pattern)
        } catch {
            throw UsageError(description: "'\(pattern)' is not a regular expression: \(error)")
        }
    }
}
