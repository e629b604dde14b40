import KivoEngine
import Synchronization

extension JournalLog {
    /// Whether the next program that opens the file would have much to carry out, measured by the size of the file.
    public func isCheckpointDue(isClosing: Bool) -> Bool {
        guard let contents, !contents.journal.isReadOnly else { return false }
        let tail = tailBytes.load(ordering: .relaxed)
        if isClosing { return tail >= policy.smallestTailOfClosing }
        return tail >= policy.smallestTail && tail >= contents.journal.position.end / policy.tailShare
    }

    /// Up to where the store knows the log.
    public var position: LogPosition {
        var position = replayed.withLock { $0 }
        position.nextTableNumber = contents?.numbers.next ?? 0
        return position
    }

    /// Writes what a version has that is not in pages yet, so that a program which opens the file begins there. Commits can be
    /// appended meanwhile. If the file would become more than twice as large as what it holds, a new one is written instead,
    /// which takes its place.
    ///
    /// One call at a time.
    ///
    /// - Parameters:
    ///   - snapshot: The version, which stays pinned during the call.
    ///   - catalog: Its tables.
    ///   - position: Where the log ended when the version was the newest.
    /// - Throws: What the device throws. What was there before counts then. ``JournalError/displaced`` if another process has
    ///   compacted the file since.
    public func checkpoint(_ snapshot: Snapshot, _ catalog: Catalog, at position: LogPosition) throws {
        guard let contents else { return }
        guard position.journal == contents.journalID else { throw JournalError.displaced }
        // What comes from here on is for the next one; so is what remains if this fails.
        tailBytes.store(0, ordering: .relaxed)
        let rows = JournalLog.rows(snapshot, catalog)
        let share = rows < contents.base.rows ? Double(rows) / Double(contents.base.rows) : 1
        let live = Int(Double(contents.base.bytes) * share)
        if position.end > 2 * live + policy.allowance, try compact(snapshot, catalog, at: position) { return }
        let pages =
            try contents.pages
            ?? contents.journal.write(to: position.journal) { writer throws(JournalError) in
                let made = JournalPages.make(writer.device, journal: writer.id, contents.heap, catalog)
                update {
                    $0.pages = made
                    $0.files.append(made.number)
                }
                return made
            }
        var writer = PageWriter(
            JournalPageDestination(contents.journal, position.journal, pages, contents.sharing),
            chunkSize: policy.chunkSize)
        let roots = try writer.write(snapshot, catalog)
        let record = record(roots, catalog, position, contents, contents.base)
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        try contents.journal.write(to: position.journal) { writer throws(JournalError) in
            try writer.advance(contents.sharing)
            try JournalLog.append(record, to: &writer, after: position)
        }
        JournalPages.move(writer.carriedOffsets, to: pages)
        publish(contents)
    }

    private func record(
        _ roots: [TableRoot], _ catalog: Catalog, _ position: LogPosition, _ contents: Contents,
        _ base: CheckpointBase
    ) -> CheckpointRecord {
        // Those that came since are described by commits which are not in the checkpoint.
        let known = contents.numbers.byTable.filter { $0.value < position.nextTableNumber }
        return CheckpointRecord(
            tail: .init(offset: position.end, sequence: position.sequence), lineage: contents.lineage,
            commits: position.commits, schemaVersion: recordedVersion,
            base: base, tables: catalog.storedTables,
            numbers: TableNumbers(known, next: position.nextTableNumber), roots: roots)
    }

