/// A mark in the header that says how many records were acknowledged at least.
///
/// It is written when a journal is closed, and at intervals before, after a record is durable. It is flushed with the next
/// record, so that it needs no flush of its own. After a crash it can be some records behind, never ahead. A mark with a wrong
/// checksum is ignored.
struct AcknowledgedMark: Equatable {
    static let offset = 512
    static let size = 24

    /// The sequence number of the acknowledged record; 0 if none is known.
    var sequence: UInt64 = 0
    /// The offset at which the record ends.
    var end: UInt64 = 0

    /// The mark of a journal without records.
    init() {}

    init(sequence: UInt64, end: Int) {
        self.sequence = sequence
        self.end = UInt64(end)
    }

    /// Reads the mark from a journal's header.
    init(_ header: UnsafeRawBufferPointer, journal: UInt64) {
        let bytes = UnsafeRawBufferPointer(
            rebasing: header[AcknowledgedMark.offset..<AcknowledgedMark.offset + AcknowledgedMark.size])
        guard bytes.number(at: 16) == AcknowledgedMark.checksum(bytes, journal) else { return }
        (sequence, end) = (bytes.number(at: 0), bytes.number(at: 8))
    }

    /// Writes the mark, and does not wait until it is durable.
    func write(to device: any JournalDevice, journal: UInt64) throws(JournalError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: AcknowledgedMark.size, alignment: 16)
        defer { bytes.deallocate() }
        bytes.store(sequence, at: 0)
        bytes.store(end, at: 8)
        bytes.store(AcknowledgedMark.checksum(UnsafeRawBufferPointer(bytes), journal), at: 16)
        try device.write(UnsafeRawBufferPointer(bytes), at: AcknowledgedMark.offset)
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ journal: UInt64) -> UInt64 {
        Checksum.of(
            UnsafeRawBufferPointer(rebasing: bytes[..<16]),
            seed: Checksum.seed(journal, UInt64(AcknowledgedMark.offset)))
    }
}
