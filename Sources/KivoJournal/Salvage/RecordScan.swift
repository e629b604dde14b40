/// A scan that finds the intact records of a journal that may be damaged, in order, and the damage between them.
struct RecordScan: ~Copyable {
    /// A range of bytes without a record, or with damaged records.
    struct Damage {
        var bytes: Range<Int>
        /// The numbers of the missing records, if any are missing.
        var records: ClosedRange<UInt64>?
        /// Whether commits may be missing, and not only pages and checkpoints.
        var holdsData: Bool
    }

    /// The next part of the file.
    enum Part {
        /// The record, which is valid until the next call of ``RecordScan/next()``.
        case record(JournalRecord)
        case damage(Damage)
    }

    let header: FileHeader
    /// The number of the last record that was acknowledged according to the header.
    let acknowledged: UInt64
    private var window: FileWindow
    /// The offset at which the last record ends.
    private(set) var offset: Int
    /// The number of the last record.
    private(set) var sequence: UInt64
    /// The offset of the next record, if it was found already.
    private var nextStart: Int?

    /// Creates a scan of the records after a checkpoint's tail begins; nil for all records.
    init(_ device: any JournalDevice, after tail: CheckpointRecord.Tail? = nil) throws(JournalError) {
        let size = try device.size()
        let pages = try HeaderPages.read(device, size: size) { bytes throws(JournalError) in
            HeaderPages(bytes, try FileHeader(salvaging: device, bytes))
        }
        header = pages.header
        acknowledged = max(pages.mark.sequence, pages.slots.first?.sequence ?? 0)
        window = FileWindow(device, size: size)
        (offset, sequence) = (tail?.offset ?? header.recordsOffset, tail?.sequence ?? 0)
    }

    /// The range that the device described last: a question for each record would cost more than reading it.
    private var known = 0..<0

    /// Returns the next range that may contain something; nil if there is none.
    private mutating func contents(from start: Int) throws(JournalError) -> Range<Int>? {
        if !known.contains(start) {
            guard let next = try window.device.contents(from: start) else { return nil }
            known = next
        }
        return max(start, known.lowerBound)..<known.upperBound
    }

    /// Returns the next part; nil if no intact record follows.
    mutating func next() throws(JournalError) -> Part? {
        if nextStart == nil { nextStart = try nextRecord() }
        guard let start = nextStart, let record = try window.record(at: start, journal: header.id) else {
            return nil
        }
        let next = record.header.sequence
        if start > offset || next - sequence > 1 {
            let damage = Damage(
                bytes: offset..<start, records: next - sequence > 1 ? sequence + 1...next - 1 : nil,
                holdsData: try holdsData(before: start))
            (offset, sequence, nextStart) = (start, next - 1, start)
            return .damage(damage)
        }
        (offset, sequence, nextStart) = (record.end, next, nil)
        return .record(record)
    }

    /// Returns the damage after the last record, when ``next()`` has returned nil; nil if there are only zeros.
    mutating func remains() throws(JournalError) -> Damage? {
        var (end, start) = (offset, offset)
        while let contents = try contents(from: start), contents.lowerBound < window.size {
            start = contents.lowerBound
            let bytes = try window.bytes(at: start, count: 1 << 18)
            if let last = bytes.lastIndex(where: { $0 != 0 }) { end = start + last + 1 }
            start += bytes.count
        }
        let records = acknowledged > sequence ? sequence + 1...acknowledged : nil
        guard records != nil || end > offset else { return nil }
        return Damage(bytes: offset..<end, records: records, holdsData: try holdsData(before: end))
    }

    /// Returns whether there may be commits between the last record and an offset. Only records with intact headers are known not
    /// to be commits.
    private mutating func holdsData(before end: Int) throws(JournalError) -> Bool {
        var (start, last) = (offset, sequence)
        while start < end {
            let bytes = try window.bytes(at: start, count: RecordHeader.size)
            guard bytes.count == RecordHeader.size,
                let header = RecordHeader(bytes, journal: header.id, offset: start),
                header.sequence == last + 1, !header.kind.isData,
                header.length <= end - start
            else { return true }
            (start, last) = (start + header.recordSize, header.sequence)
        }
        return start == offset && end == offset && acknowledged > sequence
    }

    /// Returns the offset of the next intact record, at or after the end of the last one; nil if there is none.
    private mutating func nextRecord() throws(JournalError) -> Int? {
        var start = offset
        while let contents = try contents(from: start) {
            // Records begin at multiples of eight bytes.
            start = max(start, contents.lowerBound / 8 * 8)
            if start + RecordHeader.size > window.size { break }
            let bytes = try window.available(at: start)
            let count = (bytes.count - RecordHeader.size) / 8 + 1
            var candidate: Int?
            for index in 0..<count where candidate == nil {
                let header = UnsafeRawBufferPointer(
                    start: bytes.baseAddress! + index * 8, count: RecordHeader.size)
                let offset = start + index * 8
                if RecordHeader(header, journal: self.header.id, offset: offset)?.sequence ?? 0 > sequence {
                    candidate = offset
                }
            }
            guard let candidate else {
                start += count * 8
                continue
            }
            if try window.record(at: candidate, journal: header.id) != nil { return candidate }
            start = candidate + 8
        }
        return nil
    }
}
