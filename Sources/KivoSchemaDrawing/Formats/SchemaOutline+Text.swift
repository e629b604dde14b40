extension SchemaOutline {
    /// The schema as text: one class after the other, with one line for each property, in columns.
    var text: String {
        classes.isEmpty ? "no classes\n" : classes.map(SchemaOutline.text).joined(separator: "\n")
    }

    private static func text(_ some: Class) -> String {
        let rows = some.properties.map { [$0.name, $0.declaredType, remarks($0)] }
        let widths = (0..<2).map { column in rows.map { TextWidth.columns($0[column]) }.max() ?? 0 }
        var text = some.name + (some.isEmbedded ? " (embedded)" : "") + "\n"
        for row in rows {
            var line = "  "
            for (column, cell) in row.enumerated() {
                line += cell
                if column < 2 {
                    line += String(repeating: " ", count: widths[column] - TextWidth.columns(cell) + 2)
                }
            }
            while line.last == " " { line.removeLast() }
            text += line + "\n"
        }
        return text
    }

    private static func remarks(_ property: Property) -> String {
        var remarks: [String] = []
        if property.isPrimaryKey { remarks.append("primary key") }
        if property.isIndexed, !property.isPrimaryKey { remarks.append("indexed") }
        if let origin = property.origin, let target = property.target {
            remarks.append("inverse of \(target).\(origin)")
        }
        if let name = property.storedName { remarks.append("stored as '\(name)'") }
        return remarks.joined(separator: ", ")
    }
}
