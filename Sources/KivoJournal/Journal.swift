import KivoEngine

/// A durable, append-only sequence of records, each a kind and a payload that mean something only to the
/// caller.
///
/// The device's bytes are drawn in `RecordFormat.swift`. Thread-safe: appends happen one after the other.
public final class Journal: Sendable {
    private let writer: Lock<JournalWriter>
    /// Whether nothing can be appended.
    public let isReadOnly: Bool

    private init(_ device: any JournalDevice, _ found: Recovered, isReadOnly: Bool) {
        writer = Lock(JournalWriter(device, found))
        self.isReadOnly = isReadOnly
    }

    deinit { close() }

    /// Opens a journal, handing the payload of every record to `body` in order. An empty device becomes a new
    /// journal.
    ///
    /// The damaged record that a crash leaves at the end is cut off; it was never acknowledged. Nothing else
    /// is written, and a journal that is opened for reading only is not touched at all. O(bytes of the
    /// device).
    ///
    /// - Parameters:
    ///   - device: Where the bytes are. The journal closes it when it is closed or goes away; if opening
    ///     throws, the device stays open.
    ///   - readOnly: Whether the device is left as it is and ``append(kind:_:)`` throws.
    ///   - body: Called with the kind and the payload of each record. The payload is aligned to 8 bytes and
    ///     valid during the call. What it throws is thrown on, and the device is left as it is.
    /// - Throws: ``JournalError/notAJournal``, ``JournalError/unsupportedVersion(_:)`` or
    ///   ``JournalError/corrupt(offset:reason:)``, with the device left as it is; what the device throws.
    ///   `body` may have been called before: the caller has to discard what it made of the records.
    public static func open(
        _ device: any JournalDevice, readOnly: Bool = false,
        replaying body: (_ kind: UInt8, _ payload: UnsafeRawBufferPointer) throws -> Void
    ) throws -> Journal {
        let size = try device.size()
        var found: Recovered
        if try isUnused(device, size: size) {
            found = try create(on: device, readOnly: readOnly)
        } else {
            found = try recover(device, size: size, body)
            if !found.isClean, !readOnly {
                try device.truncate(to: found.end)
                try device.synchronize()
                found.size = found.end
            }
        }
        return Journal(device, found, isReadOnly: readOnly)
    }

    /// Writes one record and returns when it is durable.
    ///
    /// - Throws: What the device throws, such as ``JournalError/noSpace``; ``JournalError/permissionDenied``
    ///   if the journal is read-only. The record is then not in the journal, and later appends work again
    ///   once the reason is gone. Only if the device also refuses to take back what was written, and the
    ///   process ends before it accepts that, a later opening may find the record.
    public func append(kind: UInt8, _ payload: UnsafeRawBufferPointer) throws(JournalError) {
        guard !isReadOnly else { throw .permissionDenied }
        try writer.withLock { writer throws(JournalError) in try writer.append(kind, payload) }
    }

    /// Closes the device. Appending throws afterwards. Harmless when repeated.
    public func close() {
        writer.withLock { $0.device.close() }
    }

    /// Writes the header of a new journal.
    private static func create(
        on device: any JournalDevice, readOnly: Bool
    ) throws(JournalError) -> Recovered {
        let header = FileHeader()
        guard !readOnly else { return Recovered(id: header.id, size: FileHeader.size) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: FileHeader.size, alignment: 16)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        header.encode(into: bytes)
        do {
            try device.write(UnsafeRawBufferPointer(bytes), at: 0)
            try device.synchronize()
        } catch {
            // Part of a header would not be a journal; no bytes are one.
            try? device.truncate(to: 0)
            throw error
        }
        return Recovered(id: header.id, size: FileHeader.size)
    }
}
