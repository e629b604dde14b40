/// A node of the parser's dump: its kind, and its fields in the printed order. For nodes with several parts, this is the order of
/// the source.
package final class DumpNode {
    package let kind: String
    package let fields: [(name: String, value: DumpValue)]

    init(kind: String, fields: [(name: String, value: DumpValue)]) {
        self.kind = kind
        self.fields = fields
    }

    package subscript(name: String) -> DumpValue? { fields.first { $0.name == name }?.value }

    package func node(_ name: String) -> DumpNode? {
        guard case .node(let node)? = self[name] else { return nil }
        return node
    }

    package func nodes(_ name: String) -> [DumpNode] {
        guard case .list(let values)? = self[name] else { return [] }
        return values.compactMap(\.node)
    }

    package func string(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    package func isTrue(_ name: String) -> Bool {
        guard case .bool(let value)? = self[name] else { return false }
        return value
    }

    /// The offsets of the node's first and last token.
    package var range: (start: Int, end: Int)? {
        guard let range = node("range"), case .int(let start)? = range["start"],
            case .int(let end)? = range["end"]
        else { return nil }
        return (start, end)
    }

    /// The name of a declaration.
    package var name: String? {
        let name = node("name") ?? self
        return name.node("base_name")?.string("name") ?? name.node("base_name")?.string("special")
    }
}

/// A value in the parser's dump.
package enum DumpValue {
    case node(DumpNode)
    case list([DumpValue])
    case string(String)
    case int(Int)
    case bool(Bool)
    case null

    package var node: DumpNode? {
        guard case .node(let node) = self else { return nil }
        return node
    }
}
