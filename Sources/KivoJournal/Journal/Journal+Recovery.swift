import KivoEngine

extension Journal {
    /// The result of opening: the state from which records are appended.
    struct Recovered {
        let pages: HeaderPages
        /// The offset of the next record.
        var end: Int
        /// The sequence number of the last record; 0 if there is none.
        var sequence: UInt64 = 0
        /// The number of commits, including those that are only in the checkpoint.
        var version: UInt64 = 0
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
            (end, tornEnd) = (pages.header.recordsOffset, pages.header.recordsOffset)
        }

        var header: FileHeader { pages.header }
        /// The record that was acknowledged according to the header; 0 if the header has no mark.
        var markedSequence: UInt64 { pages.mark.sequence }
        var id: UInt64 { header.id }
        /// Whether there are only zeros after the end.
        var isClean: Bool { tornEnd <= end }
    }

    /// Returns whether the device is empty: no bytes, or only the remains of an interrupted creation.
    static func isUnused(_ device: any JournalDevice, size: Int) throws(JournalError) -> Bool {
        guard size <= FileHeader.largestSize else { return false }
        var window = FileWindow(device, size: size)
        let bytes = try window.bytes(at: 0, count: size)
        return bytes.isZero || FileHeader.isBegun(bytes)
    }

    /// Reads the newest checkpoint and the records that it does not include, or all records, in order. Writes nothing.
    static func recover(
        _ device: any JournalDevice, size: Int,
        usingCheckpoints: Bool, restoring restore: (CheckpointRecord, _ journal: UInt64) throws -> Void,
        _ body: (UInt8, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Recovered {
        // Reads only the header: the next bytes to read may be far from it.
        let pages = try HeaderPages(device, size: size)
        var found = Recovered(pages, size: size)
        let (mark, slots) = (pages.mark, pages.slots)
        var window = FileWindow(device, size: size)
        found.slot = slots.first?.place ?? 1
        // A slot is written when the checkpoint is durable, so it proves as much as the mark. While other processes write, a file
        // may not be read to its end. Slots and mark may then be ahead of the records that are read.
        let isWhole = try size >= device.size()
        let marks = isWhole || mark.end <= size ? mark.sequence : 0
        let acknowledged = max(marks, slots.first { isWhole || $0.offset < size }?.sequence ?? 0)
        var skipped = 0
        if usingCheckpoints, let checkpoint = try window.checkpoint(slots, found) {
            do {
                try restore(checkpoint.record, found.id)
            } catch let flaw as PageFlaw {
                throw JournalError.corrupt(
                    offset: checkpoint.offset, reason: "the checkpoint makes no sense: \(flaw)")
            }
            (found.end, found.sequence) = (checkpoint.record.tail.offset, checkpoint.record.tail.sequence)
            found.version = checkpoint.record.commits
            skipped = checkpoint.offset
            try window.skipPages(before: skipped, &found)
        }
        while let record = try window.record(at: found.end, journal: found.id) {
            guard record.header.sequence == found.sequence + 1 else {
                throw JournalError.corrupt(offset: found.end, reason: "records before this one are missing")
            }
            do {
                try body(record.header.kind, record.payload)
            } catch JournalError.corrupt(let offset, let reason) {
                throw JournalError.corrupt(
                    offset: found.end + RecordHeader.size + offset,
                    reason: "in record \(record.header.sequence), \(reason)")
            }
            found.end += record.header.recordSize
            found.sequence = record.header.sequence
            if RecordKind(rawValue: record.header.kind).isData { found.version += 1 }
            if found.end < skipped { try window.skipPages(before: skipped, &found) }
        }
        try checkTail(&window, &found)
        guard found.sequence >= acknowledged else {
            throw JournalError.corrupt(
                offset: found.end,
                reason: """
                    records \(found.sequence + 1) to \(acknowledged) were acknowledged, and are damaged or missing
                    """)
        }
        found.settled = SettledEnd(mark, slots.first)
        return found
    }

    /// Returns the newest checkpoint of a device, and the identity of the journal; nil if there is none.
    static func newestCheckpoint(
        of device: any JournalDevice
    ) throws -> (record: CheckpointRecord, journal: UInt64)? {
        let size = try device.size()
        var window = FileWindow(device, size: size, capacity: 1 << 14)
        let found = Recovered(try HeaderPages(device, size: size), size: size)
        return try window.checkpoint(found.pages.slots, found).map { ($0.record, found.id) }
    }

    /// Scans from the last intact record to the end of the file for the remains of one unfinished record. Anything beyond that is
    /// damage, and throws.
    private static func checkTail(
        _ window: inout FileWindow, _ found: inout Recovered
    ) throws(JournalError) {
        var limit = found.end + RecordHeader.largestUnannounced
        let bytes = try window.bytes(at: found.end, count: RecordHeader.size)
        if bytes.count == RecordHeader.size,
            let header = RecordHeader(bytes, journal: found.id, offset: found.end),
            header.sequence == found.sequence + 1
        {
            // A length beyond the end of the file belongs to a record for which the file was not extended yet.
            limit = found.end + min(header.recordSize, window.size - found.end)
        }
        var offset = found.end
        while offset < window.size {
            let bytes = try window.available(at: offset)
            // The window can end inside a header: such a header is examined again as a whole.
            let isLast = bytes.count < RecordHeader.size
            let headers = isLast ? 0 : (bytes.count - RecordHeader.size) / 8 + 1
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<(isLast ? bytes.count : headers * 8)])
            if !part.isZero {
                if let later = window.firstHeader(in: bytes, count: headers, at: offset, after: found) {
                    throw .corrupt(
                        offset: found.end,
                        reason: "record \(found.sequence + 1) is damaged, but record \(later) follows")
                }
                found.tornEnd = offset + part.count - part.reversed().prefix { $0 == 0 }.count
            }
            offset += part.count
        }
        guard found.tornEnd <= limit else {
            throw .corrupt(
                offset: found.end, reason: "there is more damage than one unfinished record leaves behind")
        }
    }
}

