import KivoSchemaDrawing

extension Command {
    static let schema = Command(
        name: "schema", summary: "Print or draw the classes of a file.",
        discussion: """
            A picture for a browser:   kivo schema --format svg FILE > schema.svg
            A class that never had objects is not in the file, and linking objects are not stored.
            """,
        arguments: [.file],
        options: [
            Option(
                "--format", "FORMAT", "What to print.", choices: SchemaFormat.allCases.map(\.rawValue)),
            Option("--json", nil, "As --format json."), Option("--text", nil, "As --format text."),
        ]
    ) { arguments, output in
        let file = try StoredFile.read(arguments.words[0])
        let format =
            arguments.value("--format").flatMap { SchemaFormat(rawValue: $0) }
            ?? (arguments.has("--json") ? .json : .text)
        output.write(SchemaOutline(file.history.catalog).drawn(as: format))
        return .success
    }
}
