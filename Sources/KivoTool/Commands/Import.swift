import Foundation
import KivoJournal

extension Command {
    static let `import` = Command(
        name: "import", summary: "Make a file of what 'export' printed.",
        discussion:
            "All of it or nothing: a line that makes no sense is named, and there is no new file then.",
        arguments: [
            Argument(name: "LINES", summary: "What 'export' printed; '-' for standard input."),
            Argument(name: "FILE", summary: "A realm file that does not exist yet."),
        ],
        options: [.json, .text]
    ) { given, output in
        let (source, path) = (given.words[0], given.words[1])
        if FilePlacement.exists(path) { throw Problem("'\(path)' exists already") }
        let data: Data
        do {
            data =
                try source == "-"
                ? FileHandle.standardInput.readToEnd() ?? Data()
                : Data(contentsOf: URL(fileURLWithPath: source), options: .mappedIfSafe)
        } catch {
            throw Problem("'\(source)' cannot be read: \(error.localizedDescription)")
        }
        var reader = try ExportReader(data)
        let count = reader.objectCount
        var history = CommitHistory()
        defer { history.discard() }
        try history.defineTables(reader.define)
        try history.commit { transaction in
            try reader.fill(transaction) { output.progress("\($0) of \(count)") }
        }
        try StoredFile.reporting(path) {
            try JournalCopy.write(
                history.snapshot, history.catalog, schemaVersion: reader.schemaVersion, to: path,
                replacing: false)
        }
        do {
            // What was written can be read.
            _ = try StoredFile.read(path)
        } catch {
            try FilePlacement.remove(path)
            throw error
        }
        if output.isJSON {
            output.write(
                JSONText.line { json in
                    json.member("file", path)
                    json.member("objects", count)
                })
        } else {
            output.write("\(count) objects in '\(path)'\n")
        }
        return .success
    }
}
