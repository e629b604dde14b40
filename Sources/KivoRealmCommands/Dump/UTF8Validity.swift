/// A check whether bytes in several parts are valid UTF-8.
struct UTF8Validity {
    /// The number of bytes that the current character still needs.
    private var remaining = 0
    /// The valid range of the next byte, if the character needs one.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF
    private var isBroken = false

    var isValid: Bool { !isBroken && remaining == 0 }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count, !isBroken {
            if remaining == 0 {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                if index == bytes.count { return }
            }
            take(bytes[index])
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) {
        if remaining > 0 {
            guard byte >= low, byte <= high else { return isBroken = true }
            remaining -= 1
            (low, high) = (0x80, 0xBF)
            return
        }
        switch byte {
        case 0..<0x80: break
        case 0xC2...0xDF: remaining = 1
        case 0xE0...0xEF:
            remaining = 2
            // Excludes values that fit into two bytes, and surrogates of UTF-16.
            if byte == 0xE0 { low = 0xA0 }
            if byte == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            remaining = 3
            if byte == 0xF0 { low = 0x90 }
            if byte == 0xF4 { high = 0x8F }
        default: isBroken = true
        }
    }
}
