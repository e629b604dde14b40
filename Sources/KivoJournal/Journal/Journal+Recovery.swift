import KivoEngine

extension Journal {
    /// The result of opening: the state from which records are appended.
    struct Recovered {
        let pages: HeaderPages
        /// The position after the last record.
        var position: LogPosition
        /// The end of the records that are durable according to the header.
        var settled = SettledEnd()
        /// The slot of the header, 0 or 1, that has the newest checkpoint.
        var slot = 1
        /// The size of the device.
        var size: Int
        /// The offset after the last nonzero byte that follows the end; at most the end if there is none.
        var tornEnd: Int

        init(_ pages: HeaderPages, size: Int) {
            self.pages = pages
            self.size = size
            position = LogPosition(beginningOf: pages.header)
            tornEnd = position.end
        }

        var header: FileHeader { pages.header }
        var id: UInt64 { header.id }
        /// Whether there are only zeros after the end.
        var isClean: Bool { tornEnd <= position.end }
    }

    /// Returns whether the device is empty: no bytes, or only the remains of an interrupted creation.
    static func isUnused(_ device: any JournalDevice, size: Int) throws(JournalError) -> Bool {
        guard size <= FileHeader.largestSize else { return false }
        var window = FileWindow(device, size: size)
        let bytes = try window.bytes(at: 0, count: size)
        return bytes.isZero || FileHeader.isBegun(bytes)
    }

    /// Reads the newest checkpoint and the records that it does not include, or all records, in order. Writes nothing.
    static func read(
        _ device: any JournalDevice, size: Int,
        usingCheckpoints: Bool, restoring restore: (CheckpointRecord, FileHeader) throws -> Void,
        _ body: (JournalRecord) throws -> Void
    ) throws -> Recovered {
        // Reads only the header: the next bytes to read may be far from it.
        let pages = try HeaderPages(device, size: size)
        var recovered = Recovered(pages, size: size)
        let (mark, slots) = (pages.mark, pages.slots)
        var records = RecordCursor(
            device, from: recovered.position, size: size, capacity: FileWindow.usualCapacity)
        recovered.slot = slots.first?.index ?? 1
        // A slot is written when the checkpoint is durable, so it proves as much as the mark. While other processes write, a file
        // may not be read to its end. Slots and mark may then be ahead of the records that are read.
        let isWhole = try size >= device.size()
        let marks = isWhole || mark.end <= size ? mark.sequence : 0
        let acknowledged = max(marks, slots.first { isWhole || $0.offset < size }?.sequence ?? 0)
        var checkpointOffset = 0
        if usingCheckpoints, let checkpoint = try records.newestCheckpoint(pages) {
            do {
                try restore(checkpoint.record, recovered.header)
            } catch let flaw as PageFlaw {
                throw JournalError.corrupt(
                    offset: checkpoint.offset, reason: "the checkpoint makes no sense: \(flaw)")
            }
            records.position = LogPosition(atTailOf: checkpoint.record, in: recovered.id)
            checkpointOffset = checkpoint.offset
            // The pages of the checkpoint lie between the commits after its tail. They were durable before the checkpoint.
            try records.skipPages(before: checkpointOffset)
        }
        while let record = try records.next() {
            try record.locatingErrors { try body(record) }
            try records.skipPages(before: checkpointOffset)
        }
        recovered.position = records.position
        guard try records.current() == nil else {
            throw JournalError.corrupt(
                offset: recovered.position.end, reason: "records before this one are missing")
        }
        recovered.tornEnd = try records.checkedTornEnd()
        guard recovered.position.sequence >= acknowledged else {
            throw JournalError.corrupt(
                offset: recovered.position.end,
                reason: """
                    records \(recovered.position.sequence + 1) to \(acknowledged) were acknowledged, and are damaged or missing
                    """)
        }
        recovered.settled = SettledEnd(mark, slots.first)
        return recovered
    }

    /// Returns the newest checkpoint of a device, and the header; nil if there is none.
    static func newestCheckpoint(
        of device: any JournalDevice
    ) throws -> (record: CheckpointRecord, header: FileHeader)? {
        let size = try device.size()
        let pages = try HeaderPages(device, size: size)
        var records = RecordCursor(device, from: LogPosition(beginningOf: pages.header), size: size)
        return try records.newestCheckpoint(pages).map { ($0.record, pages.header) }
    }
}

