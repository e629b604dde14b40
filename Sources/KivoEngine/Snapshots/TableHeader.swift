/// The root of one table in one version.
///
///     ┌─────────────────────────────────┐
///     │   0  owner                      │
///     │   8  root (leaf if height is 0) │
///     │  16  height                     │
///     │  24  row count                  │
///     │  32  next key                   │
///     │  40  number of indexes (16)     │
///     │  42  primary index (16)         │
///     │  44  bits of a leaf's span (32) │
///     │  48  seed of index hashes       │
///     │  56  end of ascending rows      │
///     │  64  bounds of their values     │
///     │  80  number of ascending rows   │
///     │  88  index roots                │
///     └─────────────────────────────────┘
///
/// An unowned view: the memory lives as long as a pinned version reaches it.
struct TableHeader {
    let base: UnsafeMutableRawPointer

    static func byteCount(indexes: Int) -> Int { 88 + indexes * 8 }

    var root: UnsafeMutableRawPointer? {
        get { base.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self) }
        nonmutating set {
            base.storeBytes(of: newValue, toByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        }
    }
    var height: Int {
        get { base.load(fromByteOffset: 16, as: Int.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 16, as: Int.self) }
    }
    var count: Int {
        get { base.load(fromByteOffset: 24, as: Int.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 24, as: Int.self) }
    }
    var nextKey: ObjectKey {
        get { base.load(fromByteOffset: 32, as: ObjectKey.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 32, as: ObjectKey.self) }
    }
    var indexCount: Int { Int(base.load(fromByteOffset: 40, as: UInt16.self)) }
    /// The position of the primary key's index among those of the table; ``noPrimaryIndex`` if there is none.
    private var primaryIndex: Int { Int(base.load(fromByteOffset: 42, as: UInt16.self)) }
    private static let noPrimaryIndex = Int(UInt16.max)
    /// The number of low bits of a key that its leaf covers.
    @inline(__always)
    var leafShift: Int { Int(base.load(fromByteOffset: 44, as: UInt32.self)) }
    var indexes: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (base + 88).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }
    /// The rows that are found by search instead of by the primary key's index.
    var ascending: AscendingRows {
        get { base.load(fromByteOffset: 56, as: AscendingRows.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 56, as: AscendingRows.self) }
    }
    /// The root, which is loaded if it is in a file.
    @inline(__always)
    var rootNode: UnsafeMutableRawPointer? { NodeSlot.node(base + 8, height == 0 ? .leaf : .inner) }
    /// The seed of the hashes of the indexes. It differs between files, so that an attacker cannot choose values that collide.
    var hashSeed: UInt64 {
        get { base.load(fromByteOffset: 48, as: UInt64.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 48, as: UInt64.self) }
    }
    /// Returns an index by its position among those of the table. That of the primary key does not contain the ``ascending`` rows.
    func index(_ ordinal: Int) -> HashIndex { HashIndex(root: NodeSlot.node(indexes + ordinal, .index)) }

    /// Whether an index is that of the primary key.
    @inline(__always)
    func isPrimary(index ordinal: Int) -> Bool { ordinal == primaryIndex }
    /// The address of the root pointer, for copying down a path.
    var rootSlot: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (base + 8).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Whether a row is left out of an index, because it is one of the ``ascending`` rows.
    func isAscending(_ key: ObjectKey, index ordinal: Int) -> Bool {
        ordinal == primaryIndex && key < ascending.end
    }

    /// Returns the slot that leads to a leaf, or nil if the nodes above it are not all in memory. O(height).
    func slot(ofLeaf index: Int) -> UnsafeMutableRawPointer? {
        guard covers(index) else { return nil }
        var slot = UnsafeMutableRawPointer(rootSlot)
        for level in stride(from: height, to: 0, by: -1) {
            guard let node = NodeSlot.loadedNode(slot) else { return nil }
            slot = UnsafeMutableRawPointer(
                InnerNode(base: node).children + InnerNode.childIndex(index, level: level))
        }
        return slot
    }

    static func make(_ spec: TableSpec, _ memory: WriteMemory) -> TableHeader {
        let indexes = spec.indexedColumns.count
        let size = byteCount(indexes: indexes)
        let header = TableHeader(base: memory.allocate(size))
        (header.base + 8).initializeMemory(as: UInt8.self, repeating: 0, count: size - 8)
        header.nextKey = 1
        if indexes > 0 { header.hashSeed = StoredRandomness.next() }
        header.ascending = AscendingRows()
        header.base.storeBytes(of: UInt16(indexes), toByteOffset: 40, as: UInt16.self)
        let primary = spec.primaryIndex ?? noPrimaryIndex
        header.base.storeBytes(of: UInt16(primary), toByteOffset: 42, as: UInt16.self)
        header.base.storeBytes(of: UInt32(spec.leafShift), toByteOffset: 44, as: UInt32.self)
        return header
    }

    func copy(_ memory: WriteMemory) -> TableHeader {
        TableHeader(base: memory.copy(base, byteCount: TableHeader.byteCount(indexes: indexCount)))
    }

    /// Returns the number of the leaf that contains a key.
    @inline(__always)
    func leafIndex(of key: ObjectKey) -> Int { Int(clamping: key >> leafShift) }

    /// Whether the tree in its current height covers a leaf index.
    func covers(_ leafIndex: Int) -> Bool { leafIndex >> (InnerNode.fanoutBits * height) == 0 }
}
