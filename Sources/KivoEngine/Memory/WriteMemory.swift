/// The memory side of one write transaction: which blocks it made, which it replaced, which values it stored.
///
/// Ownership is linear in versions. A block whose owner field equals ``id`` was made by this transaction and may be
/// changed in place; any other block is shared with committed versions and is copied first, the original retired.
/// Commit keeps the new blocks and hands out the retire list; cancel frees the new blocks and forgets the list,
/// since the older version still owns what is on it.
///
/// Not thread-safe; belongs to the transaction.
public final class WriteMemory {
    /// The transaction's number, unique in its store and never 0: the value of the owner field of its blocks.
    public let id: UInt64
    let heap: Heap
    @exclusivity(unchecked) private var allocated: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var discarded: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var retired = RetireList()

    #if DEBUG
    /// The nodes that edits of sequences reached and the elements that were looked at to find one: what tests measure
    /// growth by. Counted in debug builds only.
    @exclusivity(unchecked) private(set) var work = 0
    #endif

    /// The memory of a new transaction.
    public init(id: UInt64, heap: Heap) {
        precondition(id != 0, "transaction numbers start at 1")
        self.id = id
        self.heap = heap
    }

    /// Counts work, in debug builds.
    @inline(__always)
    func countWork(_ amount: Int) {
        #if DEBUG
        work += amount
        #endif
    }

    /// An uninitialised block that this transaction owns; its first word is the owner field.
    func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let block = heap.allocate(byteCount)
        block.storeBytes(of: id, as: UInt64.self)
        allocated.append(block)
        return block
    }

    /// A bitwise copy of a block that this transaction owns; the original is retired.
    func copy(_ block: UnsafeMutableRawPointer, byteCount: Int) -> UnsafeMutableRawPointer {
        let copy = allocate(byteCount)
        // The owner of the original may be changing.
        (copy + 8).copyMemory(from: block + 8, byteCount: byteCount - 8)
        retire(block)
        return copy
    }

    /// Whether this transaction made the block.
    @inline(__always)
    func owns(_ block: UnsafeMutableRawPointer) -> Bool { block.nodeOwner == id }

    /// Takes a block out of the newest version.
    func retire(_ block: UnsafeMutableRawPointer) {
        if owns(block) { discarded.append(block) } else { retired.blocks.append(block) }
    }

    /// Takes a value of a row, which committed versions may see, out of the newest version.
    func retire(_ value: OwnedBits, from place: ValuePlace) {
        if !value.isTrivial(heap.strings) {
            retired.append(RetiredValue(bits: value, origin: .row(place)))
        }
    }

    /// Takes an element that an earlier transaction stored out of the newest version.
    func retire(_ element: OwnedBits, storedBy id: UInt64) {
        retired.append(RetiredValue(bits: element, origin: .element(storedBy: id)))
    }

    /// Ends the transaction: its blocks live on, what it replaced is the caller's to free in time.
    public func commit() -> RetireList {
        for block in discarded { heap.free(block) }
        retired.keepValuesInFiles()
        defer { (allocated, discarded, retired) = ([], [], RetireList()) }
        return retired
    }

    /// Ends the transaction: every block it made is freed and the older version is whole as it was. The values that it
    /// stored in them have been given up before.
    public func cancel() {
        for block in allocated { heap.free(block) }
        (allocated, discarded, retired) = ([], [], RetireList())
    }
}
