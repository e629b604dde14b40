/// A JSON value. Numbers stay in their written form, so that nothing is lost.
enum JSONValue {
    /// The members of an object, in the order of the text. No two have the same name.
    typealias Members = [(name: String, value: JSONValue)]

    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(Members)

    /// Parses one document. Returns nil if it is invalid.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var parser = JSONParser(bytes)
        guard let value = parser.document() else { return nil }
        self = value
    }

    /// Parses one document. Returns nil if it is invalid.
    init?(_ bytes: some Sequence<UInt8>) {
        guard let value = Array(bytes).withUnsafeBufferPointer({ JSONValue($0) }) else { return nil }
        self = value
    }

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    var object: Members? { if case .object(let value) = self { value } else { nil } }
    var isNull: Bool { if case .null = self { true } else { false } }

    /// The integer that a number or a string represents, or nil if it represents none.
    var int: Int? {
        switch self {
        case .number(let text), .string(let text): Int(text)
        default: nil
        }
    }

    /// The value of a number that is not too large for the type.
    var double: Double? { number { Double($0) } }
    var float: Float? { number { Float($0) } }

    private func number<Number: BinaryFloatingPoint>(_ read: (String) -> Number?) -> Number? {
        guard case .number(let text) = self, let number = read(text), number.isFinite else { return nil }
        return number
    }

    /// The value in JSON, for messages.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text), .string(let text): text
        case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.sorted { $0.name < $1.name }.map { "\($0.name):\($0.value.text)" }.joined(separator: ","))}"
        }
    }
}

/// A parser of one document.
private struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0
    /// The maximum depth of nesting. A dictionary in a value of type any takes four levels. In a debug build, this depth takes
    /// about half of the main thread's stack.
    #if os(Windows)
    private static let largestDepth = 512
    #else
    private static let largestDepth = 4096
    #endif

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func document() -> JSONValue? {
        guard let value = value() else { return nil }
        skipSpace()
        return index == bytes.count ? value : nil
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func accept(word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard bytes[min(index, bytes.count)...].starts(with: word) else { return false }
            index += word.count
            return true
        }
    }

    private mutating func value() -> JSONValue? {
        skipSpace()
        guard index < bytes.count, depth < JSONParser.largestDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        switch bytes[index] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return accept(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return accept(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return accept(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object() -> JSONValue? {
        var members: JSONValue.Members = []
        index += 1
        skipSpace()
        if accept(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard let name = string() else { return nil }
            skipSpace()
            guard accept(UInt8(ascii: ":")), let value = value() else { return nil }
            members.append((name, value))
            skipSpace()
        } while accept(UInt8(ascii: ","))
        return accept(UInt8(ascii: "}")) && JSONParser.areUnique(members) ? .object(members) : nil
    }

    private static func areUnique(_ members: JSONValue.Members) -> Bool {
        // Most objects have few members, for which a set costs more than comparisons.
        if members.count > 16 { return Set(members.map(\.name)).count == members.count }
        for index in members.indices.dropFirst() {
            for other in 0..<index where members[other].name == members[index].name { return false }
        }
        return true
    }

    private mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        index += 1
        skipSpace()
        if accept(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            guard let value = value() else { return nil }
            elements.append(value)
            skipSpace()
        } while accept(UInt8(ascii: ","))
        return accept(UInt8(ascii: "]")) ? .array(elements) : nil
    }

    private mutating func number() -> JSONValue? {
        let start = index
        var isInteger = true
        loop: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "-") where index == start: break
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"),
                UInt8(ascii: "e"):
                isInteger = false
            default: break loop
            }
            index += 1
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
        // Numbers that only Swift accepts contain other characters.
        let isNumber = isInteger ? text.utf8.last != UInt8(ascii: "-") && !text.isEmpty : Double(text) != nil
        return isNumber ? .number(text) : nil
    }

    private mutating func string() -> String? {
        guard accept(UInt8(ascii: "\"")) else { return nil }
        let start = index
        var bits: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                defer { index += 1 }
                let text = UnsafeBufferPointer(rebasing: bytes[start..<index])
                // Validating costs several times as much.
                if bits < 0x80 { return String(decoding: text, as: UTF8.self) }
                return String(validating: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") { return string(beginning: Array(bytes[start..<index])) }
            if byte < 0x20 { return nil }
            bits |= byte
            index += 1
        }
        return nil
    }

    /// Reads the rest of a string, from the first escaped character.
    private mutating func string(beginning text: [UInt8]) -> String? {
        var text = text
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escaped() else { return nil }
                text.append(contentsOf: Character(scalar).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = codeUnit() else { return nil }
            guard unit & 0xFC00 == 0xD800 else { return Unicode.Scalar(unit) }
            guard accept(word: "\\u"), let low = codeUnit(), low & 0xFC00 == 0xDC00 else { return nil }
            return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF))
        default: return nil
        }
    }

    private mutating func codeUnit() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        defer { index += 4 }
        return UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
    }
}
