import KivoRealmFiles
import KivoRealmImport

/// What a file says of itself, in words.
enum FileInformation {
    static func text(_ file: RealmFile, _ name: String) throws -> String {
        let schema = try file.schema()
        var lines = [
            "\(name): \(file.byteCount) bytes, format \(file.formatVersion)",
            "schema version: \(try file.schemaVersion().map(String.init) ?? "none")",
        ]
        if let transaction = file.transaction { lines.append("transactions: \(transaction)") }
        lines.append("written: \(file.isStreaming ? "as a copy" : "in place, snapshot \(file.slot)")")
        if file.isSynchronized { lines.append("a copy of a file on a server") }
        lines.append("classes: \(schema.classes.count)")
        for table in schema.classes {
            let kind = table.kind == .normal ? "" : " (\(table.kind))"
            lines.append("  \(table.className)\(kind): \(table.count) objects")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func schema(_ file: RealmFile) throws -> String {
        var lines: [String] = []
        for table in try file.schema().classes {
            if !lines.isEmpty { lines.append("") }
            lines.append(table.className + (table.kind == .normal ? "" : " (\(table.kind))"))
            for property in table.properties {
                var notes: [String] = []
                if table.primaryKey?.columnKey == property.columnKey {
                    notes.append("primary key")
                } else if property.isIndexed {
                    notes.append("indexed")
                }
                if property.isFullTextIndexed { notes.append("full-text index") }
                let suffix = notes.isEmpty ? "" : "  // " + notes.joined(separator: ", ")
                lines.append("    \(property.name): \(property.typeDescription)\(suffix)")
            }
        }
        return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
    }
}
