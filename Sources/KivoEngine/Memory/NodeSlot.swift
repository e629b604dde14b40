import Synchronization

/// What a word that leads to another node leads to; a page of another kind is damage.
public enum NodeRole: Sendable {
    /// An inner node of a table's tree.
    case inner
    /// A leaf of a table's tree.
    case leaf
    /// A node of a sequence.
    case sequence
    /// A node of an index.
    case index
    /// A large value, which is no node.
    case value
}

/// A word of a node that leads to another node: 0, an address, or in its place a ``PageReference``.
///
/// A node that was brought in is entered here, so that the next one who comes by finds its address. That changes a node
/// which others read, from one good value to another: words are read and written as a whole, and a node is complete before
/// its address is anywhere.
enum NodeSlot {
    /// The node, which is brought in if it is in a file; nil for 0.
    @inline(__always)
    static func node(_ slot: UnsafeMutableRawPointer, _ role: NodeRole) -> UnsafeMutableRawPointer? {
        let word = load(slot)
        if word & UInt(PageReference.stubMark) == 0 { return UnsafeMutableRawPointer(bitPattern: word) }
        return bringIn(slot, word, role)
    }

    /// The node if it is in memory, else nil.
    static func loadedNode(_ slot: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let word = load(slot)
        guard let page = PageReference(stub: UInt64(word)) else {
            return UnsafeMutableRawPointer(bitPattern: word)
        }
        return PageFiles.file(of: page).loadedNode(at: page.offset)
    }

    /// What is in the slot.
    @inline(__always)
    static func load(_ slot: UnsafeMutableRawPointer) -> UInt {
        slot.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring)
    }

    @inline(never)
    private static func bringIn(
        _ slot: UnsafeMutableRawPointer, _ word: UInt, _ role: NodeRole
    ) -> UnsafeMutableRawPointer? {
        // The lowest bit belongs to those who have no nodes there: see `KeyMultiset`.
        guard let page = PageReference(stub: UInt64(word)) else {
            return UnsafeMutableRawPointer(bitPattern: word)
        }
        let node = PageFiles.file(of: page).node(at: page.offset, role)
        #if !KIVO_SANITIZE_THREAD
        // Nodes are copied as memory, which the sanitizer takes for a race with this.
        slot.assumingMemoryBound(to: Atomic<UInt>.self).pointee
            .store(UInt(bitPattern: node), ordering: .releasing)
        #endif
        return node
    }
}

extension UnsafeMutableRawPointer {
    /// The owner of the node that begins here. It may become a ``PageReference`` at any time, when a checkpoint has
    /// written the node.
    @inline(__always)
    var nodeOwner: UInt64 {
        get { assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .relaxed) }
        nonmutating set {
            assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(newValue, ordering: .relaxed)
        }
    }
}
