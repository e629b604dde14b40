import XCTest

@testable import KivoJournal

/// The cursor that every reader of records uses.
final class RecordCursorTests: XCTestCase {
    /// A journal with records of the given kinds and sequence numbers; the number of a record is also the size of its payload.
    private func journal(
        _ records: [(kind: RecordKind, sequence: UInt64)]
    ) throws -> (device: MemoryDevice, start: LogPosition) {
        let device = MemoryDevice()
        let header = try Journal.create(on: device, readOnly: false).header
        for (kind, sequence) in records {
            let record = RecordHeader(
                length: Int(sequence), kind: kind, sequence: sequence, journal: header.id,
                offset: device.bytes.count)
            var bytes = [UInt8](repeating: 0, count: record.recordSize)
            bytes.withUnsafeMutableBytes { bytes in
                record.encode(into: bytes)
                let padded = UnsafeRawBufferPointer(rebasing: bytes[RecordHeader.size...].dropLast(8))
                bytes.store(Checksum.of(padded, seed: record.checksum), at: bytes.count - 8)
            }
            try bytes.withUnsafeBytes { try device.write($0, at: device.bytes.count) }
        }
        return (device, LogPosition(beginningOf: header))
    }

    private func numbers(_ device: MemoryDevice, from start: LogPosition, size: Int? = nil) throws -> [UInt64]
    {
        var cursor = RecordCursor(device, from: start, size: size ?? device.bytes.count)
        var numbers: [UInt64] = []
        while let record = try cursor.next() {
            XCTAssertEqual(record.payload.count, Int(record.header.sequence))
            XCTAssertEqual(record.end, cursor.position.end)
            numbers.append(record.header.sequence)
        }
        return numbers
    }

    func testPositionCountsRecordsAndCommits() throws {
        let (device, start) = try journal([(.commit, 1), (.pages, 2), (.checkpoint, 3), (.schemaVersion, 4)])
        var cursor = RecordCursor(device, from: start, size: device.bytes.count)
        var versions: [UInt64] = []
        while try cursor.next() != nil { versions.append(cursor.position.version) }
        XCTAssertEqual(versions, [1, 1, 1, 2])
        XCTAssertEqual(
            cursor.position,
            LogPosition(end: device.bytes.count, sequence: 4, version: 2, journal: start.journal))
    }

    func testStopsAtARecordOfAnotherNumber() throws {
        let (device, start) = try journal([(.commit, 1), (.commit, 2), (.commit, 4), (.commit, 5)])
        XCTAssertEqual(try numbers(device, from: start), [1, 2])
        var cursor = RecordCursor(device, from: start, size: device.bytes.count)
        while try cursor.next() != nil {}
        XCTAssertEqual(try cursor.current()?.header.sequence, 4, "the record is intact")
        XCTAssertNil(try cursor.nextHeader())
    }

    func testStopsAtDamageAndAtTheEndOfWhatIsRead() throws {
        let (device, start) = try journal([(.commit, 1), (.commit, 2), (.commit, 3)])
        let size = device.bytes.count
        for end in start.end...size {
            let numbers = try numbers(device, from: start, size: end)
            XCTAssertEqual(numbers.count, end == size ? 3 : (end - start.end) / 48, "\(end)")
        }
        for offset in start.end..<size {
            let damaged = MemoryDevice(device.bytes)
            try withUnsafeBytes(of: ~device.bytes[offset]) { try damaged.write($0, at: offset) }
            XCTAssertEqual(try numbers(damaged, from: start).count, (offset - start.end) / 48, "\(offset)")
        }
        var beyond = start
        beyond.end = size + 8
        XCTAssertEqual(try numbers(device, from: beyond), [])
    }

    func testOpeningRejectsARecordWhosePredecessorsAreMissing() throws {
        let (device, _) = try journal([(.commit, 1), (.commit, 3)])
        XCTAssertThrowsError(try Journal.reading(device)) { error in
            guard case JournalError.corrupt(_, let reason)? = error as? JournalError else {
                return XCTFail("\(error)")
            }
            XCTAssertEqual(reason, "records before this one are missing")
        }
    }

    func testOnlyPagesAheadAreSkipped() throws {
        let (device, start) = try journal([(.pages, 1), (.pages, 2), (.commit, 3), (.pages, 4)])
        var cursor = RecordCursor(device, from: start, size: device.bytes.count)
        try cursor.skipPages(before: start.end + 48)
        XCTAssertEqual(cursor.position.sequence, 1, "the second record ends behind the limit")
        try cursor.skipPages(before: device.bytes.count)
        XCTAssertEqual(cursor.position.sequence, 2)
        XCTAssertEqual(try cursor.next()?.kind, .commit)
        XCTAssertEqual(cursor.position.version, 1)
    }
}
