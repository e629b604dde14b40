/// What one commit replaced: blocks and values that older versions still see and the new one does not.
///
/// Owned by the version that replaced them; freed once every older version is unpinned.
public struct RetireList {
    var blocks: [UnsafeMutableRawPointer] = []
    var values: [OwnedBits] = []

    /// An empty list.
    public init() {}

    /// Adds what a later commit replaced. What it replaced of the commits that this list is of goes at once: nobody can
    /// see it, because their versions are gone.
    ///
    /// - Parameter ids: the transactions that this list is of.
    mutating func append(_ later: RetireList, madeBy ids: ClosedRange<UInt64>, _ heap: Heap) {
        values += later.values
        for block in later.blocks {
            if ids.contains(block.load(as: UInt64.self)) { heap.free(block) } else { blocks.append(block) }
        }
    }

    /// Frees everything on the list.
    public mutating func free(to heap: Heap) {
        for value in values { value.release() }
        for block in blocks { heap.free(block) }
        values = []
        blocks = []
    }
}

/// A list has one owner at a time: the transaction that makes it, then the version chain that frees it.
extension RetireList: @unchecked Sendable {}
