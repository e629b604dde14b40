import Foundation
import Kivo

extension StoredValue {
    /// The value as text for a person, on one line; long values are cut.
    var text: String {
        let text = fullText
        return text.count > 120 ? text.prefix(119) + "…" : text
    }

    private var fullText: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): "\"" + StoredValue.visible(value) + "\""
        case .data(let value): "\(value.count) bytes"
        case .date(let value): value.formatted(.iso8601)
        case .decimal(let value): value.stringValue
        case .objectId(let value): value.stringValue
        case .uuid(let value): value.uuidString.lowercased()
        case .link(let name, let key): "\(name) \(key)"
        case .list(let values): "[" + values.prefix(40).map(\.text).joined(separator: ", ") + "]"
        case .map(let entries):
            "["
                + entries.prefix(40).map { "\"\(StoredValue.visible($0.key))\": \($0.value.text)" }
                .joined(separator: ", ") + "]"
        case .any(let value): value.fullText
        case .unknown(let code): "a value of type \(code)"
        }
    }

    /// Escapes the characters that would control a terminal.
    private static func visible(_ text: String) -> String {
        var visible = ""
        for scalar in text.prefix(200).unicodeScalars {
            switch scalar {
            case "\n": visible += "\\n"
            case "\"": visible += "\\\""
            case "\\": visible += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || 0x80..<0xA0 ~= scalar.value:
                visible += "\\u{\(String(scalar.value, radix: 16))}"
            default: visible.unicodeScalars.append(scalar)
            }
        }
        return visible
    }
}
