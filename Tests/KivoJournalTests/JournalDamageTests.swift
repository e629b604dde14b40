import XCTest

@testable import KivoJournal

/// Files that are not what was written.
final class JournalDamageTests: XCTestCase {
    func testEveryTruncation() throws {
        let small = try SmallJournal()
        for count in 1...small.bytes.count {
            let bytes = Array(small.bytes.prefix(count))
            guard count >= 4096 else {
                assertRefused(bytes, "\(count)") { count < 8 ? $0 == .notAJournal : isCorrupt($0) }
                continue
            }
            let device = MemoryDevice(bytes)
            let (journal, records) = try Journal.reading(device)
            let whole = small.ends.count { $0 <= count }
            XCTAssertEqual(records, Array(small.records.prefix(whole)), "\(count)")
            try journal.append(.numbered(9, length: 9))
            XCTAssertEqual(
                try Journal.reading(MemoryDevice(device.bytes)).records,
                small.records.prefix(whole) + [.numbered(9, length: 9)], "\(count)")
        }
    }

    func testEveryBitFlipped() throws {
        let small = try SmallJournal()
        let lastStart = small.ends[small.ends.count - 2]
        let end = small.ends.last!
        for position in small.bytes.indices {
            for bit in position < 4096 ? position % 8..<position % 8 + 1 : 0..<8 {
                var bytes = small.bytes
                bytes[position] ^= 1 << UInt8(bit)
                if position < 8 {
                    assertRefused(bytes, "\(position)") { $0 == .notAJournal }
                } else if position < lastStart {
                    assertRefused(bytes, "\(position)", where: isCorrupt)
                } else {
                    let device = MemoryDevice(bytes)
                    let records = try Journal.reading(device).records
                    let isLast = position < end
                    XCTAssertEqual(records, isLast ? small.records.dropLast() : small.records, "\(position)")
                    XCTAssert(device.bytes[...] == bytes[..<(isLast ? lastStart : end)], "\(position)")
                }
            }
        }
    }

    func testEveryLostRecordIsNoticed() throws {
        let small = try SmallJournal()
        for (index, end) in small.ends.dropLast().enumerated() {
            let start = index == 0 ? 4096 : small.ends[index - 1]
            var bytes = small.bytes
            bytes.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
            assertRefused(bytes, "\(index)") {
                if case .corrupt(start, _) = $0 { true } else { false }
            }
        }
    }

    func testRecordInAnotherPlaceIsNone() throws {
        let small = try SmallJournal()
        var bytes = small.bytes
        // Two records less: the last one, moved to where the second last was, is no proof of damage.
        let (first, last) = (small.ends[2], small.bytes[small.ends[3]..<small.ends[4]])
        bytes.removeSubrange(first...)
        bytes += last
        XCTAssertEqual(try Journal.reading(MemoryDevice(bytes)).records, Array(small.records.prefix(3)))
    }

    func testJournalInsideAPayloadIsNotReadAsRecords() throws {
        let small = try SmallJournal()
        let longer = MemoryDevice(small.bytes)
        let journal = try Journal.reading(longer).journal
        for number in 6..<9 { try journal.append(.numbered(number, length: number)) }
        // A copy of the same journal, some records later, is stored in it, and that is cut short by a crash.
        for shift in [0, 8] {
            let device = MemoryDevice(small.bytes)
            let copy = [UInt8](repeating: 1, count: shift) + longer.bytes
            try Journal.reading(device).journal.append(TestRecord(kind: 7, payload: copy))
            var bytes = device.bytes
            bytes[small.ends.last! + 40] ^= 1
            XCTAssertEqual(try Journal.reading(MemoryDevice(bytes)).records, small.records)
        }
    }

    func testDamageFarBeforeALaterRecord() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        for length in [5, 2_500_001, 3] { try journal.append(.numbered(length, length: length)) }
        var bytes = device.bytes
        bytes[4096 + 48 + 100] ^= 4
        assertRefused(bytes) { if case .corrupt(4096 + 48, _) = $0 { true } else { false } }
    }

    func testForeignFiles() throws {
        var random = TestRandom()
        assertRefused(Array("KIVO".utf8)) { $0 == .notAJournal }
        assertRefused(Array("KIVO\n\u{1A}\n, a text".utf8)) { $0 == .notAJournal }
        assertRefused([UInt8](repeating: 0, count: 4097)) { $0 == .notAJournal }
        for count in [1, 8, 64, 4095, 4096, 4097, 100_000] {
            assertRefused([1] + random.bytes(count - 1), "\(count)") { $0 == .notAJournal }
        }
    }

    func testLaterVersionsAndFlags() throws {
        let small = try SmallJournal()
        for (offset, version) in [(8, 3), (12, 1)] {
            var bytes = small.bytes
            bytes[offset] ^= 2
            let checksum = bytes.withUnsafeBytes {
                Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<56]), seed: 0)
            }
            bytes.withUnsafeMutableBytes { $0.store(checksum, at: 56) }
            assertRefused(bytes) { $0 == .unsupportedVersion(version) }
        }
    }
}
