/// The values of a column, found from the address that a leaf keeps for the column and a slot.
///
/// With ``ColumnBits`` the one place that knows where they lie. Slot 0 of an address is also how an element of a sequence is
/// read. Strings and bytes are stored as optional ones, for null.
public enum ColumnValues {
    /// The value of a column of words.
    @inlinable @inline(__always)
    public static func word(_ column: UnsafeMutableRawPointer, _ slot: Int) -> UInt64 {
        column.assumingMemoryBound(to: UInt64.self)[slot]
    }

    /// Stores into a column of words.
    @inlinable @inline(__always)
    public static func setWord(_ column: UnsafeMutableRawPointer, _ slot: Int, _ word: UInt64) {
        column.assumingMemoryBound(to: UInt64.self)[slot] = word
    }

    /// The value of a column of pairs of words.
    @inlinable @inline(__always)
    public static func wide(_ column: UnsafeMutableRawPointer, _ slot: Int) -> (UInt64, UInt64) {
        let pair = column.assumingMemoryBound(to: UInt64.self) + slot &* 2
        return (pair[0], pair[1])
    }

    /// Stores into a column of pairs of words.
    @inlinable @inline(__always)
    public static func setWide(
        _ column: UnsafeMutableRawPointer, _ slot: Int, _ words: (UInt64, UInt64)
    ) {
        let pair = column.assumingMemoryBound(to: UInt64.self) + slot &* 2
        (pair[0], pair[1]) = words
    }

    /// The strings of a column.
    @inlinable @inline(__always)
    public static func strings(_ column: UnsafeMutableRawPointer) -> UnsafeMutablePointer<String?> {
        column.assumingMemoryBound(to: String?.self)
    }

    /// The value of a column of strings that holds no null.
    @inlinable @inline(__always)
    public static func string(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String {
        // An optional that is no larger than what it can hold keeps that as it is, and is read without being opened.
        if MemoryLayout<String?>.size == MemoryLayout<String>.size {
            return column.assumingMemoryBound(to: String.self)[slot]
        }
        return strings(column)[slot].unsafelyUnwrapped
    }

    /// The arrays of a column of bytes.
    @inlinable @inline(__always)
    public static func bytes(_ column: UnsafeMutableRawPointer) -> UnsafeMutablePointer<[UInt8]?> {
        column.assumingMemoryBound(to: [UInt8]?.self)
    }
}
