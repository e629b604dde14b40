/// The characters that would control a terminal: those below space and the second set of ISO 6429, which begins escape sequences, too.
enum ControlCharacters {
    /// Returns a text of UTF-8 with control characters as `\u{1b}`. Ends of lines and tabs stay.
    static func escaped(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F {
                escaped += text(byte)
            } else if byte == 0xC2, index < bytes.endIndex, 0x80..<0xA0 ~= bytes[index] {
                escaped += text(bytes[index])
                bytes.formIndex(after: &index)
            } else {
                escaped.append(byte)
            }
        }
        return escaped
    }

    /// Whether a character is one of them.
    static func contains(_ character: Unicode.Scalar) -> Bool {
        character.value < 0x20 || 0x7F..<0xA0 ~= character.value
    }

    private static func text(_ character: UInt8) -> String.UTF8View {
        "\\u{\(String(character, radix: 16))}".utf8
    }
}
