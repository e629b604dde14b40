import Foundation
import Kivo
import KivoJournal

extension Command {
    static let copy = Command(
        name: "copy", summary: "Copy a file, also while a program writes to it.",
        discussion: """
            The copy is the newest version without the history, as small as 'compact' would make it. It is
            complete or does not exist.
            """,
        arguments: [.file, .newFile], options: [.json, .text]
    ) { arguments, output in
        let (path, target) = (arguments.words[0], arguments.words[1])
        let file = try StoredFile.read(path)
        let bytes = try output.progress("copying") {
            try NewFile.make(target) {
                try JournalCopy.write(
                    file.history.snapshot, file.history.catalog, schemaVersion: file.schemaVersion,
                    to: target, replacing: false)
            }
        }
        if output.isJSON {
            output.write(
                JSONText.line { json in
                    json.member("file", target)
                    json.member("bytes", bytes)
                })
        } else {
            output.write("\(bytes) bytes in '\(target)'\n")
        }
        return .success
    }

    static let salvage = Command(
        name: "salvage", summary: "Copy what is intact in a damaged file into a new one.",
        discussion: """
            The damaged file stays as it is, and must not be open. All commits before the damage are carried
            over, and what later ones changed of data that is not missing.
            Exit code 1 if something is missing in the new file; the output says what.
            """,
        arguments: [.file, .newFile], options: [.json, .text]
    ) { arguments, output in
        let (path, target) = (arguments.words[0], arguments.words[1])
        var report = Realm.SalvageReport()
        try output.progress("salvaging") {
            _ = try NewFile.make(target) {
                report = try Realm.salvage(
                    contentsOf: URL(fileURLWithPath: path), to: URL(fileURLWithPath: target))
            }
        }
        if output.isJSON {
            output.write(
                JSONText.line { json in
                    json.member("file", target)
                    json.write(report)
                })
        } else {
            output.write(
                "\(report)\n\(report.isComplete ? "Nothing" : "Something") is missing in '\(target)'.\n")
        }
        return report.isComplete ? .success : .problem
    }
}

extension Command.Argument {
    fileprivate static let newFile = Command.Argument(
        name: "TO", summary: "A realm file that does not exist yet.")
}

/// A file that a command makes as a whole.
private enum NewFile {
    /// Makes a file at a path, and returns its size. An interruption leaves no unfinished file.
    static func make(_ path: String, _ body: () throws -> Void) throws -> Int {
        let unfinished = path + JournalCopy.unfinishedSuffix
        TemporaryFiles.add(unfinished) {}
        defer { TemporaryFiles.remove(unfinished) {} }
        return try StoredFile.reporting(path) {
            try body()
            let device = try FileDevice.open(path: path, readOnly: true, isLocked: false)
            defer { device.close() }
            return try device.size()
        }
    }
}

extension JSONText {
    fileprivate mutating func write(_ report: Realm.SalvageReport) {
        member("isComplete", report.isComplete)
        member("records", report.recordCount)
        member("missingRecords", report.missingRecordCount)
        name("gaps")
        array { json in
            for gap in report.gaps {
                json.object {
                    $0.member("offset", gap.bytes.lowerBound)
                    $0.member("end", gap.bytes.upperBound)
                }
            }
        }
        name("damagedPages")
        array { json in
            for page in report.damagedPages {
                json.object {
                    $0.member("offset", page.offset)
                    $0.member("class", page.className)
                    $0.member("property", page.propertyName)
                    $0.member("objects", page.objectCount)
                    $0.member("message", page.reason)
                }
            }
        }
        name("losses")
        array { json in
            for loss in report.losses {
                json.object {
                    $0.member("class", loss.className)
                    $0.member("property", loss.propertyName)
                    $0.member("count", loss.count)
                    $0.member("message", loss.kind.rawValue)
                }
            }
        }
        name("classes")
        array { json in
            for (name, count) in report.objectCounts.sorted(by: { $0.key < $1.key }) {
                json.object {
                    $0.member("name", name)
                    $0.member("objects", count)
                }
            }
        }
    }
}
