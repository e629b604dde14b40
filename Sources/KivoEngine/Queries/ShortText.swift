/// The bytes of a string of up to 15 bytes as one number, the first byte lowest. Bytes behind the end are 0.
struct ShortText {
    let bytes: UInt128
    let count: Int

    @inline(__always)
    init(bytes: UInt128, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    /// Creates the bytes of a string in place.
    @inline(__always)
    init(_ bits: StringBits) {
        self.init(
            bytes: UInt128(truncatingIfNeeded: bits.high & (1 << 56 - 1)) &<< 64
                | UInt128(truncatingIfNeeded: bits.low),
            count: Int(truncatingIfNeeded: bits.high &>> 56 & 0xF))
    }

    /// Creates the number of the first 15 bytes at most.
    init(_ bytes: some Collection<UInt8>) {
        let first = bytes.prefix(StringBits.largest)
        self.init(
            bytes: first.reversed().reduce(0) { $0 << 8 | UInt128($1) }, count: first.count)
    }

    /// The text with ASCII letters in lower case. All bytes must be ASCII.
    @inline(__always)
    var lowercased: ShortText {
        // The highest bit of a byte is set by a sum if the byte is at least "A", or beyond "Z".
        let atLeastA = bytes &+ ShortText.each(0x80 - UInt8(ascii: "A"))
        let beyondZ = bytes &+ ShortText.each(0x7F - UInt8(ascii: "Z"))
        let isUpper = (atLeastA ^ beyondZ) & ShortText.each(0x80)
        return ShortText(bytes: bytes | isUpper &>> 2, count: count)
    }

    /// Returns bytes with bit 5 set in each. Letters have the same bytes then in lower and in upper case, and so have a few other
    /// characters.
    @inline(__always)
    static func blurred(_ bytes: UInt128) -> UInt128 { bytes | each(0x20) }

    /// A number by which texts are ordered like their bytes: the bytes, first highest, then the count.
    @inline(__always)
    var orderKey: UInt128 { bytes.byteSwapped | UInt128(truncatingIfNeeded: count) }

    /// Returns a number of 16 equal bytes.
    @inline(__always)
    static func each(_ byte: UInt8) -> UInt128 {
        UInt128(truncatingIfNeeded: byte) &* 0x0101_0101_0101_0101_0101_0101_0101_0101
    }

    /// Returns a number in which the highest bit is set of exactly those bytes that equal a byte.
    @inline(__always)
    static func places(of byte: UInt8, in bytes: UInt128) -> UInt128 {
        let differences = bytes ^ each(byte)
        let low = exactZeros(UInt64(truncatingIfNeeded: differences))
        let high = exactZeros(UInt64(truncatingIfNeeded: differences &>> 64))
        return UInt128(truncatingIfNeeded: high) &<< 64 | UInt128(truncatingIfNeeded: low)
    }

    @inline(__always)
    private static func exactZeros(_ bytes: UInt64) -> UInt64 {
        let mask: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        // The sum of a byte's lower seven bits and 0x7F carries into the highest bit unless they are 0, and never further.
        return ~((bytes & mask) &+ mask | bytes | mask)
    }

    /// Returns a number in which the highest bit is set of each byte that is 0. Bytes above such a byte may have it too.
    @inline(__always)
    static func zeros(_ bytes: UInt64) -> UInt64 {
        (bytes &- 0x0101_0101_0101_0101) & ~bytes & 0x8080_8080_8080_8080
    }
}
