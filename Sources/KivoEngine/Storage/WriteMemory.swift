/// The memory side of one write transaction: the blocks that it allocated and replaced, and the values that it stored.
///
/// Ownership is linear in versions. A block whose owner field equals ``id`` was allocated by this transaction and may be changed
/// in place. Any other block is shared with committed versions, so it is copied first and the original is retired. A commit keeps
/// the new blocks and returns the retire list. A cancelled transaction frees the new blocks and drops the list, because the older
/// version still owns its contents.
///
/// Not thread-safe; belongs to the transaction.
package final class WriteMemory {
    /// The transaction's number, unique in its store and never 0: the value of the owner field of its blocks.
    package let id: UInt64
    let heap: Heap
    @exclusivity(unchecked) private var allocated: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var discarded: [UnsafeMutableRawPointer] = []
    /// The blocks among the allocated ones that were freed already. An address can have been allocated again.
    @exclusivity(unchecked) private var freed: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var retired = RetireList()
    /// The number of bytes of nodes that were the same in a file, or new, and are in memory alone now, approximately.
    @exclusivity(unchecked) var dirtied = 0

    #if DEBUG
    /// The number of nodes that edits of sequences reached plus the elements visited to find one, by which tests measure growth.
    /// Counted in debug builds only.
    @exclusivity(unchecked) private(set) var work = 0
    #endif

    /// Creates the memory of a new transaction.
    package init(id: UInt64, heap: Heap) {
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

    /// Allocates an uninitialised block that this transaction owns. Its first word is the owner field.
    func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let block = heap.allocate(byteCount)
        block.storeBytes(of: id, as: UInt64.self)
        allocated.append(block)
        return block
    }

    /// Returns a bitwise copy of a block, owned by this transaction, and retires the original.
    func copy(_ block: UnsafeMutableRawPointer, byteCount: Int) -> UnsafeMutableRawPointer {
        let copy = allocate(byteCount)
        // The owner of the original may change concurrently.
        (copy + 8).copyMemory(from: block + 8, byteCount: byteCount - 8)
        retire(block)
        return copy
    }

    /// Whether this transaction allocated the block.
    @inline(__always)
    func owns(_ block: UnsafeMutableRawPointer) -> Bool { block.nodeOwner == id }

    /// Removes a block from the newest version.
    func retire(_ block: UnsafeMutableRawPointer) {
        if owns(block) { discarded.append(block) } else { retired.blocks.append(block) }
    }

    /// Removes a block from the newest version to which nothing refers any more, not even this transaction. A block of this
    /// transaction is freed at once, so that growing nodes do not leave small gaps all over the memory.
    func release(_ block: UnsafeMutableRawPointer) {
        guard owns(block) else { return retired.blocks.append(block) }
        freed.append(block)
        heap.free(block)
    }

    /// Removes a row's value, which committed versions may contain, from the newest version.
    func retire(_ value: OwnedBits, from location: ValueLocation) {
        if !value.isTrivial(heap.strings) {
            retired.append(RetiredValue(bits: value, origin: .row(location)))
        }
    }

    /// Removes an element that an earlier transaction stored from the newest version.
    func retire(_ element: OwnedBits, storedBy id: UInt64) {
        retired.append(RetiredValue(bits: element, origin: .element(storedBy: id)))
    }

    /// Ends the transaction and keeps its blocks. The caller must free the returned list when no version needs it.
    package func commit() -> RetireList {
        for block in discarded { heap.free(block) }
        retired.retainValuesInFiles()
        heap.cache.noteDirty(byteCount: dirtied)
        dirtied = 0
        defer { (allocated, discarded, freed, retired) = ([], [], [], RetireList()) }
        return retired
    }

    /// Ends the transaction and frees every block that it allocated; the older version stays complete. Values stored in those
    /// blocks must have been released before.
    package func cancel() {
        forEachRemaining { heap.free($0) }
        (allocated, discarded, freed, retired) = ([], [], [], RetireList())
    }

    /// Calls `body` with every allocated block that was not freed. O(n log n) if any was.
    private func forEachRemaining(_ body: (UnsafeMutableRawPointer) -> Void) {
        if freed.isEmpty { return allocated.forEach(body) }
        let freed = freed.sorted()
        var next = 0
        for block in allocated.sorted() {
            if next < freed.count, freed[next] == block { next += 1 } else { body(block) }
        }
    }
}
