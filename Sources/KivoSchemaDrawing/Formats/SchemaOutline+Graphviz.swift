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
