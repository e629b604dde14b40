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
