import Foundation

/// The options of the command line.
struct Options {
    enum Mode: Equatable {
        case measure
        case list
        case help
        /// Hidden: this process is a child that measures the rows of one group.
        case group(String)
        /// Hidden: this process is a child that measures its own memory for a row of the table.
        case memory(MemoryProbe, Int)
        /// Hidden: this process is a child that opens a file, and measures its own memory.
        case opening(OpeningProbe)
        /// Hidden: this process is a child that writes a file, or opens it.
        case closed(ClosedFileProbe)
        /// Hidden: this process is a child that works with a large file, and measures its own memory.
        case largeFile(LargeFileProbe)
        /// Hidden: this process is a child that commits to a file.
        case writing(ProcessWriter)
    }

    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    static let groupFlag = "--group-child"
    static let memoryFlag = "--memory-child"
    static let openingFlag = "--opening-child"
    static let writingFlag = "--writing-child"
    static let closedFlag = "--closed-child"
    static let largeFileFlag = "--large-file-child"

    static let usage = """
        usage: kivo-bench [--quick] [--growth] [--filter REGEX] [--one-process] [--json | --list]

          --quick         a tenth of the sizes (for CI; the targets hold for the full sizes)
          --growth        more rows, which show how figures grow with the data: view.sorted/1@10M is
                          view.sorted/1 with 10M rows, whatever the size of the table is. They have no
                          targets, need some GB of memory, and are all that --filter @ selects
          --filter REGEX  only rows whose name contains a match, and the floors they are compared with
          --one-process   all in this process, for a profiler; otherwise each group of rows has a process
                          of its own, so that no row meets the memory that another group left behind
          --json          only JSON on standard output: name, median, min, p99 (of rows that time single
                          steps), unit, floor, ratio, void (why the figures do not count; ratio is null)
          --list          print the names, issues, units and targets, measure nothing
          --help          print this

        A ratio to a floor is the median over rounds that measured the row and the floor next to each other,
        because a shared machine drifts; it need not be the quotient of the two medians printed. Figures of
        rows that use the disk are void when floor.fsync took too long: the disk was busy with other things.
        """

    private(set) var mode = Mode.measure
    private(set) var json = false
    private(set) var quick = false
    private(set) var growth = false
    private(set) var oneProcess = false
    private var pattern: String?
    private var filter: Regex<AnyRegexOutput>?

    init(arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": json = true
            case "--quick": quick = true
            case "--growth": growth = true
            case "--one-process": oneProcess = true
            case "--list": mode = .list
            case "--help", "-h": mode = .help
            case "--filter": try setFilter(rest.popFirst())
            case _ where argument.hasPrefix("--filter="):
                try setFilter(String(argument.dropFirst("--filter=".count)))
            case Self.groupFlag:
                guard let name = rest.popFirst() else {
                    throw UsageError(description: "\(Self.groupFlag) needs the name of a group")
                }
                mode = .group(name)
            case Self.memoryFlag:
                guard let probe = rest.popFirst().flatMap(MemoryProbe.init),
                    let count = rest.popFirst().flatMap(Int.init), count > 0
                else {
                    throw UsageError(description: "\(Self.memoryFlag) needs a row and a number")
                }
                mode = .memory(probe, count)
            case Self.openingFlag, Self.writingFlag:
                guard let path = rest.popFirst(), let count = rest.popFirst().flatMap(Int.init), count > 0
                else {
                    throw UsageError(description: "\(argument) needs a path and a number")
                }
                mode =
                    argument == Self.openingFlag
                    ? .opening(OpeningProbe(path: path, count: count))
                    : .writing(ProcessWriter(path: path, count: count))
            case Self.closedFlag:
                guard let part = rest.popFirst().flatMap(ClosedFileProbe.Part.init),
                    let path = rest.popFirst(), let count = rest.popFirst().flatMap(Int.init), count > 0
                else {
                    throw UsageError(description: "\(argument) needs what to do, a path and a number")
                }
                mode = .closed(ClosedFileProbe(part: part, path: path, count: count))
            case Self.largeFileFlag:
                guard let part = rest.popFirst().flatMap(LargeFileProbe.Part.init),
                    let path = rest.popFirst(), let count = rest.popFirst().flatMap(Int.init), count > 0,
                    let cacheSize = rest.popFirst().flatMap(Int.init)
                else {
                    throw UsageError(description: "\(argument) needs what to do, a path, a number and a size")
                }
                mode = .largeFile(
                    LargeFileProbe(part: part, path: path, count: count, cacheSize: cacheSize))
            default:
                throw UsageError(description: "unknown argument '\(argument)'")
            }
        }
    }

    /// The divisor of all sizes.
    var scale: Int { quick ? 10 : 1 }

    /// The requested rows, in the order of the table.
    var rows: [Row] { known.flatMap(\.rows).filter(isAsked) }

    /// The groups with the rows to measure: the requested rows and their floors.
    var groups: [RowGroup] {
        let floors = Set(rows.compactMap { $0.floor?.name })
        return known.map { group in
            RowGroup(group.name, group.rows.filter { isAsked($0) || floors.contains($0.name) })
        }.filter { !$0.rows.isEmpty }
    }

    /// Returns the arguments that start this program as the child that measures one of the groups.
    func arguments(for group: RowGroup) -> [String] {
        var arguments = [Self.groupFlag, group.name]
        if quick { arguments.append("--quick") }
        if growth { arguments.append("--growth") }
        if let pattern { arguments += ["--filter", pattern] }
        return arguments
    }

    private var known: [RowGroup] { growth ? Rows.groups + Rows.growth : Rows.groups }

    private func isAsked(_ row: Row) -> Bool {
        guard let filter else { return true }
        return row.name.firstMatch(of: filter) != nil
    }

    private mutating func setFilter(_ pattern: String?) throws {
        guard let pattern else { throw UsageError(description: "--filter needs a regular expression") }
        do {
            filter = try Regex(pattern)
        } catch {
            throw UsageError(description: "'\(pattern)' is not a regular expression: \(error)")
        }
        self.pattern = pattern
    }
}
