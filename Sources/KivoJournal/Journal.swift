import KivoEngine

/// A durable, append-only sequence of records, each a kind and a payload that mean something only to the
/// caller.
///
/// The device's bytes are drawn in `RecordFormat.swift`. Thread-safe: appends happen one after the other.
public final class Journal: Sendable {
    private let writer: Lock<JournalWriter>
    /// The device that the writer has.
    private let place: Lock<any JournalDevice>
    /// The offset of the first record when the journal was opened.
    let recordsOffset: Int
    /// Whether nothing can be appended.
    public let isReadOnly: Bool
    /// What was put right when the journal was opened; nil if nothing had to be. A journal that is only read is not
    /// changed: this says what was passed over.
    public let recovery: JournalRecovery?

    private init(_ device: any JournalDevice, _ found: Recovered, isReadOnly: Bool) {
        writer = Lock(JournalWriter(device, found))
        place = Lock(device)
        recordsOffset = found.header.recordsOffset
        self.isReadOnly = isReadOnly
        recovery = found.recovery
    }

    deinit { close() }

    /// Opens a journal, handing the payload of every record to `body` in order. An empty device becomes a new
    /// journal.
    ///
    /// The unfinished record that a crash leaves at the end is cut off, and a damaged copy of the header is
    /// written anew; ``recovery`` says so. Nothing else is written, and a journal that is opened for reading
    /// only is not touched at all. O(bytes of the device), or of what comes after its last checkpoint.
    ///
    /// - Parameters:
    ///   - device: Where the bytes are. The journal closes it when it is closed or goes away; if opening
    ///     throws, the device stays open.
    ///   - readOnly: Whether the device is left as it is and ``append(kind:_:)`` throws.
    ///   - end: Where to stop, if another process may be writing behind that.
    ///   - published: The number of a record that was acknowledged, as another process has said; 0 if nobody has.
    ///   - restore: Called before all else with the payload of the newest checkpoint, if there is one. Records that are in
    ///     the checkpoint are passed over then.
    ///   - body: Called with the kind and the payload of each record. The payload is aligned to 8 bytes and
    ///     valid during the call. What it throws is thrown on, and the device is left as it is.
    ///   - check: Called when all records are read and nothing is written yet. What it throws is thrown on.
    /// - Throws: ``JournalError/notAJournal``, ``JournalError/unsupportedVersion(_:)`` or
    ///   ``JournalError/corrupt(offset:reason:)``, with the device left as it is; what the device throws.
    ///   `body` may have been called before: the caller has to discard what it made of the records.
    static func open(
        _ device: any JournalDevice, readOnly: Bool = false, upTo end: Int? = nil,
        acknowledged published: UInt64 = 0, usingCheckpoints: Bool = true,
        restoring restore: (CheckpointRecord, _ journal: UInt64) throws -> Void,
        replaying body: (_ kind: UInt8, _ payload: UnsafeRawBufferPointer) throws -> Void,
        checking check: () throws -> Void = {}
    ) throws -> Journal {
        let size = min(try device.size(), end ?? .max)
        var found: Recovered
        if try isUnused(device, size: size) {
            found = try create(on: device, readOnly: readOnly)
        } else {
            found = try recover(
                device, size: size, usingCheckpoints: usingCheckpoints, restoring: restore, body)
            // Without remains it is an older copy of the file that somebody has put back.
            if !found.isClean, found.sequence < published {
                throw JournalError.corrupt(
                    offset: found.end,
                    reason: "record \(found.sequence + 1) was acknowledged, and is damaged")
            }
            try check()
            try settle(device, found, readOnly: readOnly)
            if !readOnly { try repair(device, &found) }
        }
        return Journal(device, found, isReadOnly: readOnly)
    }

    /// Opens a journal without checkpoints: see ``open(_:readOnly:upTo:usingCheckpoints:restoring:replaying:checking:)``.
    public static func open(
        _ device: any JournalDevice, readOnly: Bool = false,
        replaying body: (_ kind: UInt8, _ payload: UnsafeRawBufferPointer) throws -> Void,
        checking check: () throws -> Void = {}
    ) throws -> Journal {
        try open(
            device, readOnly: readOnly, usingCheckpoints: false, restoring: { _, _ in }, replaying: body,
            checking: check)
    }

