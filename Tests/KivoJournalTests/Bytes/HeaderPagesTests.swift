import TestRandomness
import XCTest

@testable import KivoJournal

/// Files that lose a part of their header.
final class HeaderPagesTests: XCTestCase {
    /// A journal at several moments: without records, before and after marks in both pages, killed and closed.
    private func moments() throws -> [(bytes: [UInt8], records: [TestRecord])] {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        var records: [TestRecord] = []
        var moments = [(device.bytes, records)]
        for number in 1...40 {
            records.append(.numbered(number, length: number * 3))
            try journal.append(records.last!)
            if [1, 8, 9, 17, 40].contains(number) { moments.append((device.bytes, records)) }
        }
        journal.close()
        return moments + [(device.bytes, records)]
    }

    /// Asserts that bytes are a file without records, which takes one.
    private func assertIsNew(_ bytes: [UInt8]) throws {
        let device = MemoryDevice(bytes)
        let (journal, records) = try Journal.reading(device)
        XCTAssertEqual(records, [], "\(bytes.count)")
        try journal.append(.numbered(1, length: 8))
        journal.close()
        XCTAssertEqual(try Journal.reading(MemoryDevice(device.bytes)).records, [.numbered(1, length: 8)])
    }

    private func assertOpens(
        _ damaged: [UInt8], as whole: [UInt8], _ records: [TestRecord], _ message: String
    ) throws {
        let reading = MemoryDevice(damaged)
        XCTAssertEqual(try Journal.reading(reading, readOnly: true).records, records, message)
        XCTAssertEqual(reading.writeCount, 0, message)
        // The records of this test are not commits, which verification reports of the whole file too.
        func flaws(_ bytes: [UInt8]) throws -> [VerificationReport.Flaw] {
            try JournalVerification.verify(MemoryDevice(bytes)).flaws.filter { !$0.isHarmless }
        }
        XCTAssertEqual(try flaws(damaged), try flaws(whole), message)
        let device = MemoryDevice(damaged)
        let (journal, found) = try Journal.reading(device)
        XCTAssertEqual(found, records, message)
        let isDamaged = try damaged.withUnsafeBytes { try FileHeader($0).isDamaged }
        XCTAssertEqual(journal.recovery?.isHeaderDamaged, isDamaged ? true : nil, message)
        try journal.append(.numbered(99, length: 9))
        journal.close()
        XCTAssertEqual(try device.bytes.withUnsafeBytes { try FileHeader($0).damagedPages }, [], message)
        let (again, all) = try Journal.reading(MemoryDevice(device.bytes))
        XCTAssertEqual(all, records + [.numbered(99, length: 9)], message)
        XCTAssertNil(again.recovery, message)
    }

    func testEachSectorAndEachPageCanBeLost() throws {
        var random = TestRandom()
        let sectors = stride(from: 0, to: 8192, by: 512).map { $0..<$0 + 512 }
        for (bytes, records) in TestEffort.cases(try moments(), within: 0.24) {
            for part in sectors + [0..<4096, 4096..<8192] {
                var damaged = bytes
                damaged.replaceSubrange(part, with: repeatElement(0, count: part.count))
                try assertOpens(damaged, as: bytes, records, "\(part) of \(records.count)")
                damaged.replaceSubrange(part, with: random.bytes(part.count))
                try assertOpens(damaged, as: bytes, records, "\(part) of \(records.count), random")
            }
        }
    }

    func testBothPages() throws {
        for (bytes, records) in try moments() where !records.isEmpty {
            var damaged = bytes
            damaged.replaceSubrange(0..<8192, with: repeatElement(0, count: 8192))
            assertRefused(damaged, where: isCorrupt)
        }
    }

    /// Only one page is written between two flushes.
    func testPagesAreWrittenInTurn() throws {
        let device = MemoryDevice()
        for life in 0..<6 {
            device.reopen()
            let journal = try Journal.reading(device).journal
            for number in 0..<life * 7 { try journal.append(.numbered(number, length: 8)) }
            journal.close()
        }
        XCTAssertFalse(device.wroteBothPages)
    }

