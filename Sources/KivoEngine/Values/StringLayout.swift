/// The memory layout of strings, as detected when a store is created.
///
/// Reading the words of a string (``StringBits``) avoids reference counting and comparisons byte by byte. Their layout is part of
/// the stable ABI on Apple's 64-bit platforms, and the same on most others. The check below detects other layouts (32 bits;
/// Android on arm64, which reserves the top byte of addresses). Strings are then used like any other type. A build with
/// `KIVO_PORTABLE_STRINGS=1` in the environment does so everywhere, so that it can be tested here.
package struct StringLayout: Sendable {
    /// Whether the layout is the expected one; nil where it is known to be another, or is not asked for.
    package static var isAssumed: Bool? {
        #if KIVO_PORTABLE_STRINGS || !_pointerBitWidth(_64) || (os(Android) && arch(arm64))
        nil
        #else
        current.isKnown
        #endif
    }

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

/// The two words of a string in a column, if their layout is known: see ``StringLayout``.
///
///      63         62       61      60 … 56           55 … 0
///     ┌──────────┬────────┬───────┬───────────────┬──────────────────────────────────────┐
///     │uncounted │ ASCII  │   1   │ number of     │ bytes 8 … 14                         │  high, in place
///     ├──────────┼────────┼───────┤ bytes         ├──────────────────────────────────────┤
///     │uncounted │        │   0   │               │ where the bytes are                  │  high, elsewhere
///     └──────────┴────────┴───────┴───────────────┴──────────────────────────────────────┘
///
/// A string of up to 15 bytes is stored in place, with the first eight bytes in the low word. Two such strings with the same
/// bytes have the same words, except for the bit that marks ASCII. Null has a high word of 0.
struct StringBits {
    let low: UInt64
    let high: UInt64

    /// The largest number of bytes of a string in place.
    static let largest = 15

    @inline(__always)
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Creates the words of a string of up to 15 bytes in place; fails if they are not all ASCII. 16 bytes are read.
    @inline(__always)
    init?(ascii bytes: UnsafeRawPointer, count: Int) {
        let low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let lowMask: UInt64 = count >= 8 ? ~0 : (1 << UInt64(count &* 8)) &- 1
        let highMask: UInt64 = count <= 8 ? 0 : (1 << UInt64((count &- 8) &* 8)) &- 1
        guard (low & lowMask | high & highMask) & 0x8080_8080_8080_8080 == 0 else { return nil }
        self.init(low: low & lowMask, high: high & highMask | UInt64(count) << 56 | 0xE << 60)
    }

    /// Creates the words of a string; zeros if the layout is unknown.
    init(_ string: String?) {
        guard MemoryLayout<String?>.size == 16 else {
            self.init(low: 0, high: 0)
            return
        }
        let words = withUnsafeBytes(of: string) {
            ($0.load(as: UInt64.self), $0.load(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(low: words.0, high: words.1)
    }

    /// Whether there is a string whose bytes are elsewhere.
    @inline(__always)
    var isElsewhere: Bool { high != 0 && high >> 61 & 1 == 0 }

    /// Whether a string is known to be all ASCII.
    @inline(__always)
    var isASCII: Bool { high >> 62 & 1 != 0 }

    /// Whether there is a string whose bytes are in place.
    @inline(__always)
    var isInPlace: Bool { high >> 61 & 1 != 0 }

    /// The bytes of a string elsewhere, in memory that the string owns; nil if they must be asked of the string.
    var storage: UnsafeBufferPointer<UInt8>? {
        // Bit 60 marks bytes that are not UTF-8 in the high word, and bytes behind an object's header in the low one.
        guard high >> 60 & 1 == 0, low >> 60 & 1 != 0 else { return nil }
        let address = UnsafePointer<UInt8>(bitPattern: UInt(high & (1 << 60 - 1)) + 32)
        return UnsafeBufferPointer(start: address, count: Int(low & (1 << 48 - 1)))
    }

    /// Whether no reference is counted: the bytes are in place or belong to a literal, or there is no string.
    var isUncounted: Bool { high >> 63 != 0 || high == 0 }
}
