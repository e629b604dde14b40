/// A test of the bytes of strings, for a column at a time. ``TextTest/holds(_:)`` defines the meaning of each.
protocol StringKernel {
    /// Returns whether a string of up to 15 bytes passes. Also called for bytes of slots without a row, whose answer is dropped.
    func holds(_ text: ShortText) -> Bool
    /// Returns whether a string passes.
    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool
    /// Returns whether a string of up to 15 bytes may pass in lower case, by its blurred bytes; see ``ShortText/blurred(_:)``.
    func mayHold(blurred bytes: UInt128) -> Bool
    /// A filter that strings in place pass before they are tested, if it excludes most of them.
    var filter: ByteFilter? { get }
    /// The answer for all strings of more than ``LargeValue/threshold`` bytes, which need not be read then; nil if it depends.
    var answerForLarge: Bool? { get }
}

extension StringKernel {
    var answerForLarge: Bool? { nil }
    var filter: ByteFilter? { nil }

    @inline(__always)
    func mayHold(blurred bytes: UInt128) -> Bool { true }
}

/// Equality of bytes, or its opposite.
struct EqualKernel: StringKernel {
    let needle: [UInt8]
    let short: ShortText
    let isInverted: Bool

    init(_ needle: [UInt8], isInverted: Bool) {
        self.needle = needle
        self.isInverted = isInverted
        let first = ShortText(needle)
        // No string in place has the count of a longer needle.
        short = ShortText(bytes: first.bytes, count: needle.count)
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool {
        (text.bytes == short.bytes && text.count == short.count) != isInverted
    }

    @inline(__always)
    func mayHold(blurred bytes: UInt128) -> Bool { isInverted || bytes == ShortText.blurred(short.bytes) }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        (bytes.count == needle.count && bytes.matches(needle, at: 0)) != isInverted
    }

    var answerForLarge: Bool? { needle.count <= LargeValue.threshold ? isInverted : nil }
}

/// The order of bytes.
struct OrderKernel: StringKernel {
    let needle: [UInt8]
    /// Strings in place are before the needle, or equal to it if that counts, if their keys are less.
    private let bound: UInt128
    private let includesEqual: Bool
    private let isInverted: Bool

    /// Creates the test for less, or for less or equal; or the opposite of it.
    init(_ needle: [UInt8], includesEqual: Bool, isInverted: Bool) {
        self.needle = needle
        self.includesEqual = includesEqual
        self.isInverted = isInverted
        let key = ShortText(bytes: ShortText(needle).bytes, count: min(needle.count, 16)).orderKey
        bound = includesEqual ? key + 1 : key
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool { (text.orderKey < bound) != isInverted }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let isBefore =
            includesEqual
            ? !needle.lexicographicallyPrecedes(bytes) : bytes.lexicographicallyPrecedes(needle)
        return isBefore != isInverted
    }
}

/// A beginning.
struct BeginKernel: StringKernel {
    let needle: [UInt8]
    private let short: ShortText
    private let mask: UInt128

    init(_ needle: [UInt8]) {
        self.needle = needle
        short = ShortText(bytes: ShortText(needle).bytes, count: needle.count)
        mask = UInt128.max.shiftedRight(bytes: 16 - min(needle.count, 15))
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool { text.bytes & mask == short.bytes && text.count >= short.count }

    @inline(__always)
    func mayHold(blurred bytes: UInt128) -> Bool { bytes & mask == ShortText.blurred(short.bytes) & mask }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count >= needle.count && bytes.matches(needle, at: 0)
    }
}

/// An end.
struct EndKernel: StringKernel {
    let needle: [UInt8]
    private let short: ShortText

    init(_ needle: [UInt8]) {
        self.needle = needle
        short = ShortText(bytes: ShortText(needle).bytes, count: needle.count)
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool {
        let start = text.count &- short.count
        return start >= 0 && text.bytes &>> UInt128(truncatingIfNeeded: start &* 8) == short.bytes
    }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count >= needle.count && bytes.matches(needle, at: bytes.count - needle.count)
    }
}

/// A part.
///
/// The filter excludes the strings without the first and the last byte of the needle at their distance.
struct PartKernel: StringKernel {
    private let search: ByteSearch
    private let short: ShortText
    private let mask: UInt128
    let filter: ByteFilter?

    init(_ needle: [UInt8]) {
        search = ByteSearch(needle)
        short = ShortText(bytes: ShortText(needle).bytes, count: needle.count)
        mask = UInt128.max.shiftedRight(bytes: 16 - min(needle.count, 15))
        filter = .run(needle)
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool {
        let first = UInt8(truncatingIfNeeded: short.bytes)
        let places = ShortText.places(of: first, in: text.bytes)
        return short.count == 0 || places != 0 && holds(text, at: places)
    }

    @inline(never)
    private func holds(_ text: ShortText, at places: UInt128) -> Bool {
        var places = places
        while places != 0 {
            let bit = places.trailingZeroBitCount
            let start = bit >> 3
            if start + short.count > text.count { return false }
            if (text.bytes &>> UInt128(start &* 8)) & mask == short.bytes { return true }
            places &= places &- 1
        }
        return false
    }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { search.succeeds(in: bytes) }
}

/// Membership in a set of strings.
struct StringSetKernel: StringKernel {
    private let members: CellSet
    private let keys: WordPairSet

    init(_ set: CellSet) {
        members = set
        keys = WordPairSet(
            set.cells.compactMap { cell in
                guard case .string(let string) = cell else { return nil }
                return StringSetKernel.key(ShortText(string.utf8), string.utf8.count)
            })
    }

    /// Strings in place have keys of their own. Longer ones share a key if their first bytes and counts are equal.
    @inline(__always)
    private static func key(_ text: ShortText, _ count: Int) -> (UInt64, UInt64) {
        let high = UInt64(truncatingIfNeeded: text.bytes &>> 64)
        let mark = UInt64(truncatingIfNeeded: min(count, 254) &+ 1) &<< 56
        return (UInt64(truncatingIfNeeded: text.bytes), high | mark)
    }

    @inline(__always)
    func holds(_ text: ShortText) -> Bool { keys.contains(StringSetKernel.key(text, text.count)) }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        keys.contains(StringSetKernel.key(ShortText(bytes), bytes.count))
            && members.contains(.string(String(decoding: bytes, as: UTF8.self)))
    }

    var answerForLarge: Bool? {
        members.cells.allSatisfy { $0.byteCount <= LargeValue.threshold } ? false : nil
    }
}

extension UInt128 {
    fileprivate func shiftedRight(bytes: Int) -> UInt128 { self >> UInt128(bytes * 8) }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether there are the bytes of a needle at a position. The needle must fit there.
    func matches(_ needle: [UInt8], at start: Int) -> Bool {
        matchCount(needle, at: start) == needle.count
    }

    /// Returns the number of bytes of a needle at a position before the first that differs. The needle must fit there.
    @inline(__always)
    func matchCount(_ needle: [UInt8], at start: Int) -> Int {
        var count = 0
        while count < needle.count, self[start + count] == needle[count] { count += 1 }
        return count
    }
}
