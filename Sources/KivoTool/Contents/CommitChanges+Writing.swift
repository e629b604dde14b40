extension CommitChanges {
    /// Writes the changes as members of a JSON object.
    func write(to json: inout JSONText) {
        json.name("changes")
        json.array { json in
            for change in classes { json.object { CommitChanges.write(change, to: &$0) } }
        }
    }

    /// Writes the changes of a class as members of a JSON object.
    static func write(_ change: ClassChange, to json: inout JSONText) {
        json.member("class", change.name)
        write("inserted", change.inserted, &json)
        json.name("modified")
        json.array { json in for some in change.modified { write(some, &json) } }
        write("deleted", change.deleted, &json)
    }

    private static func write(_ name: String, _ rows: [Row], _ json: inout JSONText) {
        json.name(name)
        json.array { json in for row in rows { json.object { $0.row(row.key, row.values) } } }
    }

    private static func write(_ modification: Modification, _ json: inout JSONText) {
        json.object { json in
            json.member("key", Int(modification.key))
            json.name("values")
            json.object { json in
                for value in modification.values {
                    json.name(value.name)
                    json.object {
                        $0.name("old")
                        $0.value(value.old)
                        $0.name("new")
                        $0.value(value.new)
                    }
                }
            }
            json.name("collections")
            json.object { json in
                for collection in modification.collections {
                    json.name(collection.name)
                    json.object { $0.change(collection.changes) }
                }
            }
        }
    }

    /// The changes as text for a person.
    var text: String {
        var text = ""
        for change in classes {
            for row in change.inserted {
                text += "  + \(change.name) \(row.key)\(CommitChanges.text(row.values))\n"
            }
            for some in change.modified {
                text += "  ~ \(change.name) \(some.key)\n"
                for value in some.values {
                    text += "      \(value.name): \(value.old.text) → \(value.new.text)\n"
                }
                for collection in some.collections {
                    text += "      \(collection.name): \(collection.changes.text)\n"
                }
            }
            for row in change.deleted {
                text += "  - \(change.name) \(row.key)\(CommitChanges.text(row.values))\n"
            }
        }
        return text.isEmpty ? "  nothing that can be seen\n" : text
    }

    private static func text(_ values: [(name: String, value: StoredValue)]) -> String {
        let shown = values.map { "\($0.name): \($0.value.text)" }.joined(separator: ", ")
        return shown.isEmpty ? "" : "  " + (shown.count > 160 ? shown.prefix(159) + "…" : shown)
    }
}

extension CommitChanges.CollectionChange {
    /// The change as text for a person.
    var text: String {
        func listed(_ sign: String, _ elements: [some CustomStringConvertible]) -> String? {
            if elements.isEmpty { return nil }
            let shown = elements.prefix(20).map(\.description).joined(separator: ", ")
            return "\(sign) \(shown)\(elements.count > 20 ? ", … (\(elements.count))" : "")"
        }
        let parts =
            switch self {
            case .positions(let deletions, let insertions, let modifications):
                [
                    listed("removed at", deletions), listed("inserted at", insertions),
                    listed("changed at", modifications),
                ]
            case .keys(let deletions, let insertions, let modifications):
                [
                    listed("removed", deletions), listed("inserted", insertions),
                    listed("changed", modifications),
                ]
            }
        return parts.compactMap { $0 }.joined(separator: "; ")
    }
}

extension JSONText {
    /// Writes an object's key and values as members.
    mutating func row(_ key: Int64, _ values: [(name: String, value: StoredValue)]) {
        member("key", Int(key))
        self.values(values)
    }

    /// Writes values by name as a member.
    mutating func values(_ values: [(name: String, value: StoredValue)]) {
        name("values")
        object { json in
            for value in values {
                json.name(value.name)
                json.value(value.value)
            }
        }
    }

    fileprivate mutating func change(_ change: CommitChanges.CollectionChange) {
        switch change {
        case .positions(let deletions, let insertions, let modifications):
            member("deletions", deletions)
            member("insertions", insertions)
            member("modifications", modifications)
        case .keys(let deletions, let insertions, let modifications):
            for (name, keys) in [
                ("deletions", deletions), ("insertions", insertions), ("modifications", modifications),
            ] {
                self.name(name)
                array { json in for key in keys { json.string(key) } }
            }
        }
    }
}
