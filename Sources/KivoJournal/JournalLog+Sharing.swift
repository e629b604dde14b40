import KivoEngine

extension JournalLog {
    public var isShared: Bool { contents?.sharing != nil }

    /// Waits until no other process writes, and brings a store to what they wrote. ``endExclusive()`` follows.
    public func beginExclusive(into store: inout some CommitReplayer) throws {
        guard let sharing = contents?.sharing else { return }
        try sharing.lock()
        do {
            try catchUp(isExclusive: true, into: &store)
        } catch {
            sharing.unlock()
            throw error
        }
    }

    /// Lets other processes write.
    public func endExclusive() { contents?.sharing?.unlock() }

    /// Whether another process has written something that the store has not seen. One read of 32 bytes.
    public var hasForeignCommits: Bool {
        guard let contents, let end = contents.sharing?.published() else { return false }
        let replayed = replayed.withLock { $0 }
        return end.journal != contents.journalID || end.sequence > replayed.sequence
    }

    /// Brings a store to what other processes have committed. Only for the holder of the writer's place of this one.
    public func catchUp(into store: inout some CommitReplayer) throws {
        if hasForeignCommits { try catchUp(isExclusive: false, into: &store) }
    }

    /// Has a block be called when others have committed.
    public func watch(_ body: @escaping @Sendable () -> Void) { contents?.sharing?.watch(body) }

    /// Tells other processes where the file ends.
    func publish(_ contents: Contents) {
        guard let sharing = contents.sharing else { return }
        let position = contents.journal.position
        sharing.publish(
            PublishedEnd(journal: contents.journalID, end: position.end, sequence: position.sequence))
    }

    private func catchUp(
        isExclusive: Bool, into store: inout some CommitReplayer
    ) throws {
        // This process may be compacting the file itself.
        try switching.withLock { _ in
            guard var contents = self.contents else { return }
            while true {
                let isHere = isInPlace
                try replayRecords(of: contents, isExclusive: isExclusive, into: &store)
                // A file that was compacted since has all that was in this one, and goes on.
                if isHere { return }
                guard let next = try follow(contents, isExclusive: isExclusive, into: &store) else { return }
                contents = next
            }
        }
    }

    /// Carries out the commits that the file has and the store has not.
    private func replayRecords(
        of contents: Contents, isExclusive: Bool, into store: inout some CommitReplayer
    ) throws {
        var limit = Int.max
        if isExclusive {
            limit = try contents.journal.write { writer throws(JournalError) in
                try writer.advance()
                return writer.end
            }
        } else if let end = contents.sharing?.published(), end.journal == contents.journalID {
            // What is behind that may be taken back.
            limit = end.end
        }
        var place = replayed.withLock { $0 }
        // Asking for the size of a file makes some systems write its inode with the next flush.
        guard place.end < limit else { return }
        var numbers = contents.numbers
        var window = FileWindow(contents.device, size: try contents.device.size(), capacity: 1 << 14)
        while place.end < limit, let record = try window.record(at: place.end, journal: contents.journalID),
            record.header.sequence == place.sequence + 1
        {
            let kind = RecordKind(rawValue: record.header.kind)
            switch kind {
            case .commit:
                var decoder = CommitDecoder(restoring: numbers, store.catalog, isForeign: true)
                try decoder.replay(record.payload, into: &store)
                numbers = decoder.numbers
                let known = numbers
                update { $0.numbers = known }
                tailBytes.add(record.header.recordSize, ordering: .relaxed)
            case .migration:
                throw JournalError.migratedElsewhere
            case .schemaVersion: note(version: try JournalLog.version(record.payload))
            // Another process saw to it.
            case .checkpoint: tailBytes.store(0, ordering: .relaxed)
            default: break
            }
            place.end += record.header.recordSize
            place.sequence = record.header.sequence
            if kind.isData {
                place.commits += 1
                place.dataSequence = place.sequence
            }
            let reached = place
            replayed.withLock { $0 = reached }
        }
    }