extension FileWindow {
    /// Returns the record at an offset, or nil if there is no intact one. The payload is valid until the next call.
    mutating func record(
        at offset: Int, journal: UInt64
    ) throws(JournalError) -> (header: RecordHeader, payload: UnsafeRawBufferPointer)? {
        let bytes = try bytes(at: offset, count: RecordHeader.size)
        guard bytes.count == RecordHeader.size,
            let header = RecordHeader(bytes, journal: journal, offset: offset),
            header.length <= size - offset, header.recordSize <= size - offset
        else { return nil }
        let record = try self.bytes(at: offset, count: header.recordSize)
        let padded = UnsafeRawBufferPointer(rebasing: record[RecordHeader.size...].dropLast(8))
        guard record.number(at: record.count - 8) == Checksum.of(padded, seed: header.checksum) else {
            return nil
        }
        return (header, UnsafeRawBufferPointer(rebasing: padded[..<header.length]))
    }

    /// Returns the header at the end, if it has the next sequence number.
    fileprivate func header(
        after found: Journal.Recovered, _ device: any JournalDevice
    ) throws(JournalError) -> RecordHeader? {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var count = 0
        let end = found.end
        try withUnsafeMutableBytes(of: &words) { bytes throws(JournalError) in
            count = try device.read(into: bytes, at: end)
        }
        guard count == RecordHeader.size else { return nil }
        return withUnsafeBytes(of: words) { bytes in
            RecordHeader(bytes, journal: found.id, offset: end)
        }.flatMap { $0.sequence == found.sequence + 1 ? $0 : nil }
    }

    /// Returns the newest intact checkpoint, and the offset of its record. Usually one of the slots refers to it. If both slots
    /// or their checkpoints are damaged, all records are searched from the first.
    fileprivate mutating func checkpoint(
        _ slots: [CheckpointSlot], _ found: Journal.Recovered
    ) throws -> (record: CheckpointRecord, offset: Int)? {
        for slot in slots {
            guard slot.offset >= FileHeader.size, slot.offset & 7 == 0, slot.offset < size else { continue }
            if let record = try checkpoint(at: slot.offset, found), record.sequence == slot.sequence {
                return (record.record, slot.offset)
            }
        }
        // Earlier format versions have no checkpoints.
        guard found.header.version >= 3 else { return nil }
        var place = found
        var newest: (record: CheckpointRecord, offset: Int)?
        while let header = try header(after: place, device) {
            if header.kind == RecordKind.checkpoint.rawValue,
                let record = try checkpoint(at: place.end, found)
            {
                newest = (record.record, place.end)
            }
            guard header.length <= size - place.end, header.recordSize <= size - place.end else { break }
            (place.end, place.sequence) = (place.end + header.recordSize, header.sequence)
        }
        return newest
    }

    private mutating func checkpoint(
        at offset: Int, _ found: Journal.Recovered
    ) throws(JournalError) -> (record: CheckpointRecord, sequence: UInt64)? {
        guard let (header, payload) = try record(at: offset, journal: found.id),
            header.kind == RecordKind.checkpoint.rawValue
        else { return nil }
        do {
            var record = try CheckpointRecord(payload)
            // Only when the checkpoint is read, it is known that no commits were appended while it was written.
            if record.tail.sequence == 0 {
                record.tail = .init(offset: offset + header.recordSize, sequence: header.sequence)
            }
            guard record.tail.offset >= FileHeader.size, record.tail.offset & 7 == 0,
                record.tail.offset <= offset + header.recordSize, record.tail.sequence <= header.sequence
            else { throw JournalError.senseless("it ends behind itself") }
            return (record, header.sequence)
        } catch {
            throw .corrupt(offset: offset, reason: "the checkpoint makes no sense: \(error)")
        }
    }

    /// Skips the pages of a checkpoint that lie between the commits after it: they were durable before the checkpoint.
    fileprivate func skipPages(
        before offset: Int, _ found: inout Journal.Recovered
    ) throws(JournalError) {
        while found.end < offset, let header = try header(after: found, device),
            header.kind == RecordKind.pages.rawValue, header.recordSize <= offset - found.end
        {
            (found.end, found.sequence) = (found.end + header.recordSize, header.sequence)
        }
    }

    /// Returns the sequence number of the first later record whose header is at one of the first `count` words of the bytes.
    fileprivate func firstHeader(
        in bytes: UnsafeRawBufferPointer, count: Int, at start: Int, after found: Journal.Recovered
    ) -> UInt64? {
        for index in 0..<count {
            let candidate = UnsafeRawBufferPointer(
                start: bytes.baseAddress! + index * 8, count: RecordHeader.size)
            let offset = start + index * 8
            if offset > found.end,
                let header = RecordHeader(candidate, journal: found.id, offset: offset),
                header.sequence > found.sequence
            {
                return header.sequence
            }
        }
        return nil
    }
}
