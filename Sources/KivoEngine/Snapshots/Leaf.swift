/// The rows of a table whose keys are in one span: the set of existing rows, and a buffer of values for each column.
///
///     Leaf                                        ColumnBuffer (capacity 64)
///     ┌──────────────────────────────────┐        ┌───────────────────────────┐
///     │   0  owner                       │        │ owner                     │
///     │   8  stored    256 bits, offsets │        │ dirty, null  32 … 63      │ data - 24
///     │  40  occupied  256 bits, slots   │        │ dirty, null   0 … 31      │ data - 16
///     │  72  inserted  256 bits, slots   │        │ owner                     │ data - 8
///     │ 104  deleted   256 bits, slots   │        ├───────────────────────────┤ data
///     │ 136  first key of the span       │        │ values of the column,     │
///     │ 144  columns (16), capacity (16) │        │ one for each slot         │
///     │ 148  form (8), 149 span bits (8) │   ┌───►│                           │
///     │ 150  bytes, if all inline (16)   │   │    └───────────────────────────┘
///     │ 152  columns ────────────────────┼───┘
///     └──────────────────────────────────┘
///
/// The fields that finding a value requires are adjacent, before the column pointers.
///
/// A row's *offset* is its key minus the first key of the span; its *slot* is its index in the buffers. A **flat** leaf has a
/// slot for each offset, and they are the same. A **packed** leaf has slots only for the offsets in `stored`, in ascending order,
/// so that few rows take little memory. It grows with its rows until it is flat, and a commit packs leaves that have become
/// sparse.
///
/// Leaf and buffers have separate owners: a transaction that sets one property copies the leaf's header and one buffer. In a
/// small leaf the buffers are **inline**, after the column pointers, and are copied with it. `inserted`, `deleted` and `dirty`
/// record the changes of the owning transaction and are cleared by the copy.
///
/// An unowned view: the memory lives as long as a pinned version reaches it.
@usableFromInline package struct Leaf {
    /// The address of the leaf.
    @usableFromInline package let base: UnsafeMutableRawPointer

    static let headerBytes = 152
    /// The maximum size in bytes of a leaf with inline buffers: copying it costs no more than copying one separate buffer.
    static let inlineLimit = 1024

    /// The first key of the leaf's span.
    @usableFromInline package internal(set) var firstKey: ObjectKey {
        get { base.load(fromByteOffset: 136, as: ObjectKey.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 136, as: ObjectKey.self) }
    }
    var columnCount: Int { Int(base.load(fromByteOffset: 144, as: UInt16.self)) }

    /// The number of slots.
    @inline(__always)
    @usableFromInline package var capacity: Int { Int(base.load(fromByteOffset: 146, as: UInt16.self)) }

    struct Form: OptionSet {
        let rawValue: UInt8
        static let packed = Form(rawValue: 1)
        static let inline = Form(rawValue: 2)
        /// The leaf grew, and its rows are in another leaf that the same transaction created.
        static let moved = Form(rawValue: 4)
        /// The transaction inserted or deleted rows of the leaf.
        static let edited = Form(rawValue: 8)
    }

    @inline(__always)
    var form: Form {
        get { Form(rawValue: base.load(fromByteOffset: 148, as: UInt8.self)) }
        nonmutating set { base.storeBytes(of: newValue.rawValue, toByteOffset: 148, as: UInt8.self) }
    }
    var isPacked: Bool { form.contains(.packed) }
    var isInline: Bool { form.contains(.inline) }
    /// The number of keys of the leaf's span.
    @usableFromInline package var span: Int { 1 << Int(base.load(fromByteOffset: 149, as: UInt8.self)) }
    var byteCount: Int {
        isInline
            ? Int(base.load(fromByteOffset: 150, as: UInt16.self)) : Leaf.headerBytes + columnCount * 8
    }

    /// The offsets that have a slot, in a packed leaf.
    var stored: Bits256 {
        get { bits(8).pointee }
        nonmutating set { bits(8).pointee = newValue }
    }
    /// The slots that contain a row.
    @usableFromInline package var occupied: Bits256 {
        get { bits(40).pointee }
        nonmutating set { bits(40).pointee = newValue }
    }
    var inserted: Bits256 {
        get { bits(72).pointee }
        nonmutating set { bits(72).pointee = newValue }
    }
    var deleted: Bits256 {
        get { bits(104).pointee }
        nonmutating set { bits(104).pointee = newValue }
    }

    private func bits(_ offset: Int) -> UnsafeMutablePointer<Bits256> {
        (base + offset).assumingMemoryBound(to: Bits256.self)
    }

    /// The data pointers of the columns.
    @usableFromInline package var columns: UnsafeMutablePointer<UnsafeMutableRawPointer> {
        (base + Leaf.headerBytes).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    }

    /// Returns the buffer of a column.
    @usableFromInline package func column(_ index: Int) -> ColumnBuffer {
        ColumnBuffer(data: columns[index], capacity: capacity)
    }

    /// The leaf that replaced this one in the transaction, which keeps both until it ends.
    var current: Leaf {
        get {
            var leaf = self
            while leaf.form.contains(.moved) {
                leaf = Leaf(base: leaf.base.load(fromByteOffset: 136, as: UnsafeMutableRawPointer.self))
            }
            return leaf
        }
        nonmutating set {
            base.storeBytes(of: newValue.base, toByteOffset: 136, as: UnsafeMutableRawPointer.self)
            form = .moved
        }
    }

    // MARK: Rows and slots

    /// Returns whether a key is in the leaf's span.
    @usableFromInline package func covers(_ key: ObjectKey) -> Bool {
        key >= firstKey && key - firstKey < ObjectKey(span)
    }

    /// Returns the slot of a row, or nil if the leaf has no such row. The key must be in the leaf's span.
    @inline(__always)
    @usableFromInline package func slot(of key: ObjectKey) -> Int? {
        let slot = slot(ofStored: Int(key - firstKey))
        guard let slot, occupied.contains(slot) else { return nil }
        return slot
    }

    /// Returns the slot of an offset, whether or not it contains a row.
    @inline(__always)
    func slot(ofStored offset: Int) -> Int? {
        if !isPacked { return offset }
        return stored.contains(offset) ? stored.rank(offset) : nil
    }

    /// Returns the key of the row in a slot.
    @inline(__always)
    @usableFromInline package func key(ofSlot slot: Int) -> ObjectKey {
        firstKey + ObjectKey(isPacked ? stored.select(slot) : slot)
    }

    /// Returns the offsets of slots.
    func offsets(of slots: Bits256) -> Bits256 {
        if !isPacked || slots.isEmpty { return slots }
        var (offsets, slot) = (Bits256(), 0)
        stored.forEach { offset in
            if slots.contains(slot) { offsets.insert(offset) }
            slot += 1
        }
        return offsets
    }

    /// The block of 256 keys that contains the leaf's span, which may be smaller.
    var block: KeyBlock { KeyBlock(of: firstKey) }

    /// Returns the keys of slots as offsets in their block.
    func keyBits(of slots: Bits256) -> Bits256 {
        offsets(of: slots).shifted(by: KeyBlock.offset(of: firstKey))
    }

    /// Returns the number of rows with a smaller key. The key must be in the leaf's span.
    func rank(of key: ObjectKey) -> Int {
        let offset = Int(key - firstKey)
        return occupied.rank(isPacked ? stored.rank(offset) : offset)
    }

    /// Returns the slots of rows whose keys are in a range.
    @usableFromInline package func slots(from first: ObjectKey, to end: ObjectKey) -> Bits256 {
        func slot(_ key: ObjectKey) -> Int {
            let offset = Int(min(max(key - firstKey, 0), 256))
            return isPacked ? stored.rank(offset) : min(offset, capacity)
        }
        let (low, high) = (slot(first), slot(end))
        return low < high ? occupied & Bits256(low..<high) : Bits256()
    }

    /// Calls `body` with each row of some slots, ascending by key.
    @inline(__always)
    @usableFromInline package func forEachRow(
        in slots: Bits256, _ body: (_ slot: Int, _ key: ObjectKey) -> Void
    ) {
        if isPacked {
            var slot = 0
            stored.forEach { offset in
                if slots.contains(slot) { body(slot, firstKey + ObjectKey(offset)) }
                slot += 1
            }
        } else {
            slots.forEach { body($0, firstKey + ObjectKey($0)) }
        }
    }

    // MARK: Making

    /// Creates an empty leaf with a buffer for each column. It is packed unless it has a slot for each key of the span.
    static func make(_ firstKey: ObjectKey, capacity: Int, _ spec: TableSpec, _ memory: WriteMemory) -> Leaf {
        let kinds = spec.layouts
        let pointers = headerBytes + kinds.count * 8
        let inlineBytes = kinds.reduce(pointers) {
            $0 + ColumnBuffer.inlineBytes($1.kind, capacity: capacity)
        }
        let isInline = inlineBytes <= inlineLimit
        let byteCount = isInline ? inlineBytes : pointers
        let leaf = Leaf(base: memory.allocate(byteCount))
        (leaf.base + 8).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - 8)
        leaf.base.storeBytes(of: firstKey, toByteOffset: 136, as: ObjectKey.self)
        leaf.base.storeBytes(of: UInt16(kinds.count), toByteOffset: 144, as: UInt16.self)
        leaf.base.storeBytes(of: UInt16(capacity), toByteOffset: 146, as: UInt16.self)
        var form: Form = capacity < spec.leafSpan ? .packed : []
        if isInline { form.insert(.inline) }
        leaf.form = form
        leaf.base.storeBytes(of: UInt8(spec.leafShift), toByteOffset: 149, as: UInt8.self)
        if isInline { leaf.base.storeBytes(of: UInt16(byteCount), toByteOffset: 150, as: UInt16.self) }
        var address = leaf.base + pointers
        for index in 0..<kinds.count {
            if isInline {
                let buffer = ColumnBuffer(inlineAt: address, capacity: capacity)
                buffer.owner = memory.id
                leaf.columns[index] = buffer.data
                address += ColumnBuffer.inlineBytes(kinds[index].kind, capacity: capacity)
            } else {
                leaf.columns[index] = ColumnBuffer.make(kinds[index].kind, capacity: capacity, memory).data
            }
        }
        return leaf
    }

    /// Returns a copy that the transaction owns. It shares the column buffers unless they are inline.
    func copy(_ memory: WriteMemory) -> Leaf {
        let copy = Leaf(base: memory.copy(base, byteCount: byteCount))
        (copy.inserted, copy.deleted) = (Bits256(), Bits256())
        copy.form.remove(.edited)
        if isInline {
            for index in 0..<columnCount {
                copy.columns[index] = copy.base + (columns[index] - base)
                let buffer = copy.column(index)
                buffer.owner = memory.id
                buffer.clearDirty()
            }
        }
        return copy
    }

    /// Removes the leaf and its buffers, but not their values, from the newest version.
    func retire(_ memory: WriteMemory) {
        forEachBlock { memory.retire($0) }
    }

    /// Calls `body` with the blocks of the leaf, its own last.
    func forEachBlock(_ body: (UnsafeMutableRawPointer) -> Void) {
        if !isInline { for index in 0..<columnCount { body(column(index).block) } }
        body(base)
    }
}
