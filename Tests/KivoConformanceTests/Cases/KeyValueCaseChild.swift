#if os(Linux)
import Foundation

/// Runs cases in processes of their own, because misuse, and what goes wrong, ends the process.
///
/// A child is this same test process again, with one test and an order in its environment. It writes what
/// came of it to a file, line by line, so that a parent knows what the child was at when it died.
enum KeyValueCaseChild {
    private static let variable = "KIVO_KEYVALUE_CHILD"

    /// An order to a child process.
    struct Order: Codable {
        var file: String
        var kind: KeyValueCaseKind
        var results: String
        /// The first pair to run, or the pair that has a step that fails.
        var pair: Int
        /// The step that has to end the process.
        var failing: Int?
    }

    /// The order that this process was started with.
    static var order: Order? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        return try? JSONDecoder().decode(Order.self, from: Data(text.utf8))
    }

    /// One line of a child.
    struct Line: Codable {
        var pair: Int
        /// Nil when the pair begins.
        var outcome: KeyValueCaseOutcome?
    }

    /// How a child ended.
    struct End {
        var lines: [Line]
        var hasFailed: Bool
        var errors: String

        /// The message of a trap in words.
        var message: String? {
            guard let start = errors.range(of: "Fatal error: ") else { return nil }
            return String(errors[start.upperBound...].prefix { $0 != "\n" })
        }
    }

    /// Carries out the order of this process.
    static func carryOut(_ order: Order) throws {
        guard let cases = try KeyValueCase.load(URL(fileURLWithPath: order.file)),
            let output = FileHandle(forWritingAtPath: order.results)
        else { throw ConformanceError("\(order.file) is no file of cases") }
        let pairs = cases.flatMap { $0.pairs(order.kind) }
        func write(_ line: Line) {
            guard let data = try? JSONEncoder().encode(line) else { return }
            output.write(data + Data("\n".utf8))
        }
        if let failing = order.failing {
            try KeyValueCaseRun.fail(pairs[order.pair], at: failing) { write(Line(pair: order.pair)) }
            return write(Line(pair: order.pair, outcome: .agrees))
        }
        for index in order.pair..<pairs.count {
            write(Line(pair: index))
            write(Line(pair: index, outcome: KeyValueCaseRun.run(pairs[index])))
        }
    }

    /// Starts a child and waits for its end.
    static func run(_ file: URL, _ kind: KeyValueCaseKind, pair: Int, failing: Int? = nil) throws -> End {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let files = try ["results", "errors", "output"].map { name -> URL in
            let url = directory.appendingPathComponent(name)
            try Data().write(to: url)
            return url
        }
        let order = Order(
            file: file.path, kind: kind, results: files[0].path, pair: pair, failing: failing)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["KivoConformanceTests.KeyValueCaseTests/testChild"]
        var environment = ProcessInfo.processInfo.environment
        environment[variable] = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        // The message is all that is wanted of a trap.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardError = try FileHandle(forWritingTo: files[1])
        process.standardOutput = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        let lines = String(decoding: try Data(contentsOf: files[0]), as: UTF8.self).split(separator: "\n")
        return End(
            lines: lines.compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) },
            hasFailed: process.terminationReason != .exit || process.terminationStatus != 0,
            errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self))
    }
}

extension KeyValueCaseChild {
    /// Runs all pairs of a file; a pair that ends its process disagrees, and the next goes on in another
    /// process.
    static func runAll(
        _ pairs: [KeyValueCasePair], _ kind: KeyValueCaseKind, of file: URL
    ) throws -> [KeyValueCaseOutcome] {
        var outcomes: [KeyValueCaseOutcome] = []
        while outcomes.count < pairs.count {
            let end = try run(file, kind, pair: outcomes.count)
            outcomes += end.lines.compactMap(\.outcome)
            guard outcomes.count < pairs.count else { break }
            guard end.lines.last?.pair == outcomes.count else {
                throw ConformanceError("a child ended without a word: \(end.errors.prefix(500))")
            }
            outcomes.append(.disagrees("the process ended: \(end.message ?? "without a message in words")"))
        }
        return try checkFailingSteps(pairs, kind, outcomes, of: file)
    }

    /// Checks each step that has to fail, in a process of its own.
    private static func checkFailingSteps(
        _ pairs: [KeyValueCasePair], _ kind: KeyValueCaseKind, _ outcomes: [KeyValueCaseOutcome],
        of file: URL
    ) throws -> [KeyValueCaseOutcome] {
        var checks: [(pair: Int, step: Int, raises: String)] = []
        for (index, pair) in pairs.enumerated() {
            if case .leftOut = outcomes[index] { continue }
            for (step, content) in pair.test.steps.enumerated() {
                if let raises = content.raises { checks.append((index, step, raises)) }
            }
        }
        let results = Complaints()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        for check in checks {
            queue.addOperation {
                guard let complaint = complaint(file, kind, check) else { return }
                results.add(check.pair, "step \(check.step): \(complaint)")
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        var outcomes = outcomes
        for (pair, complaints) in results.all {
            let text = complaints.sorted().joined(separator: "; ")
            if case .disagrees(let other) = outcomes[pair] {
                outcomes[pair] = .disagrees("\(other); \(text)")
            } else {
                outcomes[pair] = .disagrees(text)
            }
        }
        return outcomes
    }

    private static func complaint(
        _ file: URL, _ kind: KeyValueCaseKind, _ check: (pair: Int, step: Int, raises: String)
    ) -> String? {
        do {
            let end = try run(file, kind, pair: check.pair, failing: check.step)
            guard let last = end.lines.last else {
                return "did not come to it: \(end.message ?? String(end.errors.suffix(300)))"
            }
            if last.outcome != nil || !end.hasFailed { return "was to fail (\(check.raises)) and did not" }
            guard let message = end.message else { return "failed without a message in words" }
            return KeyValueCaseFailure.fits(check.raises, message)
                ? nil : "was to fail (\(check.raises)), and failed with: \(message)"
        } catch {
            return "could not be tried: \(error)"
        }
    }

    /// The complaints, collected from several threads.
    private final class Complaints: @unchecked Sendable {
        private let lock = NSLock()
        private var complaints: [Int: [String]] = [:]

        func add(_ pair: Int, _ complaint: String) {
            lock.withLock { complaints[pair, default: []].append(complaint) }
        }

        var all: [Int: [String]] { lock.withLock { complaints } }
    }
}
#endif
