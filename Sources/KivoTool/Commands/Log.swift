import KivoJournal

extension Command {
    static let log = Command(
        name: "log", summary: "What each commit in a file changed.",
        discussion: "Of the commits since the file was made, or last written anew; the oldest first.",
        arguments: [.file],
        options: [
            Option("--last", "COUNT", "Only so many commits, the newest."), .json, .text,
        ]
    ) { arguments, output in
        let last = try arguments.count("--last")
        let file = try StoredFile.read(arguments.words[0])
        let total = try CommitPrinter.count(file)
        var printer = CommitPrinter(output)
        printer.first = total - (last ?? total) + 1
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
    /// The number of commits so far.
    private(set) var number = 0
    /// The first commit that is printed, counted from 1.
    var first = 1

    init(_ output: Output) { self.output = output }

    /// Returns the number of commits in a file.
    static func count(_ file: StoredFile) throws -> Int {
        var reader = JournalReader(file.device)
        var history = CommitHistory()
        defer { history.discard() }
        var count = 0
        try StoredFile.reporting(file.path) {
            try reader.readOn(into: &history) { _, record in if case .commit = record.kind { count += 1 } }
        }
        return count
    }

    mutating func print(_ record: JournalReader.Record, _ history: inout CommitHistory) throws {
        defer { history.forgetLast() }
        switch record.kind {
        case .beginning(0): return
        case .schemaVersion(let version), .beginning(let version), .migration(let version):
            if number + 1 < first { return }
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
            number += 1
            if number < first { return }
            let changes = CommitChanges(history)
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("commit", number)
                        json.member("record", Int(clamping: record.sequence))
                        json.member("offset", record.offset)
                        json.member("bytes", record.size)
                        changes.write(to: &json)
                    })
            } else {
                output.write("commit \(number) (\(record.size) bytes at \(record.offset))\n\(changes.text)")
            }
        }
        try output.checkIsRead()
    }
}
