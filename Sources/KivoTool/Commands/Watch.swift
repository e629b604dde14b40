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
    /// Signalled when somebody has committed.
    private let news: DispatchSemaphore
    /// The number of the last record that was told.
    private var told: UInt64 = 0

    /// The file that is at the path, or was there.
    private final class Current {
        let device: FileDevice
        var reader: JournalReader
        var history = CommitHistory(keepsChanges: true)
        private let news: DispatchSemaphore

        init(_ path: String, _ news: DispatchSemaphore) throws {
            device = try FileDevice.open(path: path, readOnly: true, isShared: true, isLocked: false)
            self.news = news
            device.sharing?.watch { news.signal() }
            reader = JournalReader(device)
        }

        deinit {
            history.discard()
            device.sharing?.close()
            device.close()
        }
    }

    /// Reads what is there; that is not told of.
    init(_ path: String) throws {
        self.path = path
        let news = DispatchSemaphore(value: 0)
        self.news = news
        // Of a damaged file there would be nothing to tell but silence.
        _ = try StoredFile.read(path)
        current = try StoredFile.reporting(path) { try Current(path, news) }
        told = try StoredFile.reporting(path) { [current] in
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
            // What was written to a file before it was replaced is told first.
            let isInPlace = (try? current.device.checkPlace()) != nil
            _ = try read(current, body)
            // The one that took its place begins with what was there at some time; what came after that was copied, and some or
            // all of it was told already.
            if !isInPlace, let next = try? Current(path, news), try read(next, body) { current = next }
        }
    }

    /// Reads on, and tells what was not told yet. Returns whether there was anything.
    private mutating func read(
        _ current: Current, _ body: (JournalReader.Record, inout CommitHistory) throws -> Void
    ) throws -> Bool {
        var (last, isThere) = (told, false)
        try current.reader.readOn(into: &current.history) { history, record in
            isThere = true
            if record.kind.isData, record.number > last {
                try body(record, &history)
                last = record.number
            }
            history.forgetLast()
        }
        told = last
        return isThere
    }

    /// Waits until somebody says that he has committed. Where nobody can be heard of, and for files that are replaced by hand, the
    /// file is looked at now and then.
    func wait() { _ = news.wait(timeout: .now() + (current.device.sharing == nil ? 0.02 : 0.5)) }
}
