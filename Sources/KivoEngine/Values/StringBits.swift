/// The two words of a string, as it lies in a column, where that is known: see ``StringLayout``.
///
///      63         62       61      60 … 56           55 … 0
///     ┌──────────┬────────┬───────┬───────────────┬──────────────────────────────────────┐
///     │uncounted │ ASCII  │   1   │ number of     │ bytes 8 … 14                         │  high, in place
///     ├──────────┼────────┼───────┤ bytes         ├──────────────────────────────────────┤
///     │uncounted │        │   0   │               │ where the bytes are                  │  high, elsewhere
///     └──────────┴────────┴───────┴───────────────┴──────────────────────────────────────┘
///
/// A string of up to 15 bytes keeps them in place, the first eight in the low word: two such strings have the same words
/// whenever they have the same bytes, but for the bit which says whether all are ASCII. Null has a high word of 0.
struct StringBits {
    let low: UInt64
    let high: UInt64

    @inline(__always)
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// The words of a string; zeros where they are not known.
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

    /// Whether there is a string, and its bytes are elsewhere.
    @inline(__always)
    var isElsewhere: Bool { high != 0 && high >> 61 & 1 == 0 }

    /// Whether no reference is counted: the bytes are in place, or those of a literal, or there is no string.
    var isUncounted: Bool { high >> 63 != 0 || high == 0 }

    /// Whether two strings in place are equal. Equal bytes may be marked as ASCII in one of them only.
    @inline(__always)
    func isSameInPlace(as other: StringBits) -> Bool {
        (low ^ other.low) | ((high ^ other.high) & ~(1 << 62)) == 0
    }
}
