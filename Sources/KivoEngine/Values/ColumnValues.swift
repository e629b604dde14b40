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

    // MARK: Strings

    /// The second word of a slot of a string that holds a large value.
    @inlinable static var largeMark: UInt64 { 1 }

    /// Whether a slot of a string leads to a large value instead: see ``LargeSlot``.
    @inlinable @inline(__always)
    static func isLarge(stringAt slot: UnsafeRawPointer) -> Bool {
        #if _pointerBitWidth(_64)
        slot.assumingMemoryBound(to: UInt64.self)[1] == largeMark
        #else
        false
        #endif
    }

    @inlinable @inline(__always)
    static func slot(_ column: UnsafeMutableRawPointer, ofString slot: Int) -> UnsafeMutableRawPointer {
        column + slot &* MemoryLayout<String?>.stride
    }

    /// The slots of a column of strings, which may lead to large values instead.
    @inlinable @inline(__always)
    static func strings(_ column: UnsafeMutableRawPointer) -> UnsafeMutablePointer<String?> {
        column.assumingMemoryBound(to: String?.self)
    }

    /// Whether a slot of a column of strings leads to a large value instead.
    @inlinable @inline(__always)
    static func isLargeString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        isLarge(stringAt: self.slot(column, ofString: slot))
    }

    /// The value of a column of strings that holds no null.
    @inlinable @inline(__always)
    public static func string(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String {
        smallString(column, slot) ?? largeString(column, slot)!
    }

    /// The value of a column of strings that holds no null; nil if it is large.
    @inlinable @inline(__always)
    public static func smallString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        // An optional that is no larger than what it can hold keeps that as it is, and is read without being opened.
        if MemoryLayout<String?>.size == MemoryLayout<String>.size {
            let address = column.assumingMemoryBound(to: String.self) + slot
            return isLarge(stringAt: address) ? nil : address.pointee
        }
        if isLargeString(column, slot) { return nil }
        return strings(column)[slot].unsafelyUnwrapped
    }

    /// The value of a column of strings.
    @inlinable @inline(__always)
    public static func optionalString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        if isLargeString(column, slot) { return largeString(column, slot) }
        return strings(column)[slot]
    }

    @usableFromInline @inline(never)
    static func largeString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        guard let large = LargeSlot(stringAt: self.slot(column, ofString: slot)),
            case .string(let string) = large.cell
        else { return nil }
        return string
    }

    /// Stores in place of a string that the same transaction stored. False, and nothing is stored, if that one is large.
    @inlinable @inline(__always)
    public static func replaceString(
        _ column: UnsafeMutableRawPointer, _ slot: Int, _ value: String?
    ) -> Bool {
        if isLargeString(column, slot) { return false }
        if let value, value.utf8.count > largest {
            strings(column)[slot] = nil
            initialize(self.slot(column, ofString: slot), value)
        } else {
            strings(column)[slot] = value
        }
        return true
    }

    /// ``LargeValue/threshold``.
    @inlinable static var largest: Int { 4096 }

    /// Initialises the slot of a string.
    @usableFromInline
    static func initialize(_ slot: UnsafeMutableRawPointer, _ value: String?) {
        if let value, value.utf8.count > LargeValue.threshold {
            LargeSlot.initialize(slot, .string(value))
        } else {
            strings(slot).initialize(to: value)
        }
    }

    // MARK: Bytes

    /// Whether a slot of bytes leads to a large value instead.
    @inline(__always)
    static func isLarge(bytesAt slot: UnsafeRawPointer) -> Bool {
        #if _pointerBitWidth(_64)
        slot.load(as: UInt64.self) & 3 != 0
        #else
        false
        #endif
    }

    private static func slot(_ column: UnsafeMutableRawPointer, ofBytes slot: Int) -> UnsafeMutableRawPointer
    {
        column + slot * MemoryLayout<[UInt8]?>.stride
    }

    /// The slots of a column of bytes, which may lead to large values instead.
    static func bytes(_ column: UnsafeMutableRawPointer) -> UnsafeMutablePointer<[UInt8]?> {
        column.assumingMemoryBound(to: [UInt8]?.self)
    }

    /// The value of a column of bytes.
    public static func optionalBytes(_ column: UnsafeMutableRawPointer, _ slot: Int) -> [UInt8]? {
        guard let large = LargeSlot(bytesAt: self.slot(column, ofBytes: slot)) else {
            return bytes(column)[slot]
        }
        guard case .bytes(let bytes) = large.cell else { return nil }
        return bytes
    }

    /// Stores in place of bytes that the same transaction stored. False, and nothing is stored, if these are large.
    public static func replaceBytes(
        _ column: UnsafeMutableRawPointer, _ slot: Int, _ value: [UInt8]?
    ) -> Bool {
        if isLarge(bytesAt: self.slot(column, ofBytes: slot)) { return false }
        bytes(column)[slot] = nil
        initialize(self.slot(column, ofBytes: slot), value)
        return true
    }

    /// Initialises the slot of bytes.
    static func initialize(_ slot: UnsafeMutableRawPointer, _ value: [UInt8]?) {
        if let value, value.count > LargeValue.threshold {
            LargeSlot.initialize(slot, .bytes(value))
        } else {
            bytes(slot).initialize(to: value)
        }
    }
}
