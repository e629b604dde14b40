import KivoJournal

extension Command {
    static let log = Command(
        name: "log", summary: "What each commit in a file changed.",
        discussion: """
            Of the commits since the file was made, or last written anew; the oldest first. Their numbers
            count on when a file is written anew, so that each commit has one for good. Times are in UTC, by the
            clock of the writer; a program gives labels and authors by 'realm.write(label:author:)'.
            """,
        arguments: [.fileOrLog],
        options: [
            Option("--last", "COUNT", "Only so many commits, the newest."), .json, .text,
        ]
    ) { arguments, output in
        let last = try arguments.count("--last")
        let file = try StoredFile.read(arguments.words[0])
        let newest = try CommitPrinter.newestNumber(file)
        let printer = CommitPrinter(output, first: last.map { newest - min(UInt64($0), newest) + 1 } ?? 0)
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
    let output: Output
    /// The number of the first commit that is printed.
    private let first: UInt64
    /// The classes whose changes are printed; all if there are none.
    private let classes: [String]

    init(_ output: Output, first: UInt64 = 0, classes: [String] = []) {
        (self.output, self.first, self.classes) = (output, first, classes)
    }

    /// Returns the number of the newest commit of a file.
    static func newestNumber(_ file: StoredFile) throws -> UInt64 {
        var reader = JournalReader(file.device)
        var history = CommitHistory()
        defer { history.discard() }
        var number: UInt64 = 0
        try StoredFile.reporting(file.path) {
            try reader.readOn(into: &history) { _, record in number = record.number }
        }
        return number
    }

    /// Prints a record, with the numbers that it changed. Returns whether there was anything to print.
    @discardableResult
    func print(
        _ record: JournalReader.Record, _ history: inout CommitHistory, _ numbers: [NumberChange] = []
    ) throws -> Bool {
        defer { history.forgetLast() }
        switch record.kind {
        case .beginning(0): return false
        case .schemaVersion(let version), .beginning(let version), .migration(let version):
            if record.number < first { return false }
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        if record.kind.isData { json.member("commit", Int(clamping: record.number)) }
                        json.member("record", Int(clamping: record.sequence))
                        json.members(of: record.stamp)
                        json.member("schemaVersion", Int(clamping: version))
                        json.numbers(numbers)
                    })
            } else {
                let number = record.kind.isData ? " (commit \(record.number)\(record.stampText))" : ""
                output.write("schema version \(version)\(number)\n" + numbers.map(\.text).joined())
            }
        case .commit:
            if record.number < first { return false }
            let changes = CommitChanges(history).of(classes: classes)
            if !classes.isEmpty, changes.classes.isEmpty, numbers.isEmpty { return false }
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("commit", Int(clamping: record.number))
                        json.member("record", Int(clamping: record.sequence))
                        json.members(of: record.stamp)
                        json.member("offset", record.offset)
                        json.member("bytes", record.size)
                        changes.write(to: &json)
                        json.numbers(numbers)
                    })
            } else {
                let hasText = !changes.classes.isEmpty || numbers.isEmpty
                output.write(
                    "commit \(record.number)\(record.stampText) (\(record.size) bytes at \(record.offset))\n"
                        + (hasText ? changes.text : "") + numbers.map(\.text).joined())
            }
        }
        try output.checkIsOpen()
        return true
    }
}
