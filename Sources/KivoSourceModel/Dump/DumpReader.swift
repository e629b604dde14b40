/// A reader of the JSON of the parser's dump. It keeps the order of fields, on which the parts of an expression depend.
struct DumpReader {
    struct Unreadable: Error {
        let offset: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var depth = 0
    /// The names of fields and kinds, which are few and therefore shared.
    private var names: [[UInt8]: String] = [:]

    /// Whether the dump leaves nodes of attributed types open. Compilers up to 6.3 do not close such a node and lose count from
    /// there on, so that elements of lists get empty names. The reader then ends such a node after its one part.
    private let leavesAttributedTypesOpen: Bool

    static func read(_ bytes: [UInt8]) throws -> DumpNode {
        try bytes.withUnsafeBufferPointer { bytes in
            func read(leavingOpen: Bool) throws -> DumpNode {
                var reader = DumpReader(bytes: bytes, leavesAttributedTypesOpen: leavingOpen)
                guard case .node(let node) = try reader.value(), reader.isAtEnd else {
                    throw Unreadable(offset: reader.offset)
                }
                return node
            }
            do {
                return try read(leavingOpen: false)
            } catch {
                return try read(leavingOpen: true)
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, leavesAttributedTypesOpen: Bool) {
        self.bytes = bytes
        self.leavesAttributedTypesOpen = leavesAttributedTypesOpen
    }

    private var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return offset == bytes.count
        }
    }

    private mutating func skipBlanks() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 9, 10, 13, 32: offset += 1
            default: return
            }
        }
    }

    private mutating func next() throws -> UInt8 {
        skipBlanks()
        guard offset < bytes.count else { throw Unreadable(offset: offset) }
        return bytes[offset]
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard try next() == byte else { throw Unreadable(offset: offset) }
        offset += 1
    }

    private mutating func value() throws -> DumpValue {
        switch try next() {
        case 0x7B:
            depth += 1
            defer { depth -= 1 }
            // A tree deeper than that of any real source would overflow the stack in recursive traversals.
            guard depth < 2000 else { throw Unreadable(offset: offset) }
            return .node(try node())
        case 0x5B:
            offset += 1
            var values: [DumpValue] = []
            while try next() != 0x5D {
                if !values.isEmpty { try expect(0x2C) }
                if leavesAttributedTypesOpen, bytes[offset...].starts(with: [0x22, 0x22, 0x3A]) {
                    offset += 3
                }
                values.append(try value())
            }
            offset += 1
            return .list(values)
        case 0x22: return .string(try string())
        case 0x74: return try word(4, .bool(true))
        case 0x66: return try word(5, .bool(false))
        case 0x6E: return try word(4, .null)
        case let byte where byte == 0x2D || (0x30...0x39).contains(byte): return try number()
        default: throw Unreadable(offset: offset)
        }
    }

    private mutating func word(_ length: Int, _ value: DumpValue) throws -> DumpValue {
        offset += length
        guard offset <= bytes.count else { throw Unreadable(offset: offset) }
        return value
    }

    private mutating func number() throws -> DumpValue {
        var number = 0
        let isNegative = bytes[offset] == 0x2D
        if isNegative { offset += 1 }
        while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
            number = number &* 10 &+ Int(bytes[offset] - 0x30)
            offset += 1
        }
        return .int(isNegative ? -number : number)
    }

    private mutating func node() throws -> DumpNode {
        offset += 1
        var kind = ""
        var fields: [(name: String, value: DumpValue)] = []
        var isFirst = true
        while try next() != 0x7D {
            if !isFirst { try expect(0x2C) }
            isFirst = false
            _ = try next()
            let name = try name()
            try expect(0x3A)
            // Fields that only repeat others, or that are meaningless before type checking.
            if name == "processed_init" || name == "implicit_self_decl" || name == "function_ref" {
                // Brackets cannot be counted if some are missing.
                if leavesAttributedTypesOpen { _ = try value() } else { try skip() }
                continue
            }
            let value = try value()
            if name == "_kind", case .string(let text) = value {
                kind = text
            } else {
                fields.append((name, value))
            }
            if leavesAttributedTypesOpen, kind == "type_attributed", name == "type_repr" {
                return DumpNode(kind: kind, fields: fields)
            }
        }
        offset += 1
        return DumpNode(kind: kind, fields: fields)
    }

    /// Skips a value.
    private mutating func skip() throws {
        var depth = 0
        repeat {
            switch try next() {
            case 0x7B, 0x5B:
                depth += 1
                offset += 1
            case 0x7D, 0x5D:
                depth -= 1
                offset += 1
            case 0x22: try skipString()
            default: offset += 1
            }
            if depth == 0 {
                // The rest of a number or a word.
                while offset < bytes.count, ![0x2C, 0x7D, 0x5D].contains(bytes[offset]) { offset += 1 }
            }
        } while depth > 0
    }

    private mutating func skipString() throws {
        offset += 1
        while offset < bytes.count, bytes[offset] != 0x22 { offset += bytes[offset] == 0x5C ? 2 : 1 }
        offset += 1
        guard offset <= bytes.count else { throw Unreadable(offset: offset) }
    }

    private mutating func name() throws -> String {
        let start = offset
        try skipString()
        let text = Array(bytes[start + 1..<offset - 1])
        if let known = names[text] { return known }
        let name = String(decoding: text, as: UTF8.self)
        names[text] = name
        return name
    }

    private mutating func string() throws -> String {
        let start = offset
        try skipString()
        let content = bytes[start + 1..<offset - 1]
        guard content.contains(0x5C) else { return String(decoding: content, as: UTF8.self) }
        var text: [UInt8] = []
        var position = start + 1
        while position < offset - 1 {
            guard bytes[position] == 0x5C else {
                text.append(bytes[position])
                position += 1
                continue
            }
            position += 2
            switch bytes[position - 1] {
            case 0x6E: text.append(10)
            case 0x74: text.append(9)
            case 0x72: text.append(13)
            case 0x62: text.append(8)
            case 0x66: text.append(12)
            case 0x75:
                guard position + 4 <= offset - 1,
                    let scalar = UInt16(
                        String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
                else { throw Unreadable(offset: position) }
                text += Array(String(decoding: [scalar], as: UTF16.self).utf8)
                position += 4
            default: text.append(bytes[position - 1])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