    /// Cuts off what a crash left behind, and mends the header.
    private static func repair(_ device: any JournalDevice, _ found: inout Recovered) throws(JournalError) {
        if !found.isClean {
            try device.removeRemains(from: found.end)
            found.size = found.end
        }
        if found.header.isDamaged { try found.pages.repair(device) }
    }

    /// Writes one record and returns when it is durable.
    ///
    /// - Throws: What the device throws, such as ``JournalError/noSpace``; ``JournalError/displaced`` if its
    ///   name leads elsewhere by now; ``JournalError/permissionDenied`` if the journal is read-only. The record is then not in the journal, and later appends work again
    ///   once the reason is gone. Only if the device also refuses to take back what was written, and the
    ///   process ends before it accepts that, a later opening may find the record.
    public func append(kind: UInt8, _ payload: UnsafeRawBufferPointer) throws(JournalError) {
        try write { writer throws(JournalError) in
            try writer.append(RecordKind(rawValue: kind), payload)
        }
    }

    /// Calls `body` with the writer, which nobody else has meanwhile.
    func write<Result: Sendable>(
        _ body: (inout JournalWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        guard !isReadOnly else { throw .permissionDenied }
        return try use(body)
    }

    /// The same, also of a journal that is only read.
    func use<Result: Sendable>(
        _ body: (inout JournalWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try writer.withLock { writer throws(JournalError) in try body(&writer) }
    }

    /// The same, if the journal is still in the file that was meant: another process may have put a compacted one in its place,
    /// with which this one went on. Throws ``JournalError/displaced`` otherwise.
    func write<Result: Sendable>(
        to id: UInt64, _ body: (inout JournalWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try write { writer throws(JournalError) in
            guard writer.id == id else { throw .displaced }
            return try body(&writer)
        }
    }

    /// The identity of the journal.
    var id: UInt64 { writer.withLock { $0.id } }

    /// Where the journal is appended to.
    var position: LogPosition { writer.withLock { $0.position } }

    /// Puts a compacted journal in the place of this one's device, which the caller closes when no commit waits for that: it takes
    /// the system long to free what a large file had that has no name any more.
    ///
    /// - Parameters:
    ///   - finish: Called while nobody writes, with where this one ends; brings the other one up to date.
    ///   - done: Called when the other one is in place, before this one's device is closed.
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
            writer = replacement
            let device = replacement.device
            place.withLock { $0 = device }
            done()
            return old
        }
    }

    /// Goes on with the file that another process put in this one's place. The old device stays open: pages are read from it.
    func adopt(_ replacement: JournalWriter) throws(JournalError) {
        try use { writer throws(JournalError) in
            writer = replacement
            let device = replacement.device
            place.withLock { $0 = device }
        }
    }

    /// Throws ``JournalError/displaced`` if the device's name leads elsewhere by now. Does not wait for a record that is
    /// being written.
    public func checkPlace() throws(JournalError) { try place.withLock { $0 }.checkPlace() }

    /// Closes the device. Appending throws afterwards. Harmless when repeated.
    public func close() {
        writer.withLock { writer in
            if !isReadOnly { markAcknowledged(&writer) }
            writer.device.close()
        }
    }

    /// Has the header say which record was acknowledged last, unless other processes write: they do it then.
    private func markAcknowledged(_ writer: inout JournalWriter) {
        let sharing = writer.device.sharing
        if let sharing, (try? sharing.tryLock()) != true { return }
        defer { sharing?.unlock() }
        // Another process may have written the second page of the header behind a checkpoint, which is not flushed.
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
        header.encode(into: bytes)
        let made = Recovered(HeaderPages(UnsafeRawBufferPointer(bytes), header), size: size)
        if readOnly { return made }
        do {
            try device.write(UnsafeRawBufferPointer(bytes), at: 0)
            try device.synchronize()
        } catch {
            // Part of a header would not be a journal; no bytes are one.
            try? device.truncate(to: 0)
            throw error
        }
        return made
    }
}

extension Journal.Recovered {
    fileprivate var recovery: JournalRecovery? {
        if isClean, !header.isDamaged { return nil }
        return JournalRecovery(
            discardedBytes: end..<max(end, tornEnd), discardedRecord: sequence + 1,
            isHeaderDamaged: header.isDamaged)
    }
}
