import Foundation
import KivoJournal

extension Command {
    static let `import` = Command(
        name: "import", summary: "Make a file of what 'export' printed.",
        discussion:
            """
            All of it or nothing: a line that makes no sense is named, and there is no new file then. The file
            is made some objects at a time; only the indexes of primary keys are in memory as a whole.
            Until it is complete it is called FILE.unfinished; who interrupts the command is told that it
            was removed.
            """,
        arguments: [
            Argument(name: "LINES", summary: "What 'export' printed; '-' for standard input."),
            Argument(name: "FILE", summary: "A realm file that does not exist yet."),
        ],
        options: [.json, .text]
    ) { arguments, output in
        let (source, path) = (arguments.words[0], arguments.words[1])
        if FileSystem.exists(path) { throw Problem("'\(path)' exists already") }
        let lines = try InputFile(source, besides: path)
        defer { lines.discard() }
        let reader: ExportReader
        do {
            reader = try ExportReader(lines.path)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem("'\(source)' cannot be read: \(error.localizedDescription)")
        }
        let count = reader.objectCount
        let file = try ImportedFile(path, schemaVersion: reader.schemaVersion)
        do {
            try reader.fill(file) { output.progress("importing", $0, of: count) }
            try file.finish()
        } catch {
            file.discard()
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

/// An input that a command reads more than once: a file, or a copy of standard input.
private struct InputFile {
    let path: String
    private let isCopy: Bool

    init(_ source: String, besides destination: String) throws {
        (path, isCopy) = source == "-" ? (destination + ".lines", true) : (source, false)
        if !isCopy { return }
        do {
            let device = try TemporaryFiles.add(path) { try FileDevice.open(path: path) }
            defer { device.close() }
            try device.truncate(to: 0)
            var offset = 0
            while let part = try FileHandle.standardInput.read(upToCount: 1 << 18), !part.isEmpty {
                try part.withUnsafeBytes { try device.write($0, at: offset) }
                offset += part.count
            }
        } catch {
            discard()
            throw Problem("standard input cannot be kept beside '\(destination)': \(error)")
        }
    }

    func discard() {
        if isCopy { TemporaryFiles.remove(path) { _ = try? FileSystem.remove(path) } }
    }
}
