/// A value of JSON, with its numbers as they are written.
enum JSON: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    subscript(name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The value as JSON with its members in order, without care for characters which need some.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let digits): digits
        case .string(let text): "\"\(text)\""
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1.text)" }.joined(separator: ",")
                + "}"
        }
    }

    /// The start of it.
    var excerpt: String { text.count > 200 ? text.prefix(200) + "…" : text }

    /// Returns the first difference between two values, or nil if they are equal.
    static func difference(_ found: JSON?, _ expected: JSON?, at path: String = "") -> String? {
        switch (found, expected) {
        case (.array(let found), .array(let expected)):
            for index in 0..<max(found.count, expected.count) {
                let left = index < found.count ? found[index] : nil
                let right = index < expected.count ? expected[index] : nil
                if let difference = difference(left, right, at: "\(path)[\(index)]") { return difference }
            }
            return nil
        case (.object(let found), .object(let expected)):
            for name in Set(found.keys).union(expected.keys).sorted() {
                if let difference = difference(found[name], expected[name], at: "\(path).\(name)") {
                    return difference
                }
            }
            return nil
        default:
            if found == expected { return nil }
            return "\(path): \(found?.excerpt ?? "nothing") instead of \(expected?.excerpt ?? "nothing")"
        }
    }
}

extension JSON {
    struct ParseError: Error {
        let offset: Int
    }

    init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBufferPointer { bytes in
            var parser = Parser(bytes: bytes)
            let value = try parser.value()
            parser.skipSpace()
            guard parser.position == bytes.count else { throw ParseError(offset: parser.position) }
            return value
        }
    }

    private struct Parser {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

        mutating func skipSpace() {
            while [0x20, 0x0A, 0x0D, 0x09].contains(next) { position += 1 }
        }

        mutating func value() throws -> JSON {
            skipSpace()
            switch next {
            case UInt8(ascii: "{"):
                var members: [String: JSON] = [:]
                try items(until: "}") { parser in
                    let name = try parser.string()
                    try parser.take(":")
                    members[name] = try parser.value()
                }
                return .object(members)
            case UInt8(ascii: "["):
                var elements: [JSON] = []
                try items(until: "]") { parser in elements.append(try parser.value()) }
                return .array(elements)
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "n"): return try word("null", .null)
            case UInt8(ascii: "t"): return try word("true", .bool(true))
            case UInt8(ascii: "f"): return try word("false", .bool(false))
            default:
                let start = position
                while "+-.eE0123456789".utf8.contains(next) { position += 1 }
                guard position > start else { throw ParseError(offset: position) }
                return .number(String(decoding: bytes[start..<position], as: UTF8.self))
            }
        }

        private mutating func items(until end: Unicode.Scalar, _ item: (inout Parser) throws -> Void) throws {
            position += 1
            skipSpace()
            if next == UInt8(ascii: end) { return position += 1 }
            while true {
                try item(&self)
                skipSpace()
                if next == UInt8(ascii: end) { return position += 1 }
                try take(",")
            }
        }

        private mutating func take(_ character: Unicode.Scalar) throws {
            skipSpace()
            guard next == UInt8(ascii: character) else { throw ParseError(offset: position) }
            position += 1
        }

        private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
            guard bytes[position...].starts(with: word.utf8) else { throw ParseError(offset: position) }
            position += word.utf8.count
            return value
        }

        private mutating func string() throws -> String {
            try take("\"")
            var text: [UInt8] = []
            var pair: UInt32?
            while true {
                guard position < bytes.count else { throw ParseError(offset: position) }
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: "\"") { break }
                if byte != UInt8(ascii: "\\") {
                    text.append(byte)
                    continue
                }
                let escaped = next
                position += 1
                switch escaped {
                case UInt8(ascii: "b"): text.append(8)
                case UInt8(ascii: "f"): text.append(12)
                case UInt8(ascii: "n"): text.append(10)
                case UInt8(ascii: "r"): text.append(13)
                case UInt8(ascii: "t"): text.append(9)
                case UInt8(ascii: "u"):
                    guard position + 4 <= bytes.count,
                        let unit = UInt32(
                            String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
                    else { throw ParseError(offset: position) }
                    position += 4
                    if unit >> 10 == 0x36 {
                        pair = unit
                        continue
                    }
                    var code = unit
                    if let high = pair { code = 0x10000 + (high & 0x3FF) << 10 + (unit & 0x3FF) }
                    pair = nil
                    text.append(contentsOf: String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
                default: text.append(escaped)
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
