import XCTest

@testable import KivoEngine

final class StringLayoutTests: XCTestCase {
    /// The check finds strings as they are drawn where they are known to be so; elsewhere everything works without.
    func testTheLayoutIsKnownWhereItShouldBe() {
        #if os(Linux) && (arch(x86_64) || arch(arm64))
        XCTAssertTrue(StringLayout.isExpected())
        #endif
        #if KIVO_PORTABLE_STRINGS
        XCTAssertFalse(StringLayout.current.isKnown)
        #else
        XCTAssertEqual(StringLayout.current.isKnown, StringLayout.isExpected())
        #endif
    }

    /// Elements are whole words, and what stands behind one is aligned, however large a string is.
    func testElementsAreWholeWords() {
        for kind in [ElementKind.string, .bytes] {
            XCTAssertEqual(kind.stride % 8, 0)
            let value = kind == .string ? MemoryLayout<String?>.size : MemoryLayout<[UInt8]?>.size
            XCTAssertGreaterThanOrEqual(kind.stride, value + 8)
        }
        XCTAssertEqual(ColumnKind.string.stride, MemoryLayout<String?>.stride)
        XCTAssertEqual(ColumnKind.bytes.stride, MemoryLayout<[UInt8]?>.stride)
    }

    /// A column is searched alike for strings in place, elsewhere, and short ones that were built up elsewhere.
    func testEveryFormOfAStringIsFound() {
        var built = String(repeating: "x", count: 40)
        built.removeAll()
        built += "ab"
        let texts: [String?] = [
            nil, "", "ab", built, "fifteen bytes .", "sixteen bytes ..", "é", "e\u{301}",
            String(repeating: "long", count: 20), String(repeating: "large", count: 1000),
            String(repeating: "large", count: 1001), "a literal of more than fifteen bytes",
        ]
        let heap = Heap()
        let memory = WriteMemory(id: 1, heap: heap)
        for capacity in [16, 64, 256] {
            let buffer = ColumnBuffer.make(.string, capacity: capacity, memory)
            for slot in 0..<capacity {
                ColumnValues.initialize(buffer.address(slot, .string), texts[slot % texts.count])
            }
            for text in texts.compactMap({ $0 }) {
                var expected = Bits256()
                for slot in 0..<capacity {
                    if let other = texts[slot % texts.count], Cell.haveSameBytes(text, other) {
                        expected.insert(slot)
                    }
                }
                let candidates = Bits256(0..<capacity)
                XCTAssertEqual(
                    StringScan(
                        EqualKernel(Array(text.utf8), isInverted: false), nil,
                        .text(TextTest(.order(.equal), text))
                    ).matches(buffer, candidates), expected, text)
            }
            for slot in 0..<capacity { buffer.ownedBits(slot, .string)!.release() }
        }
        memory.cancel()
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    /// Strings without owned memory are recognised: null always, strings in place and literals if the layout is known.
    func testWhatOwnsNothing() {
        func isTrivial(_ string: String?) -> Bool {
            var string = string
            return withUnsafeMutablePointer(to: &string) {
                OwnedBits(stringAt: $0).isTrivial(StringLayout.current)
            }
        }
        XCTAssertTrue(isTrivial(nil))
        XCTAssertFalse(isTrivial(String(repeating: "long", count: 20)))
        if StringLayout.current.isKnown {
            XCTAssertTrue(isTrivial("ab"))
            XCTAssertTrue(isTrivial("a literal of more than fifteen bytes"))
        }
        var bytes: [UInt8]?
        XCTAssertTrue(
            withUnsafeMutablePointer(to: &bytes) { OwnedBits(bytesAt: $0).isTrivial(StringLayout.current) })
    }
}
