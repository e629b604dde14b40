extension ElementKind {
    /// Returns the element stored at an address.
    @usableFromInline package func load(_ slot: UnsafeMutableRawPointer) -> Cell {
        switch self {
        case .word: return .word(slot.load(as: UInt64.self))
        case .optionalWord:
            return slot.load(as: UInt64.self) == 0
                ? .null : .word(slot.load(fromByteOffset: 8, as: UInt64.self))
        case .wide:
            return .wide(slot.load(as: UInt64.self), slot.load(fromByteOffset: 8, as: UInt64.self))
        case .optionalWide:
            if slot.load(as: UInt64.self) == 0 { return .null }
            return .wide(
                slot.load(fromByteOffset: 8, as: UInt64.self), slot.load(fromByteOffset: 16, as: UInt64.self))
        case .string:
            return ColumnValues.optionalString(slot, 0).map(Cell.string) ?? .null
        case .bytes:
            return ColumnValues.optionalBytes(slot, 0).map(Cell.bytes) ?? .null
        case .link: return .link(slot.load(as: ObjectKey.self))
        case .any: return AnySlot(slot, 0).cell
        }
    }

    /// Initialises an element. The node takes over the ownership of references.
    func initialize(_ slot: UnsafeMutableRawPointer, _ cell: Cell, _ memory: WriteMemory) {
        switch (self, cell) {
        case (.word, .word(let word)): slot.storeBytes(of: word, as: UInt64.self)
        case (.link, .link(let key)): slot.storeBytes(of: key, as: ObjectKey.self)
        case (.link, .null): slot.storeBytes(of: 0, as: ObjectKey.self)
        case (.optionalWord, .word(let word)):
            slot.storeBytes(of: 1, as: UInt64.self)
            slot.storeBytes(of: word, toByteOffset: 8, as: UInt64.self)
        case (.optionalWord, .null):
            slot.initializeMemory(as: UInt64.self, repeating: 0, count: 2)
        case (.wide, .wide(let a, let b)):
            slot.storeBytes(of: a, as: UInt64.self)
            slot.storeBytes(of: b, toByteOffset: 8, as: UInt64.self)
        case (.optionalWide, .wide(let a, let b)):
            slot.storeBytes(of: 1, as: UInt64.self)
            slot.storeBytes(of: a, toByteOffset: 8, as: UInt64.self)
            slot.storeBytes(of: b, toByteOffset: 16, as: UInt64.self)
        case (.optionalWide, .null):
            slot.initializeMemory(as: UInt64.self, repeating: 0, count: 3)
        case (.string, .string(let string)):
            ColumnValues.initialize(slot, string)
            ElementKind.string.setStoredBy(slot, memory)
        case (.string, .null): ColumnValues.strings(slot).initialize(to: nil)
        case (.bytes, .bytes(let bytes)):
            ColumnValues.initialize(slot, bytes)
            ElementKind.bytes.setStoredBy(slot, memory)
        case (.bytes, .null): ColumnValues.bytes(slot).initialize(to: nil)
        case (.any, _):
            AnySlot(slot, 0).initialize(cell)
            ElementKind.any.setStoredBy(slot, memory)
        default: fatalError("a \(cell) is no element of kind \(self)")
        }
    }

    /// Returns the large value of an element, or nil if it has none.
    func large(_ slot: UnsafeMutableRawPointer) -> LargeSlot? {
        switch self {
        case .string: LargeSlot(stringAt: slot)
        case .bytes: LargeSlot(bytesAt: slot)
        case .any: AnySlot(slot, 0).large
        default: nil
        }
    }

    /// Returns the address of the number of the transaction that stored an element, for kinds that own references. Null has no
    /// such number.
    @inline(__always)
    private func storedByAddress(_ slot: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        slot + (stride - 8)
    }

    @inline(__always)
    func setStoredBy(_ slot: UnsafeMutableRawPointer, _ memory: WriteMemory) {
        storedByAddress(slot).storeBytes(of: memory.id, as: UInt64.self)
    }

    /// Returns the reference that an element owns and the transaction that stored it, or nil if it owns none.
    func ownedBits(
        _ slot: UnsafeMutableRawPointer, _ heap: Heap
    ) -> (bits: OwnedBits, storedBy: UInt64)? {
        let bits: OwnedBits
        switch self {
        case .string: bits = OwnedBits(stringAt: slot)
        case .bytes: bits = OwnedBits(bytesAt: slot)
        case .any:
            guard let owned = AnySlot(slot, 0).ownedBits else { return nil }
            bits = owned
        default: return nil
        }
        return bits.isTrivial(heap.strings) ? nil : (bits, storedByAddress(slot).load(as: UInt64.self))
    }

    /// Removes an element's reference from the newest version. It is released at once if only this transaction can have read it.
    func retire(_ slot: UnsafeMutableRawPointer, _ memory: WriteMemory) {
        guard isReference, let (bits, storedBy) = ownedBits(slot, memory.heap) else { return }
        if storedBy == memory.id { bits.release() } else { memory.retire(bits, storedBy: storedBy) }
    }
}

extension Cell {
    /// Whether the cell is before another in sorted sequences: null first, words as signed integers, strings and bytes by their
    /// bytes, any values by ``AnyOrder``.
    func isOrderedBefore(_ other: Cell) -> Bool {
        switch (self, other) {
        case (.null, .null): return false
        case (.null, _): return true
        case (_, .null): return false
        case (.word(let a), .word(let b)): return Int64(bitPattern: a) < Int64(bitPattern: b)
        case (.link(let a), .link(let b)): return a < b
        case (.wide(let a0, let a1), .wide(let b0, let b1)): return (a0, a1) < (b0, b1)
        case (.string(let a), .string(let b)): return a.precedesByBytes(b)
        case (.bytes(let a), .bytes(let b)): return a.lexicographicallyPrecedes(b)
        default: return AnyOrder.compare(self, other) < 0
        }
    }
}

extension String {
    /// Whether the bytes of a string are before those of another.
    func precedesByBytes(_ other: String) -> Bool {
        let precedes = utf8.withContiguousStorageIfAvailable { a in
            other.utf8.withContiguousStorageIfAvailable { b in
                let count = Swift.min(a.count, b.count)
                var index = 0
                // Keys often begin alike.
                while index + 8 <= count {
                    let (wordA, wordB) = (
                        UnsafeRawPointer(a.baseAddress! + index).loadUnaligned(as: UInt64.self),
                        UnsafeRawPointer(b.baseAddress! + index).loadUnaligned(as: UInt64.self)
                    )
                    if wordA != wordB { return wordA.bigEndian < wordB.bigEndian }
                    index += 8
                }
                while index < count {
                    if a[index] != b[index] { return a[index] < b[index] }
                    index += 1
                }
                return a.count < b.count
            }
        }
        return (precedes ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}
