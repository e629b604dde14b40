/// 256 rows of a table: an occupancy bitmap and a buffer for each column.
///
///     Leaf                                   ColumnBuffer
///     ┌───────────────────────────┐          ┌──────────────────────────────┐ data - 80
///     │   0  owner                │          │ owner                        │
///     │   8  column count         │          │ (unused)                     │
///     │  16  occupied   256 bits  │          │ dirty    256 bits            │ data - 64
///     │  48  inserted   256 bits  │          │ nulls    256 bits            │ data - 32
///     │  80  deleted    256 bits  │          ├──────────────────────────────┤ data
///     │ 112  columns ─────────────┼────────► │ 256 values of the column     │
///     └───────────────────────────┘          └──────────────────────────────┘
///
/// Leaf and buffers have owners of their own: a transaction that sets one property copies the leaf's header and one
/// buffer. `inserted`, `deleted` and `dirty` describe what the owning transaction did and are cleared by the copy.
///
/// An unowned view: the memory lives as long as a pinned version reaches it.
public struct Leaf {
    /// Where the leaf begins.
    public let base: UnsafeMutableRawPointer

    static let headerBytes = 112
    static let capacity = 256

    static func byteCount(columns: Int) -> Int { headerBytes + columns * 8 }

    var owner: UInt64 { base.load(as: UInt64.self) }
    var columnCount: Int { base.load(fromByteOffset: 8, as: Int.self) }

    /// The slots that hold a row.
    public var occupied: Bits256 {
        get { bits(16).pointee }
        nonmutating set { bits(16).pointee = newValue }
    }
    var inserted: Bits256 {
        get { bits(48).pointee }
        nonmutating set { bits(48).pointee = newValue }
    }
    var deleted: Bits256 {
        get { bits(80).pointee }
        nonmutating set { bits(80).pointee = newValue }
    }

    /// The data pointers of the columns.
    public var columns: UnsafeMutablePointer<UnsafeMutableRawPointer> {
        (base + Leaf.headerBytes).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    }

    /// The buffer of a column.
    public func column(_ index: Int) -> ColumnBuffer { ColumnBuffer(data: columns[index]) }

    private func bits(_ offset: Int) -> UnsafeMutablePointer<Bits256> {
        (base + offset).assumingMemoryBound(to: Bits256.self)
    }

    /// Makes an empty leaf with a buffer for each column.
    static func make(_ spec: TableSpec, _ memory: WriteMemory) -> Leaf {
        let leaf = Leaf(base: memory.allocate(byteCount(columns: spec.columns.count)))
        leaf.base.storeBytes(of: spec.columns.count, toByteOffset: 8, as: Int.self)
        (leaf.occupied, leaf.inserted, leaf.deleted) = (Bits256(), Bits256(), Bits256())
        for (index, column) in spec.columns.enumerated() {
            leaf.columns[index] = ColumnBuffer.make(column.kind, memory).data
        }
        return leaf
    }

    /// A copy that the transaction owns and that shares the column buffers.
    func copy(_ memory: WriteMemory) -> Leaf {
        let copy = Leaf(base: memory.copy(base, byteCount: Leaf.byteCount(columns: columnCount)))
        (copy.inserted, copy.deleted) = (Bits256(), Bits256())
        return copy
    }
}

/// The values of one column in one leaf; see ``Leaf`` for the layout.
public struct ColumnBuffer {
    /// Where the values begin.
    public let data: UnsafeMutableRawPointer

    static let headerBytes = 80

    var block: UnsafeMutableRawPointer { data - ColumnBuffer.headerBytes }
    var owner: UInt64 { block.load(as: UInt64.self) }

    /// The slots that the owning transaction wrote.
    public var dirty: Bits256 {
        get { (data - 64).assumingMemoryBound(to: Bits256.self).pointee }
        nonmutating set { (data - 64).assumingMemoryBound(to: Bits256.self).pointee = newValue }
    }
    /// The slots that hold null, for kinds that keep it beside the values.
    public var nulls: Bits256 {
        get { (data - 32).assumingMemoryBound(to: Bits256.self).pointee }
        nonmutating set { (data - 32).assumingMemoryBound(to: Bits256.self).pointee = newValue }
    }

    /// Marks a slot as written by the owning transaction.
    func markDirty(_ slot: Int) {
        let word = (data - 64).assumingMemoryBound(to: UInt64.self) + slot >> 6
        word.pointee |= 1 << UInt64(slot & 63)
    }

    func isDirty(_ slot: Int) -> Bool {
        (data - 64).assumingMemoryBound(to: UInt64.self)[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    func setNull(_ slot: Int, _ isNull: Bool) {
        let word = (data - 32).assumingMemoryBound(to: UInt64.self) + slot >> 6
        if isNull {
            word.pointee |= 1 << UInt64(slot & 63)
        } else {
            word.pointee &= ~(1 << UInt64(slot & 63))
        }
    }

    /// Whether a slot holds null, for kinds that keep it beside the values.
    public func isNull(_ slot: Int) -> Bool {
        (data - 32).assumingMemoryBound(to: UInt64.self)[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    /// The value of a slot of a kind with 8 bytes.
    public func word(_ slot: Int) -> UInt64 { data.assumingMemoryBound(to: UInt64.self)[slot] }

    func setWord(_ slot: Int, _ word: UInt64) { data.assumingMemoryBound(to: UInt64.self)[slot] = word }

    static func make(_ kind: ColumnKind, _ memory: WriteMemory) -> ColumnBuffer {
        let bytes = headerBytes + Leaf.capacity * kind.stride
        let buffer = ColumnBuffer(data: memory.allocate(bytes) + headerBytes)
        (buffer.block + 8).initializeMemory(as: UInt8.self, repeating: 0, count: bytes - 8)
        return buffer
    }

    func copy(_ kind: ColumnKind, _ memory: WriteMemory) -> ColumnBuffer {
        let bytes = ColumnBuffer.headerBytes + Leaf.capacity * kind.stride
        let copy = ColumnBuffer(data: memory.copy(block, byteCount: bytes) + ColumnBuffer.headerBytes)
        copy.dirty = Bits256()
        return copy
    }

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
}
