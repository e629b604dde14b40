import XCTest

@testable import KivoEngine

/// Packed words of pages: what is read is what was written, in as few bytes as it should take, and damage is a flaw.
final class WordPackingTests: XCTestCase {
    private let heap = Heap()

    /// Words as properties have them, and others.
    private func words(_ random: inout TestRandom, count: Int) -> [UInt64] {
        let start = Int64(truncatingIfNeeded: random.next()) >> Int64(random.below(64))
        let kind = random.below(8)
        return (0..<count).map { index in
            switch kind {
            case 0: return UInt64(bitPattern: start &+ Int64(index))
            case 1: return UInt64(random.below(2))
            case 2: return (Double(start) + Double(random.below(1000)) / 2).bitPattern
            case 3: return Double(random.below(1 << 30)).bitPattern
            case 4: return random.next()
            case 5: return UInt64(bitPattern: start)
            case 6: return [0, .max, 1 << 63, 1 << 63 - 1, 1][random.below(5)]
            default: return UInt64(bitPattern: Int64(random.below(3)) - 1) << UInt64(random.below(64))
            }
        }
    }

    private func page(of words: [UInt64], _ slots: Bits256, _ body: (inout PageReader, ColumnBuffer) -> Void)
    {
        let memory = WriteMemory(id: 1, heap: heap)
        let buffer = ColumnBuffer.make(.word, capacity: words.count, memory)
        for (slot, word) in words.enumerated() { buffer.setWord(slot, word) }
        let chunk = PageChunk()
        let start = chunk.begin(.leaf, references: 0)
        chunk.write(words: buffer, slots)
        chunk.end(start)
        let read = ColumnBuffer.make(.word, capacity: words.count, memory)
        for slot in words.indices { read.setWord(slot, 0) }
        var reader = reader(of: UnsafeRawBufferPointer(chunk.bytes))
        body(&reader, read)
        memory.cancel()
    }

    private func reader(of bytes: UnsafeRawBufferPointer) -> PageReader {
        PageReader(
            bytes, PageReference(file: 1, offset: 8), .value(isString: false), TestCatalog.catalog, heap)
    }

    func testWhatIsReadIsWhatWasWritten() {
        var random = TestRandom()
        for _ in 0..<2000 {
            let count = [1, 2, 16, 64, 256][random.below(5)]
            let words = words(&random, count: count)
            var slots = Bits256()
            let share = [100, 50, 5][random.below(3)]
            for slot in 0..<count where random.chance(share) { slots.insert(slot) }
            page(of: words, slots) { reader, read in
                do throws(PageFlaw) {
                    try reader.read(packedWords: read, slots)
                    try reader.end()
                } catch {
                    XCTFail(error.description)
                }
                for slot in 0..<count {
                    XCTAssertEqual(read.word(slot), slots.contains(slot) ? words[slot] : 0)
                }
            }
        }
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    func testWidths() {
        func packing(_ words: [UInt64]) -> WordPacking { WordPacking { words.forEach($0) } }
        func doubles(_ values: [Double]) -> [UInt64] { values.map(\.bitPattern) }
        XCTAssertEqual(packing([]).width, 0)
        XCTAssertEqual(packing([0, 0]).width, 0)
        XCTAssertEqual(packing([7, 7]).width, 0)
        XCTAssertEqual(packing([0, 1, 1]).width, 1)
        XCTAssertEqual(packing((1_000_000..<1_000_256).map { UInt64($0) }).width, 1)
        XCTAssertEqual(packing([1, 1_000_000]).width, 3)
        XCTAssertEqual(packing([UInt64(bitPattern: -1), 0]).width, 1)
        XCTAssertEqual(packing([1 << 63, 1 << 63 - 1]).width, 8)
        XCTAssertEqual(packing(doubles([0.5, 1, 1.5, 200_000])).width, 2)
        XCTAssertEqual(packing(doubles((800_000_000..<800_000_256).map { Double($0) })).width, 1)
        XCTAssertEqual(packing(doubles([0.1, 0.2])).width, 7)
    }

    func testDamage() {
        var random = TestRandom()
        for _ in 0..<2000 {
            let words = words(&random, count: 64)
            page(of: words, Bits256(0..<64)) { reader, read in
                var bytes = Array(reader.bytes)
                for _ in 0..<3 {
                    let index =
                        PageLayout.headerSize
                        + random.below(random.chance(50) ? 2 : bytes.count - PageLayout.headerSize)
                    bytes[index] = UInt8(truncatingIfNeeded: random.next())
                }
                if random.chance(50) {
                    bytes.removeLast(random.below(bytes.count - PageLayout.headerSize + 1))
                }
                bytes.withUnsafeBytes { bytes in
                    var damaged = self.reader(of: bytes)
                    // Any words, or a flaw, but nothing beyond the bytes: the address sanitizer looks.
                    try? damaged.read(packedWords: read, Bits256(0..<64))
                    XCTAssertLessThanOrEqual(damaged.position, bytes.count)
                }
            }
        }
        for (sizes, shift) in [(0x09, 0), (0x0F, 0), (0x91, 0), (0xF1, 0), (0x11, 64), (0x11, 255)]
            as [(UInt8, UInt8)]
        {
            var bytes = [UInt8](repeating: 0, count: PageLayout.headerSize + 1024)
            (bytes[PageLayout.headerSize], bytes[PageLayout.headerSize + 1]) = (sizes, shift)
            page(of: [1], Bits256(0..<1)) { _, read in
                bytes.withUnsafeBytes { bytes in
                    var damaged = self.reader(of: bytes)
                    do throws(PageFlaw) {
                        try damaged.read(packedWords: read, Bits256(0..<1))
                        XCTFail("\(sizes) and \(shift) were read")
                    } catch {
                        XCTAssertEqual(error.description, "words are packed in an unknown form")
                    }
                }
            }
        }
        XCTAssertEqual(heap.liveBlockCount, 0)
    }
}
