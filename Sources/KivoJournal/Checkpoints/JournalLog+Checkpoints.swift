import KivoEngine
import KivoLog
import Synchronization

extension JournalLog {
    /// Returns a closure that makes a checkpoint if opening the file would have to replay many commits, relative to its size.
    /// Returns nil otherwise.
    package func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        guard let contents, !contents.journal.isReadOnly else { return nil }
        let position = cursor.withLock { $0 }
        guard position.version == version else { return nil }
        let need = policy.need(
            tail: tailBytes.load(ordering: .relaxed), size: position.end, isClosing: isClosing,
            isDemanded: isCheckpointDemanded.load(ordering: .relaxed))
        if need == .none { return nil }
        return { [self] checkpoint in
            let (source, heap) = try checkpoint.storeContents
            let live = policy.live(contents.base, rows: source.rowCount)
            guard need == .checkpoint || position.end > policy.largestClosed(live: live) else { return }
            if isClosing { closingDeadline.withLock { $0 = .now + policy.closingTimeLimit } }
            defer { closingDeadline.withLock { $0 = nil } }
            do {
                try write(source, heap, at: position)
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
    package func checkpoint() throws -> LogCheckpoint? {
        // This process may be compacting the file itself.
        try switching.withLock { _ in
            guard let device = contents?.journal.file.device,
                let (record, header) = try Journal.newestCheckpoint(of: device)
            else { return nil }
            return JournalCheckpoint(record, device, header, keptPages.keep).logCheckpoint
        }
    }

    /// Writes the contents of a version that are not in pages yet, so that a program which opens the file begins there. Commits
    /// can be appended meanwhile. If the file would become too large for its live data, a new file is written instead, which
    /// replaces it: see ``CheckpointPolicy/largestAfter(live:)``.
    ///
    /// - Parameter position: The end of the log when the version was the newest.
    /// - Throws: Any error of the device; the previous contents then remain valid. ``JournalError/displaced`` if another process
    ///   has compacted the file since.
    private func write(_ source: StoreContents, _ heap: Heap, at position: LogPosition) throws {
        guard let contents else { return }
        guard position.journal == contents.journal.file.id else { throw JournalError.displaced }
        // Commits from here on count for the next checkpoint, also if this one fails.
        tailBytes.store(0, ordering: .relaxed)
        // Without the commits, nobody could tell what consumers have not read yet.
        let isCompactable = source.keepsHistory(lineage: contents.lineage)
        let isLarge = isLarge(contents, rows: source.rowCount, at: position)
        guard try upgradeIfAlone(contents, position.journal) else {
            // The programs that have the old file open find that it was replaced.
            if isCompactable, try compactIfPossible(source, heap, at: position) { return }
            throw JournalError.refused(JournalWriter.otherProgram)
        }
        if isCompactable, isLarge, try compactIfPossible(source, heap, at: position) { return }
        do {
            let limit = policy.largestAfter(live: policy.live(contents.base, rows: source.rowCount))
            try append(source, heap, at: position, limit: isLarge || !isCompactable ? .max : limit)
        } catch is FileTooLarge {
            // The pages that were already written are removed with the old file.
            if try compactIfPossible(source, heap, at: position) { return }
            try append(source, heap, at: position, limit: .max)
        }
    }

    /// Returns whether a file that ends at a position is written anew instead of getting another checkpoint.
    private func isLarge(_ contents: Contents, rows: Int, at position: LogPosition) -> Bool {
        let live = policy.live(contents.base, rows: rows)
        // The size that the checkpoint adds is known only once it is written; it is often the same as that of the last
        // checkpoint.
        let expected = position.end + checkpointBytes.load(ordering: .relaxed)
        return position.end > policy.largestBefore(live: live) || expected > policy.largestAfter(live: live)
    }

    /// Returns whether the file would be compacted if a version contained the changes that are demanded of it, and it does not.
    func lacksHistory(_ source: StoreContents) -> Bool {
        let position = cursor.withLock { $0 }
        guard let contents, isLarge(contents, rows: source.rowCount, at: position), !waitsForGrowth(position)
        else { return false }
        return !source.keepsHistory(lineage: contents.lineage)
    }

    /// Returns whether compaction failed for a reason that may last, and the file has not grown by half since.
    private func waitsForGrowth(_ position: LogPosition) -> Bool {
        let failed = uncompactedSize.load(ordering: .relaxed)
        return position.end < failed + failed / 2
    }

    /// Gives an old file the format that is written. Returns false if another process has it open.
    private func upgradeIfAlone(_ contents: Contents, _ journal: UInt64) throws -> Bool {
        let isOld = try contents.journal.write(to: journal) { writer throws(JournalError) in writer.isOld }
        guard isOld else { return true }
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        return try contents.journal.writeAtEnd(to: journal) { writer throws(JournalError) in
            try writer.upgrade()
        }
    }

    /// Appends a checkpoint, page by page.
    ///
    /// - Throws: ``FileTooLarge`` if the file would become larger than the limit. The file then has no new checkpoint.
    private func append(
        _ source: StoreContents, _ heap: Heap, at position: LogPosition, limit: Int
    ) throws {
        guard let contents else { return }
        let before = contents.journal.position.end
        let pages =
            try contents.pages
            ?? contents.journal.write(to: position.journal) { writer throws(JournalError) in
                let made = JournalPages.make(writer.device, journal: writer.id, heap, source.catalog)
                made.beginUse()
                update { $0.pages = made }
                keptPages.keep(made)
                return made
            }
        pages.adopt(source.catalog)
        var writer = PageWriter(
            TimedPageDestination(
                JournalPageDestination(contents.journal, pages, contents.sharing, limit: limit),
                until: closingDeadline.withLock { $0 }),
            chunkSize: policy.chunkSize, largestPage: policy.largestPage)
        let roots = try writer.write(source.snapshot, source.catalog)
        let record = source.record(
            roots, tail: .init(offset: position.end, sequence: position.sequence), lineage: contents.lineage,
            contents.base)
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        try contents.journal.writeAtEnd(to: position.journal) { writer throws(JournalError) in
            try writer.append(record, version: source.version)
        }
        JournalPages.move(writer.copiedOffsets, to: pages)
        publish(contents)
        checkpointBytes.store(max(0, contents.journal.position.end - before), ordering: .relaxed)
    }

    // MARK: Compaction

    /// Writes a checkpoint that a store of this process has made of its newest version as a new file, which replaces this one.
    /// Returns false if the device cannot be replaced.
    ///
    /// - Precondition: No other thread appends during the call.
    package func rewrite(_ checkpoint: LogCheckpoint) throws -> Bool {
        let (source, heap) = try checkpoint.storeContents
        guard try compact(source, heap, at: cursor.withLock { $0 }) else { return false }
        tailBytes.store(0, ordering: .relaxed)
        return true
    }

    /// Releases the space of the file that was allocated ahead for the next commits.
    ///
    /// - Precondition: No other process has the file open.
    package func releaseSpaceAhead() throws {
        try contents?.journal.write { writer throws(JournalError) in try writer.releaseSpaceAhead() }
    }

    /// The size of the file in bytes.
    package var fileSize: Int {
        get throws {
            guard let contents else { return 0 }
            return try contents.journal.write { writer throws(JournalError) in try writer.device.size() }
        }
    }

    /// Calls ``compact(_:_:at:)``. Also returns false if that fails: the checkpoint is then written into the existing file.
    ///
    /// A failure is logged once. Where the cause lasts (a folder without write access, a file that is a mount point), each
    /// attempt would write a new file in vain. So the next attempt is made when this file has grown by half.
    private func compactIfPossible(
        _ source: StoreContents, _ heap: Heap, at position: LogPosition
    ) throws -> Bool {
        if waitsForGrowth(position) { return false }
        do {
            let isDone = try compact(source, heap, at: position)
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

    /// Writes a version as a new file, which replaces this one; returns false if the device cannot be replaced.
    ///
    /// Commits that are appended meanwhile are copied, the last of them while no other writer can append.
    private func compact(
        _ source: StoreContents, _ heap: Heap, at position: LogPosition
    ) throws -> Bool {
        guard let contents else { return false }
        let journal = position.journal
        let old = try contents.journal.write(to: journal) { writer throws(JournalError) in writer.device }
        guard let device = try old.makeReplacement() else { return false }
        var isDone = false
        var made: JournalPages?
        defer {
            if !isDone {
                made?.abandon()
                old.discard(device)
            }
        }
        let header = try Journal.create(on: device, readOnly: false)
        let pages = JournalPages.make(device, journal: header.id, heap, source.catalog)
        made = pages
        keptPages.keep(pages)
        let fresh = FreshJournal(JournalWriter(device, header))
        let (carried, base) = try JournalImage.fill(
            fresh,
            PageWriter(
                TimedPageDestination(
                    FreshPageDestination(fresh, pages), until: closingDeadline.withLock { $0 }),
                chunkSize: policy.chunkSize, largestPage: policy.largestPage), source,
            lineage: contents.lineage)
        var copied = position
        // The position of the store in the new file.
        var moved: MovedPositions = [(old: position.end, new: fresh.writer.position)]
        // Copying the new commits takes less time than they took to be written, so a few rounds leave little for which writers
        // must wait.
        for _ in 0..<8 {
            let reached = contents.journal.position
            if reached.journal != journal || reached.end - copied.end < 1 << 12 { break }
            try JournalLog.copyRecords(old, from: copied, to: reached, &fresh.writer, &moved)
            copied = reached
        }
        try device.synchronize()
        let replaced = try exchange(contents, old, journal, fresh, copied: copied, &moved) { moved in
            isDone = true
            checkpointBytes.store(0, ordering: .relaxed)
            // Before an eviction finds that a page is neither in the old file nor in this one.
            pages.beginUse()
            JournalPages.move(carried, to: pages, replacing: contents.pages)
            update {
                $0.pages = pages
                $0.base = base
            }
            cursor.withLock { cursor in cursor = moved.last { $0.old <= cursor.end }!.new }
        }
        replaced.close()
        return true
    }

    /// The end of each copied record in the old file, and the position after it in the new one.
    private typealias MovedPositions = [(old: Int, new: LogPosition)]

    /// Copies the last commits while no other process writes, and puts the new file in the place of the old one. Returns the old
    /// one.
    private func exchange(
        _ contents: Contents, _ old: any JournalDevice, _ journal: UInt64, _ fresh: FreshJournal,
        copied: LogPosition,
        _ moved: inout MovedPositions, _ done: (MovedPositions) -> Void
    ) throws -> any JournalDevice {
        try contents.sharing?.lock()
        defer { contents.sharing?.unlock() }
        let replaced = try switching.withLock { _ in
            try contents.journal.writeAtEnd(to: journal) { _ throws(JournalError) in }
            return try contents.journal.replace(by: fresh.writer) { replacement, end throws(JournalError) in
                try JournalLog.copyRecords(old, from: copied, to: end, &replacement, &moved)
            } afterwards: {
                done(moved)
            }
        }
        publish(contents)
        return replaced
    }

    /// Copies the commits between two positions of a device to the end of another journal.
    private static func copyRecords(
        _ device: any JournalDevice, from start: LogPosition, to end: LogPosition,
        _ writer: inout JournalWriter, _ moved: inout MovedPositions
    ) throws(JournalError) {
        var records = RecordCursor(device, from: start, size: end.end, capacity: FileWindow.usualCapacity)
        while let record = try records.next() {
            if record.kind.isData { try writer.append(record.kind, record.payload, isDurable: false) }
            moved.append((record.end, writer.position))
        }
        guard records.position.end == end.end else {
            throw .corrupt(
                offset: records.position.end, reason: "a record was changed while the file was open")
        }
    }
}

extension JournalWriter {
    /// Appends a checkpoint, and updates the header to refer to it.
    ///
    /// - Parameter version: The version of the log that the checkpoint contains; if this journal has no records yet, that of the
    ///   whole log.
    mutating func append(_ record: CheckpointRecord, version: UInt64) throws(JournalError) {
        var record = record
        // Without commits since, the tail begins after the checkpoint itself, and opening need not skip its pages.
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
