@testable import KivoJournal
import XCTest

final class JournalTests: XCTestCase {
    func testNewJournalIsEmptyAndStaysAJournal() throws {
        let device = MemoryDevice()
        XCTAssertEqual(try Journal.reading(device).records, [])
        XCTAssertEqual(device.bytes.count, 8192)
        XCTAssertEqual(try Journal.reading(MemoryDevice(device.bytes)).records, [])
    }

    func testZerosThatACreationLeftBecomeAJournal() throws {
        for count in [1, 63, 64, 4095, 4096, 8191, 8192] {
            let device = MemoryDevice([UInt8](repeating: 0, count: count))
            try Journal.reading(device).journal.append(.numbered(1, length: 5))
            XCTAssertEqual(try Journal.reading(MemoryDevice(device.bytes)).records, [.numbered(1, length: 5)])
        }
    }

    func testRecordsComeBackInOrderAfterEveryReopening() throws {
        var bytes: [UInt8] = []
        var expected: [TestRecord] = []
        for length in [0, 1, 7, 8, 9, 100, 4095, 4096, 65_495, 65_496, 65_497, 300_000, 3] {
            let device = MemoryDevice(bytes)
            let (journal, records) = try Journal.reading(device)
            XCTAssert(records == expected, "before \(length)")
            for extra in 0..<3 {
                expected.append(.numbered(expected.count, length: length + extra))
                try journal.append(expected.last!)
            }
            bytes = device.bytes
        }
        XCTAssert(try Journal.reading(MemoryDevice(bytes)).records == expected)
    }

    func testRecordsOfAnySizeAcrossTheWindow() throws {
        var random = TestRandom()
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        var expected: [TestRecord] = []
        for _ in 0..<60 {
            let length = random.below(random.chance(10) ? 1_500_000 : 40_000)
            expected.append(TestRecord(kind: UInt8(random.below(256)), payload: random.bytes(length)))
            try journal.append(expected.last!)
        }
        XCTAssert(try Journal.reading(MemoryDevice(device.bytes)).records == expected)
    }

    func testPayloadsAreAligned() throws {
        let device = MemoryDevice(try SmallJournal().bytes)
        _ = try Journal.open(device) { _, payload in
            XCTAssertEqual(Int(bitPattern: payload.baseAddress) % 8, 0)
        }
    }

    func testPayloadNeedNotBeAligned() throws {
        let device = MemoryDevice()
        let bytes = TestRecord.numbered(3, length: 200).payload
        let journal = try Journal.reading(device).journal
        for start in 0..<9 {
            try bytes.withUnsafeBytes {
                try journal.append(kind: 1, UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
        }
        let records = try Journal.reading(MemoryDevice(device.bytes)).records
        XCTAssertEqual(records.map(\.payload), (0..<9).map { Array(bytes[$0...]) })
    }

    func testSmallRecordIsOneFlushOfAllocatedSpace() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        try journal.append(.numbered(1, length: 100))
        let (size, writes, flushes) = (device.bytes.count, device.writeCount, device.synchronizationCount)
        XCTAssertEqual(size, 1 << 18)
        for number in 0..<100 { try journal.append(.numbered(number, length: 100)) }
        XCTAssertEqual(device.bytes.count, size)
        // The record, and now and then the mark that they are there.
        XCTAssertEqual(device.writeCount, writes + 100 + 101 / Int(JournalWriter.markInterval))
        XCTAssertEqual(device.synchronizationCount, flushes + 100)
        XCTAssert(device.isDurable)
    }

    func testReadOnlyJournalIsNotTouched() throws {
        let small = try SmallJournal()
        for bytes in [[], small.bytes, Array(small.bytes.withoutMark.prefix(small.ends[3] + 20))] {
            let device = MemoryDevice(bytes)
            let journal = try Journal.reading(device, readOnly: true).journal
            XCTAssert(journal.isReadOnly)
            XCTAssertThrowsError(try journal.append(.numbered(1, length: 1))) {
                XCTAssertEqual($0 as? JournalError, .permissionDenied)
            }
            XCTAssertEqual(device.writeCount, 0)
            XCTAssert(device.bytes == bytes)
        }
    }

    func testBodyThatThrowsLeavesATornTail() throws {
        let bytes = Array(try SmallJournal().bytes.dropLast(50))
        let device = MemoryDevice(bytes)
        XCTAssertThrowsError(try Journal.open(device) { _, _ in throw CancellationError() }) {
            XCTAssert($0 is CancellationError)
        }
        XCTAssert(device.bytes == bytes)
        XCTAssertFalse(device.isClosed)
    }

    func testClosingClosesTheDevice() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        journal.close()
        journal.close()
        XCTAssert(device.isClosed)
        XCTAssertThrowsError(try journal.append(.numbered(1, length: 1)))
    }

    func testConcurrentAppendsAllArrive() async throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask { try journal.append(.numbered(number, length: number)) }
            }
            try await group.waitForAll()
        }
        let records = try Journal.reading(MemoryDevice(device.bytes)).records
        XCTAssertEqual(
            records.sorted { $0.payload.count < $1.payload.count },
            (0..<64).map { .numbered($0, length: $0) })
    }
}
