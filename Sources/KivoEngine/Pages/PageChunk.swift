/// A node that was written to a page.
struct WrittenNode {
    /// The address of the node.
    let node: UnsafeMutableRawPointer
    /// The offset of the page in its chunk.
    let page: Int
    /// The description of the page, if its node can be evicted.
    let evictable: EvictableNode?
}

/// A group of pages that are written into a file together. They are built before their offset is known.
///
/// Offsets within the chunk are multiples of 8. Owned by the ``PageWriter`` that fills it.
package final class PageChunk {
    /// The bytes of the pages, one after the other.
    private(set) var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// The number of bytes.
    package private(set) var count = 0
    /// The byte range of each page.
    package private(set) var pages: [Range<Int>] = []
    /// The positions of references to pages of this chunk. Each contains an offset within the chunk, to which the chunk's own
    /// offset must be added.
    var ownReferences: [Int] = []
    /// The nodes from which the pages were made.
    var nodes: [WrittenNode] = []
    /// The roots of sequences that were written into the page of their row or bucket, although they have pages of their own from
    /// before.
    var roots: [UnsafeMutableRawPointer] = []
    /// The large values from which the pages were made.
    var values: [(value: LargeValue, page: Int)] = []
    /// Whether lengths are doubled in the current page.
    private(set) var doublesLengths = false

    init() {
        capacity = 1 << 16
        memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// The bytes. The file writes the checksums into them when it knows the offset.
    package var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory, count: count)
    }

    /// Turns references within the chunk into offsets of the file, given the offset of the chunk.
    package func resolveReferences(at offset: Int) {
        for position in ownReferences {
            let reference = (memory + position).load(as: UInt64.self)
            (memory + position).storeBytes(
                of: (UInt64(littleEndian: reference) + UInt64(offset)).littleEndian, as: UInt64.self)
        }
    }

    func removeAll() {
        (count, pages, ownReferences, nodes, roots, values) = (0, [], [], [], [], [])
    }

    // MARK: Pages

    /// Begins a page. Returns its start.
    ///
    /// - Parameter doublesLengths: whether some values of the page have pages of their own.
    func begin(_ kind: PageLayout.Kind, references: Int, doublesLengths: Bool = false) -> Int {
        let start = count
        self.doublesLengths = doublesLengths
        write(word: 0)
        let packsWords: UInt64 = kind == .leaf ? 1 << 48 : 0
        write(word: UInt64(kind.rawValue) << 32 | (doublesLengths ? 1 << 40 : 0) | packsWords)
        write(word: UInt64(references))
        return start
    }

    /// Ends the page that begins at `start`.
    func end(_ start: Int) {
        while count & 7 != 0 { write(byte: 0) }
        (memory + start + PageLayout.lengthOffset).storeBytes(
            of: UInt32(count - start).littleEndian, as: UInt32.self)
        pages.append(start..<count)
    }

    /// Copies a page of another file. The caller must rewrite its references.
    func append(page: UnsafeRawBufferPointer) -> Int {
        let start = count
        reserve(page.count)
        (memory + count).copyMemory(from: page.baseAddress!, byteCount: page.count)
        count += page.count
        pages.append(start..<count)
        return start
    }

    // MARK: Bytes

    @inline(__always)
    private func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    @inline(never)
    private func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = larger
    }

    @inline(__always)
    func write(byte: UInt8) {
        reserve(1)
        (memory + count).storeBytes(of: byte, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    func write(word: UInt64) {
        reserve(8)
        (memory + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count += 8
    }

    /// Writes the low bytes of a word.
    @inline(__always)
    func write(_ word: UInt64, byteCount: Int) {
        reserve(8)
        (memory + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count += byteCount
    }

    /// Writes a non-negative number, with seven bits in each byte.
    @inline(__always)
    func write(number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest > 0x7F {
            write(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        write(byte: UInt8(rest))
    }

    @inline(__always)
    func write(number: Int) { write(number: Int64(number)) }

    func write(bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        reserve(bytes.count)
        (memory + count).copyMemory(from: base, byteCount: bytes.count)
        count += bytes.count
    }

    /// Writes a bitmap: a mask of its non-zero words, then those words.
    func write(_ bits: Bits256) {
        let mask = (0..<4).reduce(UInt8(0)) { $0 | (bits[word: $1] == 0 ? 0 : 1 << UInt8($1)) }
        write(byte: mask)
        for index in 0..<4 where bits[word: index] != 0 { write(word: bits[word: index]) }
    }
}
