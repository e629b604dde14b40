/// The memory layout of strings, as detected when a store is created.
///
/// Reading the words of a string (``StringBits``) avoids reference counting and comparisons byte by byte. Their layout is part of
/// the stable ABI on Apple's 64-bit platforms, and the same on most others. The check below detects other layouts (32 bits;
/// Android on arm64, which reserves the top byte of addresses). Strings are then used like any other type. A build with
/// `KIVO_PORTABLE_STRINGS=1` in the environment does so everywhere, so that it can be tested here.
struct StringLayout: Sendable {
    /// Whether strings have the layout that ``StringBits`` expects.
    let isKnown: Bool

    #if KIVO_PORTABLE_STRINGS
    /// The layout in this process.
    static let current = StringLayout(isKnown: false)
    #else
    /// The layout in this process, detected once, in release builds too.
    static let current = StringLayout(isKnown: isExpected())
    #endif

    /// Whether strings of each form, and null, have the layout that ``StringBits`` draws.
    static func isExpected() -> Bool {
        guard MemoryLayout<String?>.size == 16, MemoryLayout<String>.size == 16,
            MemoryLayout<String?>.stride == 16, MemoryLayout<String?>.alignment == 8,
            StringBits(nil).high == 0
        else { return false }
        for text in ["", "ab", "fifteen bytes .", "é", "ü, fifteen by."] {
            let bits = StringBits(String(decoding: Array(text.utf8), as: UTF8.self))
            let expected = inPlace(text)
            if bits.low != expected.low || bits.high != expected.high { return false }
        }
        for text in ["counted, and more than fifteen bytes", "gezählt, und länger als fünfzehn Bytes"] {
            let bits = StringBits(String(decoding: Array(text.utf8), as: UTF8.self))
            if !bits.isElsewhere || bits.isUncounted { return false }
        }
        let texts = [
            "a literal of more than fifteen bytes", "ein Literal, länger als fünfzehn Bytes",
            String(decoding: Array("counted, and more than fifteen bytes".utf8), as: UTF8.self),
        ]
        return texts.allSatisfy { StringBits($0).isElsewhere && hasExpectedStorage($0) }
    }

    /// Whether the bytes of a string elsewhere are where its words say. The expected address is compared, not read.
    private static func hasExpectedStorage(_ text: String) -> Bool {
        guard let storage = StringBits(text).storage else { return false }
        return text.utf8.withContiguousStorageIfAvailable {
            $0.baseAddress == storage.baseAddress && $0.count == storage.count
        } ?? false
    }

    /// Returns the expected words of a string of at most 15 bytes.
    private static func inPlace(_ text: String) -> StringBits {
        var (low, high): (UInt64, UInt64) = (0, 0)
        var (count, isASCII): (UInt64, Bool) = (0, true)
        for byte in text.utf8 {
            if byte >= 0x80 { isASCII = false }
            if count < 8 {
                low |= UInt64(byte) << (8 * count)
            } else {
                high |= UInt64(byte) << (8 * count - 64)
            }
            count += 1
        }
        return StringBits(low: low, high: high | count << 56 | (isASCII ? 0xE : 0xA) << 60)
    }
}
