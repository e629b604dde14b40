import KivoEngine
import KivoLog

extension JournalLog {
    /// Keeps other processes from writing; the lock goes with the process.
    public func lock() throws -> Bool {
        guard let sharing = contents?.sharing else { return false }
        try sharing.lock()
        isExclusive.store(true, ordering: .relaxed)
        return true
    }

    /// Lets other processes write.
    public func unlock() {
        isExclusive.store(false, ordering: .relaxed)
        contents?.sharing?.unlock()
    }

    /// The version of the newest commit. One read of 32 bytes if nobody has written.
    public func head() throws -> UInt64 {
        guard let contents else { return 0 }
        guard let sharing = contents.sharing, !readOnly else { return contents.journal.position.version }
        try sharing.lock()
        defer { sharing.unlock() }
        return try contents.journal.write { writer throws(JournalError) in
            try writer.advance()
            return writer.position.version
        }
    }

    /// Whether another process has written something that the store has not read. One read of 32 bytes.
    public func hasCommits(after version: UInt64) -> Bool {
        guard let contents, let end = contents.sharing?.published() else { return false }
        // Behind the cursor, which is where the store is. The store hears of its own append a moment later.
        return end.journal != contents.journalID || end.sequence > cursor.withLock { $0.sequence }
    }

    /// Has a block be called when others have committed.
    public func watch(_ body: @escaping @Sendable () -> Void) { contents?.sharing?.watch(body) }

    /// Says where the file ends.
    func publish(_ contents: Contents, to audience: PublicationAudience = .everybody) {
        guard let sharing = contents.sharing else { return }
        let position = contents.journal.position
        sharing.publish(
            PublishedEnd(journal: position.journal, end: position.end, sequence: position.sequence),
            to: audience)
    }

    /// Reads the commits after a version.
    public func commits(after version: UInt64, _ body: (EncodedCommit) throws -> Void) throws {
        // This process may be compacting the file itself.
        try switching.withLock { _ in
            guard var contents = self.contents else { return }
            try seek(version, in: contents)
            while true {
                let isHere = isInPlace
                try readRecords(of: contents, body)
                // A file that was compacted since has all that was in this one, and goes on.
                if isHere { return }
                guard let next = try follow(contents) else { return }
                contents = next
            }
        }
    }

    /// Has the cursor be behind a version.
    private func seek(_ version: UInt64, in contents: Contents) throws {
        if cursor.withLock({ $0.version }) == version { return }
        let checkpoint = try Journal.newestCheckpoint(of: contents.device)?.record
        let place = try JournalLog.place(
            of: version, behind: checkpoint, contents.device, journal: contents.journalID)
        cursor.withLock { $0 = place }
    }

    /// Where a version ends: reads the records from a checkpoint on.
    private static func place(
        of version: UInt64, behind checkpoint: CheckpointRecord?, _ device: any JournalDevice, journal: UInt64
    ) throws -> LogPosition {
        var place =
            try checkpoint.map { LogPosition(behind: $0, in: journal) }
            ?? LogPosition(
                beginningOf: journal,
                at: HeaderPages(device, size: device.size()).header.recordsOffset)
        if version < place.version { throw CommitLogError.removed(checkpoint: place.version) }
        var window = FileWindow(device, size: try device.size(), capacity: 1 << 14)
        while place.version < version, let record = try window.record(at: place.end, journal: journal) {
            place.pass(record.header)
        }
        return place
    }

    /// Reads the commits from the cursor on.
    private func readRecords(of contents: Contents, _ body: (EncodedCommit) throws -> Void) throws {
        var limit = contents.journal.position.end
        if isExclusive.load(ordering: .relaxed) {
            limit = try contents.journal.write { writer throws(JournalError) in
                try writer.advance()
                return writer.position.end
            }
        } else if let sharing = contents.sharing {
            // What is behind that may be taken back.
            limit = .max
            if let end = sharing.published(), end.journal == contents.journalID { limit = end.end }
        }
        var place = cursor.withLock { $0 }
        // Asking for the size of a file makes some systems write its inode with the next flush.
        guard place.end < limit else { return }
        var window = FileWindow(contents.device, size: try contents.device.size(), capacity: 1 << 14)
        while place.end < limit, let record = try window.record(at: place.end, journal: contents.journalID),
            record.header.sequence == place.sequence + 1
        {
            if let commit = try EncodedCommit(record: record.header.kind, record.payload) { try body(commit) }
            // Another process saw to it.
            let isCheckpoint = RecordKind(rawValue: record.header.kind) == .checkpoint
            tailBytes.store(
                isCheckpoint ? 0 : tailBytes.load(ordering: .relaxed) + record.header.recordSize,
                ordering: .relaxed)
            place.pass(record.header)
            let reached = place
            cursor.withLock { $0 = reached }
        }
    }

