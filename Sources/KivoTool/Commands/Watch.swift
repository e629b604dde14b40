import Foundation
import KivoJournal

extension Command {
    static let watch = Command(
        name: "watch", summary: "Print what is committed to a file, as it happens.",
        discussion: """
            By any process, from now on, until it is interrupted. The file is only read. If it is made
            small or replaced meanwhile, the new one is watched.
            """,
        arguments: [.file],
        options: [Option("--count", "COUNT", "End after so many commits."), .json, .text]
    ) { given, output in
        let limit = try given.count("--count")
        var source = try FollowedFile(given.words[0])
        try CommitTeller.follow(&source, limit: limit, output)
        return .success
    }
}

extension CommitTeller {
    /// Prints commits as they come; all, or so many.
    static func follow(_ source: inout some CommitSource, limit: Int?, _ output: Output) throws {
        var teller = CommitTeller(output)
        while true {
            try source.read { record, history in
                if let limit, teller.number >= limit { return }
                try teller.tell(record, &history)
            }
            output.flush()
            try output.checkIsRead()
            if let limit, teller.number >= limit { return }
            source.wait()
        }
    }
}

/// Where commits come from that others make: a file that is looked at now and then, or somebody who tells of them.
protocol CommitSource {
    /// Calls `body` with each commit since the last call; the history has it as the last one.
    mutating func read(_ body: (JournalReader.Record, inout CommitHistory) throws -> Void) throws

    /// Returns when there may be something to read.
    func wait()
}

/// The commits of a file, found by reading on.
struct FollowedFile: CommitSource {
    private let path: String
    private var current: Current
    /// The checksums of the newest commits that were read.
    private var recent: [UInt64] = []

    /// The file that is at the path, or was there.
    private final class Current {
        let device: FileDevice
        var reader: JournalReader
        var history = CommitHistory(keepsChanges: true)

        init(_ path: String) throws {
            device = try FileDevice.open(path: path, readOnly: true, isLocked: false)
            reader = JournalReader(device)
        }

        deinit {
            history.discard()
            device.close()
        }

        /// Reads what there is, and tells nobody. Returns the checksums of the commits.
        func skip() throws -> [UInt64] {
            var checksums: [UInt64] = []
            try reader.readOn(into: &history) { history, record in
                if case .commit = record.kind { checksums.append(record.checksum) }
                history.forgetLast()
            }
            return checksums
        }
    }

    /// Reads what is there; that is not told of.
    init(_ path: String) throws {
        self.path = path
        // Of a damaged file there would be nothing to tell but silence.
        _ = try StoredFile.read(path)
        current = try StoredFile.reporting(path) { try Current(path) }
        recent = try StoredFile.reporting(path) { [current] in try current.skip() }
    }

    mutating func read(_ body: (JournalReader.Record, inout CommitHistory) throws -> Void) throws {
        try StoredFile.reporting(path) {
            // What was written to a file before it was replaced is told first.
            let isInPlace = (try? current.device.checkPlace()) != nil
            try current.reader.readOn(into: &current.history) { history, record in
                if case .commit = record.kind { recent.append(record.checksum) }
                try body(record, &history)
                history.forgetLast()
            }
            if recent.count > 1 << 16 { recent.removeFirst(recent.count / 2) }
            if !isInPlace, let next = try? Current(path) { try move(to: next, body) }
        }
    }

    /// Goes on with the file that took the place of the current one. It begins with what was there at some time; commits that
    /// came after that were copied, and some or all of them were told already.
    private mutating func move(
        to next: Current, _ body: (JournalReader.Record, inout CommitHistory) throws -> Void
    ) throws {
        let told = try FollowedFile.commonCount(recent, Current(path).skip())
        var count = 0
        var hasBegun = false
        try next.reader.readOn(into: &next.history) { history, record in
            hasBegun = true
            if case .commit = record.kind {
                count += 1
                if count > told {
                    recent.append(record.checksum)
                    try body(record, &history)
                }
            }
            history.forgetLast()
        }
        if hasBegun { current = next }
    }

    /// How many commits at the end of some are those at the start of others; the most, if that can be said in several ways.
    private static func commonCount(_ a: [UInt64], _ b: [UInt64]) -> Int {
        for count in stride(from: min(a.count, b.count), to: 0, by: -1)
        where a.suffix(count).elementsEqual(b.prefix(count)) {
            return count
        }
        return 0
    }

    func wait() { Thread.sleep(forTimeInterval: 0.02) }
}
