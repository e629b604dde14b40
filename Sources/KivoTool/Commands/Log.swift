import KivoJournal

extension Command {
    static let log = Command(
        name: "log", summary: "What each commit in a file changed.",
        discussion: "Of the commits since the file was made, or last written anew; the oldest first.",
        arguments: [.fileOrLog],
        options: [
            Option("--last", "COUNT", "Only so many commits, the newest."), .json, .text,
        ]
    ) { arguments, output in
        let last = try arguments.count("--last")
        let file = try StoredFile.read(arguments.words[0])
        let total = try CommitPrinter.count(file)
        let printer = CommitPrinter(output, first: total - (last ?? total) + 1)
        try StoredFile.reporting(file.path) {
            var reader = JournalReader(file.device)
            var history = CommitHistory(keepsChanges: true)
            defer { history.discard() }
            try reader.readOn(into: &history) { history, record in try printer.print(record, &history) }
        }
        return .success
    }
}

/// A printer of the changes of commits.
struct CommitPrinter {
    private let output: Output
    /// The first commit of the file that is printed, counted from 1.
    private let first: Int

    init(_ output: Output, first: Int = 1) { (self.output, self.first) = (output, first) }

    /// Returns the number of commits in a file.
    static func count(_ file: StoredFile) throws -> Int {
        var reader = JournalReader(file.device)
        var history = CommitHistory()
        defer { history.discard() }
        var count = 0
        try StoredFile.reporting(file.path) {
            try reader.readOn(into: &history) { _, record in count = record.commitCount }
        }
        return count
    }

    func print(_ record: JournalReader.Record, _ history: inout CommitHistory) throws {
        defer { history.forgetLast() }
        switch record.kind {
        case .beginning(0): return
        case .schemaVersion(let version), .beginning(let version), .migration(let version):
            if record.commitCount + 1 < first { return }
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("record", Int(clamping: record.sequence))
                        json.member("schemaVersion", Int(clamping: version))
                    })
            } else {
                output.write("schema version \(version)\n")
            }
        case .commit:
            if record.commitCount < first { return }
            let changes = CommitChanges(history)
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("commit", record.commitCount)
                        json.member("record", Int(clamping: record.sequence))
                        json.member("offset", record.offset)
                        json.member("bytes", record.size)
                        changes.write(to: &json)
                    })
            } else {
                output.write(
                    "commit \(record.commitCount) (\(record.size) bytes at \(record.offset))\n\(changes.text)"
                )
            }
        }
        try output.checkIsOpen()
    }
}
