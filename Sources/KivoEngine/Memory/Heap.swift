import Synchronization

/// The raw memory of one store. Every node of every version is a block of it.
///
/// A block belongs to the newest version that reaches it; a bitwise copy of a node owns nothing. What a commit replaces is added
/// to the commit's ``RetireList`` and freed when no pinned version needs it. Debug builds count live blocks and their bytes,
/// which must return to zero, and overwrite freed memory. Memory that strings and byte arrays in nodes own elsewhere is counted
/// by Swift, not here.
///
/// Thread-safe: `malloc` is, and the counters are atomic.
@usableFromInline package final class Heap: Sendable {
    /// The nodes among the blocks that are the same in a file.
    package let cache: PageCache
    /// The memory layout of the strings in the blocks.
    let strings = StringLayout.current

    #if DEBUG
    private let liveBlocks = Atomic<Int>(0)
    private let liveBytes = Atomic<Int>(0)
    private let header = 16
    private let poison: UInt8 = 0xDB
    #endif

    /// Creates an empty heap.
    ///
    /// - Parameter cacheLimit: The number of bytes of nodes above which those are evicted that are the same in a file.
    package init(cacheLimit: Int = .max) { cache = PageCache(limit: cacheLimit) }

    /// The number of blocks that are allocated and not freed. Always 0 in release builds, which do not count.
    package var liveBlockCount: Int {
        #if DEBUG
        liveBlocks.load(ordering: .relaxed)
        #else
        0
        #endif
    }

    /// The requested bytes of the live blocks. Excludes the overhead of counting and of the allocator, and memory that strings
    /// and bytes own elsewhere. Always 0 in release builds.
    package var liveByteCount: Int {
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

    /// Frees a block that ``allocate(_:)`` returned.
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
