/// A string literal without interpolations: its value, and the offset of each byte of the value.
package struct StringLiteral {
    package var value: [UInt8] = []
    /// The offset in the source of each byte of the value.
    package var offsets: [Int] = []

    package var text: String { String(decoding: value, as: UTF8.self) }

    /// Reads the literal of a token of kind ``Token/Kind/string``.
    package init(_ token: Token, in source: SourceText) {
        let bytes = source.bytes
        var hashes = 0
        while bytes[token.start + hashes] == 0x23 { hashes += 1 }
        var start = token.start + hashes
        let isMultiline = bytes[start..<token.end].starts(with: [0x22, 0x22, 0x22])
        start += isMultiline ? 3 : 1
        let end = max(start, token.end - hashes - (isMultiline ? 3 : 1))
        guard isMultiline else {
            append(start..<end, of: bytes, hashes)
            return
        }
        // The closing line determines the indentation of the lines.
        let lines = bytes[start..<end].split(separator: 10, omittingEmptySubsequences: false)
        guard lines.count > 1, let last = lines.last else { return }
        let indentation = last.count
        for (index, line) in lines.dropFirst().dropLast().enumerated() {
            if index > 0, !endsInEscape { append(10, at: line.startIndex - 1) }
            if endsInEscape { removeEscape() }
            append(line.startIndex + min(indentation, line.count)..<line.endIndex, of: bytes, hashes)
        }
        if endsInEscape { removeEscape() }
    }

    /// The marker of an escaped line break.
    private static let escapedBreak: UInt8 = 0xFF

    private var endsInEscape: Bool { value.last == Self.escapedBreak }

    private mutating func removeEscape() {
        value.removeLast()
        offsets.removeLast()
    }

    private mutating func append(_ byte: UInt8, at offset: Int) {
        value.append(byte)
        offsets.append(offset)
    }

    private mutating func append(_ range: Range<Int>, of bytes: [UInt8], _ hashes: Int) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let start = offset
            let isEscape =
                bytes[offset] == 0x5C && offset + hashes < range.upperBound
                && (0..<hashes).allSatisfy { bytes[offset + 1 + $0] == 0x23 }
            guard isEscape else {
                if bytes[offset] != 13 { append(bytes[offset], at: offset) }
                offset += 1
                continue
            }
            offset += 1 + hashes
            guard offset < range.upperBound else {
                append(Self.escapedBreak, at: start)
                return
            }
            let letter = bytes[offset]
            offset += 1
            switch letter {
            case 0x6E: append(10, at: start)
            case 0x74: append(9, at: start)
            case 0x72: append(13, at: start)
            case 0x30: append(0, at: start)
            case 0x75:
                // \u{…}
                var scalar: UInt32 = 0
                offset += 1
                while offset < range.upperBound, bytes[offset] != 0x7D {
                    scalar = scalar &* 16 &+ UInt32(Self.digit(bytes[offset]))
                    offset += 1
                }
                offset += 1
                for byte in String(Unicode.Scalar(scalar).map(Character.init) ?? "?").utf8 {
                    append(byte, at: start)
                }
            case 0x20, 0x09:
                // There may be blanks between the backslash and the line break.
                append(Self.escapedBreak, at: start)
                return
            default: append(letter, at: start)
            }
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: 0
        }
    }
}
