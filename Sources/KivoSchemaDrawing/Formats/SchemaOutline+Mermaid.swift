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
