import Foundation
import KivoJournal
import KivoSchemaDrawing

extension Command {
    static let info = Command(
        name: "info", summary: "What a file is, and how much it holds.",
        discussion: "Exit code 1 if the file is damaged; 'kivo verify' names the places.",
        arguments: [.fileOrLog], options: [.json, .text]
    ) { arguments, output in
        let file = try StoredFile.read(arguments.words[0])
        let name = arguments.name(of: file.path)
        let info = FileInfo(file, name, damagedPlaces: try Findings(file.path, output).problems.count)
        if output.isJSON { output.write(JSONText.line(info.write)) } else { output.write(info.text) }
        return info.damagedPlaces == 0 ? .success : .problem
    }
}

/// The output of `info`.
private struct FileInfo {
    private let file: StoredFile
    private let name: String
    let damagedPlaces: Int
    /// The size of the live data; nil in a damaged file.
    private let used: Int?
    private let classes: [(name: String, isEmbedded: Bool, objects: Int)]

    init(_ file: StoredFile, _ name: String, damagedPlaces: Int) {
        (self.file, self.name, self.damagedPlaces) = (file, name, damagedPlaces)
        used =
            damagedPlaces > 0
            ? nil
            : try? JournalCopy.size(
                file.history.snapshot, file.history.catalog, schemaVersion: file.schemaVersion)
        classes = file.classes.map {
            ($0.name, $0.isEmbedded, file.history.snapshot.table($0.table).count)
        }
    }

    func write(to json: inout JSONText) {
        json.member("file", name)
        json.member("bytes", file.size)
        json.member("usedBytes", used)
        json.member("formatVersion", file.formatVersion)
        json.member("schemaVersion", Int(clamping: file.schemaVersion))
        json.member("isOpen", file.isInUse)
        json.member("isIntact", damagedPlaces == 0)
        json.member("unfinishedBytes", file.recovery?.discardedBytes.count ?? 0)
        json.name("classes")
        json.array { json in
            for some in classes {
                json.object {
                    $0.member("name", some.name)
                    $0.member("isEmbedded", some.isEmbedded)
                    $0.member("objects", some.objects)
                }
            }
        }
    }

    var text: String {
        var text = """
            file            \(name)\(file.isInUse ? " (open)" : "")
            bytes           \(file.size)
            used bytes      \(used.map(String.init) ?? "unknown")
            format version  \(file.formatVersion)
            schema version  \(file.schemaVersion)

            """
        if let bytes = file.recovery?.discardedBytes, !bytes.isEmpty, !file.isInUse {
            text +=
                "unfinished      \(bytes.count) bytes at \(bytes.lowerBound), which the next writer cuts off\n"
        }
        if damagedPlaces > 0 {
            text += "damage          \(damagedPlaces) places; 'kivo verify \(file.path)' names them\n"
        }
        let width = classes.map(\.name.count).max() ?? 0
        for some in classes {
            let padding = String(repeating: " ", count: width - some.name.count + 2)
            text += "\n\(some.name)\(padding)\(some.objects)\(some.isEmbedded ? " (embedded)" : "")"
        }
        return classes.isEmpty ? text : text + "\n"
    }
}

extension Command {
    static let schema = Command(
        name: "schema", summary: "Print or draw the classes of a file.",
        discussion: """
            A picture for a browser:   kivo schema --format svg FILE > schema.svg
            A class that never had objects is not in the file, and linking objects are not stored.
            """,
        arguments: [.fileOrLog],
        options: [
            Option(
                "--format", "FORMAT", "What to print.", choices: SchemaFormat.allCases.map(\.rawValue)),
            .json, .text,
        ]
    ) { arguments, output in
        let file = try StoredFile.read(arguments.words[0])
        let format =
            arguments.value("--format").flatMap { SchemaFormat(rawValue: $0) }
            ?? (output.isJSON ? .json : .text)
        output.write(SchemaOutline(file.history.catalog).drawn(as: format))
        return .success
    }
}
