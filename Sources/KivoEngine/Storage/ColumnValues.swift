/// The values of a column, located by a slot and the address that a leaf stores for the column.
///
/// Together with ``ColumnBits`` this is the only code that depends on their layout. Slot 0 of an address is also used for an
/// element of a sequence. Strings and bytes are stored as optionals, for null.
@usableFromInline package enum ColumnValues {
    /// Returns the value in a column of words.
    @inlinable @inline(__always)
    package static func word(_ column: UnsafeMutableRawPointer, _ slot: Int) -> UInt64 {
        column.assumingMemoryBound(to: UInt64.self)[slot]
    }

    /// Stores into a column of words.
    @inlinable @inline(__always)
    package static func setWord(_ column: UnsafeMutableRawPointer, _ slot: Int, _ word: UInt64) {
        column.assumingMemoryBound(to: UInt64.self)[slot] = word
    }

    /// Returns the value in a column of pairs of words.
    @inlinable @inline(__always)
    package static func wide(_ column: UnsafeMutableRawPointer, _ slot: Int) -> (UInt64, UInt64) {
        let pair = column.assumingMemoryBound(to: UInt64.self) + slot &* 2
        return (pair[0], pair[1])
    }

    /// Stores into a column of pairs of words.
    @inlinable @inline(__always)
    package static func setWide(
        _ column: UnsafeMutableRawPointer, _ slot: Int, _ words: (UInt64, UInt64)
    ) {
        let pair = column.assumingMemoryBound(to: UInt64.self) + slot &* 2
        (pair[0], pair[1]) = words
    }

    // MARK: Strings

    /// The second word of a string slot that contains a large value.
    @inlinable static var largeMark: UInt64 { 1 }

    /// Whether a slot of a string contains a large value instead: see ``LargeSlot``.
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

    /// Returns the slots of a column of strings, which may contain large values instead.
    @inlinable @inline(__always)
    static func strings(_ column: UnsafeMutableRawPointer) -> UnsafeMutablePointer<String?> {
        column.assumingMemoryBound(to: String?.self)
    }

    /// Whether a slot of a column of strings contains a large value instead.
    @inlinable @inline(__always)
    static func isLargeString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        isLarge(stringAt: self.slot(column, ofString: slot))
    }

    /// Returns the value in a column of strings without nulls.
    @inlinable @inline(__always)
    package static func string(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String {
        smallString(column, slot) ?? largeString(column, slot)!
    }

    /// Returns the value in a column of strings without nulls, or nil if the value is large.
    @inlinable @inline(__always)
    package static func smallString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        // An optional of the same size as its payload stores the payload unchanged, so it can be read without unwrapping.
        if MemoryLayout<String?>.size == MemoryLayout<String>.size {
            let address = column.assumingMemoryBound(to: String.self) + slot
            return isLarge(stringAt: address) ? nil : address.pointee
        }
        if isLargeString(column, slot) { return nil }
        return strings(column)[slot].unsafelyUnwrapped
    }

    /// Returns the value in a column of strings.
    @inlinable @inline(__always)
    package static func optionalString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        if isLargeString(column, slot) { return largeString(column, slot) }
        return strings(column)[slot]
    }

    /// Returns whether a column of strings contains a string, byte by byte.
    static func hasString(_ column: UnsafeMutableRawPointer, _ slot: Int, _ string: String) -> Bool {
        guard let stored = optionalString(column, slot) else { return false }
        return Cell.haveSameBytes(stored, string)
    }

    @usableFromInline @inline(never)
    static func largeString(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        guard let large = LargeSlot(stringAt: self.slot(column, ofString: slot)),
            case .string(let string) = large.cell
        else { return nil }
        return string
    }

    /// Replaces a string that the same transaction stored. Returns false, without an effect, if the old string is large.
    @inlinable @inline(__always)
    package static func replaceString(
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

    /// The largest number of bytes of a value in place: the value of ``LargeValue/threshold``.
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

    /// Whether a slot of bytes contains a large value instead.
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

    /// Returns the slots of a column of bytes, which may contain large values instead.
    static func bytes(_ column: UnsafeMutableRawPointer) -> UnsafeMutablePointer<[UInt8]?> {
        column.assumingMemoryBound(to: [UInt8]?.self)
    }

    /// Returns the value in a column of bytes.
    @usableFromInline package static func optionalBytes(_ column: UnsafeMutableRawPointer, _ slot: Int)
        -> [UInt8]?
    {
        guard let large = LargeSlot(bytesAt: self.slot(column, ofBytes: slot)) else {
            return bytes(column)[slot]
        }
        guard case .bytes(let bytes) = large.cell else { return nil }
        return bytes
    }

    /// Replaces bytes that the same transaction stored. Returns false, without an effect, if the old bytes are large.
    @usableFromInline package static func replaceBytes(
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