    /// Goes over to the file that took this one's place; nil if it is not the same data, or there is none: then this one is
    /// displaced. Or nobody has said yet where the new one ends, and nobody is kept from writing: then it is for the next time.
    private func follow(
        _ contents: Contents, isExclusive: Bool, into store: inout some CommitReplayer
    ) throws -> Contents? {
        guard let device = try? contents.device.reopened() else { return nil }
        var isAdopted = false
        defer { if !isAdopted { device.close() } }
        var size = try device.size()
        var isLocked = false
        defer { if isLocked { contents.sharing?.unlock() } }
        if !isExclusive {
            if let end = try publishedEnd(of: device) {
                size = min(size, end)
            } else {
                // Whoever made the file may have been killed before it said so; or somebody writes at the moment, who will say so.
                guard try contents.sharing?.tryLock() == true else { return nil }
                isLocked = true
                size = try device.size()
                guard (try? device.checkPlace()) != nil else { return nil }
            }
        }
        var checkpoint: CheckpointRecord?
        let found = try Journal.recover(
            device, size: size, usingCheckpoints: true,
            restoring: { record, _ in checkpoint = record },
            { _, _ in })
        let commits = replayed.withLock { $0.commits }
        guard let checkpoint, checkpoint.lineage == contents.lineage else { return nil }
        var place: LogPosition
        // Those that became known by the last commits of the old file as well.
        var numbers = self.contents?.numbers ?? contents.numbers
        if checkpoint.commits > commits {
            // The commits in between are in no file any more.
            let arrival = try JournalLog.catchUp(with: device, size: size, numbers: numbers, into: &store)
            (place, numbers) = (arrival.position, arrival.numbers)
            note(version: arrival.schemaVersion)
        } else {
            place = try self.place(after: commits, checkpoint, device, found)
            // Somebody wrote a commit that is known here, and died before it said so: the next who writes does.
            if place.commits < commits { return nil }
        }
        try contents.journal.adopt(JournalWriter(device, found))
        isAdopted = true
        let reached = place
        let known = numbers
        replayed.withLock { $0 = reached }
        tailBytes.store(reached.end - checkpoint.tail.offset, ordering: .relaxed)
        update {
            $0.device = device
            $0.journalID = found.id
            $0.base = checkpoint.base
            $0.numbers = known
            if let pages = $0.pages { $0.earlier.append(pages) }
            $0.pages = nil
        }
        if isLocked, let contents = self.contents { publish(contents) }
        return self.contents
    }

    /// Where the commits of a file begin that a store has not seen, which has so many of them.
    private func place(
        after commits: UInt64, _ checkpoint: CheckpointRecord, _ device: any JournalDevice,
        _ found: Journal.Recovered
    ) throws -> LogPosition {
        // The commits that the store has already are passed over.
        var place = LogPosition(
            end: checkpoint.tail.offset, sequence: checkpoint.tail.sequence,
            dataSequence: checkpoint.tail.sequence, commits: checkpoint.commits, journal: found.id)
        var window = FileWindow(device, size: found.size, capacity: 1 << 14)
        while place.commits < commits, let record = try window.record(at: place.end, journal: found.id) {
            place.end += record.header.recordSize
            place.sequence = record.header.sequence
            if RecordKind(rawValue: record.header.kind).isData {
                place.commits += 1
                place.dataSequence = place.sequence
            }
        }
        return place
    }
}

extension JournalWriter {
    /// Goes to the end of what others have written. Only while they cannot write: what is no whole record then is what a
    /// process left that was killed, and is taken away.
    mutating func advance(_ sharing: (any JournalSharing)?) throws(JournalError) {
        if sharing != nil { try advance() }
    }

    /// The same.
    mutating func advance() throws(JournalError) {
        var found: (header: RecordHeader, isWhole: Bool)?
        var hasMoved = false
        var deviceSize = size
        repeat {
            found = nil
            var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
            var count = 0
            let end = end
            try withUnsafeMutableBytes(of: &words) { bytes throws(JournalError) in
                count = try device.read(into: bytes, at: end)
            }
            if count == 0 || (words.0 | words.1 | words.2 | words.3) == 0 { break }
            deviceSize = try device.size()
            var window = FileWindow(device, size: deviceSize, capacity: 1 << 14)
            guard let record = try window.record(at: end, journal: id), record.header.sequence == sequence + 1
            else {
                try device.truncate(to: end)
                try device.synchronize()
                deviceSize = end
                hasMoved = true
                break
            }
            found = (record.header, true)
            take(record.header)
            hasMoved = true
        } while found != nil
        if hasMoved { setSize(deviceSize) }
    }
}