    /// Goes over to the file that took this one's place; nil if it is not the same data, or there is none: then this one is
    /// displaced. Or nobody has said yet where the new one ends, and nobody is kept from writing: then it is for the next time.
    ///
    /// - Throws: ``CommitLogError/removed(checkpoint:)``, when that is done, if the new file does not have all the commits any more
    ///   that the store has not read: it was compacted again since.
    private func follow(_ contents: Contents) throws -> Contents? {
        guard let device = try? contents.device.reopened() else { return nil }
        var isAdopted = false
        defer { if !isAdopted { device.close() } }
        var size = try device.size()
        var isLocked = false
        defer { if isLocked { contents.sharing?.unlock() } }
        if !isExclusive.load(ordering: .relaxed) {
            if let end = try JournalLog.publishedEnd(of: device) {
                size = min(size, end)
            } else {
                // The process that made the file may have been killed before it published the end; or one is writing now, and will.
                guard try contents.sharing?.tryLock() == true else { return nil }
                isLocked = true
                size = try device.size()
                guard (try? device.checkPlace()) != nil else { return nil }
            }
        }
        // A process that makes a file has not written the header yet.
        if try Journal.isUnused(device, size: size) { return nil }
        var checkpoint: CheckpointRecord?
        let found = try Journal.recover(
            device, size: size, usingCheckpoints: true, restoring: { record, _ in checkpoint = record },
            { _, _ in })
        guard let checkpoint, checkpoint.lineage == contents.lineage else { return nil }
        let version = cursor.withLock { $0.version }
        var place = LogPosition(behind: checkpoint, in: found.id)
        let isRemoved = version < place.version
        if !isRemoved {
            place = try JournalLog.place(of: version, behind: checkpoint, device, journal: found.id)
            // Somebody wrote a commit that is known here, and died before it said so: the next who writes does.
            if place.version < version { return nil }
        }
        try Journal.settle(device, found, readOnly: readOnly)
        if !readOnly { try confirmPlace(of: device) }
        try contents.journal.adopt(JournalWriter(device, found))
        isAdopted = true
        let reached = place
        cursor.withLock { $0 = reached }
        tailBytes.store(reached.end - checkpoint.tail.offset, ordering: .relaxed)
        update {
            $0.device = device
            $0.journalID = found.id
            $0.base = checkpoint.base
            $0.pages = nil
        }
        if isLocked, let contents = self.contents { publish(contents) }
        if isRemoved { throw CommitLogError.removed(checkpoint: checkpoint.commits) }
        return self.contents
    }
}

extension JournalWriter {
    /// Goes to the end of what others have written. Only while they cannot write: what is no whole record then is what a
    /// process left that was killed, and is taken away.
    mutating func advance() throws(JournalError) {
        guard try hasMore(at: position.end) else { return }
        var size = try device.size()
        var window = FileWindow(device, size: size, capacity: 1 << 14)
        var reached = position
        var checkpoint: UInt64?
        var hasRemains = true
        while let record = try window.record(at: reached.end, journal: id),
            record.header.sequence == reached.sequence + 1
        {
            reached.pass(record.header)
            if record.header.kind == RecordKind.checkpoint.rawValue { checkpoint = reached.sequence }
            hasRemains = try hasMore(at: reached.end)
            if !hasRemains { break }
        }
        let isMarked = try Journal.settle(device, upTo: reached, known: .init(position))
        if hasRemains {
            try device.removeRemains(from: reached.end)
            size = reached.end
        }
        move(to: reached, size: size, isMarked: isMarked, checkpoint: checkpoint)
    }

    /// Whether there is anything behind an end: what was allocated ahead is zeros.
    func hasMore(at end: Int) throws(JournalError) -> Bool {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let count = try withUnsafeMutableBytes(of: &words) { bytes throws(JournalError) in
            try device.read(into: bytes, at: end)
        }
        return count > 0 && (words.0 | words.1 | words.2 | words.3) != 0
    }
}
