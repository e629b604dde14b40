extension SchemaDifference {
    /// Returns the difference for a person: the changes of each class, and then the required steps.
    func text(from old: String, to new: String) -> String {
        if classes.isEmpty {
            return "The schemas of \(old) and \(new) are the same: nothing is to be done.\n"
        }
        var text = "Changes of the schema from \(old) to \(new):\n"
        for (name, changes) in classes {
            text += "\n  \(name)\n"
            let width = changes.map { ($0.property ?? "").count }.max() ?? 0
            for change in changes {
                let property = (change.property ?? "").padded(to: width)
                text += "    \(change.sign.rawValue) \(width > 0 ? property + "  " : "")\(change.text)\n"
            }
        }
        text += "\n" + advice
        let block = migrationBlock
        if !block.isEmpty { text += "\n" + block.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined() }
        return text
    }

    /// The required steps, in a sentence.
    var advice: String {
        switch effort {
        case .none: "The file opens as it is: no migration is needed.\n"
        case .version:
            "A migration is needed, and has nothing to do by itself: give a higher 'schemaVersion'.\n"
        case .block:
            "A migration is needed: give a higher 'schemaVersion' and a 'migrationBlock' that does this:\n"
        }
    }

    /// The lines inside a migration block.
    var migrationBlock: [String] {
        var lines: [String] = []
        for (name, changes) in classes {
            lines += changes.filter { !$0.isForEachObject }.flatMap(\.code)
            let inner = changes.filter(\.isForEachObject).flatMap(\.code)
            guard !inner.isEmpty else { continue }
            lines.append("migration.enumerateObjects(ofType: \"\(name)\") { old, new in")
            lines += inner.map { "    " + $0 }
            lines.append("}")
        }
        return lines
    }

    /// Returns the difference as JSON, for other programs.
    func json(from old: String, to new: String) -> String {
        let effort: String =
            switch self.effort {
            case .none: "none"
            case .version: "schemaVersion"
            case .block: "migrationBlock"
            }
        var text =
            "{\n  \"from\": \(old.quoted),\n  \"to\": \(new.quoted),\n  \"needs\": \"\(effort)\",\n  \"classes\": ["
        let entries = classes.map { name, changes in
            let list = changes.map { change in
                var fields = ["\"kind\": \"\(change.sign)\""]
                if let property = change.property { fields.append("\"property\": \(property.quoted)") }
                fields.append("\"description\": \(change.text.quoted)")
                return "      {\(fields.joined(separator: ", "))}"
            }
            return "    {\"name\": \(name.quoted), \"changes\": [\n\(list.joined(separator: ",\n"))\n    ]}"
        }
        text += entries.isEmpty ? "]" : "\n\(entries.joined(separator: ",\n"))\n  ]"
        text += ",\n  \"migrationBlock\": [\(migrationBlock.map(\.quoted).joined(separator: ", "))]\n}\n"
        return text
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// The text as a JSON string.
    fileprivate var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case let scalar where scalar.value < 32:
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
