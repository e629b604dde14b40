/// The form in which a page has the words of one column: the differences from the least word, in as few bytes as the greatest needs.
///
///      0  ┌──────────────────────────────────────────────┐
///         │ bytes of a difference, 0 to 8       4 bits   │
///         │ bytes of the least word, 0 to 8     4 bits   │
///      1  │ bits at the end of each word that           │
///         │ are 0 and left out, 0 to 63         1 byte   │
///      2  ├──────────────────────────────────────────────┤
///         │ the least word, its sign in bit 0            │
///         ├──────────────────────────────────────────────┤
///         │ the differences, each of the same size       │
///         └──────────────────────────────────────────────┘
///
/// Words are ordered as signed integers. Integers of one leaf are mostly close to each other. Doubles of which all are whole numbers,
/// or halves, or dates without fractions of a second, end with many zeros and become close integers.
struct WordPacking: Equatable {
    /// The number of bytes of each difference.
    let width: Int
    /// The number of bits at the end of each word that are left out.
    let shift: UInt64
    /// The least of the shifted words.
    let least: Int64

    /// Creates the most compact form of some words. O(n).
    ///
    /// - Parameter forEach: Calls a closure with each word.
    init(_ forEach: ((UInt64) -> Void) -> Void) {
        var (bits, least, greatest) = (0 as UInt64, Int64.max, Int64.min)
        forEach { word in
            bits |= word
            least = min(least, Int64(bitPattern: word))
            greatest = max(greatest, Int64(bitPattern: word))
        }
        guard bits != 0 else {
            (width, shift, self.least) = (0, 0, 0)
            return
        }
        shift = UInt64(bits.trailingZeroBitCount)
        self.least = least >> Int64(shift)
        let range = UInt64(bitPattern: (greatest >> Int64(shift)) &- self.least)
        width = WordPacking.byteCount(range)
    }

    /// Creates the form that a page has. Returns nil if there is no such form.
    init?(width: Int, shift: UInt8, leastWord: UInt64) {
        guard width <= 8, shift < 64 else { return nil }
        self.width = width
        self.shift = UInt64(shift)
        least = Int64(bitPattern: leastWord >> 1) ^ -Int64(bitPattern: leastWord & 1)
    }

    /// The least word, its sign in the lowest bit, so that small numbers have few bytes.
    var leastWord: UInt64 { UInt64(bitPattern: least << 1 ^ least >> 63) }

    /// The number of bytes of ``leastWord``.
    var leastByteCount: Int { WordPacking.byteCount(leastWord) }

    /// Returns the difference that stands for a word.
    @inline(__always)
    func difference(_ word: UInt64) -> UInt64 {
        UInt64(bitPattern: (Int64(bitPattern: word) &>> Int64(shift)) &- least)
    }

    /// Returns the word for which a difference stands.
    @inline(__always)
    func word(_ difference: UInt64) -> UInt64 { (difference &+ UInt64(bitPattern: least)) &<< shift }

    /// Reads words whose differences are adjacent, many at once. Returns false, and reads nothing, if the differences have a size
    /// for which the processor has no integers.
    func read(_ source: UnsafeRawPointer, _ count: Int, into words: UnsafeMutablePointer<UInt64>) -> Bool {
        switch width {
        case 0: words.update(repeating: word(0), count: count)
        case 1: read(source, UInt8.self, count, into: words)
        case 2: read(source, UInt16.self, count, into: words)
        case 4: read(source, UInt32.self, count, into: words)
        case 8: read(source, UInt64.self, count, into: words)
        default: return false
        }
        return true
    }

    @inline(__always)
    private func read<Difference: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ type: Difference.Type, _ count: Int,
        into words: UnsafeMutablePointer<UInt64>
    ) {
        for index in 0..<count {
            let difference = source.loadUnaligned(
                fromByteOffset: index &* MemoryLayout<Difference>.size, as: type)
            words[index] = word(UInt64(truncatingIfNeeded: Difference(littleEndian: difference)))
        }
    }

    /// Returns the number of bytes without the zeros in front.
    private static func byteCount(_ word: UInt64) -> Int { (71 - word.leadingZeroBitCount) / 8 }
}

extension PageChunk {
    /// Writes the words of some slots of a column.
    func write(words buffer: ColumnBuffer, _ slots: Bits256) {
        let packing = WordPacking { body in slots.forEach { body(buffer.word($0)) } }
        write(byte: UInt8(packing.width | packing.leastByteCount << 4))
        write(byte: UInt8(packing.shift))
        write(packing.leastWord, byteCount: packing.leastByteCount)
        if packing.width == 0 { return }
        slots.forEach { write(packing.difference(buffer.word($0)), byteCount: packing.width) }
    }
}

extension PageReader {
    /// Reads the form of the words of a column, which precedes the differences.
    mutating func readPacking() throws(PageFlaw) -> WordPacking {
        let sizes = try readByte()
        let shift = try readByte()
        let leastByteCount = Int(sizes >> 4)
        guard leastByteCount <= 8 else { throw PageFlaw("words are packed in an unknown form") }
        try require(leastByteCount)
        let leastWord = word(at: position, byteCount: leastByteCount)
        position += leastByteCount
        guard let packing = WordPacking(width: Int(sizes & 15), shift: shift, leastWord: leastWord) else {
            throw PageFlaw("words are packed in an unknown form")
        }
        return packing
    }

    /// Reads the words of some slots of a column.
    mutating func read(packedWords buffer: ColumnBuffer, _ slots: Bits256) throws(PageFlaw) {
        let packing = try readPacking()
        try require(slots.count * packing.width)
        let values = buffer.data.assumingMemoryBound(to: UInt64.self)
        let mask = packing.width == 8 ? UInt64.max : 1 << UInt64(packing.width * 8) - 1
        let source = bytes.baseAddress.unsafelyUnwrapped
        if slots == Bits256(0..<slots.count), packing.read(source + position, slots.count, into: values) {
            position += slots.count * packing.width
            return
        }
        // The last word that can be loaded as a whole. Those after it are read byte by byte.
        let lastWhole = bytes.count - 8
        var (offset, next) = (position, slots.next(from: 0))
        while let slot = next {
            let difference =
                offset <= lastWhole
                ? UInt64(littleEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) & mask
                : word(at: offset, byteCount: packing.width)
            values[slot] = packing.word(difference)
            offset &+= packing.width
            next = slots.next(from: slot &+ 1)
        }
        position = offset
    }

    /// Returns the word that the given number of bytes are, which the page must have.
    private func word(at offset: Int, byteCount: Int) -> UInt64 {
        (0..<byteCount).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64($1 * 8) }
    }
}
