/// A format in which a schema can be drawn.
public enum SchemaFormat: String, Sendable, CaseIterable {
    /// Lines for a terminal.
    case text
    /// One JSON object.
    case json
    /// A class diagram of Mermaid, which many Markdown viewers show as a picture.
    case mermaid
    /// A graph of Graphviz.
    case dot
    /// A laid-out picture, in the colours of the page that shows it: light or dark.
    case svg
}

extension SchemaOutline {
    /// Returns the schema in a format, with a line break at the end. The result depends only on the outline.
    public func drawn(as format: SchemaFormat) -> String {
        switch format {
        case .text: text
        case .json: json
        case .mermaid: mermaid
        case .dot: graphviz
        case .svg: svg
        }
    }
}

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
                line += column < 2 ? TextWidth.padded(cell, to: widths[column] + 2) : cell
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

extension SchemaOutline {
    /// The schema as one JSON object: `classes`, each with `name`, `isEmbedded`, `primaryKey` and `properties`.
    var json: String {
        var text = "{\"classes\":["
        for (index, some) in classes.enumerated() {
            let key = some.properties.first(where: \.isPrimaryKey)?.name
            text += index == 0 ? "\n " : ",\n "
            text += "{\"name\":\(JSONText.quoted(some.name)),\"isEmbedded\":\(some.isEmbedded)"
            text += ",\"primaryKey\":\(JSONText.quoted(key)),\"properties\":["
            text += some.properties.map { "\n  " + SchemaOutline.json($0) }.joined(separator: ",")
            text += some.properties.isEmpty ? "]}" : "\n ]}"
        }
        return text + (classes.isEmpty ? "]}\n" : "\n]}\n")
    }

    private static func json(_ property: Property) -> String {
        var text = "{\"name\":\(JSONText.quoted(property.name)),\"type\":\(JSONText.quoted(property.type))"
        text += ",\"nullable\":\(property.isOptional)"
        text += ",\"collection\":\(JSONText.quoted(property.collection?.rawValue))"
        text += ",\"target\":\(JSONText.quoted(property.target)),\"indexed\":\(property.isIndexed)"
        if let origin = property.origin { text += ",\"origin\":\(JSONText.quoted(origin))" }
        if let name = property.storedName { text += ",\"storedName\":\(JSONText.quoted(name))" }
        return text + "}"
    }
}

/// A namespace for text in JSON.
enum JSONText {
    /// Returns a text as a JSON string, or `null` for nil.
    static func quoted(_ text: String?) -> String {
        guard let text else { return "null" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension SchemaOutline {
    /// The schema as a class diagram. Classes may have other names in it, because Mermaid accepts only letters, digits and
    /// underscores.
    var mermaid: String {
        var text = "classDiagram\n  direction LR\n"
        for (index, some) in classes.enumerated() {
            text += "  class \(identifier(index))"
            if identifier(index) != some.name { text += "[\"\(SchemaOutline.label(some.name))\"]" }
            text += " {\n"
            if some.isEmbedded { text += "    <<embedded>>\n" }
            for property in some.properties {
                text += "    \(SchemaOutline.member(property))\n"
            }
            text += "  }\n"
        }
        for link in links {
            let property = self[link]
            let arrow = classes[link.target].isEmbedded ? "*--" : "--"
            let many = property.collection == nil ? (property.isOptional ? "0..1" : "1") : "*"
            text +=
                "  \(identifier(link.source)) \(arrow)> \"\(many)\" \(identifier(link.target))"
                + " : \(SchemaOutline.label(property.name))\n"
        }
        return text
    }

    /// Returns the name of a class if Mermaid accepts it, otherwise a generated one.
    private func identifier(_ index: Int) -> String {
        let name = classes[index].name
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.value < 0x80
                && ($0.properties.isAlphabetic || $0.value >= 0x30 && $0.value <= 0x39 || $0 == "_")
        }
        return isPlain && !name.isEmpty ? name : "class\(index)"
    }

    /// Returns a property as a member in Mermaid, with tildes in place of Swift's angle brackets.
    private static func member(_ property: Property) -> String {
        let type = String(property.declaredType.map { $0 == "<" || $0 == ">" ? "~" : $0 })
        var remark = ""
        if property.isPrimaryKey {
            remark = " «key»"
        } else if property.isIndexed {
            remark = " «index»"
        }
        return label("\(property.name): \(type)") + remark
    }

    /// Returns a text without characters that have a meaning in Mermaid.
    private static func label(_ text: String) -> String {
        String(text.map { "\"<>{}()[];".contains($0) || $0.unicodeScalars.first!.value < 0x20 ? "_" : $0 })
    }
}

extension SchemaOutline {
    /// The schema as a directed graph of tables, from left to right; links start at the row of their property.
    var graphviz: String {
        var text = """
            digraph schema {
              graph [rankdir=LR, nodesep=0.4, ranksep=1.2, fontname="Helvetica"];
              node [shape=plain, fontname="Helvetica", fontsize=11];
              edge [fontname="Helvetica", fontsize=9, color="#57606a"];

            """
        for (index, some) in classes.enumerated() {
            let color = some.isEmbedded ? "#eac54f" : "#54aeff"
            text +=
                "  c\(index) [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">"
            text +=
                "<tr><td port=\"h\" colspan=\"2\" bgcolor=\"\(color)\"><b>\(MarkupText.escaped(some.name))</b>"
            text += some.isEmbedded ? " (embedded)</td></tr>" : "</td></tr>"
            for (row, property) in some.properties.enumerated() {
                let name = MarkupText.escaped(property.name)
                text +=
                    "<tr><td align=\"left\" port=\"l\(row)\">\(property.isPrimaryKey ? "<u>\(name)</u>" : name)"
                text += "\(property.isIndexed && !property.isPrimaryKey ? " #" : "")</td>"
                text +=
                    "<td align=\"left\" port=\"r\(row)\">\(MarkupText.escaped(property.declaredType))</td></tr>"
            }
            text += "</table>>];\n"
        }
        for link in links {
            let property = self[link]
            var attributes = [property.collection == nil ? "arrowhead=normal" : "arrowhead=crow"]
            if classes[link.target].isEmbedded { attributes.append("dir=both, arrowtail=diamond") }
            let end = link.inverse.map { "l\($0)" } ?? "h"
            text +=
                "  c\(link.source):r\(link.property):e -> c\(link.target):\(end):w"
                + " [\(attributes.joined(separator: ", "))];\n"
        }
        return text + "}\n"
    }
}

/// A namespace for text in XML and similar formats.
enum MarkupText {
    /// Returns a text in which all markup is escaped. Control characters are omitted, because XML cannot represent them.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
