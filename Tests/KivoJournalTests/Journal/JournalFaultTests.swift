import KivoJournal
import TestRandomness
import XCTest

/// Devices that fail while a record is written.
final class JournalFaultTests: XCTestCase {
    private let before = [TestRecord.numbered(1, length: 50), .numbered(2, length: 3)]

    /// Lets an append fail, and checks that the journal is what it was, and works when the device works
    /// again.
    private func check(
        _ lost: TestRecord, _ message: String, whenOpened isLost: Bool = true, line: UInt = #line,
        failing: (MemoryDevice) -> Void
    ) throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        for record in before { try journal.append(record) }
        failing(device)
        XCTAssertThrowsError(try journal.append(lost), message, line: line)
        if isLost {
            XCTAssert(try Journal.reading(MemoryDevice(device.bytes)).records == before, message, line: line)
        }
        device.repair()
        let after = TestRecord.numbered(3, length: 20)
        try journal.append(after)
        XCTAssert(device.isDurable)
        let records = try Journal.reading(MemoryDevice(device.bytes)).records
        XCTAssert(records == before + [after], message, line: line)
    }

    func testFullDiskAfterAnyNumberOfBytes() throws {
        for budget in TestEffort.cases(0..<108) {
            try check(.numbered(4, length: 65), "\(budget)") { $0.fail(afterBytes: budget) }
        }
        let large = [0, 31, 32, 40, 200_000, 257_900, 258_048, 299_999, 300_032, 300_039]
        for budget in TestEffort.cases(large) {
            try check(.numbered(4, length: 300_000), "\(budget)") { $0.fail(afterBytes: budget) }
        }
    }

    func testOneFailedWrite() throws {
        for bytes in [0, 8, 20, 40, 104] {
            try check(.numbered(4, length: 65), "\(bytes)") { $0.failOnce(afterBytes: bytes) }
        }
        try check(.numbered(4, length: 300_000), "large") { $0.failOnce(afterBytes: 290_000) }
    }

    func testFailedSynchronization() throws {
        for length in [0, 65, 300_000] {
            try check(.numbered(4, length: length), "\(length)") { $0.fail(synchronizations: 0) }
        }
    }

    func testFullDiskThatCannotTruncateEither() throws {
        for budget in [0, 10, 40, 100] {
            try check(.numbered(4, length: 65), "\(budget)", whenOpened: false) {
                $0.fail(afterBytes: budget, truncates: false)
            }
        }
    }

    func testLastBytesOfTheDiskAreUsed() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        let records = [TestRecord.numbered(1, length: 1000), .numbered(2, length: 8)]
        device.fail(capacity: 8192 + 1040 + 48)
        for record in records { try journal.append(record) }
        XCTAssertEqual(device.bytes.count, 8192 + 1040 + 48)
        XCTAssertThrowsError(try journal.append(.numbered(3, length: 0))) {
            XCTAssertEqual($0 as? JournalError, .noSpace)
        }
        XCTAssertEqual(try Journal.reading(MemoryDevice(device.bytes)).records, records)
        device.repair()
        try journal.append(.numbered(4, length: 9))
        XCTAssertEqual(
            try Journal.reading(MemoryDevice(device.bytes)).records, records + [.numbered(4, length: 9)])
    }

    func testFailedCreationLeavesNothing() throws {
        for budget in [0, 1, 64, 4095] {
            let device = MemoryDevice()
            device.fail(afterBytes: budget)
            XCTAssertThrowsError(try Journal.reading(device)) {
                XCTAssertEqual($0 as? JournalError, .noSpace)
            }
            XCTAssertEqual(device.bytes, [])
            device.repair()
            try Journal.reading(device).journal.append(.numbered(1, length: 1))
        }
    }
}
