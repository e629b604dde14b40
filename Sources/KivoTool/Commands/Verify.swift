import Foundation
import KivoJournal

extension Command {
    static let verify = Command(
        name: "verify", summary: "Read all of a file, and say what is damaged.",
        discussion: """
            Every record is read, its checksum worked out, and carried out. A record that was not finished
            because a program stopped in the middle of it is no damage; the next writer cuts it off.
            Exit code 1 if there is damage. 'Realm.salvage' copies what is intact.
            """,
        arguments: [.file], options: [.json, .text]
    ) { given, output in
        let path = given.words[0]
        let findings = try Findings(path, output)
        if output.isJSON { output.write(JSONText.line(findings.write)) } else { output.write(findings.text) }
        return findings.isIntact ? .success : .problem
    }
}

/// What `verify` found.
private struct Findings {
    private let path: String
    private var records = 0
    private var objects = 0
    private var unfinished: Range<Int>?
    private var problems: [(message: String, offset: Int?, end: Int?)] = []

    init(_ path: String, _ output: Output) throws {
        self.path = path
        do {
            let file = try StoredFile.read(path)
            let snapshot = file.history.snapshot
            objects = file.classes.reduce(0) { $0 + snapshot.table($1.table).count }
            if let recovery = file.recovery {
                // The next writer puts it right, but a second damage could not be.
                if recovery.isHeaderDamaged { problems.append(("one copy of the header is damaged", 0, nil)) }
                if !recovery.discardedBytes.isEmpty, !file.isInUse { unfinished = recovery.discardedBytes }
            }
            try count(file, output)
        } catch let problem as Problem {
            try list(problem.message)
        }
    }

    var isIntact: Bool { problems.isEmpty }

    private mutating func count(_ file: StoredFile, _ output: Output) throws {
        var reader = JournalReader(file.device)
        var history = CommitHistory()
        defer { history.destroy() }
        var count = 0
        let size = file.size
        try reader.readOn(into: &history) { _, record in
            count += 1
            output.progress("verifying: \(100 * record.offset / max(1, size)) %")
        }
        records = count
    }

    /// Says what is missing and where, besides the first that was found.
    private mutating func list(_ message: String) throws {
        problems.append((message, nil, nil))
        var history = CommitHistory()
        defer { history.destroy() }
        guard let device = try? FileDevice.open(path: path, readOnly: true, isLocked: false) else { return }
        defer { device.close() }
        guard let found = try? JournalSalvage.read(device, into: &history) else { return }
        records = found.report.recordCount
        for gap in found.report.gaps {
            let what =
                gap.records.map { "records \($0.lowerBound) to \($0.upperBound) are" } ?? "what follows is"
            problems.append(("\(what) damaged or missing", gap.bytes.lowerBound, gap.bytes.upperBound))
        }
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
            let place =
                problem.offset.map { start in
                    problem.end.map { "bytes \(start) to \($0): " } ?? "byte \(start): "
                } ?? ""
            text += place + problem.message + "\n"
        }
        if let unfinished {
            text +=
                "bytes \(unfinished.lowerBound) to \(unfinished.upperBound): a commit that was not finished\n"
        }
        return text + (isIntact ? "intact: \(records) records, \(objects) objects\n" : "damaged\n")
    }
}
