/// The writer that appends records to the end of a journal.
struct JournalWriter {
    let device: any JournalDevice
    private var header: FileHeader
    var id: UInt64 { header.id }
    var file: JournalFile { JournalFile(device: device, id: id) }
    /// The position of the next record.
    var position: LogPosition
    /// The size of the device. The bytes between the end and the size are zeros that were allocated ahead.
    private(set) var size: Int
    /// The slot of the header, 0 or 1, that has the newest checkpoint.
    private var slot: Int
    /// The newest record that is marked as acknowledged in the header.
    private var markedSequence: UInt64
    /// The newest checkpoint since the journal was opened. Its slot in the header proves as much as a mark.
    private var checkpointSequence: UInt64 = 0
    /// The last record when the journal was opened. A writer that appends no record writes no mark.
    private let openedSequence: UInt64
    /// The number of records after which the mark is updated: with a write to the header a flush takes half as long again.
    static let markInterval: UInt64 = 8
    /// The end of the bytes that a failed append may have written; nil once they are removed.
    private var unrestoredEnd: Int?

    init(_ device: any JournalDevice, _ recovered: Journal.Recovered) {
        self.device = device
        header = recovered.header
        position = recovered.position
        slot = recovered.slot
        size = recovered.size
        markedSequence = recovered.pages.mark.sequence
        openedSequence = recovered.position.sequence
    }

    /// Writes one record and waits until it is durable. If that fails, removes what it wrote.
    ///
    /// - Parameter isDurable: Whether to wait. False only for a file that no process can open yet, whose records may be lost.
    mutating func append(
        _ kind: RecordKind, _ payload: UnsafeRawBufferPointer, isDurable: Bool = true
    ) throws(JournalError) {
        try append(kind, count: payload.count, isDurable: isDurable) { _ in payload }
    }

    /// Takes over the version that another program has given the journal.
    ///
    /// - Precondition: No other process can write.
    /// - Throws: ``JournalError/unsupportedVersion(_:)`` if it is a later version than this program knows: it would take records of
    ///   that version for those that a killed process left incomplete, and remove them.
    mutating func updateVersion() throws(JournalError) {
        if let version = try FileHeader.version(of: device), version > header.version {
            header.version = version
        }
    }

    /// Whether the journal has an earlier format than the one that is written.
    var isOld: Bool { header.version < FileHeader.version }

    /// Gives the journal the format that is written, if no other process has it open: a program of the earlier format would take
    /// the next records for those that a killed process left incomplete, and remove them. Returns whether it has the format.
    ///
    /// - Precondition: No other process can write.
    mutating func upgrade() throws(JournalError) -> Bool {
        if !isOld { return true }
        var upgraded = header
        upgraded.version = FileHeader.version
        let isDone = try device.whileAlone { () throws(JournalError) in try upgraded.write(to: device) }
        if isDone { header = upgraded }
        return isDone
    }

    /// The reason why an old journal is not upgraded.
    static let otherProgram =
        "another program has the file open, which has an earlier format. Close that program, so that it does not lose what "
        + "this one writes"

    /// Writes one record whose payload depends on its offset.
    ///
    /// - Parameter payload: Returns the bytes for the offset of the first one. They stay valid until the append has returned.
    mutating func append(
        _ kind: RecordKind, count: Int, isDurable: Bool = true,
        _ payload: (_ offset: Int) -> UnsafeRawBufferPointer
    ) throws(JournalError) {
        try restore()
        if kind.minimumVersion > header.version, try !upgrade() { throw .refused(JournalWriter.otherProgram) }
        let header = RecordHeader(
            length: count, kind: kind, sequence: position.sequence + 1, journal: id,
            offset: position.end, isNaming: header.namesJournal)
        let recordEnd = position.end + header.recordSize
        var reached = max(size, recordEnd)
        do {
            try write(header, payload(position.end + RecordHeader.size))
            if recordEnd > size { reached = try allocateAhead(from: recordEnd) }
            if isDurable { try device.synchronize() }
            // A record in a file that has lost its name is lost, however durable it is.
            try device.checkName()
        } catch {
            unrestoredEnd = recordEnd
            // If this fails too, the next append tries again before its record.
            try? restore()
            throw error
        }
        size = reached
        position.pass(header)
        if isDurable, position.sequence - markedSequence >= JournalWriter.markInterval { markAcknowledged() }
    }

    /// Advances past records that other processes have written, and that are durable.
    ///
    /// - Parameters:
    ///   - size: The size of the device, which the other processes may have enlarged.
    ///   - isMarked: Whether the first page of the header has a mark for the last of the records.
    ///   - checkpoint: The number of the newest checkpoint among the records; nil if there is none.
    mutating func move(to position: LogPosition, size: Int, isMarked: Bool, checkpoint: UInt64?) {
        self.position = position
        checkpointSequence = checkpoint ?? checkpointSequence
        if isMarked {
            markedSequence = position.sequence
        }
        self.size = max(size, position.end)
    }

    /// Marks the last record in the header as the newest checkpoint.
    ///
    /// - Parameter offset: The offset of the record.
    mutating func markCheckpoint(at offset: Int) throws(JournalError) {
        // Another process may have made a checkpoint since.
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: header.recordsOffset, alignment: 16)
        defer { bytes.deallocate() }
        // A device that only counts what is written to it returns no bytes.
        if try device.read(into: bytes, at: 0) == bytes.count {
            slot = HeaderPages(UnsafeRawBufferPointer(bytes), header).slots.first?.index ?? slot
        }
        let next = CheckpointSlot(sequence: position.sequence, offset: offset, index: 1 - slot)
        try next.write(to: device, journal: id, page: 0)
        try device.synchronize()
        // The second page is flushed with the next record. Until then a loss of power may destroy it or leave the older
        // checkpoint.
        for page in header.pages.dropFirst() { try? next.write(to: device, journal: id, page: page) }
        (slot, checkpointSequence) = (next.index, position.sequence)
    }

    /// Marks the last record in the header as acknowledged. The records are valid with or without the mark.
    mutating func markAcknowledged() {
        // The second page may not be flushed yet after a checkpoint, so the first one must not be written then.
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
        // The zeros that pad the payload, and the checksum.
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

    /// Fills the device with zeros up to a round size and returns the new size. If there is no space, the device ends with the
    /// record, so that the last bytes of a full disk are used too.
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

    /// Releases the space that was allocated ahead. The next append allocates it again.
    mutating func releaseSpaceAhead() throws(JournalError) {
        try restore()
        guard size > position.end else { return }
        try device.truncate(to: position.end)
        size = position.end
    }

    /// Restores the device to its state before a failed append, so that a later opening does not find the record.
    private mutating func restore() throws(JournalError) {
        guard let unrestoredEnd else { return }
        // Another process has removed the bytes, and has written since.
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
