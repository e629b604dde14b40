import KivoEngine
import KivoLog

extension JournalLog {
    /// Prevents other processes from writing. The lock is released when the process ends.
    package func acquireLease(until deadline: ContinuousClock.Instant?) throws -> LogLease? {
        guard let sharing = contents?.sharing else { return nil }
        try sharing.lock()
        isExclusive.store(true, ordering: .relaxed)
        return LogLease(token: 1)
    }

    /// Releases the lock, so that other processes can write.
    package func releaseLease(_ lease: LogLease) {
        isExclusive.store(false, ordering: .relaxed)
        contents?.sharing?.unlock()
    }

    /// Returns the version of the newest commit. Reads 32 bytes if no other process has written.
    package func head() throws -> UInt64 {
        guard let contents else { return 0 }
        guard let sharing = contents.sharing, !readOnly else { return contents.journal.position.version }
        try sharing.lock()
        defer { sharing.unlock() }
        return try contents.journal.writeAtEnd { writer throws(JournalError) in writer.position.version }
    }

    /// Returns whether another process has written records that the store has not read. Reads 32 bytes.
    package func hasCommits(after version: UInt64) -> Bool {
        guard let contents, let end = contents.sharing?.published() else { return false }
        // Compares with the cursor, which is the position of the store. The version of the store is updated shortly after its own
        // append.
        let position = cursor.withLock { $0 }
        return end.journal != position.journal || end.sequence > position.sequence
    }

