import Foundation
import KivoJournal

extension Command {
    static let verify = Command(
        name: "verify", summary: "Read all of a file, and say what is damaged.",
        discussion: """
            Every record is read, its checksum worked out, and carried out, and so is every page of the
            newest checkpoint. A record that was not finished because a program stopped in the middle of
            it is no damage; the next writer cuts it off.
            Exit code 1 if there is damage, and without a verdict if the file cannot be
            read. 'kivo reindex' makes new indexes, and 'kivo salvage' copies what is intact.
            """,
        arguments: [.file],
        options: [
            Command.Option("--indexes", nil, "Also look each object up by each of its indexed values."),
            .json,
            .text,
        ]
    ) { arguments, output in
        let path = arguments.words[0]
        var findings = try Findings(path, output)
        findings.countObjects()
        if arguments.has("--indexes") { findings.verifyIndexes() }
        if output.isJSON { output.write(JSONText.line(findings.write)) } else { output.write(findings.text) }
        return findings.isIntact ? .success : .problem
    }
}

/// The damage in a file.
struct Findings {
    private let path: String
    private var records = 0
    private var objects = 0
    /// The contents of an intact file.
    private var file: StoredFile?
    private var unfinished: Range<Int>?
    private(set) var problems: [(message: String, offset: Int?, end: Int?)] = []

    /// Reads all of a file. Throws ``Problem`` if it cannot be read.

    init(_ path: String, _ output: Output) throws {
        self.path = path
        do {
            // Opening the file is not enough: it only reads the records after the newest checkpoint.
            let device = try StoredFile(path)
            let isInUse = device.isInUse
            let size = max(1, device.size)
            let report = try StoredFile.reporting(path) {
                try JournalVerification.verify(device.device) {
                    output.progress("verifying", $0, of: size)
                }
            }
            records = report.recordCount
            // A record that is being written looks unfinished.
            if !isInUse {
                problems = report.flaws.filter { !$0.isHarmless }.map { ($0.reason, $0.offset, $0.end) }
            }
            // Reading values would stop the process at a damaged page.
            if !problems.isEmpty { return }
            let file = try StoredFile.read(path)
            if let recovery = file.recovery {
                // The next writer repairs the header, but a second damage could not be repaired.
                if recovery.isHeaderDamaged { problems.append(("one copy of the header is damaged", 0, nil)) }
                if !recovery.discardedBytes.isEmpty, !isInUse { unfinished = recovery.discardedBytes }
            }
            if isIntact { self.file = file }
        } catch let problem as Problem where problem.isDamage {
            problems.append((problem.message, nil, nil))
        }
    }

    var isIntact: Bool { problems.isEmpty }

    /// Reads all values of all objects of an intact file, and counts the objects.
    mutating func countObjects() {
        guard let file else { return }
        for some in file.classes {
            file.history.snapshot.table(some.table).forEachKey { key in
                objects += 1
                for property in some.properties { _ = file.values.value(property, some.table, key) }
            }
        }
    }

    /// Compares the indexes of an intact file with the values of its objects.
    mutating func verifyIndexes() {
        guard let history = file?.history else { return }
        history.snapshot.verifyIndexes(history.catalog) { problems.append(($0, nil, nil)) }
    }

    func write(to json: inout JSONText) {
        json.member("file", path)
        json.member("isIntact", isIntact)
        json.member("records", records)
        json.member("objects", objects)
        json.member("unfinishedBytes", unfinished?.count ?? 0)
        json.name("problems")
        json.array { json in
            for problem in problems {
                json.object {
                    $0.member("message", problem.message)
                    $0.member("offset", problem.offset)
                    $0.member("end", problem.end)
                }
            }
        }
    }

    var text: String {
        var text = ""
        for problem in problems {
            let location =
                problem.offset.map { start in
                    problem.end.map { "bytes \(start) to \($0): " } ?? "byte \(start): "
                } ?? ""
            text += location + problem.message + "\n"
        }
        if let unfinished {
            text +=
                "bytes \(unfinished.lowerBound) to \(unfinished.upperBound): a commit that was not finished\n"
        }
        return text + (isIntact ? "intact: \(records) records, \(objects) objects\n" : "damaged\n")
    }
}
