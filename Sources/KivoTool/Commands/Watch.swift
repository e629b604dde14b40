import Foundation
import Kivo
import KivoEngine
import KivoJournal

extension Command {
    static let watch = Command(
        name: "watch", summary: "Print what is committed to a file, as it happens.",
        discussion: """
            By any process, from now on, until it is interrupted. The file is only read. If it is made
            small or replaced meanwhile, the new one is watched. Commits have the numbers of 'log', which
            counts those in the file. Numbers of objects are printed at the beginning, and beneath each commit
            that changes them:

              kivo watch shop.kivo --class Sale --where "isPaid == true" --sum amount --by shop
            """,
        arguments: [.fileOrLog],
        options: [
            Option("--count", "COUNT", "End after so many commits."),
            Option("--class", "NAME", "Only commits that change a class. Can be given several times."),
        ] + WatchedNumbers.options + [.json, .text]
    ) { arguments, output in
        let limit = try arguments.count("--count")
        var source = try FollowedFile(arguments.words[0])
        var numbers = try source.withNewest { try WatchedNumbers(arguments, of: arguments.words[0], $0) }
        let names = arguments.values("--class")
        try source.withNewest { history in
            let classes = StoredClass.all(history.catalog)
            for name in names { _ = try StoredClass.named(name, in: classes, of: arguments.words[0]) }
        }
        for mirror in arguments.mirrors { try mirror.follow { output.complain($0) } }
        try CommitPrinter(output, classes: names).follow(&source, limit: limit, &numbers)
        return .success
    }
}

extension CommitPrinter {
    /// Prints numbers, and then each new commit with the numbers that it changed, up to the limit if there is one.
    func follow(_ source: inout some CommitSource, limit: Int?, _ numbers: inout WatchedNumbers?) throws {
        if let numbers { print(try source.withNewest { numbers.current($0) }) }
        var count = 0
        while true {
            try source.read { record, history in
                if let limit, count >= limit { return }
                let changed = numbers?.follow(record.kind, history) ?? []
                if try print(record, &history, changed), case .commit = record.kind { count += 1 }
            }
            if let changed = try source.withNewest({
                numbers?.areOutdated($0) == true ? numbers?.evaluate($0) : nil
            }) {
                print(changed)
            }
            output.flush()
            try output.checkIsOpen()
            if let limit, count >= limit { return }
            source.wait()
        }
    }

    /// Prints numbers that belong to no commit.
    private func print(_ numbers: [NumberChange]) {
        if numbers.isEmpty { return }
        if output.isJSON {
            output.write(JSONText.line { $0.numbers(numbers) })
        } else {
            output.write(numbers.map(\.text).joined())
        }
        output.flush()
    }
}

/// A source of other processes' commits: a file that is polled, or a sender of notifications.
protocol CommitSource {
    /// Calls `body` with each commit since the last call. The commit is then the last one of the history.
    mutating func read(_ body: (JournalReader.Record, inout CommitHistory) throws -> Void) throws

    /// Calls `body` with the history up to the last commit that was read.
    func withNewest<Result>(_ body: (CommitHistory) throws -> Result) throws -> Result

    /// Returns when there may be new commits.
    func wait()
}

/// A source of a file's commits, which reads the file from where it stopped.
struct FollowedFile: CommitSource {
    private let path: String
    private var current: Current
    /// The semaphore that is signalled when another process commits.
    private let newCommits: DispatchSemaphore
    /// The number of the last record that was reported.
    private var printedVersion: UInt64 = 0

    /// The file that is or was at the path.
    private final class Current {
        let device: FileDevice
        var reader: JournalReader
        var history = CommitHistory(keepsChanges: true)
        private let newCommits: DispatchSemaphore

        init(_ path: String, _ newCommits: DispatchSemaphore) throws {
            device = try FileDevice.open(path: path, readOnly: true, isShared: true, isLocked: false)
            self.newCommits = newCommits
            device.sharing?.watch { newCommits.signal() }
            reader = JournalReader(device)
        }

        deinit {
            history.discard()
            device.sharing?.close()
            device.close()
        }
    }

    /// Opens a file and reads its existing commits, which are not reported.
    init(_ path: String) throws {
        self.path = path
        let newCommits = DispatchSemaphore(value: 0)
        self.newCommits = newCommits
        // Watching a damaged file would report nothing, not even the damage.
        _ = try StoredFile.read(path)
        current = try StoredFile.reporting(path) { try Current(path, newCommits) }
        printedVersion = try StoredFile.reporting(path) { [current] in
            var last: UInt64 = 0
            try current.reader.readOn(into: &current.history) { history, record in
                last = record.number
                history.forgetLast()
            }
            return last
        }
    }

    mutating func read(_ body: (JournalReader.Record, inout CommitHistory) throws -> Void) throws {
        try StoredFile.reporting(path) {
            // Commits to the old file from before its replacement are reported first.
            let isDisplaced = (try? current.device.checkName()) == nil
            _ = try read(current, body)
            // The new file begins with an earlier state of the old one. Later commits were copied, and some or all of these were
            // already reported.
            if isDisplaced, let next = try? Current(path, newCommits), try read(next, body) { current = next }
        }
    }

    /// Reads further, and reports each commit that was not reported before. Returns whether it read any record.
    private mutating func read(
        _ current: Current, _ body: (JournalReader.Record, inout CommitHistory) throws -> Void
    ) throws -> Bool {
        var (last, isThere) = (printedVersion, false)
        try current.reader.readOn(into: &current.history) { history, record in
            isThere = true
            if record.kind.isData, record.number > last {
                try body(record, &history)
                last = record.number
            }
            history.forgetLast()
        }
        printedVersion = last
        return isThere
    }

    /// Calls `body` with the history up to the last commit that was read.
    func withNewest<Result>(_ body: (CommitHistory) throws -> Result) throws -> Result {
        try StoredFile.reporting(path) { try body(current.history) }
    }

    /// Waits for a notification of a commit. The file is also polled, because notifications may be unavailable and files may be
    /// replaced by hand.
    func wait() { _ = newCommits.wait(timeout: .now() + (current.device.sharing == nil ? 0.02 : 0.5)) }
}