    /// Appends a checkpoint, and has the header say where it is.
    private static func append(
        _ record: CheckpointRecord, to writer: inout JournalWriter, after position: LogPosition?
    ) throws(JournalError) {
        var record = record
        // Without commits since, the tail begins behind the checkpoint itself, and its pages need not be passed over.
        if position?.dataSequence == writer.dataSequence || position == nil {
            record.tail = .init(offset: 0, sequence: 0)
        }
        let offset = writer.end
        let payload = record.bytes
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: payload.count, alignment: 16)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: payload)
        try writer.append(.checkpoint, UnsafeRawBufferPointer(buffer))
        try writer.markCheckpoint(at: offset)
    }

    /// The number of objects.
    private static func rows(_ snapshot: Snapshot, _ catalog: Catalog) -> Int {
        catalog.tables.indices.reduce(0) {
            $0 + (catalog.tables[$1].isDerived ? 0 : snapshot.table($1).count)
        }
    }

    // MARK: Compaction

    /// Writes a version as a file of its own, which takes the place of this one; false if the device cannot be replaced.
    ///
    /// The commits that come meanwhile are copied; the last of them while nobody writes.
    func compact(_ snapshot: Snapshot, _ catalog: Catalog, at position: LogPosition) throws -> Bool {
        guard let contents else { return false }
        let journal = position.journal
        let old = try contents.journal.write(to: journal) { writer throws(JournalError) in writer.device }
        guard let device = try old.makeReplacement() else { return false }
        var isDone = false
        var given: JournalPages?
        defer {
            if !isDone {
                given?.giveUp()
                old.discard(device)
            }
        }
        let header = try Journal.create(on: device, readOnly: false)
        let pages = JournalPages.make(device, journal: header.id, contents.heap, catalog)
        given = pages
        update { $0.files.append(pages.number) }
        let fresh = FreshJournal(JournalWriter(device, header))
        var writer = PageWriter(
            FreshPageDestination(fresh, pages), chunkSize: policy.chunkSize)
        let roots = try writer.write(snapshot, catalog)
        let base = CheckpointBase(bytes: fresh.writer.end, rows: JournalLog.rows(snapshot, catalog))
        let record = record(roots, catalog, position, contents, base)
        try JournalLog.append(record, to: &fresh.writer, after: nil)
        var copied = position.end
        // Where the store is, in the new file.
        var places = [(old: position.end, new: LogPosition(fresh.writer))]
        // What came meanwhile takes less time to copy than it took to come: a few rounds are enough.
        for _ in 0..<4 {
            let reached = contents.journal.position
            let end = reached.end
            if reached.journal != journal || end - copied < 1 << 16 { break }
            try JournalLog.copyRecords(old, copied..<end, journal: journal, &fresh.writer, &places)
            copied = end
        }
        try device.synchronize()
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        try switching.withLock { _ in
            try contents.journal.write(to: journal) { writer throws(JournalError) in
                try writer.advance(contents.sharing)
            }
            try contents.journal.replace(by: fresh.writer) { replacement, end throws(JournalError) in
                try JournalLog.copyRecords(old, copied..<end.end, journal: journal, &replacement, &places)
            } afterwards: {
                isDone = true
                JournalPages.move(writer.carriedOffsets, to: pages)
                update {
                    $0.device = device
                    $0.journalID = header.id
                    $0.pages = pages
                    $0.base = base
                }
                replayed.withLock { replayed in
                    let place = places.last { $0.old <= replayed.end }!.new
                    replayed = LogPosition(
                        end: place.end, sequence: place.sequence, dataSequence: place.dataSequence,
                        commits: replayed.commits, journal: header.id)
                }
            }
        }
        if let contents = self.contents { publish(contents) }
        return true
    }

    /// Copies the commits in a range of a device, whole records, to the end of another journal.
    private static func copyRecords(
        _ device: any JournalDevice, _ range: Range<Int>, journal: UInt64, _ writer: inout JournalWriter,
        _ places: inout [(old: Int, new: LogPosition)]
    ) throws(JournalError) {
        var window = FileWindow(device, size: range.upperBound)
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let record = try window.record(at: offset, journal: journal) else {
                throw .corrupt(offset: offset, reason: "a record was changed while the file was open")
            }
            let kind = RecordKind(rawValue: record.header.kind)
            if kind.isData { try writer.append(kind, record.payload, isDurable: false) }
            offset += record.header.recordSize
            places.append((offset, LogPosition(writer)))
        }
    }
}
