import KivoRealmFiles
import KivoRealmImport

/// The classes of a file, with their properties.
struct FileSchema: Encodable {
    /// A class.
    struct Class: Encodable {
        let name: String
        let kind: String
        let primaryKey: String?
        let properties: [Property]
    }

    /// A property.
    struct Property: Encodable {
        let name: String
        let type: String
        let isIndexed: Bool
        let isFullTextIndexed: Bool
    }

    let classes: [Class]

    init(_ file: RealmFile) throws {
        classes = try file.schema().classes.map { table in
            Class(
                name: table.className, kind: "\(table.kind)", primaryKey: table.primaryKey?.name,
                properties: table.properties.map {
                    Property(
                        name: $0.name, type: $0.typeDescription, isIndexed: $0.isIndexed,
                        isFullTextIndexed: $0.isFullTextIndexed)
                })
        }
    }

    var text: String {
        var lines: [String] = []
        for some in classes {
            if !lines.isEmpty { lines.append("") }
            lines.append(some.name + (some.kind == "normal" ? "" : " (\(some.kind))"))
            for property in some.properties {
                var notes: [String] = []
                if property.name == some.primaryKey {
                    notes.append("primary key")
                } else if property.isIndexed {
                    notes.append("indexed")
                }
                if property.isFullTextIndexed { notes.append("full-text index") }
                let suffix = notes.isEmpty ? "" : "  // " + notes.joined(separator: ", ")
                lines.append("    \(property.name): \(property.type)\(suffix)")
            }
        }
        return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
    }
}
