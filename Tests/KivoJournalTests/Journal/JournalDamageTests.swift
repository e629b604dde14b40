import TestRandomness
import XCTest

@testable import KivoJournal

/// Files that are not what was written.
final class JournalDamageTests: XCTestCase {
    func testEveryTruncation() throws {
        let small = try SmallJournal()
        for count in TestEffort.cases(1...small.bytes.count) {
            let bytes = Array(small.bytes.prefix(count))
            guard count >= 8192 else {
                assertRefused(bytes, "\(count)") { count < 8 ? $0 == .notAJournal : isCorrupt($0) }
                continue
            }
            if count < small.ends.last! { assertRefused(bytes, "\(count)", where: isCorrupt) }
            let device = MemoryDevice(bytes.withoutMark)
            let (journal, records) = try Journal.reading(device)
            let whole = small.ends.count { $0 <= count }
            XCTAssertEqual(records, Array(small.records.prefix(whole)), "\(count)")
            try journal.append(.numbered(9, length: 9))
            XCTAssertEqual(
                try Journal.reading(MemoryDevice(device.bytes)).records,
                small.records.prefix(whole) + [.numbered(9, length: 9)], "\(count)")
        }
    }

    /// Damage at the end of a journal that is still open, or whose process was killed, is detected up to the last mark.
    func testLostRecordsAreMissedWithoutClosing() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        let interval = Int(JournalWriter.markInterval)
        var ends = [8192]
        for number in 0..<interval * 3 + 1 {
            try journal.append(.numbered(number, length: 8))
            ends.append(ends.last! + 48)
        }
        for kept in 0..<ends.count - 1 {
            var bytes = device.bytes
            bytes.replaceSubrange(
                ends[kept]..<ends.last!, with: repeatElement(0, count: ends.last! - ends[kept]))
            if kept < interval * 3 {
                assertRefused(bytes, "\(kept)", where: isCorrupt)
            } else {
                XCTAssertEqual(try Journal.reading(MemoryDevice(bytes)).records.count, kept)
            }
        }
    }

    func testEveryBitFlippedInTheHeader() throws {
        let small = try SmallJournal()
        for position in TestEffort.cases(0..<8192) {
            var bytes = small.bytes
            bytes[position] ^= 1 << UInt8(position % 8)
            XCTAssertEqual(
                try Journal.reading(MemoryDevice(bytes), readOnly: true).records, small.records, "\(position)"
            )
            let device = MemoryDevice(bytes)
            let (journal, records) = try Journal.reading(device)
            XCTAssertEqual(records, small.records, "\(position)")
            if 0..<64 ~= position % 2048 && position / 512 % 4 == 0 {
                XCTAssertEqual(journal.recovery?.isHeaderDamaged, true, "\(position)")
                XCTAssert(device.bytes == small.bytes, "\(position) was not mended")
            } else {
                XCTAssertNil(journal.recovery, "\(position)")
                // Without the mark the records may not be durable: they are flushed, and marked.
                let isMark =
                    AcknowledgedMark.offset..<AcknowledgedMark.offset + AcknowledgedMark.size ~= position
                XCTAssert(device.bytes == (isMark ? small.bytes : bytes), "\(position)")
            }
        }
        var bytes = small.bytes
        for copy in [0, 2048, 4096, 6144] { bytes[copy + 20] ^= 1 }
        assertRefused(bytes, where: isCorrupt)
        bytes[0] ^= 1
        assertRefused(bytes, where: isCorrupt)
    }

    func testEveryBitFlippedInTheRecords() throws {
        let small = try SmallJournal()
        let lastStart = small.ends[small.ends.count - 2]
        let end = small.ends.last!
        for position in TestEffort.cases(8192..<small.bytes.count) {
            for bit in 0..<8 {
                var bytes = small.bytes
                bytes[position] ^= 1 << UInt8(bit)
                // A missing acknowledged record is an error; an unacknowledged one may be the remainder of a crash.
                if position < end { assertRefused(bytes, "\(position)", where: isCorrupt) }
                bytes = bytes.withoutMark
                if position < lastStart {
                    assertRefused(bytes, "\(position)", where: isCorrupt)
                } else {
                    let device = MemoryDevice(bytes)
                    let (journal, records) = try Journal.reading(device)
                    let isLast = position < end
                    XCTAssertEqual(records, isLast ? small.records.dropLast() : small.records, "\(position)")
                    // The records that stay are flushed, and marked.
                    XCTAssert(
                        device.bytes.withoutMark[...] == bytes[..<(isLast ? lastStart : end)], "\(position)")
                    XCTAssertEqual(
                        journal.recovery?.discardedBytes.lowerBound, isLast ? lastStart : end, "\(position)")
                }
            }
        }
    }

    /// Acknowledged records at the end that are overwritten, set to zero or gone are missed.
    func testDamageOfSeveralRecordsAtTheEnd() throws {
        var random = TestRandom()
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        var ends = [8192]
        for number in 0..<12 {
            try journal.append(.numbered(number, length: number * 7))
            ends.append(ends.last! + 40 + (number * 7 + 7) / 8 * 8)
        }
        journal.close()
        let bytes = device.bytes
        for kept in 0..<12 {
            let lost = ends[kept]..<ends[12]
            var zeroed = bytes
            zeroed.replaceSubrange(lost, with: repeatElement(0, count: lost.count))
            assertRefused(zeroed, "\(kept)", where: isCorrupt)
            var overwritten = bytes
            overwritten.replaceSubrange(lost, with: random.bytes(lost.count))
            assertRefused(overwritten, "\(kept)", where: isCorrupt)
            assertRefused(Array(bytes[..<lost.lowerBound]), "\(kept)", where: isCorrupt)
        }
    }

    /// A mark reaches the disk with the next record: the loss of the records that it covers is detected, that of later ones
    /// need not be.
    func testDamageAfterALossOfPower() throws {
        let device = MemoryDevice(random: TestRandom())
        let journal = try Journal.reading(device).journal
        let marked = Int(JournalWriter.markInterval)
        for number in 0...marked { try journal.append(.numbered(number, length: 16)) }
        var last = device.afterPowerLoss()
        last[8192 + marked * 56 + 40] ^= 1
        let (reopened, records) = try Journal.reading(MemoryDevice(last))
        XCTAssertEqual(records.count, marked)
        XCTAssertEqual(reopened.recovery?.discardedRecord, UInt64(marked + 1))
        last[8192 + (marked - 1) * 56 + 40] ^= 1
        assertRefused(last, where: isCorrupt)
    }

    /// However often a process dies before it can mark what was acknowledged.
    func testMarksAfterCrashes() throws {
        var bytes: [UInt8] = []
        let interval = Int(JournalWriter.markInterval)
        for life in 1...5 {
            let device = MemoryDevice(bytes)
            let journal = try Journal.reading(device).journal
            for number in 0..<interval - 1 { try journal.append(.numbered(number, length: 10)) }
            bytes = device.bytes
            let mark = try bytes.withUnsafeBytes { HeaderPages($0, try FileHeader($0)).mark }
            XCTAssertGreaterThan(Int(mark.sequence), life * (interval - 1) - interval)
            withExtendedLifetime(journal) {}
        }
    }

    /// Bytes that one unfinished record cannot have left are not cut off, whatever the header says.
    func testMoreThanOneRecordLeaves() throws {
        let small = try SmallJournal()
        let end = small.ends.last!
        let zeros = [UInt8](repeating: 0, count: 3 << 20)
        // Beyond the end of a record whose header is there.
        var bytes = small.bytes.withoutMark + zeros
        bytes[small.ends[3] + 40] ^= 1
        bytes[end + 16] = 1
        assertRefused(bytes, where: isCorrupt)
        // Beyond what a record takes that was not announced.
        bytes = small.bytes + zeros
        bytes[end + 8] = 1
        bytes[end + 1 << 20 - 1] = 1
        let journal = try Journal.reading(MemoryDevice(bytes)).journal
        XCTAssertEqual(journal.recovery?.discardedBytes, end..<end + 1 << 20)
        bytes[end + 1 << 20] = 1
        assertRefused(bytes, where: isCorrupt)
    }

    func testEveryLostRecordIsNoticed() throws {
        let small = try SmallJournal()
        for (index, end) in small.ends.dropLast().enumerated() {
            let start = index == 0 ? 8192 : small.ends[index - 1]
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
        // Two records less: the last one, moved to the place of the second last, does not prove damage.
        let (first, last) = (small.ends[2], small.bytes[small.ends[3]..<small.ends[4]])
        bytes.removeSubrange(first...)
        bytes += last
        XCTAssertEqual(
            try Journal.reading(MemoryDevice(bytes.withoutMark)).records, Array(small.records.prefix(3)))
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
            XCTAssertEqual(try Journal.reading(MemoryDevice(bytes.withoutMark)).records, small.records)
        }
    }

    func testDamageFarBeforeALaterRecord() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        for length in [5, 2_500_001, 3] { try journal.append(.numbered(length, length: length)) }
        var bytes = device.bytes
        bytes[8192 + 48 + 100] ^= 4
        assertRefused(bytes) { if case .corrupt(8192 + 48, _) = $0 { true } else { false } }
    }

    func testForeignFiles() throws {
        var random = TestRandom()
        assertRefused(Array("KIVO".utf8)) { $0 == .notAJournal }
        assertRefused(Array("KIVO\n\u{1A}\n, a text".utf8)) { $0 == .notAJournal }
        assertRefused([UInt8](repeating: 0, count: 8193)) { $0 == .notAJournal }
        for count in [1, 8, 64, 4095, 4096, 4097, 8192, 8193, 100_000] {
            assertRefused([1] + random.bytes(count - 1), "\(count)") { $0 == .notAJournal }
        }
    }

    func testOtherVersionsAndFlags() throws {
        let small = try SmallJournal()
        let newest = JournalError.currentVersion
        for (offset, byte, version) in [(8, UInt8(newest + 1), newest + 1), (8, 1, 1), (12, 2, newest)] {
            var bytes = small.bytes
            for copy in [0, 2048, 4096, 6144] {
                bytes[copy + offset] = byte
                let checksum = bytes.withUnsafeBytes {
                    Checksum.of(
                        UnsafeRawBufferPointer(rebasing: $0[copy..<copy + 56]),
                        seed: copy < 4096 ? 0 : UInt64(copy))
                }
                bytes.withUnsafeMutableBytes { $0.store(checksum, at: copy + 56) }
            }
            assertRefused(bytes) {
                $0 == .unsupportedVersion(version) && $0.description.contains("earlier") == (version == 1)
            }
        }
    }
}
