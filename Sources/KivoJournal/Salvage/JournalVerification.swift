import KivoEngine

/// Verifies a whole journal: its header, all records, and all pages that its newest checkpoint reaches.
package enum JournalVerification {
    /// Reads the device once, and the pages once more, one path at a time. Only the report is kept in memory, and nothing is
    /// written. The contents of commits are not verified: that requires applying them, which opening does.
    ///
    /// - Parameter progress: Called after each record with the number of bytes so far.
    /// - Throws: ``JournalError/notAJournal`` or ``JournalError/unsupportedVersion(_:)``; any error of the device. Damage is
    ///   reported, not thrown.
    package static func verify(
        _ device: any JournalDevice, _ progress: (_ bytes: Int) -> Void = { _ in }
    ) throws(JournalError) -> VerificationReport {
        var report = VerificationReport()
        report.byteCount = try device.size()
        if try Journal.isUnused(device, size: report.byteCount) { return report }
        var checkpoint: (record: CheckpointRecord, header: FileHeader)?
        var opening: JournalError?
        do {
            _ = try Journal.read(
                device, size: report.byteCount, usingCheckpoints: true,
                restoring: { checkpoint = ($0, $1) }, { _ in })
        } catch {
            opening = error as? JournalError ?? .senseless("\(error)")
        }
        switch opening {
        case nil: break
        case .corrupt(let offset, let reason):
            report.note(VerificationReport.Flaw(offset: offset, reason: reason, isHarmless: false))
        case let error?: throw error
        }
        guard try verifyHeader(device, &report) else { return report }
        try verifyRecords(device, isHarmless: opening == nil, checkpoint?.record, &report, progress)
        if let checkpoint {
            verifyPages(device, checkpoint.record, journal: checkpoint.header.id, &report)
        }
        return report
    }

    // MARK: Header

    /// Verifies the header; returns false if no copy is intact.
    private static func verifyHeader(
        _ device: any JournalDevice, _ report: inout VerificationReport
    ) throws(JournalError) -> Bool {
        try HeaderPages.read(device, size: report.byteCount) { bytes throws(JournalError) in
            let header: FileHeader
            do throws(JournalError) {
                header = try FileHeader(bytes, of: device)
            } catch .corrupt {
                return false
            }
            for page in header.pages { verifyPage(page, of: header, bytes, &report) }
            return true
        }
    }

    private static func verifyPage(
        _ page: Int, of header: FileHeader, _ bytes: UnsafeRawBufferPointer,
        _ report: inout VerificationReport
    ) {
        func note(_ offset: Int, _ reason: String) {
            report.note(VerificationReport.Flaw(offset: offset, reason: reason, isHarmless: true))
        }
        let copies = FileHeader.copyOffsets.map { page + $0 }
        if header.damagedPages.contains(page) {
            let damaged = copies.first { !FileHeader.isIntact(bytes, at: $0) }
            note(damaged ?? page, "one copy of the file's header is damaged")
        }
        var used = copies.map { $0..<$0 + FileHeader.fixedSize }
        if page == 0 {
            let mark = AcknowledgedMark.offset..<AcknowledgedMark.offset + AcknowledgedMark.size
            used.append(mark)
            if AcknowledgedMark(bytes, journal: header.id) == AcknowledgedMark(), !isZero(bytes, mark) {
                note(mark.lowerBound, "the mark of the last acknowledged record does not pass its checksum")
            }
        }
        let slots = CheckpointSlot.all(bytes, journal: header.id, page: page)
        for (index, offset) in CheckpointSlot.offsets.enumerated() {
            let slot = page + offset..<page + offset + CheckpointSlot.size
            used.append(slot)
            if !slots.contains(where: { $0.index == index }), !isZero(bytes, slot) {
                note(slot.lowerBound, "a slot for the newest checkpoint does not pass its checksum")
            }
        }
        var start = page
        let end = page + FileHeader.size
        for range in used.sorted(by: { $0.lowerBound < $1.lowerBound }) + [end..<end] {
            if let offset = bytes[start..<range.lowerBound].firstIndex(where: { $0 != 0 }) {
                note(offset, "what is not used of the file's header is not zero")
            }
            start = range.upperBound
        }
    }

    private static func isZero(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        bytes[range].allSatisfy { $0 == 0 }
    }

    // MARK: Records

    /// - Parameter isHarmless: Whether the file can be opened without the damaged parts.
    private static func verifyRecords(
        _ device: any JournalDevice, isHarmless: Bool, _ checkpoint: CheckpointRecord?,
        _ report: inout VerificationReport, _ progress: (Int) -> Void
    ) throws(JournalError) {
        var scan = try RecordScan(device)
        let needed = checkpoint?.tail.offset ?? 0
        func note(_ damage: RecordScan.Damage, _ reason: String) {
            if report.flaws.contains(where: { !$0.isHarmless && $0.offset == damage.bytes.lowerBound }) {
                return
            }
            report.note(
                VerificationReport.Flaw(
                    offset: damage.bytes.lowerBound,
                    end: damage.bytes.isEmpty ? nil : damage.bytes.upperBound, reason: reason,
                    isHarmless: isHarmless || damage.bytes.upperBound <= needed || !damage.holdsData))
        }
        while let part = try scan.next() {
            switch part {
            case .record(let record):
                report.recordCount += 1
                progress(record.end)
                if record.kind == .commit { report.commitCount += 1 }
                if let checkpoint, record.kind == .checkpoint, record.payload.count > 0 {
                    // The checkpoint that opening found: an older one has other roots.
                    if (try? CheckpointRecord(record.payload))?.roots == checkpoint.roots {
                        report.checkpointOffset = record.start
                    }
                }
            case .damage(let damage):
                let numbers = damage.records.map { records in
                    records.count == 1
                        ? "record \(records.lowerBound) is damaged"
                        : "records \(records.lowerBound) to \(records.upperBound) are damaged"
                }
                note(damage, numbers ?? "there is no record")
            }
        }
        if let damage = try scan.remains() {
            note(damage, isHarmless ? "a record was not finished" : "nothing intact follows")
        }
    }

    // MARK: Pages

    private static func verifyPages(
        _ device: any JournalDevice, _ checkpoint: CheckpointRecord, journal: UInt64,
        _ report: inout VerificationReport
    ) {
        let catalog: Catalog
        do {
            catalog = try Catalog(restoring: checkpoint.tables)
        } catch {
            return report.note(
                VerificationReport.Flaw(
                    offset: report.checkpointOffset ?? 0, reason: "the checkpoint makes no sense: \(error)",
                    isHarmless: false))
        }
        var flaws: [(Int, String)] = []
        var verifier = PageVerifier(catalog) { offset throws(PageFlaw) in
            try JournalPages.checkedPage(of: device, journal: journal, at: offset)
        } report: {
            flaws.append(($0, $1))
        }
        for root in checkpoint.roots {
            verifier.verify(root)
            for (offset, reason) in flaws {
                report.note(
                    VerificationReport.Flaw(
                        offset: offset,
                        reason: "a page of '\(catalog.tables[root.table].name)' is damaged: \(reason)",
                        isHarmless: false))
            }
            flaws = []
        }
        (report.pageCount, report.objectCount) = (verifier.pageCount, verifier.objectCount)
    }
}