    /// Registers the closure that is called after other processes have committed.
    package func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) {
        contents?.sharing?.watch { handler(.head(0)) }
    }

    /// Publishes where the file ends.
    func publish(_ contents: Contents, to audience: PublicationAudience = .everybody) {
        guard let sharing = contents.sharing else { return }
        let position = contents.journal.position
        sharing.publish(
            PublishedEnd(journal: position.journal, end: position.end, sequence: position.sequence),
            to: audience)
    }

    /// Reads the commits after a version.
    package func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        // This process may be compacting the file itself.
        try switching.withLock { _ in
            guard let contents else { return }
            try seek(version, in: contents.journal.file)
            while true {
                let wasDisplaced = isDisplaced
                try readRecords(of: contents, body)
                // If the file was compacted meanwhile, the new file contains all its commits and continues them.
                if !wasDisplaced { return }
                guard try follow(contents) else { return }
            }
        }
    }

    /// Moves the cursor to the end of a version.
    private func seek(_ version: UInt64, in file: JournalFile) throws {
        if cursor.withLock({ $0.version }) == version { return }
        let checkpoint = try Journal.newestCheckpoint(of: file.device)?.record
        let position = try JournalLog.end(of: version, after: checkpoint, file.device, journal: file.id)
        cursor.withLock { $0 = position }
    }

    /// Returns the end of a version, by reading the records from a checkpoint on.
    private static func end(
        of version: UInt64, after checkpoint: CheckpointRecord?, _ device: any JournalDevice, journal: UInt64
    ) throws -> LogPosition {
        let start =
            try checkpoint.map { LogPosition(atTailOf: $0, in: journal) }
            ?? LogPosition(beginningOf: HeaderPages(device, size: device.size()).header)
        if version < start.version { throw CommitLogError.removed(checkpoint: start.version) }
        var records = RecordCursor(device, from: start, size: try device.size())
        while records.position.version < version, try records.next() != nil {}
        return records.position
    }

    /// Reads the commits that follow the cursor.
    private func readRecords(of contents: Contents, _ body: (LogEntry) throws -> Void) throws {
        let file = contents.journal.file
        var limit = contents.journal.position.end
        let isExclusive = isExclusive.load(ordering: .relaxed)
        if isExclusive {
            limit = try contents.journal.writeAtEnd { writer throws(JournalError) in writer.position.end }
        } else if let sharing = contents.sharing {
            // Records after the published end may still be taken back.
            limit = .max
            if let end = sharing.published(), end.journal == file.id { limit = end.end }
        }
        let start = cursor.withLock { $0 }
        // Reading the size of a file makes some systems write its inode with the next flush.
        guard start.end < limit else { return }
        // What looks like incomplete records may be records of a later format. Whoever is exclusive has looked already.
        if !isExclusive, contents.sharing != nil { _ = try FileHeader.version(of: file.device) }
        var records = RecordCursor(
            file.device, from: start, size: min(limit, try file.device.size()))
        while let record = try records.next() {
            if let commit = try EncodedCommit(record) {
                try body(LogEntry(version: records.position.version, commit))
            }
            // Another process made a checkpoint.
            tailBytes.store(
                record.kind == .checkpoint
                    ? 0 : tailBytes.load(ordering: .relaxed) + record.header.recordSize,
                ordering: .relaxed)
            let position = records.position
            cursor.withLock { $0 = position }
        }
    }

    /// Switches to the file that replaced this one. Returns false if there is no such file, or if it contains other data: this file
    /// is then displaced. Also returns false if the end of the new file is not published yet and its writers cannot be locked out;
    /// a later call retries.
    ///
    /// - Throws: ``CommitLogError/removed(checkpoint:)``, after the switch, if the new file lacks some of the commits that the
    ///   store has not read, because it was compacted again.
    private func follow(_ contents: Contents) throws -> Bool {
        guard let device = try? contents.journal.file.device.reopened() else { return false }
        var isAdopted = false
        defer { if !isAdopted { device.close() } }
        var size = try device.size()
        var isLocked = false
        defer { if isLocked { contents.sharing?.unlock() } }
        let published = try JournalLog.published(of: device)
        if !isExclusive.load(ordering: .relaxed) {
            if let published {
                size = min(size, published.end)
            } else {
                // The process that made the file may have been killed before it published the end, or a process is writing now
                // and will publish it.
                guard try contents.sharing?.tryLock() == true else { return false }
                isLocked = true
                size = try device.size()
                guard (try? device.checkName()) != nil else { return false }
            }
        }
        // The process that makes the file has not written the header yet.
        if try Journal.isUnused(device, size: size) { return false }
        var checkpoint: CheckpointRecord?
        let recovered = try Journal.read(
            device, size: size, usingCheckpoints: true, restoring: { record, _ in checkpoint = record },
            { _ in })
        guard let checkpoint, checkpoint.lineage == contents.lineage else { return false }
        let version = cursor.withLock { $0.version }
        var position = LogPosition(atTailOf: checkpoint, in: recovered.id)
        let isRemoved = version < position.version
        if !isRemoved {
            position = try JournalLog.end(of: version, after: checkpoint, device, journal: recovered.id)
            // Another process wrote a commit that is known here, and was killed before it published the end. The next writer
            // publishes it.
            if position.version < version { return false }
        }
        try Journal.settle(device, recovered, readOnly: readOnly)
        if !readOnly, published == nil { try device.synchronizeName() }
        try contents.journal.adopt(JournalWriter(device, recovered))
        isAdopted = true
        let reached = position
        cursor.withLock { $0 = reached }
        tailBytes.store(reached.end - checkpoint.tail.offset, ordering: .relaxed)
        update {
            $0.base = checkpoint.base
            $0.pages = nil
        }
        if isLocked { publish(contents) }
        if isRemoved { throw CommitLogError.removed(checkpoint: checkpoint.commits) }
        return true
    }
}

extension JournalWriter {
    /// Advances to the end of the records that other processes have written. An incomplete record was left by a process that was
    /// killed, and is removed.
    ///
    /// - Precondition: No other process can write.
    mutating func advance() throws(JournalError) {
        guard try hasMore(at: position.end) else { return }
        var size = try device.size()
        var records = RecordCursor(device, from: position, size: size)
        var checkpoint: UInt64?
        var hasRemains = true
        while hasRemains, let record = try records.next() {
            if record.kind == .checkpoint { checkpoint = record.header.sequence }
            hasRemains = try hasMore(at: record.end)
        }
        let reached = records.position
        let isMarked = try Journal.settle(device, upTo: reached, known: .init(position))
        if hasRemains {
            try device.removeRemains(from: reached.end)
            size = reached.end
        }
        move(to: reached, size: size, isMarked: isMarked, checkpoint: checkpoint)
    }

    /// Whether there are nonzero bytes after an end: space that is allocated ahead contains zeros.
    func hasMore(at end: Int) throws(JournalError) -> Bool {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let count = try withUnsafeMutableBytes(of: &words) { bytes throws(JournalError) in
            try device.read(into: bytes, at: end)
        }
        return count > 0 && (words.0 | words.1 | words.2 | words.3) != 0
    }
}
