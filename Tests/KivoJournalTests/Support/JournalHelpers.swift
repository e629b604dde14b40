import KivoJournal
import XCTest

/// A record as a test sees it.
struct TestRecord: Equatable {
    var kind: UInt8
    var payload: [UInt8]

    /// Returns a record whose payload depends on its number.
    static func numbered(_ number: Int, length: Int) -> TestRecord {
        TestRecord(
            kind: UInt8(truncatingIfNeeded: number),
            payload: (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) })
    }
}

extension Journal {
    /// Opens a journal and returns its records.
    static func reading(
        _ device: any JournalDevice, readOnly: Bool = false
    ) throws -> (journal: Journal, records: [TestRecord]) {
        var records: [TestRecord] = []
        let journal = try open(device, readOnly: readOnly) { kind, payload in
            records.append(TestRecord(kind: kind, payload: Array(payload)))
        }
        return (journal, records)
    }

    func append(_ record: TestRecord) throws(JournalError) {
        do {
            try record.payload.withUnsafeBytes { try append(kind: record.kind, $0) }
        } catch {
            throw error as! JournalError
        }
    }
}

/// The bytes of a journal with few records, and where each of them ends.
struct SmallJournal {
    let records = [0, 1, 8, 13, 24].enumerated().map { TestRecord.numbered($0 + 1, length: $1) }
    let ends: [Int]
    /// The bytes up to the last record's end, and a few of the zeros after it.
    let bytes: [UInt8]

    init() throws {
        let device = MemoryDevice()
        let journal = try Journal.reading(device).journal
        for record in records { try journal.append(record) }
        var ends: [Int] = []
        for record in records { ends.append((ends.last ?? 8192) + 40 + (record.payload.count + 7) / 8 * 8) }
        self.ends = ends
        journal.close()
        bytes = Array(device.bytes.prefix(ends.last! + 48))
    }
}

extension [UInt8] {
    /// The bytes of a journal that does not say which records were acknowledged: as if none had been.
    var withoutMark: [UInt8] {
        var bytes = self
        bytes.replaceSubrange(512..<536, with: repeatElement(0, count: 24))
        return bytes
    }
}

/// Asserts that opening throws an error that the check accepts, and leaves the device as it was.
func assertRefused(
    _ bytes: [UInt8], _ message: @autoclosure () -> String = "", line: UInt = #line,
    where isExpected: (JournalError) -> Bool = { _ in true }
) {
    for readOnly in [false, true] {
        let device = MemoryDevice(bytes)
        XCTAssertThrowsError(try Journal.reading(device, readOnly: readOnly), message(), line: line) {
            error in
            guard let error = error as? JournalError else { return XCTFail("\(error)", line: line) }
            XCTAssert(isExpected(error), "\(message()) \(error)", line: line)
            XCTAssertFalse(error.description.isEmpty, line: line)
        }
        XCTAssertEqual(device.writeCount, 0, message(), line: line)
        XCTAssert(device.bytes == bytes, message(), line: line)
    }
}

func isCorrupt(_ error: JournalError) -> Bool { if case .corrupt = error { true } else { false } }
