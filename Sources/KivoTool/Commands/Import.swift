import Foundation
import KivoJournal

extension Command {
    static let `import` = Command(
        name: "import", summary: "Make a file of what 'export' printed, or bring in CSV.",
        discussion:
            """
            All of it or nothing: a line that makes no sense is named, and there is no new file then. The file
            is made some objects at a time; only the indexes of primary keys are in memory as a whole.
            Until it is complete it is called FILE.unfinished; who interrupts the command is told that it
            was removed.

            With --class, LINES is CSV: a line of names, and an object on each further one. An empty field is
            nil, and "" an empty text. A file that does not exist is made, with the types that all values have
            or that --type gives; with --new-class, a file that exists gets the class.
            Where FILE has the class, texts are read as its properties' types, and objects are added in one
            commit; those with a primary key that is there, or with a 'key' of 'dump' in a class without one,
            are changed. What has no column stays, or is zero, empty or nil in a new object.

              kivo import orders.csv shop.kivo --class Order --key number --map 'Order No=number' --dry-run
              kivo import people.csv shop.kivo --class Person --new-class --type 'phone=String' --type 'age=Int?'
            """,
        arguments: [
            Argument(name: "LINES", summary: "What 'export' printed, or CSV; '-' for standard input."),
            Argument(
                name: "FILE", summary: "A realm file that does not exist yet, or for CSV one that may.",
                isSubject: true),
        ],
        options: [
            Option("--class", "NAME", "The class of the rows of CSV."),
            Option(
                "--map", "COLUMN=PROPERTY",
                "The property for which a column is, if it has another name; none to leave it out."),
            Option(
                "--type", "COLUMN=TYPE",
                "The type of a column of a new class, as in Int or Date?, if it is another than that of its values."
            ),
            Option("--key", "NAME", "The property that is the primary key of a new class."),
            Option("--new-class", nil, "Make the class in a file that exists and does not have it yet."),
            Option("--dry-run", nil, "Only print the properties, the first objects, and what does not fit."),
            Option(
                "--formulas", nil,
                "Leave the apostrophes before what a spreadsheet would calculate; see 'dump'."),
            .json, .text,
        ],
        changesFile: true
    ) { arguments, output in
        let (source, path) = (arguments.words[0], arguments.words[1])
        let csv = try CSVImport.Arguments(arguments, source)
        if csv == nil, FileSystem.exists(path) { throw Problem("'\(path)' exists already") }
        let lines = try InputFile(source, besides: path)
        defer { lines.discard() }
        if let csv { return try CSVImport.run(lines.path, source, into: path, csv, output) }
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
