/// What one commit replaced: blocks and values that older versions still see and the new one does not.
///
/// Owned by the version that replaced them; freed once every older version is unpinned.
public struct RetireList {
    var blocks: [UnsafeMutableRawPointer] = []
    var values: [OwnedBits] = []

    /// An empty list.
    public init() {}

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