    /// In a file with few records, no record proves that the header is durable: opening it writes both pages again.
    func testPagesAreSettledInTurn() throws {
        for count in [0, 1, 5] {
            let device = MemoryDevice()
            let journal = try Journal.reading(device).journal
            for number in 0..<count { try journal.append(.numbered(number, length: 700)) }
            // The process is killed.
            let (writes, flushes) = (device.writeCount, device.synchronizationCount)
            XCTAssertEqual(try Journal.reading(device).records.count, count)
            XCTAssertGreaterThan(device.writeCount, writes)
            XCTAssertGreaterThan(device.synchronizationCount, flushes + 1)
            XCTAssertFalse(device.wroteBothPages, "\(count)")
            withExtendedLifetime(journal) {}
        }
    }

    /// A process that is killed while it writes the second page again leaves that unflushed to the next.
    func testSettlingIsInterrupted() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        try journal.append(.numbered(1, length: 700))
        let bytes = Array(device.bytes[4096..<8192])
        try bytes.withUnsafeBytes { try device.write($0, at: 4096) }
        XCTAssertEqual(try Journal.reading(device).records, [.numbered(1, length: 700)])
        XCTAssertFalse(device.wroteBothPages)
        withExtendedLifetime(journal) {}
    }

    /// After a loss of power while it was created, a file becomes a file without records. It is corrupt if its header mentions
    /// records.
    func testTheFirstPageOfAFileThatWasBeingMade() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        let empty = device.bytes
        XCTAssertEqual(empty.count, 8192)
        for number in 0..<30 { try journal.append(.numbered(number, length: 8)) }
        journal.close()
        for count in [4096, 4097, 4608, 6144, 8191, 8192] {
            try assertIsNew(Array(empty.prefix(count)))
            assertRefused(Array(device.bytes.prefix(count)), "\(count)", where: isCorrupt)
        }
        assertRefused(Array(empty.prefix(575)), where: isCorrupt)
    }

    /// A loss of power while a file is created leaves a part of its header, in which any sectors are missing. Such a file is new;
    /// one that is cut off after its first records is damaged.
    func testHeadersThatWereNotWrittenCompletely() throws {
        let written = MemoryDevice()
        let journal = try Journal.reading(written).journal
        let header = written.bytes
        for number in 1...3 { try journal.append(.numbered(number, length: 8)) }
        journal.close()
        var random = RandomSource()
        let lengths =
            Array(576...640) + Array(2040...2120) + (0..<200).map { _ in 576 + random.below(8192 - 576) }
        for length in TestEffort.cases(lengths, within: 0.12) {
            var bytes = Array(header.prefix(length))
            for sector in stride(from: 0, to: length, by: 512) where random.chance(50) {
                let range = sector..<min(sector + 512, length)
                bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
            }
            try assertIsNew(bytes)
            assertRefused(Array(written.bytes.prefix(length)), "\(length)", where: isCorrupt)
        }
        // One copy in part, and zeros. A copy with all bytes is damaged, if not all are right.
        for (copy, length) in [0, 2048, 4096, 6144].flatMap({ copy in (1..<64).map { (copy, $0) } }) {
            var bytes = [UInt8](repeating: 0, count: 8192)
            bytes.replaceSubrange(copy..<copy + length, with: header[copy..<copy + length])
            try assertIsNew(bytes)
        }
        var damaged = header
        for copy in [0, 2048, 4096, 6144] { damaged[copy + 20] ^= 1 << UInt8(random.below(8)) }
        damaged[63] |= 1
        assertRefused(damaged, where: isCorrupt)
    }

    /// A file that was begun without the second page has its records there, and is none the worse for it.
    func testFilesWithoutTheSecondPage() throws {
        let header = FileHeader(id: 77, record: 4096)
        var bytes = [UInt8](repeating: 0, count: 4096)
        bytes.withUnsafeMutableBytes { header.encode(into: $0) }
        let device = MemoryDevice(bytes)
        let journal = try Journal.reading(device).journal
        let records = (1...30).map { TestRecord.numbered($0, length: $0 * 5) }
        for record in records { try journal.append(record) }
        journal.close()
        XCTAssertEqual(try Journal.reading(MemoryDevice(device.bytes)).records, records)
        var damaged = device.bytes
        damaged.replaceSubrange(2048..<2560, with: repeatElement(0, count: 512))
        let mended = MemoryDevice(damaged)
        XCTAssertEqual(try Journal.reading(mended).records, records)
        XCTAssert(mended.bytes == device.bytes)
        damaged.replaceSubrange(0..<4096, with: repeatElement(0, count: 4096))
        assertRefused(damaged, where: isCorrupt)
    }
}
