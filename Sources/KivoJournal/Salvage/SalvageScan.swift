/// A scan that finds the intact commits of a damaged journal, and the gaps between them.
struct SalvageScan: ~Copyable {
    /// The results so far.
    var report: SalvageReport
    private var scan: RecordScan

    /// Creates a scan of the commits after a checkpoint; nil for all commits.
    init(_ device: any JournalDevice, after tail: CheckpointRecord.Tail?) throws(JournalError) {
        scan = try RecordScan(device, after: tail)
        // Not a default value: the compiler of Swift 6.2 crashes on one in a noncopyable structure whose initializer throws.
        report = SalvageReport()
    }

    /// Calls `body` with each intact record that contains data, in order. A record for which `body` returns false counts as
    /// missing.
    mutating func forEachRecord(_ body: (JournalRecord) throws -> Bool) throws {
        while let part = try scan.next() {
            switch part {
            case .damage(let damage): if damage.holdsData { add(damage) }
            case .record(let record):
                if !record.kind.isData { continue }
                if try body(record) {
                    report.recordCount += 1
                } else {
                    let number = record.header.sequence
                    add(
                        RecordScan.Damage(
                            bytes: record.start..<record.end, records: number...number, holdsData: true))
                }
            }
        }
        if let damage = try scan.remains(), damage.holdsData { add(damage) }
    }

    private mutating func add(_ damage: RecordScan.Damage) {
        guard let records = damage.records else {
            // No record is missing between two records with consecutive numbers.
            if damage.bytes.lowerBound == scan.offset {
                report.gaps.append(SalvageReport.Gap(bytes: damage.bytes, records: nil))
            }
            return
        }
        addMissing(records.upperBound - records.lowerBound + 1)
        if let last = report.gaps.last, last.bytes.upperBound == damage.bytes.lowerBound,
            let before = last.records, before.upperBound + 1 == records.lowerBound
        {
            report.gaps[report.gaps.count - 1] = SalvageReport.Gap(
                bytes: last.bytes.lowerBound..<damage.bytes.upperBound,
                records: before.lowerBound...records.upperBound)
        } else {
            report.gaps.append(SalvageReport.Gap(bytes: damage.bytes, records: records))
        }
    }

    /// Adds to the number of missing records, without overflow: numbers come from the file and can be arbitrarily high.
    private mutating func addMissing(_ count: UInt64) {
        let (sum, isTooHigh) = report.missingRecordCount.addingReportingOverflow(Int(clamping: count))
        report.missingRecordCount = isTooHigh ? .max : sum
    }
}
