/// A lexer that divides Swift source into tokens, as far as required for the types of declarations and the offsets of
/// expressions.
///
/// The parser determines the structure. The lexer finds the exact offsets within the ranges that the parser reports.
struct Lexer {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var isFirstOfLine = true
    private var tokens: [Token] = []

    static func tokens(of bytes: [UInt8]) -> [Token] {
        bytes.withUnsafeBufferPointer { bytes in
            var lexer = Lexer(bytes: bytes)
            if bytes.starts(with: [0x23, 0x21]) { lexer.skipLine() }
            lexer.read(untilClosed: false)
            return lexer.tokens
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        tokens.reserveCapacity(bytes.count / 5)
    }

    private func byte(_ distance: Int = 0) -> UInt8 {
        offset + distance < bytes.count ? bytes[offset + distance] : 0
    }

    private func isAt(_ text: StaticString, _ distance: Int = 0) -> Bool {
        guard offset + distance + text.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where bytes[offset + distance + index] != text.utf8Start[index] { return false }
        return true
    }

    private mutating func skipLine() {
        while offset < bytes.count, byte() != 10 { offset += 1 }
    }

    /// Skips a comment, including comments that are nested in it.
    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if isAt("/*") {
                depth += 1
                offset += 2
            } else if isAt("*/") {
                depth -= 1
                offset += 2
            } else {
                if byte() == 10 { isFirstOfLine = true }
                offset += 1
            }
        } while depth > 0 && offset < bytes.count
    }

    private mutating func append(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, start: start, end: offset, isFirstOfLine: isFirstOfLine))
        isFirstOfLine = false
    }

    /// Reads to the end, or past the parenthesis that closes one which was read before.
    private mutating func read(untilClosed: Bool) {
        var depth = 1
        while offset < bytes.count {
            let start = offset
            let byte = bytes[offset]
            switch byte {
            case 10, 13:
                isFirstOfLine = true
                offset += 1
            case 9, 11, 12, 32, 0: offset += 1
            case 0x2F where isAt("//"): skipLine()
            case 0x2F where isAt("/*"): skipBlockComment()
            case 0x22: readString(hashes: 0)
            case 0x23: readPound()
            case 0x60:
                offset += 1
                while offset < bytes.count, bytes[offset] != 0x60, bytes[offset] != 10 { offset += 1 }
                offset = min(offset + 1, bytes.count)
                append(.word, from: start)
            case 0x30...0x39: readNumber()
            case 0x28, 0x5B, 0x7B:
                if byte == 0x28 { depth += 1 }
                offset += 1
                append(.opening, from: start)
            case 0x29, 0x5D, 0x7D:
                if byte == 0x29 { depth -= 1 }
                if untilClosed, depth == 0 {
                    offset += 1
                    return
                }
                offset += 1
                append(.closing, from: start)
            case 0x2F where !isAfterOperand && readBareRegex(): break
            case 0x2D where isAt("->"):
                offset += 2
                append(.sign, from: start)
            default:
                if Self.continuesName(byte) {
                    while offset < bytes.count, Self.continuesName(bytes[offset]) { offset += 1 }
                    append(.word, from: start)
                } else {
                    offset += 1
                    append(.sign, from: start)
                }
            }
        }
    }

    static func continuesName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...0xFF: true
        default: false
        }
    }

    /// Whether the previous token ends an operand, so that a following `/` is a division.
    private var isAfterOperand: Bool {
        guard let last = tokens.last else { return false }
        switch last.kind {
        case .word:
            let length = last.end - last.start
            let keywords: [StaticString] = ["return", "in", "case", "await", "try", "where", "if", "else"]
            return !keywords.contains { keyword in
                keyword.utf8CodeUnitCount == length
                    && (0..<length).allSatisfy { bytes[last.start + $0] == keyword.utf8Start[$0] }
            }
        case .number, .string, .interpolatedString, .regex, .closing: return true
        case .opening, .pound: return false
        case .sign:
            // `x!/2` and `x?/2`, but not `= /a/`.
            return bytes[last.start] == 0x21 || bytes[last.start] == 0x3F
        }
    }

    /// Reads `/…/` on one line. Returns false, and reads nothing, if it does not end there.
    private mutating func readBareRegex() -> Bool {
        let start = offset
        guard byte(1) != 0x20, byte(1) != 0x09, byte(1) != 0x2F else { return false }
        var end = offset + 1
        while end < bytes.count, bytes[end] != 10 {
            if bytes[end] == 0x2F {
                offset = end + 1
                append(.regex, from: start)
                return true
            }
            end += bytes[end] == 0x5C ? 2 : 1
        }
        return false
    }

    private mutating func readNumber() {
        let start = offset
        while offset < bytes.count {
            if Self.continuesName(bytes[offset]) {
                offset += 1
            } else if byte() == 0x2E, (0x30...0x39).contains(byte(1)) {
                offset += 1
            } else if byte() == 0x2B || byte() == 0x2D, offset > start,
                [0x65, 0x45, 0x70, 0x50].contains(bytes[offset - 1]), (0x30...0x39).contains(byte(1)),
                !(byte(start - offset) == 0x30 && byte(start - offset + 1) == 0x78)
                    || [0x70, 0x50].contains(bytes[offset - 1])
            {
                offset += 1
            } else {
                break
            }
        }
        append(.number, from: start)
    }

    /// Reads a token that begins with `#`: a raw string, a regular expression, or a word.
    private mutating func readPound() {
        let start = offset
        var hashes = 0
        while byte(hashes) == 0x23 { hashes += 1 }
        if byte(hashes) == 0x22 {
            offset += hashes
            readString(hashes: hashes)
        } else if byte(hashes) == 0x2F {
            offset += hashes + 1
            while offset < bytes.count {
                if byte() == 0x2F, (1...hashes).allSatisfy({ byte($0) == 0x23 }) {
                    offset += 1 + hashes
                    break
                }
                offset += byte() == 0x5C ? 2 : 1
            }
            offset = min(offset, bytes.count)
            append(.regex, from: start)
        } else {
            offset += 1
            while offset < bytes.count, Self.continuesName(bytes[offset]) { offset += 1 }
            append(.pound, from: start)
        }
    }

    /// Reads a string literal that begins at the current quotation mark. The tokens of its interpolations follow it.
    private mutating func readString(hashes: Int) {
        let start = offset - hashes
        let isMultiline = isAt("\"\"\"")
        let quotes = isMultiline ? 3 : 1
        let index = tokens.count
        let wasFirst = isFirstOfLine
        var isInterpolated = false
        offset += quotes
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == 0x5C, (0..<hashes).allSatisfy({ self.byte($0 + 1) == 0x23 }) {
                if self.byte(hashes + 1) == 0x28 {
                    isInterpolated = true
                    offset += hashes + 2
                    isFirstOfLine = false
                    read(untilClosed: true)
                } else {
                    offset += hashes + 2
                }
            } else if byte == 0x22, !isMultiline || isAt("\"\"\""),
                (0..<hashes).allSatisfy({ self.byte($0 + quotes) == 0x23 })
            {
                offset += quotes + hashes
                break
            } else if byte == 10, !isMultiline {
                break
            } else {
                offset += 1
            }
        }
        offset = min(offset, bytes.count)
        isFirstOfLine = false
        let kind: Token.Kind = isInterpolated ? .interpolatedString : .string
        tokens.insert(Token(kind: kind, start: start, end: offset, isFirstOfLine: wasFirst), at: index)
    }
}
