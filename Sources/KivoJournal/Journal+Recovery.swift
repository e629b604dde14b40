extension Journal {
    /// What opening found: the state from which records are appended.
    struct Recovered {
        let id: UInt64
        /// Where the next record goes.
        var end = FileHeader.size
        /// The sequence number of the last record, 0 if there is none.
        var sequence: UInt64 = 0
        /// The size of the device.
        var size: Int
        /// Whether there are only zeros from the end on.
        var isClean = true
    }

    /// Whether the device holds nothing: no bytes, or the zeros that a creation that was cut short may leave.
    static func isUnused(_ device: any JournalDevice, size: Int) throws(JournalError) -> Bool {
        guard size <= FileHeader.size else { return false }
        var window = FileWindow(device, size: size)
        return try window.bytes(at: 0, count: size).isZero
    }

    /// Reads all records, in order. Writes nothing.
    static func recover(
        _ device: any JournalDevice, size: Int, _ body: (UInt8, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Recovered {
        var window = FileWindow(device, size: size)
        let header = try FileHeader(try window.bytes(at: 0, count: FileHeader.size))
        var found = Recovered(id: header.id, size: size)
        while try replayRecord(&window, &found, body) {}
        found.isClean = try checkNothingFollows(&window, found)
        return found
    }

    /// Hands out the record at the end of what was found so far. False if there is no intact one.
    private static func replayRecord(
        _ window: inout FileWindow, _ found: inout Recovered,
        _ body: (UInt8, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        let bytes = try window.bytes(at: found.end, count: RecordHeader.size)
        guard bytes.count == RecordHeader.size,
            let header = RecordHeader(bytes, journal: found.id, offset: found.end)
        else { return false }
        guard header.sequence == found.sequence + 1 else {
            throw JournalError.corrupt(offset: found.end, reason: "records before this one are missing")
        }
        guard header.recordSize <= window.size - found.end else { return false }
        let record = try window.bytes(at: found.end, count: header.recordSize)
        let padded = UnsafeRawBufferPointer(rebasing: record[RecordHeader.size...].dropLast(8))
        guard record.number(at: record.count - 8) == Checksum.of(padded, seed: header.checksum) else {
            return false
        }
        try body(header.kind, UnsafeRawBufferPointer(rebasing: padded[..<header.length]))
        found.end += header.recordSize
        found.sequence = header.sequence
        return true
    }

    /// Looks from the last intact record to the end of the file. A later record is proof of damage, and
    /// thrown. Returns whether there are only zeros.
    private static func checkNothingFollows(
        _ window: inout FileWindow, _ found: Recovered
    ) throws(JournalError) -> Bool {
        var isClean = true
        var offset = found.end
        while offset < window.size {
            let bytes = try window.available(at: offset)
            if bytes.count < RecordHeader.size { return bytes.isZero && isClean }
            // The window ends anywhere: a header that it cuts is looked at again, whole.
            let headers = (bytes.count - RecordHeader.size) / 8 + 1
            if !UnsafeRawBufferPointer(rebasing: bytes[..<(headers * 8)]).isZero {
                isClean = false
                try checkNoHeader(in: bytes, count: headers, at: offset, found)
            }
            offset += headers * 8
        }
        return isClean
    }

    /// Throws if there is the header of a record at one of the first `count` words.
    private static func checkNoHeader(
        in bytes: UnsafeRawBufferPointer, count: Int, at start: Int, _ found: Recovered
    ) throws(JournalError) {
        for index in 0..<count {
            let candidate = UnsafeRawBufferPointer(
                start: bytes.baseAddress! + index * 8, count: RecordHeader.size)
            let offset = start + index * 8
            guard offset > found.end,
                let header = RecordHeader(candidate, journal: found.id, offset: offset),
                header.sequence > found.sequence
            else { continue }
            throw .corrupt(
                offset: found.end,
                reason: "record \(found.sequence + 1) is damaged, but record \(header.sequence) follows")
        }
    }
}
