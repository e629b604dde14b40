/// A key that was pressed in a terminal.
enum TerminalKey: Equatable {
    case text(Unicode.Scalar)
    case left, right, wordLeft, wordRight, home, end, up, down
    case backspace, delete, deleteWord, deleteToStart, deleteToEnd
    case enter, tab, interrupt, endOfInput, clearScreen
    /// A key without a function, or invalid UTF-8.
    case unknown
}

/// A decoder of the bytes that a terminal sends for keys: UTF-8, control characters and escape sequences.
struct TerminalKeyDecoder {
    /// The bytes of an escape sequence that is not complete, without the escape character.
    private var sequence: [UInt8]?
    /// The bytes of a character that is not complete.
    private var character: [UInt8] = []
    private static let longestSequence = 32

    /// Takes the next byte. Returns the key that it completes, or nil if the key has further bytes.
    mutating func key(_ byte: UInt8) -> TerminalKey? {
        if let sequence { return key(byte, after: sequence) }
        if !character.isEmpty, byte & 0xC0 != 0x80 {
            // The character remains incomplete; the byte is the next one.
            character = []
        }
        switch byte {
        case 0x1B:
            sequence = []
            return nil
        case 0x20..<0x7F: return .text(Unicode.Scalar(byte))
        case 0..<0x20, 0x7F: return TerminalKeyDecoder.control(byte)
        default: break
        }
        character.append(byte)
        // The first byte begins with as many ones as the character has bytes.
        let length = (~character[0]).leadingZeroBitCount
        if length < 2 || length > 4 || character.count > length {
            character = []
            return .unknown
        }
        if character.count < length { return nil }
        defer { character = [] }
        guard let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first,
            !ControlCharacters.contains(scalar)
        else { return .unknown }
        return .text(scalar)
    }

    private static func control(_ byte: UInt8) -> TerminalKey {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x0B: .deleteToEnd
        case 0x0C: .clearScreen
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .deleteToStart
        case 0x17: .deleteWord
        default: .unknown
        }
    }

    /// Continues an escape sequence: `ESC [ parameters letter`, `ESC O letter`, or `ESC letter` for a key with Alt.
    private mutating func key(_ byte: UInt8, after sequence: [UInt8]) -> TerminalKey? {
        if byte == 0x1B {
            self.sequence = []
            return nil
        }
        guard let first = sequence.first else {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
                self.sequence = [byte]
                return nil
            }
            self.sequence = nil
            switch byte {
            case UInt8(ascii: "b"): return .wordLeft
            case UInt8(ascii: "f"): return .wordRight
            case 0x08, 0x7F: return .deleteWord
            default: return .unknown
            }
        }
        if first == UInt8(ascii: "["), 0x20..<0x40 ~= byte,
            sequence.count < TerminalKeyDecoder.longestSequence
        {
            self.sequence = sequence + [byte]
            return nil
        }
        self.sequence = nil
        let parameters = String(decoding: sequence.dropFirst(), as: UTF8.self).split(separator: ";")
        // The second parameter is above 1 if Control, Alt or Shift is held.
        let isModified = parameters.count > 1 && parameters[1] != "1"
        switch byte {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return isModified ? .wordRight : .right
        case UInt8(ascii: "D"): return isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch parameters.first {
            case "1", "7": return .home
            case "4", "8": return .end
            case "3": return .delete
            default: return .unknown
            }
        default: return .unknown
        }
    }
}
