/// The intact records of a damaged journal, and what lies between them.
struct SalvageScan: ~Copyable {
    /// What is known so far.
    var report = SalvageReport()
    private var window: FileWindow
    private let journal: UInt64
    private let mark: AcknowledgedMark
    private var offset = FileHeader.size
    /// The number of the last record.
    private var sequence: UInt64 = 0

    init(_ device: any JournalDevice) throws(JournalError) {
        let size = try device.size()
        var start = FileWindow(device, size: min(size, FileHeader.size))
        let bytes = try start.bytes(at: 0, count: FileHeader.size)
        let header = try FileHeader(bytes)
        journal = header.id
        mark = AcknowledgedMark(bytes, journal: header.id)
        window = FileWindow(device, size: size)
    }

    /// Calls `body` with the kind and payload of each intact record, in order. One for which it returns false is missing.
    mutating func forEachRecord(_ body: (UInt8, UnsafeRawBufferPointer) throws -> Bool) throws {
        while let start = try nextRecord() {
            guard let record = try window.record(at: start, journal: journal) else { break }
            let next = record.header.sequence
            let end = start + record.header.recordSize
            if next - sequence > 1 { addGap(offset..<start, sequence + 1...next - 1) }
            if try body(record.header.kind, record.payload) {
                report.recordCount += 1
            } else {
                addGap(start..<end, next...next)
            }
            (offset, sequence) = (end, next)
        }
        try finish()
    }

    private mutating func addGap(_ bytes: Range<Int>, _ records: ClosedRange<UInt64>) {
        addMissing(records.upperBound - records.lowerBound + 1)
        if let last = report.gaps.last, last.bytes.upperBound == bytes.lowerBound, let before = last.records {
            report.gaps[report.gaps.count - 1] = SalvageReport.Gap(
                bytes: last.bytes.lowerBound..<bytes.upperBound,
                records: before.lowerBound...records.upperBound)
        } else {
            report.gaps.append(SalvageReport.Gap(bytes: bytes, records: records))
        }
    }

    /// Numbers come from the file and can be as high as they like.
    private mutating func addMissing(_ count: UInt64) {
        let (sum, isTooHigh) = report.missingRecordCount.addingReportingOverflow(Int(clamping: count))
        report.missingRecordCount = isTooHigh ? .max : sum
    }

    /// Where the next intact record begins, at or after the end of the last one; nil if there is none.
    private mutating func nextRecord() throws(JournalError) -> Int? {
        var start = offset
        while start + RecordHeader.size <= window.size {
            let bytes = try window.available(at: start)
            let count = (bytes.count - RecordHeader.size) / 8 + 1
            var candidate: Int?
            for index in 0..<count where candidate == nil {
                let header = UnsafeRawBufferPointer(
                    start: bytes.baseAddress! + index * 8, count: RecordHeader.size)
                if RecordHeader(header, journal: journal, offset: start + index * 8)?.sequence ?? 0 > sequence
                {
                    candidate = start + index * 8
                }
            }
            guard let candidate else {
                start += count * 8
                continue
            }
            if try window.record(at: candidate, journal: journal) != nil { return candidate }
            start = candidate + 8
        }
        return nil
    }

    /// Says what is missing after the last record.
    private mutating func finish() throws(JournalError) {
        let lost = mark.sequence > sequence ? mark.sequence - sequence : 0
        var end = offset
        var start = offset
        while start < window.size {
            let bytes = try window.bytes(at: start, count: 1 << 18)
            if let last = bytes.lastIndex(where: { $0 != 0 }) { end = start + last + 1 }
            start += bytes.count
        }
        guard lost > 0 || end > offset else { return }
        addMissing(lost)
        let records = lost > 0 ? sequence + 1...mark.sequence : nil
        report.gaps.append(SalvageReport.Gap(bytes: offset..<end, records: records))
    }
}
