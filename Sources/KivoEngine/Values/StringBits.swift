/// The two words of a string, as it lies in a column.
///
/// A string of up to 15 bytes keeps them in place: the words are equal whenever the bytes are. Any other says in the high
/// word where its bytes are. The highest bits of the high word are, from the top: whether nothing is counted; in place,
/// whether all is ASCII; whether it is in place. Null has a high word of 0.
///
/// This is what strings are on platforms of 64 bits, where their layout is part of the stable ABI on Apple's and the same
/// elsewhere; debug builds check it.
struct StringBits {
    let low: UInt64
    let high: UInt64

    @inline(__always)
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    init(_ string: String) {
        (low, high) = unsafeBitCast(string, to: (UInt64, UInt64).self)
        assert(StringBits.isLayoutKnown, "strings are laid out in another way than expected")
    }

    /// Whether there is a string, and its bytes are elsewhere.
    @inline(__always)
    var isElsewhere: Bool { high != 0 && high >> 61 & 1 == 0 }

    /// Whether no reference is counted: the bytes are in place, or those of a literal, or there is no string.
    var isUncounted: Bool { high >> 63 != 0 || high == 0 }

    /// Whether two strings in place are equal. What they say of being ASCII is no matter of what they hold.
    @inline(__always)
    func isSameInPlace(as other: StringBits) -> Bool {
        (low ^ other.low) | ((high ^ other.high) & ~(1 << 62)) == 0
    }

    private static let isLayoutKnown: Bool = {
        let words = { (string: String) in unsafeBitCast(string, to: (UInt64, UInt64).self) }
        let (low, high) = words("ab")
        let (_, longHigh) = words(String(repeating: "long", count: 10))
        let (_, null) = unsafeBitCast(String?.none, to: (UInt64, UInt64).self)
        return low == 0x6261 && high >> 61 == 7 && longHigh >> 61 & 1 == 0 && longHigh >> 63 == 0 && null == 0
    }()
}
