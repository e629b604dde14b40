/// The values of one column in one leaf, with two bits for each; ``Leaf`` draws the layout.
///
/// The bits lie in front of the values, 32 slots to a group, so that where a slot's bits are does not hang on how many
/// slots there are. Behind them, next to the values, is the owner: what a store asks for.
///
/// An unowned view, like ``Leaf``.
public struct ColumnBuffer {
    /// Where the values begin.
    public let data: UnsafeMutableRawPointer
    /// The number of slots.
    public let capacity: Int

    init(data: UnsafeMutableRawPointer, capacity: Int) {
        self.data = data
        self.capacity = capacity
    }

    /// The buffer that begins at an address within a leaf.
    init(inlineAt address: UnsafeMutableRawPointer, capacity: Int) {
        self.init(data: address + ColumnBuffer.inlineHeaderBytes(capacity), capacity: capacity)
    }

    /// A capacity is 256 or a smaller power of four.
    private static func groups(_ capacity: Int) -> Int { (capacity + 31) >> 5 }
    private static func inlineHeaderBytes(_ capacity: Int) -> Int { groups(capacity) * 8 + 8 }
    /// What a buffer within a leaf takes.
    static func inlineBytes(_ kind: ColumnKind, capacity: Int) -> Int {
        inlineHeaderBytes(capacity) + capacity * kind.stride
    }

    /// The block of a buffer that is not inline; it begins with its owner, as all blocks do.
    var block: UnsafeMutableRawPointer { data - ColumnBuffer.inlineHeaderBytes(capacity) - 8 }

    var owner: UInt64 {
        get { (data - 8).load(as: UInt64.self) }
        nonmutating set { (data - 8).storeBytes(of: newValue, as: UInt64.self) }
    }

    static func make(_ kind: ColumnKind, capacity: Int, _ memory: WriteMemory) -> ColumnBuffer {
        let bytes = 8 + inlineBytes(kind, capacity: capacity)
        let block = memory.allocate(bytes)
        (block + 8).initializeMemory(as: UInt8.self, repeating: 0, count: bytes - 8)
        let buffer = ColumnBuffer(inlineAt: block + 8, capacity: capacity)
        buffer.owner = memory.id
        return buffer
    }

    /// A copy of a buffer that is not inline.
    func copy(_ kind: ColumnKind, _ memory: WriteMemory) -> ColumnBuffer {
        let bytes = 8 + ColumnBuffer.inlineBytes(kind, capacity: capacity)
        let copy = ColumnBuffer(inlineAt: memory.copy(block, byteCount: bytes) + 8, capacity: capacity)
        copy.owner = memory.id
        copy.clearDirty()
        return copy
    }

    // MARK: Bits

    /// All bits of one of the two kinds: those of the first group are at `data` less `offset`.
    @inline(__always)
    private func bits(_ offset: Int) -> Bits256 {
        func group(_ index: Int) -> UInt64 {
            UInt64((data - offset - index &* 8).load(as: UInt32.self))
        }
        if capacity == 256 {
            return Bits256(
                group(0) | group(1) << 32, group(2) | group(3) << 32, group(4) | group(5) << 32,
                group(6) | group(7) << 32)
        }
        return Bits256(capacity > 32 ? group(0) | group(1) << 32 : group(0), 0, 0, 0)
    }

    @inline(__always)
    private func dirtyGroup(_ group: Int) -> UnsafeMutablePointer<UInt32> {
        (data - 16 - group * 8).assumingMemoryBound(to: UInt32.self)
    }
    @inline(__always)
    private func nullGroup(_ group: Int) -> UnsafeMutablePointer<UInt32> {
        (data - 12 - group * 8).assumingMemoryBound(to: UInt32.self)
    }

    /// The slots that the owning transaction wrote.
    public internal(set) var dirty: Bits256 {
        get { bits(16) }
        nonmutating set {
            for group in 0..<ColumnBuffer.groups(capacity) {
                dirtyGroup(group).pointee = newValue[group32: group]
            }
        }
    }

    /// The slots that hold null, for kinds that keep it beside the values.
    public internal(set) var nulls: Bits256 {
        get { bits(12) }
        nonmutating set {
            for group in 0..<ColumnBuffer.groups(capacity) {
                nullGroup(group).pointee = newValue[group32: group]
            }
        }
    }

    func clearDirty() {
        for group in 0..<ColumnBuffer.groups(capacity) { dirtyGroup(group).pointee = 0 }
    }

    /// Marks a slot as written by the owning transaction.
    func markDirty(_ slot: Int) { dirtyGroup(slot >> 5).pointee |= 1 << UInt32(slot & 31) }

    func isDirty(_ slot: Int) -> Bool { dirtyGroup(slot >> 5).pointee >> UInt32(slot & 31) & 1 != 0 }

    /// Says whether a slot holds null, for kinds that keep it beside the values.
    public func setNull(_ slot: Int, _ isNull: Bool) {
        let group = nullGroup(slot >> 5)
        let bit: UInt32 = 1 << UInt32(slot & 31)
        group.pointee = isNull ? group.pointee | bit : group.pointee & ~bit
    }

    /// Whether a slot holds null, for kinds that keep it beside the values.
    public func isNull(_ slot: Int) -> Bool { nullGroup(slot >> 5).pointee >> UInt32(slot & 31) & 1 != 0 }

    // MARK: Values

    /// The value of a slot of a kind with 8 bytes.
    public func word(_ slot: Int) -> UInt64 { data.assumingMemoryBound(to: UInt64.self)[slot] }

    func setWord(_ slot: Int, _ word: UInt64) { data.assumingMemoryBound(to: UInt64.self)[slot] = word }

    /// The value of a slot; sequences and key sets have none.
    public func cell(_ slot: Int, _ kind: ColumnKind) -> Cell {
        switch kind {
        case .word: return isNull(slot) ? .null : .word(word(slot))
        case .wide:
            if isNull(slot) { return .null }
            let pair = data.assumingMemoryBound(to: UInt64.self) + slot * 2
            return .wide(pair[0], pair[1])
        case .string:
            guard let string = data.assumingMemoryBound(to: String?.self)[slot] else { return .null }
            return .string(string)
        case .bytes:
            guard let bytes = data.assumingMemoryBound(to: [UInt8]?.self)[slot] else { return .null }
            return .bytes(bytes)
        case .link: return .link(ObjectKey(bitPattern: word(slot)))
        case .sequence, .keySet: fatalError("sequences are not cells")
        }
    }

    /// The reference that a slot of strings or bytes owns; nil for other kinds.
    func ownedBits(_ slot: Int, _ kind: ColumnKind) -> OwnedBits? {
        switch kind {
        case .string: OwnedBits(stringAt: data + slot * 16)
        case .bytes: OwnedBits(bytesAt: data + slot * 8)
        default: nil
        }
    }
}
