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

    @inline(__always)
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
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
