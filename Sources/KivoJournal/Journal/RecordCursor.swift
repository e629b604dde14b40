/// A record of a journal that has passed its checksums.
struct JournalRecord {
    /// The offset of the record.
    var start: Int
    var header: RecordHeader
    /// The payload, which is aligned to 8 bytes. Valid until the window or the cursor that returned the record reads on.
    var payload: UnsafeRawBufferPointer

    var kind: RecordKind { header.kind }
    /// The offset after the record.
    var end: Int { start + header.recordSize }

    /// Calls `body`, which interprets the payload, and adds the offset and the number of the record to its errors.
    func locatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch JournalError.corrupt(let offset, let reason) {
            throw JournalError.corrupt(
                offset: start + RecordHeader.size + offset,
                reason: "in record \(header.sequence), \(reason)")
        }
    }
}

/// A cursor that reads the records of a journal one after the other.
///
/// The next record is an intact one that begins at the cursor's position and has the next sequence number. The cursor stops at
/// anything else: zeros, a record that is being written, the remains of a crash, or damage.
struct RecordCursor: ~Copyable {
    /// The position after the last record that was read. Setting it continues elsewhere.
    var position: LogPosition
    var window: FileWindow

    /// Creates a cursor.
    ///
    /// - Parameters:
    ///   - position: The position after the record before the first one to read.
    ///   - size: The size of the device, or the end of the records to read.
    ///   - capacity: The number of bytes that are read at once. Small by default, because usually few records follow.
    init(_ device: any JournalDevice, from position: LogPosition, size: Int, capacity: Int = 1 << 14) {
        self.position = position
        window = FileWindow(device, size: size, capacity: capacity)
    }

    /// Reads the next record and advances past it; returns nil if there is none.
    mutating func next() throws(JournalError) -> JournalRecord? {
        guard let record = try current(), record.header.sequence == position.sequence &+ 1 else { return nil }
        position.pass(record.header)
        return record
    }

    /// Returns the intact record at the position, whatever its sequence number; nil if there is none.
    mutating func current() throws(JournalError) -> JournalRecord? {
        guard position.end <= window.size else { return nil }
        return try window.record(at: position.end, journal: position.journal)
    }

    /// Returns the header of the next record; nil if there is none. The payload is neither read nor verified.
    func nextHeader() throws(JournalError) -> RecordHeader? {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let (end, device) = (position.end, window.device)
        let count = try withUnsafeMutableBytes(of: &words) { bytes throws(JournalError) in
            try device.read(into: bytes, at: end)
        }
        guard count == RecordHeader.size,
            let header = withUnsafeBytes(
                of: words,
                {
                    RecordHeader($0, journal: position.journal, offset: end)
                }),
            header.sequence == position.sequence &+ 1, header.fits(into: window.size - end)
        else { return nil }
        return header
    }

    /// Skips the records of pages that follow immediately, as long as they end at or before an offset.
    mutating func skipPages(before offset: Int) throws(JournalError) {
        while position.end < offset, let header = try nextHeader(), header.kind == .pages,
            header.recordSize <= offset - position.end
        {
            position.pass(header)
        }
    }
}

extension FileWindow {
    /// Returns the record at an offset; nil if there is no intact one.
    mutating func record(at offset: Int, journal: UInt64) throws(JournalError) -> JournalRecord? {
        let bytes = try bytes(at: offset, count: RecordHeader.size)
        guard bytes.count == RecordHeader.size,
            let header = RecordHeader(bytes, journal: journal, offset: offset),
            header.fits(into: size - offset)
        else { return nil }
        let record = try self.bytes(at: offset, count: header.recordSize)
        let padded = UnsafeRawBufferPointer(rebasing: record[RecordHeader.size...].dropLast(8))
        guard record.number(at: record.count - 8) == Checksum.of(padded, seed: header.checksum) else {
            return nil
        }
        return JournalRecord(
            start: offset, header: header,
            payload: UnsafeRawBufferPointer(rebasing: padded[..<header.length]))
    }
}

/// The end of a journal, or a position up to which it was read.
struct LogPosition: Sendable, Equatable {
    /// The offset after the last record.
    var end = 0
    /// The number of the last record.
    var sequence: UInt64 = 0
    /// The number of commits, including those in earlier files of these data: the version of the log.
    var version: UInt64 = 0
    /// The identity of the journal: another process may have replaced it with another journal since.
    var journal: UInt64

    /// Advances past a record.
    mutating func pass(_ header: RecordHeader) {
        end += header.recordSize
        sequence = header.sequence
        if header.kind.isData { version += 1 }
    }
}

extension LogPosition {
    /// Creates the position at which a checkpoint's tail begins.
    init(atTailOf checkpoint: CheckpointRecord, in journal: UInt64) {
        self.init(
            end: checkpoint.tail.offset, sequence: checkpoint.tail.sequence, version: checkpoint.commits,
            journal: journal)
    }

    /// Creates the position before the first record of a journal.
    init(beginningOf header: FileHeader) { self.init(end: header.recordsOffset, journal: header.id) }
}
