/// The values of one column in one leaf, with two bits for each. The drawing at ``Leaf`` shows the layout.
///
/// The bits precede the values in groups of 32 slots. So the position of a slot's bits does not depend on the number of slots.
/// The owner is between them and the values, because every store reads it.
///
/// An unowned view, like ``Leaf``.
@usableFromInline package struct ColumnBuffer {
    /// The address of the first value.
    @usableFromInline package let data: UnsafeMutableRawPointer
    /// The number of slots.
    @usableFromInline package let capacity: Int

    init(data: UnsafeMutableRawPointer, capacity: Int) {
        self.data = data
        self.capacity = capacity
    }

    /// Creates the buffer that begins at an address within a leaf.
    init(inlineAt address: UnsafeMutableRawPointer, capacity: Int) {
        self.init(data: address + ColumnBits.headerBytes(capacity), capacity: capacity)
    }

    /// Returns the number of bytes of a buffer within a leaf.
    static func inlineBytes(_ kind: ColumnKind, capacity: Int) -> Int {
        ColumnBits.headerBytes(capacity) + (capacity * kind.stride + 7) & ~7
    }

    /// The block of a buffer that is not inline. It begins with its owner, like all blocks.
    var block: UnsafeMutableRawPointer { data - ColumnBits.headerBytes(capacity) - 8 }

    var owner: UInt64 {
        get { ColumnBits.owner(data) }
        nonmutating set { ColumnBits.setOwner(data, newValue) }
    }

    static func make(_ kind: ColumnKind, capacity: Int, _ memory: WriteMemory) -> ColumnBuffer {
        let bytes = 8 + inlineBytes(kind, capacity: capacity)
        let block = memory.allocate(bytes)
        (block + 8).initializeMemory(as: UInt8.self, repeating: 0, count: bytes - 8)
        let buffer = ColumnBuffer(inlineAt: block + 8, capacity: capacity)
        buffer.owner = memory.id
        return buffer
    }

    /// Returns a copy of a buffer that is not inline.
    func copy(_ kind: ColumnKind, _ memory: WriteMemory) -> ColumnBuffer {
        let bytes = 8 + ColumnBuffer.inlineBytes(kind, capacity: capacity)
        let copy = ColumnBuffer(inlineAt: memory.copy(block, byteCount: bytes) + 8, capacity: capacity)
        copy.owner = memory.id
        copy.clearDirty()
        return copy
    }

    // MARK: Bits

    /// Returns all bits of one kind. `address` returns the address of the bits of 32 slots.
    @inline(__always)
    private func bits(
        _ address: (UnsafeMutableRawPointer, Int) -> UnsafeMutablePointer<UInt32>
    ) -> Bits256 {
        func group(_ index: Int) -> UInt64 { UInt64(address(data, index).pointee) }
        if capacity == 256 {
            return Bits256(
                group(0) | group(1) << 32, group(2) | group(3) << 32, group(4) | group(5) << 32,
                group(6) | group(7) << 32)
        }
        return Bits256(capacity > 32 ? group(0) | group(1) << 32 : group(0), 0, 0, 0)
    }

    /// The slots that the owning transaction wrote.
    @usableFromInline package internal(set) var dirty: Bits256 {
        get { bits(ColumnBits.dirtyGroup) }
        nonmutating set {
            for group in 0..<ColumnBits.groups(capacity) {
                ColumnBits.dirtyGroup(data, group).pointee = newValue[group32: group]
            }
        }
    }

    /// The slots that contain null, for kinds that store it next to the values.
    @usableFromInline package internal(set) var nulls: Bits256 {
        get { bits(ColumnBits.nullGroup) }
        nonmutating set {
            for group in 0..<ColumnBits.groups(capacity) {
                ColumnBits.nullGroup(data, group).pointee = newValue[group32: group]
            }
        }
    }

    func clearDirty() {
        for group in 0..<ColumnBits.groups(capacity) { ColumnBits.dirtyGroup(data, group).pointee = 0 }
    }

    /// Marks a slot as written by the owning transaction.
    func markDirty(_ slot: Int) { ColumnBits.markDirty(data, slot) }

    func isDirty(_ slot: Int) -> Bool { ColumnBits.isDirty(data, slot) }

    /// Sets whether a slot contains null, for kinds that store it next to the values.
    @usableFromInline package func setNull(_ slot: Int, _ isNull: Bool) {
        ColumnBits.setNull(data, slot, isNull)
    }

    /// Returns whether a slot contains null, for kinds that store it next to the values.
    @usableFromInline package func isNull(_ slot: Int) -> Bool { ColumnBits.isNull(data, slot) }

    // MARK: Values

    /// Returns the value of a slot, for a kind of 8 bytes.
    @usableFromInline package func word(_ slot: Int) -> UInt64 { ColumnValues.word(data, slot) }

    func setWord(_ slot: Int, _ word: UInt64) { ColumnValues.setWord(data, slot, word) }

    /// Returns the sequence of a slot. Its root is loaded if it is in a file.
    @usableFromInline package func sequence(_ slot: Int, _ element: ElementKind) -> PersistentSequence {
        PersistentSequence(root: NodeSlot.node(data + slot * 8, .sequence), element: element)
    }

    /// Returns the keys of a slot.
    @usableFromInline package func keySet(_ slot: Int) -> KeyMultiset { KeyMultiset(slot: data + slot * 8) }

    /// Returns the address of a slot's value. A column of strings, bytes or any values owns the values of the slots with a row.
    func address(_ slot: Int, _ kind: ColumnKind) -> UnsafeMutableRawPointer { data + slot * kind.stride }

    /// Returns the large value of a slot, or nil if it has none.
    func large(_ slot: Int, _ kind: ColumnKind) -> LargeSlot? {
        switch kind {
        case .string: LargeSlot(stringAt: address(slot, kind))
        case .bytes: LargeSlot(bytesAt: address(slot, kind))
        case .any: AnySlot(data, slot).large
        case .word, .wide, .link, .sequence, .keySet: nil
        }
    }

    /// Initialises a slot of strings, bytes or any values. The column owns the value.
    func initialize(_ slot: Int, _ cell: Cell, _ kind: ColumnKind) {
        let address = address(slot, kind)
        switch (kind, cell) {
        case (.string, .string(let string)): ColumnValues.initialize(address, string)
        case (.bytes, .bytes(let bytes)): ColumnValues.initialize(address, bytes)
        case (.string, .null), (.bytes, .null): initializeNull(slot, kind)
        case (.any, _): AnySlot(data, slot).initialize(cell)
        default: fatalError("a \(cell) does not go into a column of kind \(kind)")
        }
    }

    /// Initialises a slot of strings or bytes with null.
    func initializeNull(_ slot: Int, _ kind: ColumnKind) {
        if kind == .string {
            (ColumnValues.strings(data) + slot).initialize(to: nil)
        } else {
            (ColumnValues.bytes(data) + slot).initialize(to: nil)
        }
    }

    /// Returns the value of a slot; null for sequences and key sets.
    @usableFromInline package func cell(_ slot: Int, _ kind: ColumnKind) -> Cell {
        switch kind {
        case .word: return isNull(slot) ? .null : .word(word(slot))
        case .wide:
            if isNull(slot) { return .null }
            let (high, low) = ColumnValues.wide(data, slot)
            return .wide(high, low)
        case .string:
            return ColumnValues.optionalString(data, slot).map(Cell.string) ?? .null
        case .bytes:
            return ColumnValues.optionalBytes(data, slot).map(Cell.bytes) ?? .null
        case .link: return .link(ObjectKey(bitPattern: word(slot)))
        case .any: return AnySlot(data, slot).cell
        case .sequence, .keySet: fatalError("sequences are not cells")
        }
    }

    /// Returns whether a slot contains a value. Words and texts are compared where they are, without a cell of their own.
    package func contains(_ cell: Cell, _ slot: Int, _ kind: ColumnKind) -> Bool {
        switch (kind, cell) {
        case (.word, .word(let word)): word == self.word(slot) && !isNull(slot)
        case (.link, .link(let key)): key == ObjectKey(bitPattern: word(slot))
        case (.string, .string(let text)): ColumnValues.hasString(data, slot, text)
        default: cell == self.cell(slot, kind)
        }
    }

    /// Stores a scalar into the slot of a row that the same transaction inserted, and marks the slot as written. `column` is
    /// the address of the column's values. Returns false, without another effect, if the slot contains a large value.
    package static func store(
        _ cell: Cell, _ column: UnsafeMutableRawPointer, _ slot: Int, _ kind: ColumnKind
    ) -> Bool {
        ColumnBits.markDirty(column, slot)
        switch (kind, cell) {
        case (.word, .word(let word)):
            ColumnBits.setNull(column, slot, false)
            ColumnValues.setWord(column, slot, word)
        case (.wide, .wide(let high, let low)):
            ColumnBits.setNull(column, slot, false)
            ColumnValues.setWide(column, slot, (high, low))
        case (.word, .null):
            ColumnBits.setNull(column, slot, true)
            ColumnValues.setWord(column, slot, 0)
        case (.wide, .null):
            ColumnBits.setNull(column, slot, true)
            ColumnValues.setWide(column, slot, (0, 0))
        case (.string, .string(let string)): return ColumnValues.replaceString(column, slot, string)
        case (.string, .null): return ColumnValues.replaceString(column, slot, nil)
        case (.bytes, .bytes(let bytes)): return ColumnValues.replaceBytes(column, slot, bytes)
        case (.bytes, .null): return ColumnValues.replaceBytes(column, slot, nil)
        default: fatalError("a \(cell) is not stored directly into a column of kind \(kind)")
        }
        return true
    }

    /// Returns the reference that a slot of strings, bytes or any values owns; nil for other kinds and for any values without a
    /// reference.
    func ownedBits(_ slot: Int, _ kind: ColumnKind) -> OwnedBits? {
        switch kind {
        case .string: OwnedBits(stringAt: address(slot, kind))
        case .bytes: OwnedBits(bytesAt: address(slot, kind))
        case .any: AnySlot(data, slot).ownedBits
        default: nil
        }
    }
}
