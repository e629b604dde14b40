import Synchronization

/// The raw memory of one store: every node of every version is a block of it.
///
/// A block belongs to the newest version that reaches it. Bitwise copies of a node own nothing; what a commit
/// replaces goes on that commit's ``RetireList`` and is freed when no pinned version can see it any more. Debug
/// builds count live blocks and their bytes, which must return to zero, and poison what is freed. What strings and arrays
/// of bytes in the nodes own beside them is counted by Swift, not here.
///
/// Thread-safe: `malloc` is, and the counters are atomic.
public final class Heap: Sendable {
    /// What is known of the strings that lie in the blocks.
    let strings = StringLayout.current

    #if DEBUG
    private let liveBlocks = Atomic<Int>(0)
    private let liveBytes = Atomic<Int>(0)
    private let header = 16
    private let poison: UInt8 = 0xDB
    #endif

    /// An empty heap.
    public init() {}

    /// The number of blocks that are allocated and not freed; always 0 in release builds, which do not count.
    public var liveBlockCount: Int {
        #if DEBUG
        liveBlocks.load(ordering: .relaxed)
        #else
        0
        #endif
    }

    /// The bytes that were asked for in these blocks, without those that the counting and the system add, and without what
    /// strings and bytes own elsewhere; always 0 in release builds.
    public var liveByteCount: Int {
        #if DEBUG
        liveBytes.load(ordering: .relaxed)
        #else
        0
        #endif
    }

    /// Allocates an uninitialised block. Blocks are aligned to 16 bytes.
    func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        #if DEBUG
        liveBlocks.add(1, ordering: .relaxed)
        liveBytes.add(byteCount, ordering: .relaxed)
        let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount + header, alignment: 16)
        block.storeBytes(of: byteCount, as: Int.self)
        return block + header
        #else
        return UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        #endif
    }

    /// Frees a block that ``allocate(_:)`` made.
    func free(_ block: UnsafeMutableRawPointer) {
        #if DEBUG
        liveBlocks.subtract(1, ordering: .relaxed)
        let start = block - header
        let byteCount = start.load(as: Int.self)
        liveBytes.subtract(byteCount, ordering: .relaxed)
        memset(block, poison, byteCount)
        start.deallocate()
        #else
        block.deallocate()
        #endif
    }

    #if DEBUG
    private func memset(_ block: UnsafeMutableRawPointer, _ byte: UInt8, _ count: Int) {
        block.initializeMemory(as: UInt8.self, repeating: byte, count: count)
    }
    #endif
}