extension RecordCursor {
    /// Scans from the last record to the end of the device for the remains of one unfinished record. Returns the offset after the
    /// last nonzero byte; at most the end of the last record if there is none.
    ///
    /// - Throws: ``JournalError/corrupt(offset:reason:)`` if there is more damage.
    fileprivate mutating func checkedTornEnd() throws(JournalError) -> Int {
        let (start, number) = (position.end, position.sequence + 1)
        var limit = start + RecordHeader.largestUnannounced
        let bytes = try window.bytes(at: start, count: RecordHeader.size)
        if bytes.count == RecordHeader.size,
            let header = RecordHeader(bytes, journal: position.journal, offset: start),
            header.sequence == number
        {
            // A length beyond the end of the file belongs to a record for which the file was not extended yet.
            limit = start + min(header.recordSize, window.size - start)
        }
        var (offset, tornEnd) = (start, start)
        while offset < window.size {
            // Records begin at multiples of eight bytes.
            guard let contents = try window.device.contents(from: offset) else { break }
            offset = max(offset, contents.lowerBound / 8 * 8)
            if offset >= window.size { break }
            let bytes = try window.available(at: offset)
            // The window can end inside a header: such a header is examined again as a whole.
            let isLast = bytes.count < RecordHeader.size
            let headers = isLast ? 0 : (bytes.count - RecordHeader.size) / 8 + 1
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<(isLast ? bytes.count : headers * 8)])
            if !part.isZero {
                if let later = firstHeader(in: bytes, count: headers, at: offset) {
                    throw .corrupt(
                        offset: start, reason: "record \(number) is damaged, but record \(later) follows")
                }
                tornEnd = offset + part.count - part.reversed().prefix { $0 == 0 }.count
            }
            offset += part.count
        }
        guard tornEnd <= limit else {
            throw .corrupt(
                offset: start, reason: "there is more damage than one unfinished record leaves behind")
        }
        return tornEnd
    }

    /// Returns the sequence number of the first later record whose header is at one of the first `count` words of the bytes.
    private func firstHeader(
        in bytes: UnsafeRawBufferPointer, count: Int, at start: Int
    ) -> UInt64? {
        for index in 0..<count {
            let candidate = UnsafeRawBufferPointer(
                start: bytes.baseAddress! + index * 8, count: RecordHeader.size)
            let offset = start + index * 8
            if offset > position.end,
                let header = RecordHeader(candidate, journal: position.journal, offset: offset),
                header.sequence > position.sequence
            {
                return header.sequence
            }
        }
        return nil
    }

    /// Returns the newest intact checkpoint, and the offset of its record. Usually one of the slots refers to it. If both slots
    /// or their checkpoints are damaged, or of later versions, the records are searched from the first.
    ///
    /// - Parameter version: The latest version that the checkpoint may be of.
    /// - Precondition: The cursor is at the first record. It stays there.
    mutating func newestCheckpoint(
        _ pages: HeaderPages, upTo version: UInt64 = .max
    ) throws -> (record: CheckpointRecord, offset: Int)? {
        for slot in pages.slots {
            guard slot.offset >= FileHeader.size, slot.offset & 7 == 0, slot.offset < window.size else {
                continue
            }
            if let (record, sequence) = try checkpoint(at: slot.offset), sequence == slot.sequence,
                record.commits <= version
            {
                return (record, slot.offset)
            }
        }
        // Earlier format versions have no checkpoints.
        guard pages.header.version >= 3 else { return nil }
        let first = position
        defer { position = first }
        var newest: (record: CheckpointRecord, offset: Int)?
        while let header = try nextHeader() {
            if header.kind == .checkpoint, let (record, _) = try checkpoint(at: position.end) {
                if record.commits > version { break }
                newest = (record, position.end)
            }
            position.pass(header)
        }
        return newest
    }

    private mutating func checkpoint(
        at offset: Int
    ) throws(JournalError) -> (record: CheckpointRecord, sequence: UInt64)? {
        guard let found = try window.record(at: offset, journal: position.journal), found.kind == .checkpoint
        else { return nil }
        do {
            var record = try CheckpointRecord(found.payload)
            // Only when the checkpoint is read, it is known that no commits were appended while it was written.
            if record.tail.sequence == 0 {
                record.tail = .init(offset: found.end, sequence: found.header.sequence)
            }
            guard record.tail.offset >= FileHeader.size, record.tail.offset & 7 == 0,
                record.tail.offset <= found.end, record.tail.sequence <= found.header.sequence
            else { throw JournalError.senseless("it ends behind itself") }
            return (record, found.header.sequence)
        } catch {
            throw .corrupt(offset: offset, reason: "the checkpoint makes no sense: \(error)")
        }
    }
}
