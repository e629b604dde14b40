import KivoRealmFiles
import KivoRealmImport

/// The general information in a file.
struct FileInformation: Encodable {
    /// The number of objects of a class.
    struct Class: Encodable {
        let name: String
        let kind: String
        let objects: Int
    }

    let file: String
    let bytes: Int
    let formatVersion: Int
    let schemaVersion: UInt64?
    let transaction: UInt64?
    let isCopy: Bool
    let slot: Int
    let isSynchronized: Bool
    let classes: [Class]

    init(_ file: RealmFile, _ name: String) throws {
        self.file = name
        bytes = file.byteCount
        formatVersion = file.formatVersion
        schemaVersion = try file.schemaVersion()
        transaction = file.transaction
        isCopy = file.isStreaming
        slot = file.slot
        isSynchronized = file.isSynchronized
        classes = try file.schema().classes.map {
            Class(name: $0.className, kind: "\($0.kind)", objects: $0.count)
        }
    }

    var text: String {
        var lines = [
            "\(file): \(bytes) bytes, format \(formatVersion)",
            "schema version: \(schemaVersion.map(String.init) ?? "none")",
        ]
        if let transaction { lines.append("transactions: \(transaction)") }
        lines.append("written: \(isCopy ? "as a copy" : "in place, snapshot \(slot)")")
        if isSynchronized { lines.append("a copy of a file on a server") }
        lines.append("classes: \(classes.count)")
        for some in classes {
            lines.append(
                "  \(some.name)\(some.kind == "normal" ? "" : " (\(some.kind))"): \(some.objects) objects")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

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
