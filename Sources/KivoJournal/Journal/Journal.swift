import KivoEngine

/// A durable, append-only sequence of records. Each is a kind and a payload that only the caller interprets.
///
/// `RecordFormat.swift` shows the layout of the device's bytes. Thread-safe: appends happen one after the other.
package final class Journal: Sendable {
    private let writer: Lock<JournalWriter>
    /// The file of the writer, which can be read without waiting for a record that is being written. ``replace(_:by:)`` changes
    /// both.
    private let current: Lock<JournalFile>
    /// The offset of the first record when the journal was opened.
    let recordsOffset: Int
    /// A Boolean value that indicates whether the journal is read-only.
    package let isReadOnly: Bool
    /// The repairs that were made when the journal was opened; nil if none were necessary. A read-only journal is not changed:
    /// the value then describes what was skipped.
    package let recovery: JournalRecovery?

    private init(_ device: any JournalDevice, _ recovered: Recovered, isReadOnly: Bool) {
        let writer = JournalWriter(device, recovered)
        self.writer = Lock(writer)
        current = Lock(writer.file)
        recordsOffset = recovered.header.recordsOffset
        self.isReadOnly = isReadOnly
        recovery = recovered.recovery
    }

    deinit { close() }

    /// Recovers a journal and calls `body` with the payload of every record in order. An empty device becomes a new journal.
    ///
    /// The unfinished record that a crash leaves at the end is cut off, and a damaged copy of the header is rewritten;
    /// ``recovery`` reports both. Nothing else is written, and a journal that is opened for reading only is not changed at all.
    /// O(bytes of the device), or of the part after its last checkpoint.
    ///
    /// - Parameters:
    ///   - device: The device that stores the bytes. The journal closes it on ``close()`` or when it is deinitialised; if opening
    ///     throws, the device stays open.
    ///   - readOnly: Whether the device stays unchanged and ``append(kind:_:)`` throws.
    ///   - end: The offset at which to stop, if another process may be writing after it.
    ///   - published: The end that another process has published; nil if it is unknown. It counts only for this journal.
    ///   - restore: Called before `body` with the newest checkpoint, if there is one. Records that the checkpoint includes are
    ///     then skipped.
    ///   - body: Called with each record, whose payload is valid during the call. Errors are rethrown, and the device stays
    ///     unchanged.
    ///   - check: Called with the identity of the journal when all records are read and nothing is written yet. Errors are
    ///     rethrown.
    /// - Throws: ``JournalError/notAJournal``, ``JournalError/unsupportedVersion(_:)`` or
    ///   ``JournalError/corrupt(offset:reason:)``, with the device unchanged; any error of the device. `body` may have been
    ///   called before: the caller must then discard the results.
    static func recover(
        _ device: any JournalDevice, readOnly: Bool = false, upTo end: Int? = nil,
        published: PublishedEnd? = nil, usingCheckpoints: Bool = true,
        restoring restore: (CheckpointRecord, FileHeader) throws -> Void,
        replaying body: (JournalRecord) throws -> Void,
        checking check: (_ journal: UInt64) throws -> Void = { _ in }
    ) throws -> Journal {
        let size = min(try device.size(), end ?? .max)
        var recovered: Recovered
        if try isUnused(device, size: size) {
            recovered = try create(on: device, readOnly: readOnly)
        } else {
            recovered = try read(
                device, size: size, usingCheckpoints: usingCheckpoints, restoring: restore, body)
            // If nothing follows the last record, the file is an older copy that was restored.
            if !recovered.isClean, let published, published.journal == recovered.id,
                recovered.position.sequence < published.sequence
            {
                throw JournalError.corrupt(
                    offset: recovered.position.end,
                    reason: "record \(recovered.position.sequence + 1) was acknowledged, and is damaged")
            }
            try check(recovered.id)
            try settle(device, recovered, readOnly: readOnly)
            if !readOnly { try repair(device, &recovered) }
        }
        return Journal(device, recovered, isReadOnly: readOnly)
    }

    /// Opens a journal without checkpoints: see
    /// ``recover(_:readOnly:upTo:published:usingCheckpoints:restoring:replaying:checking:)``.
    package static func open(
        _ device: any JournalDevice, readOnly: Bool = false,
        replaying body: (_ kind: UInt8, _ payload: UnsafeRawBufferPointer) throws -> Void,
        checking check: () throws -> Void = {}
    ) throws -> Journal {
        try recover(
            device, readOnly: readOnly, usingCheckpoints: false, restoring: { _, _ in },
            replaying: { try body($0.kind.rawValue, $0.payload) },
            checking: { _ in try check() })
    }

    /// Cuts off the remains of a crash, and repairs the header.
    private static func repair(_ device: any JournalDevice, _ recovered: inout Recovered) throws(JournalError)
    {
        if !recovered.isClean {
            try device.removeRemains(from: recovered.position.end)
            recovered.size = recovered.position.end
        }
        if recovered.header.isDamaged { try recovered.pages.repair(device) }
    }

    /// Writes one record and returns when it is durable.
    ///
    /// - Throws: Any error of the device, for example ``JournalError/noSpace``; ``JournalError/displaced`` if the device's name
    ///   now leads elsewhere; ``JournalError/permissionDenied`` if the journal is read-only. The record is then not in the
    ///   journal, and later appends succeed once the cause is gone. A later opening can find the record only if the device also
    ///   refuses to remove it until the process ends.
    package func append(kind: UInt8, _ payload: UnsafeRawBufferPointer) throws(JournalError) {
        try write { writer throws(JournalError) in
            try writer.append(RecordKind(rawValue: kind), payload)
        }
    }

    /// Calls `body` with exclusive access to the writer.
    ///
    /// - Parameter id: The identity of the journal to write; nil for any.
    /// - Throws: ``JournalError/permissionDenied`` if the journal is read-only; ``JournalError/displaced`` if the journal is no
    ///   longer in that file: another process may have replaced the file with a compacted one, which this journal has adopted.
    func write<Result: Sendable>(
        to id: UInt64? = nil, _ body: (inout JournalWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        guard !isReadOnly else { throw .permissionDenied }
        return try use { writer throws(JournalError) in
            guard id == nil || writer.id == id else { throw .displaced }
            return try body(&writer)
        }
    }

    /// Calls `body` with exclusive access to the writer, which first advances past the records of other processes.
    ///
    /// - Parameters:
    ///   - id: The identity of the journal to write; nil for any.
    ///   - isAtEnd: Whether no other process can have appended since the writer last advanced.
    /// - Precondition: If other processes can have the file open, the caller holds their lock.
    /// - Throws: The errors of ``write(to:_:)``; any error of the device.
    func writeAtEnd<Result: Sendable>(
        to id: UInt64? = nil, isAtEnd: Bool = false,
        _ body: (inout JournalWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try write(to: id) { writer throws(JournalError) in
            if !isAtEnd, writer.device.sharing != nil {
                try writer.updateVersion()
                try writer.advance()
            }
            return try body(&writer)
        }
    }

    /// Calls `body` with exclusive access to the writer, even if the journal is read-only.
    func use<Result: Sendable>(
        _ body: (inout JournalWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try writer.withLock { writer throws(JournalError) in try body(&writer) }
    }

    /// The file to which records are appended now. Another one takes its place when the journal is compacted.
    var file: JournalFile { current.withLock { $0 } }

    /// The position at which the journal is appended to.
    var position: LogPosition { writer.withLock { $0.position } }

    /// Replaces this journal's device with that of a compacted journal, and returns the old device. The caller closes it when no
    /// commit waits for that: the system takes long to free the space of a large file that no longer has a name.
    ///
    /// - Parameters:
    ///   - finish: Called while no other thread or process writes, with the end of this journal; copies the remaining records to
    ///     the other one.
    ///   - done: Called when the other journal is in place, before this one's device is closed.
    func replace(
        by replacement: JournalWriter,
        _ finish: (inout JournalWriter, _ end: LogPosition) throws(JournalError) -> Void,
        afterwards done: () -> Void
    ) throws(JournalError) -> any JournalDevice {
        try write { writer throws(JournalError) in
            var replacement = replacement
            try finish(&replacement, writer.position)
            try replacement.device.synchronize()
            try writer.device.replace(by: replacement.device)
            let old = writer.device
            replace(&writer, by: replacement)
            done()
            return old
        }
    }

    /// Continues with the file by which another process replaced this one. The old device stays open, because pages are read from
    /// it.
    func adopt(_ replacement: JournalWriter) throws(JournalError) {
        try use { writer throws(JournalError) in replace(&writer, by: replacement) }
    }

    /// Replaces the writer, and with it the file.
    private func replace(_ writer: inout JournalWriter, by replacement: JournalWriter) {
        writer = replacement
        let file = replacement.file
        current.withLock { $0 = file }
    }

    /// Throws ``JournalError/displaced`` if the device's name now leads elsewhere. Does not wait for a record that is being
    /// written.
    package func checkName() throws(JournalError) { try file.device.checkName() }

    /// Closes the device. Appending throws afterwards. Harmless when repeated.
    package func close() {
        writer.withLock { writer in
            if !isReadOnly { markAcknowledged(&writer) }
            writer.device.close()
        }
    }

    /// Marks the last record as acknowledged in the header, unless another process holds the lock: it then marks the record
    /// itself.
    private func markAcknowledged(_ writer: inout JournalWriter) {
        let sharing = writer.device.sharing
        if let sharing, (try? sharing.tryLock()) != true { return }
        defer { sharing?.unlock() }
        // The header may be one of a later version by now.
        if sharing != nil, (try? writer.updateVersion()) == nil { return }
        // Another process may have written the second page of the header after a checkpoint, without a flush.
        if (try? writer.hasMore(at: writer.position.end)) == false { writer.markAcknowledged() }
    }

    /// Writes the header of a new journal.
    static func create(
        on device: any JournalDevice, readOnly: Bool
    ) throws(JournalError) -> Recovered {
        let header = FileHeader()
        let size = header.recordsOffset
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        do {
            // Zeros first: a loss of power then leaves no part of a header in a file that is too short, which would be damaged.
            if !readOnly { try device.write(UnsafeRawBufferPointer(bytes), at: 0) }
            header.encode(into: bytes)
            let made = Recovered(HeaderPages(UnsafeRawBufferPointer(bytes), header), size: size)
            if readOnly { return made }
            try device.write(UnsafeRawBufferPointer(bytes), at: 0)
            try device.synchronize()
            return made
        } catch {
            // Part of a header is not a valid journal, but an empty device is.
            try? device.truncate(to: 0)
            throw error
        }
    }
}

extension Journal.Recovered {
    fileprivate var recovery: JournalRecovery? {
        if isClean, !header.isDamaged { return nil }
        return JournalRecovery(
            discardedBytes: position.end..<max(position.end, tornEnd), discardedRecord: position.sequence + 1,
            isHeaderDamaged: header.isDamaged)
    }
}

/// A file that a journal is in.
struct JournalFile: Sendable {
    let device: any JournalDevice
    /// The identity of the journal.
    let id: UInt64
}

/// The repairs that were made when a journal was opened.
package struct JournalRecovery: Sendable, Equatable {
    /// The bytes of an unfinished record, from its beginning to its last nonzero byte; empty if there was none.
    package var discardedBytes: Range<Int>
    /// The number that the record would have had, counted from 1.
    package var discardedRecord: UInt64
    /// A Boolean value that indicates whether one of the two copies of the file's header was damaged.
    package var isHeaderDamaged: Bool
}
