import KivoEngine
import KivoLog
import Synchronization

extension JournalLog {
    /// How a checkpoint is made, if the next program that opens the file would have much to carry out, measured by the size of the
    /// file.
    public func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        guard let contents, !contents.journal.isReadOnly else { return nil }
        if isClosing, policy.closingTimeLimit <= .zero { return nil }
        let tail = tailBytes.load(ordering: .relaxed)
        let position = cursor.withLock { $0 }
        guard position.version == version else { return nil }
        var isDue = true
        if isClosing {
            isDue = tail >= policy.smallestTailOfClosing
            // Few commits may have deleted most of what a large file holds: they are worth none, but the file is too large.
            guard isDue || tail > 0 && position.end > policy.allowance else { return nil }
        } else {
            guard tail >= policy.smallestTail, tail >= position.end / policy.tailShare else { return nil }
        }
        return { [self, isDue] checkpoint in
            guard let given = checkpoint.contents as? StoreContents, let heap = given.heap else {
                throw CommitLogError.foreignCheckpoint
            }
            let live = policy.live(contents.base, rows: given.rowCount)
            guard isDue || position.end > policy.largestClosed(live: live) else { return }
            if isClosing { closingDeadline.withLock { $0 = .now + policy.closingTimeLimit } }
            defer { closingDeadline.withLock { $0 = nil } }
            do {
                try write(given, heap, at: position)
            } catch let error as PageTooLarge {
                FileNotice.sayOnce(
                    "page \(name)",
                    """
                    Realm file '\(name)' gets no checkpoint: \(error). Its commits are kept, and opening carries them out.
                    """)
                throw error
            }
        }
    }

    /// The newest checkpoint of the file; nil if there is none.
    public func checkpoint() throws -> LogCheckpoint? {
        // This process may be compacting the file itself.
        try switching.withLock { _ in
            guard let contents, let (record, journal) = try Journal.newestCheckpoint(of: contents.device)
            else { return nil }
            return JournalCheckpoint(record, contents.device, journal: journal, keptPages.keep).given
        }
    }

    /// Writes what a version has that is not in pages yet, so that a program which opens the file begins there. Commits can be
    /// appended meanwhile. If the file would become too large for what it holds, a new one is written instead, which takes its
    /// place: see ``CheckpointPolicy/largestAfter(live:)``.
    ///
    /// - Parameter position: Where the log ended when the version was the newest.
    /// - Throws: What the device throws. What was there before counts then. ``JournalError/displaced`` if another process has
    ///   compacted the file since.
    private func write(_ given: StoreContents, _ heap: Heap, at position: LogPosition) throws {
        guard let contents else { return }
        guard position.journal == contents.journalID else { throw JournalError.displaced }
        // What comes from here on is for the next one; so is what remains if this fails.
        tailBytes.store(0, ordering: .relaxed)
        let live = policy.live(contents.base, rows: given.rowCount)
        let limit = policy.largestAfter(live: live)
        // What the checkpoint will add is known when it is written; often it is what the last one has added.
        let expected = position.end + checkpointBytes.load(ordering: .relaxed)
        let isLarge = position.end > policy.largestBefore(live: live) || expected > limit
        if isLarge, try compactIfPossible(given, heap, at: position) { return }
        do {
            try append(given, heap, at: position, limit: isLarge ? .max : limit)
        } catch is FileTooLarge {
            // What was written of it goes with the old file.
            if try compactIfPossible(given, heap, at: position) { return }
            try append(given, heap, at: position, limit: .max)
        }
    }

    /// Appends a checkpoint, page by page.
    ///
    /// - Throws: ``FileTooLarge`` if the file would become larger than the limit. The checkpoint is not there then.
    private func append(
        _ given: StoreContents, _ heap: Heap, at position: LogPosition, limit: Int
    ) throws {
        guard let contents else { return }
        let before = contents.journal.position.end
        let pages =
            try contents.pages
            ?? contents.journal.write(to: position.journal) { writer throws(JournalError) in
                let made = JournalPages.make(writer.device, journal: writer.id, heap, given.catalog)
                update { $0.pages = made }
                keptPages.keep(made)
                return made
            }
        var writer = PageWriter(
            TimedPageDestination(
                JournalPageDestination(contents.journal, pages, contents.sharing, limit: limit),
                until: closingDeadline.withLock { $0 }),
            chunkSize: policy.chunkSize, largestPage: policy.largestPage)
        let roots = try writer.write(given.snapshot, given.catalog)
        let record = given.record(
            roots, tail: .init(offset: position.end, sequence: position.sequence), lineage: contents.lineage,
            contents.base)
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        try contents.journal.write(to: position.journal) { writer throws(JournalError) in
            if contents.sharing != nil { try writer.advance() }
            try writer.append(record, version: given.version)
        }
        JournalPages.move(writer.carriedOffsets, to: pages)
        publish(contents)
        checkpointBytes.store(max(0, contents.journal.position.end - before), ordering: .relaxed)
    }

    // MARK: Compaction

    /// Writes a new file of a checkpoint that a store of this process has made of its newest version; the file takes the place of
    /// this one. Nobody may append meanwhile. Returns false if nothing can take the place of the device.
    public func rewrite(_ checkpoint: LogCheckpoint) throws -> Bool {
        guard let given = checkpoint.contents as? StoreContents, let heap = given.heap else {
            throw CommitLogError.foreignCheckpoint
        }
        guard try compact(given, heap, at: cursor.withLock { $0 }) else { return false }
        tailBytes.store(0, ordering: .relaxed)
        return true
    }

    /// The bytes of the file.
    public var fileSize: Int {
        get throws {
            guard let contents else { return 0 }
            return try contents.journal.write { writer throws(JournalError) in try writer.device.size() }
        }
    }

    /// The same as ``compact(_:_:at:)``; also false if that fails: the checkpoint goes into the file that is there then.
    ///
    /// A failure is logged once. Where it lasts (a folder that may not be written, a file that is mounted by itself), a new file
    /// would be written each time for nothing: the next is tried when this one is half as large again.
    private func compactIfPossible(
        _ given: StoreContents, _ heap: Heap, at position: LogPosition
    ) throws -> Bool {
        let failed = uncompactedSize.load(ordering: .relaxed)
        if position.end < failed + failed / 2 { return false }
        do {
            let isDone = try compact(given, heap, at: position)
            if isDone { uncompactedSize.store(0, ordering: .relaxed) }
            return isDone
        } catch JournalError.displaced {
            // Another process has compacted the file.
            throw JournalError.displaced
        } catch let error as CheckpointOverdue {
            throw error
        } catch {
            let isPassing =
                switch error as? JournalError {
                case .alreadyOpen, .timedOut: true
                case let error: error?.isNoSpace ?? false
                }
            uncompactedSize.store(isPassing ? 0 : position.end, ordering: .relaxed)
            FileNotice.sayOnce(
                "compaction \(name)",
                """
                Realm file '\(name)' cannot be written anew to be smaller: \(error). Checkpoints are written into it as it is, \
                and it may become larger than what it holds.
                """)
            return false
        }
    }

    /// Writes a version as a file of its own, which takes the place of this one; false if the device cannot be replaced.
    ///
    /// The commits that come meanwhile are copied; the last of them while nobody writes.
    private func compact(
        _ given: StoreContents, _ heap: Heap, at position: LogPosition
    ) throws -> Bool {
        guard let contents else { return false }
        let journal = position.journal
        let old = try contents.journal.write(to: journal) { writer throws(JournalError) in writer.device }
        guard let device = try old.makeReplacement() else { return false }
        var isDone = false
        var made: JournalPages?
        defer {
            if !isDone {
                made?.giveUp()
                old.discard(device)
            }
        }
        let header = try Journal.create(on: device, readOnly: false)
        let pages = JournalPages.make(device, journal: header.id, heap, given.catalog)
        made = pages
        keptPages.keep(pages)
        let fresh = FreshJournal(JournalWriter(device, header))
        let (carried, base) = try JournalImage.fill(
            fresh,
            PageWriter(
                TimedPageDestination(
                    FreshPageDestination(fresh, pages), until: closingDeadline.withLock { $0 }),
                chunkSize: policy.chunkSize, largestPage: policy.largestPage), given,
            lineage: contents.lineage)
        var copied = position.end
        // Where the store is, in the new file.
        var places: Places = [(old: position.end, new: fresh.writer.position)]
        // What came meanwhile takes less time to copy than it took to come: a few rounds leave little to wait for.
        for _ in 0..<8 {
            let reached = contents.journal.position
            let end = reached.end
            if reached.journal != journal || end - copied < 1 << 12 { break }
            try JournalLog.copyRecords(old, copied..<end, journal: journal, &fresh.writer, &places)
            copied = end
        }
        try device.synchronize()
        let replaced = try exchange(contents, old, journal, fresh, copied: copied, &places) { places in
            isDone = true
            checkpointBytes.store(0, ordering: .relaxed)
            JournalPages.move(carried, to: pages, replacing: contents.pages)
            update {
                $0.device = device
                $0.journalID = header.id
                $0.pages = pages
                $0.base = base
            }
            cursor.withLock { cursor in cursor = places.last { $0.old <= cursor.end }!.new }
        }
        replaced.close()
        return true
    }

    /// Where a record ended, and ends in the new file.
    private typealias Places = [(old: Int, new: LogPosition)]

    /// Copies the last commits, and puts the new file in the place of the other, which is returned, while nobody writes.
    private func exchange(
        _ contents: Contents, _ old: any JournalDevice, _ journal: UInt64, _ fresh: FreshJournal, copied: Int,
        _ places: inout Places, _ done: (Places) -> Void
    ) throws -> any JournalDevice {
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        let replaced = try switching.withLock { _ in
            try contents.journal.write(to: journal) { writer throws(JournalError) in
                if contents.sharing != nil { try writer.advance() }
            }
            return try contents.journal.replace(by: fresh.writer) { replacement, end throws(JournalError) in
                try JournalLog.copyRecords(old, copied..<end.end, journal: journal, &replacement, &places)
            } afterwards: {
                done(places)
            }
        }
        if let contents = self.contents { publish(contents) }
        return replaced
    }

    /// Copies the commits in a range of a device, whole records, to the end of another journal.
    private static func copyRecords(
        _ device: any JournalDevice, _ range: Range<Int>, journal: UInt64, _ writer: inout JournalWriter,
        _ places: inout Places
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
            places.append((offset, writer.position))
        }
    }
}

extension JournalWriter {
    /// Appends a checkpoint, and has the header say where it is.
    ///
    /// - Parameter version: The version of the log that it holds; that of the whole journal if this one has no records yet.
    mutating func append(_ record: CheckpointRecord, version: UInt64) throws(JournalError) {
        var record = record
        // Without commits since, the tail begins behind the checkpoint itself, and its pages need not be passed over.
        if position.version == version || record.tail.sequence == 0 {
            record.tail = .init(offset: 0, sequence: 0)
            position.version = version
        }
        let offset = position.end
        let payload = record.bytes
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: payload.count, alignment: 16)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: payload)
        try append(.checkpoint, UnsafeRawBufferPointer(buffer))
        try markCheckpoint(at: offset)
    }
}
