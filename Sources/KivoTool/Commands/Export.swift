import KivoEngine
import KivoSchemaDrawing

extension Command {
    static let export = Command(
        name: "export", summary: "Print all that a file holds as lines of JSON, for 'import'.",
        discussion: """
            The first line describes the classes; the others are those of 'dump'. Nothing is lost: the file
            that 'import' makes of it has the same objects under the same keys.
            """,
        arguments: [.file]
    ) { arguments, output in
        let file = try StoredFile.read(arguments.words[0])
        for some in file.classes {
            for property in some.properties where !property.isKnown {
                throw Problem(
                    """
                    property '\(some.name).\(property.name)' of '\(file.path)' is of \
                    \(property.type(file.history.catalog)), which this version of kivo does not know
                    """)
            }
        }
        output.write(ExportHeader(file).line)
        try ObjectPrinter(file.values, output).print(file.classes)
        return .success
    }
}

/// The first line of an export.
struct ExportHeader {
    /// The version of the format.
    static let version = 1

    private let file: StoredFile

    init(_ file: StoredFile) { self.file = file }

    var line: JSONText {
        JSONText.line { json in
            json.member("kivo", "export")
            json.member("version", ExportHeader.version)
            json.member("schemaVersion", String(file.schemaVersion))
            json.name("classes")
            json.array { json in
                for some in file.classes { json.object { write(some, &$0) } }
            }
        }
    }

    private func write(_ some: StoredClass, _ json: inout JSONText) {
        let catalog = file.history.catalog
        json.member("name", some.name)
        json.member("typeName", catalog.tables[some.table].typeName)
        json.member("isEmbedded", some.isEmbedded)
        json.member("nextKey", Int(file.history.snapshot.table(some.table).nextKey))
        json.name("properties")
        json.array { json in
            for property in some.properties {
                json.object { json in
                    json.member("name", property.name)
                    json.member("type", property.spec.target == nil ? property.type(catalog) : "link")
                    json.member("nullable", property.spec.isOptional)
                    json.member("collection", property.collection?.rawValue)
                    json.member("target", property.spec.target.map { catalog.tables[$0].name })
                    json.member("indexed", property.spec.isIndexed)
                    json.member("primaryKey", property.spec.isPrimaryKey)
                }
            }
        }
    }
}
