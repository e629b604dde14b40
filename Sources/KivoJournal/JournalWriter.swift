/// The end of a journal, where records are appended.
struct JournalWriter {
    let device: any JournalDevice
    private var header: FileHeader
    var id: UInt64 { header.id }
    /// Where the next record goes.
    var position: LogPosition
    /// The size of the device: what lies between the end and it are zeros, allocated ahead.
    private(set) var size: Int
    /// Which of the two slots of the header has the newest checkpoint.
    private var slot: Int
    /// The newest record that the header is known to say was acknowledged.
    private var markedSequence: UInt64
    /// The newest checkpoint that was made since the journal was opened: the header says as much about it as a mark would.
    private var checkpointSequence: UInt64 = 0
    /// The last record when the journal was opened: a writer that appends nothing writes nothing.
    private let openedSequence: UInt64
    /// How many records it may be behind: with a write to the header a flush takes half as long again.
    static let markInterval: UInt64 = 8
    /// Where a failed append may have written to, until that is undone.
    private var unrestoredEnd: Int?

    init(_ device: any JournalDevice, _ found: Journal.Recovered) {
        self.device = device
        header = found.header
        position = LogPosition(
            end: found.end, sequence: found.sequence, version: found.version, journal: found.id)
        slot = found.slot
        size = found.size
        markedSequence = found.markedSequence
        openedSequence = found.sequence
    }

    /// Writes one record and waits until it is durable. If that fails, takes back what it wrote.
    ///
    /// - Parameter isDurable: Whether to wait. Only a file that nobody can open yet may have records that may be lost.
    mutating func append(
        _ kind: RecordKind, _ payload: UnsafeRawBufferPointer, isDurable: Bool = true
    ) throws(JournalError) {
        try append(kind, count: payload.count, isDurable: isDurable) { _ in payload }
    }

    /// Writes one record whose payload depends on where it lies.
    ///
    /// - Parameter payload: Returns the bytes, which stay valid until the append has returned, for the offset of the first.
    mutating func append(
        _ kind: RecordKind, count: Int, isDurable: Bool = true,
        _ payload: (_ offset: Int) -> UnsafeRawBufferPointer
    ) throws(JournalError) {
        try restore()
        if kind.minimumVersion > header.version {
            var upgraded = header
            upgraded.version = FileHeader.version
            try upgraded.write(to: device)
            header = upgraded
        }
        let header = RecordHeader(
            length: count, kind: kind.rawValue, sequence: position.sequence + 1, journal: id,
            offset: position.end, isNaming: header.namesJournal)
        let recordEnd = position.end + header.recordSize
        var reached = max(size, recordEnd)
        do {
            try write(header, payload(position.end + RecordHeader.size))
            if recordEnd > size { reached = try allocateAhead(from: recordEnd) }
            if isDurable { try device.synchronize() }
            // A record in a file that nobody finds again is lost, however durable it is.
            try device.checkPlace()
        } catch {
            unrestoredEnd = recordEnd
            // If this fails too, it is tried again before the next record.
            try? restore()
            throw error
        }
        size = reached
        position.pass(header)
        if isDurable, position.sequence - markedSequence >= JournalWriter.markInterval { markAcknowledged() }
    }

    /// Goes past records that other processes have written, and that are durable.
    ///
    /// - Parameters:
    ///   - size: How large they have made the device.
    ///   - isMarked: Whether the first page of the header was marked up to the last of them.
    ///   - checkpoint: The number of the newest checkpoint among them; nil if there is none.
    mutating func move(to position: LogPosition, size: Int, isMarked: Bool, checkpoint: UInt64?) {
        self.position = position
        checkpointSequence = checkpoint ?? checkpointSequence
        if isMarked {
            markedSequence = position.sequence
        }
        self.size = max(size, position.end)
    }

    /// Has the header say that the record which was written last is the newest checkpoint.
    ///
    /// - Parameter offset: Where the record begins.
    mutating func markCheckpoint(at offset: Int) throws(JournalError) {
        // Another process may have made one since.
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: header.recordsOffset, alignment: 16)
        defer { bytes.deallocate() }
        if try device.read(into: bytes, at: 0) == bytes.count {
            slot = HeaderPages(UnsafeRawBufferPointer(bytes), header).slots.first?.place ?? slot
        }
        let next = CheckpointSlot(sequence: position.sequence, offset: offset, place: 1 - slot)
        try next.write(to: device, journal: id, page: 0)
        try device.synchronize()
        // The second page is flushed with the next record. Until then it says less, if a loss of power does not destroy it.
        for page in header.pages.dropFirst() { try? next.write(to: device, journal: id, page: page) }
        (slot, checkpointSequence) = (next.place, position.sequence)
    }

    /// Has the header say which record was acknowledged last. The records count with or without it.
    mutating func markAcknowledged() {
        // The second page may not be flushed right after a checkpoint: the first one is not written then.
        guard markedSequence < position.sequence, openedSequence < position.sequence,
            checkpointSequence < position.sequence
        else { return }
        try? AcknowledgedMark(sequence: position.sequence, end: position.end)
            .write(to: device, journal: id)
        markedSequence = position.sequence
    }

    private func write(_ header: RecordHeader, _ payload: UnsafeRawBufferPointer) throws(JournalError) {
        let isSmall = header.recordSize <= RecordHeader.largestUnannounced
        let payloadEnd = RecordHeader.size + header.length
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: isSmall ? header.recordSize : RecordHeader.size + 16, alignment: 16)
        defer { buffer.deallocate() }
        header.encode(into: buffer)
        let checksum = Checksum.of(payload, seed: header.checksum)
        // The zeros that fill up the payload, and the checksum.
        let tail = UnsafeMutableRawBufferPointer(
            rebasing: isSmall ? buffer[payloadEnd...] : buffer[RecordHeader.size...])
        let tailSize = header.recordSize - payloadEnd
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        tail.store(checksum, at: tailSize - 8)
        if isSmall {
            UnsafeMutableRawBufferPointer(rebasing: buffer[RecordHeader.size...]).copyMemory(from: payload)
            try device.write(UnsafeRawBufferPointer(buffer), at: position.end)
        } else {
            try device.write(UnsafeRawBufferPointer(rebasing: buffer[..<RecordHeader.size]), at: position.end)
            try device.synchronize()
            try device.write(payload, at: position.end + RecordHeader.size)
            try device.write(
                UnsafeRawBufferPointer(rebasing: tail[..<tailSize]), at: position.end + payloadEnd)
        }
    }

    /// Fills the device with zeros up to a round size and returns its size. Without space for that it ends
    /// with the record: the last bytes of a full disk are used, too.
    private func allocateAhead(from recordEnd: Int) throws(JournalError) -> Int {
        let step = recordEnd < 1 << 20 ? 1 << 18 : 1 << 20
        let wanted = (recordEnd + step - 1) / step * step
        do {
            try device.writeZeros(recordEnd..<wanted)
            return wanted
        } catch  where error.isNoSpace {
            try device.truncate(to: recordEnd)
            return recordEnd
        }
    }

    /// Makes the device what it was before an append that failed, so that a later opening does not find its
    /// record.
    private mutating func restore() throws(JournalError) {
        guard let unrestoredEnd else { return }
        // Another process has seen to it, and has written since.
        if unrestoredEnd <= position.end { return self.unrestoredEnd = nil }
        do {
            try device.removeRecord(position.end..<unrestoredEnd, allocated: size)
        } catch {
            try device.removeRemains(from: position.end)
            size = position.end
        }
        self.unrestoredEnd = nil
    }
}
