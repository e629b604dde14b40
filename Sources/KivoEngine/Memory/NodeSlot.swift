import Synchronization

/// A word of a node that refers to another node: 0, an address, or a ``PageReference`` in place of an address.
///
/// The address of a loaded node replaces the reference, so that later readers find it, and an ``Eviction`` replaces it back. This
/// changes a shared node from one valid state to another: words are read and written atomically, and a node is complete before its
/// address is published.
package enum NodeSlot {
    /// The bits of a word that can say more about a node, and are no part of its address.
    static let marks: UInt = 7

    /// Returns the node, loading it from its file if necessary; nil if the slot contains 0.
    @inline(__always)
    static func node(_ slot: UnsafeMutableRawPointer, _ role: NodeRole) -> UnsafeMutableRawPointer? {
        let word = load(slot)
        if word & UInt(PageReference.stubMark) == 0 { return UnsafeMutableRawPointer(bitPattern: word) }
        return loadNode(slot, word, role)
    }

    /// Returns the node if it is in memory; otherwise nil.
    static func loadedNode(_ slot: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let word = load(slot)
        guard let page = PageReference(stub: UInt64(word)) else {
            return UnsafeMutableRawPointer(bitPattern: word)
        }
        return PageFiles.file(of: page).loadedNode(at: page.offset)
    }

    /// Returns the node if its address is in the slot; otherwise nil.
    @inline(__always)
    static func address(_ slot: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let word = load(slot)
        return word & UInt(PageReference.stubMark) == 0 ? UnsafeMutableRawPointer(bitPattern: word) : nil
    }

    /// Returns the page to which the slot refers, or nil if it refers to a node in memory or to none.
    @inline(__always)
    static func page(_ slot: UnsafeMutableRawPointer) -> PageReference? {
        PageReference(stub: UInt64(load(slot)))
    }

    /// Returns the word in the slot.
    @inline(__always)
    package static func load(_ slot: UnsafeMutableRawPointer) -> UInt {
        slot.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring)
    }

    @inline(never)
    private static func loadNode(
        _ slot: UnsafeMutableRawPointer, _ word: UInt, _ role: NodeRole
    ) -> UnsafeMutableRawPointer? {
        // The lowest bit marks slots that hold a key instead of a node: see `KeyMultiset`.
        guard let page = PageReference(stub: UInt64(word)) else {
            return UnsafeMutableRawPointer(bitPattern: word)
        }
        return PageFiles.file(of: page).node(at: page.offset, role, for: slot)
    }

    /// Whether addresses and references replace each other in slots.
    package static var isPublishing: Bool {
        #if KIVO_SANITIZE_THREAD
        false
        #else
        true
        #endif
    }

    /// Replaces the word of a slot that other threads read.
    ///
    /// - Precondition: The caller holds the lock of the file to whose page either of the words leads.
    package static func publish(_ word: UInt, in slot: UnsafeMutableRawPointer) {
        #if !KIVO_SANITIZE_THREAD
        // Nodes are copied as raw memory, which the sanitizer would report as a race with this store.
        slot.assumingMemoryBound(to: Atomic<UInt>.self).pointee.store(word, ordering: .releasing)
        #endif
    }
}

extension UnsafeMutableRawPointer {
    /// The owner of the node at this address. A checkpoint that writes the node may replace the owner by a ``PageReference`` at
    /// any time.
    @inline(__always)
    var nodeOwner: UInt64 {
        get { assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .relaxed) }
        nonmutating set {
            assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(newValue, ordering: .relaxed)
        }
    }
}

/// The kind of node that a slot refers to. A page of another kind is damage.
@usableFromInline package enum NodeRole: Sendable {
    /// An inner node of a table's tree.
    case inner
    /// A leaf of a table's tree.
    case leaf
    /// A node of a sequence.
    case sequence
    /// A node of an index.
    case index
    /// A large value, which is not a node.
    case value
}
