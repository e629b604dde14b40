/// One of two slots in the header that say where the newest checkpoint is. The older one is overwritten when a new checkpoint is
/// durable. A slot with a wrong checksum is ignored.
struct CheckpointSlot: Equatable {
    static let offsets = [1024, 1536]
    static let size = 32

    /// The sequence number of the checkpoint's record.
    var sequence: UInt64
    /// The offset of the record.
    var offset: Int
    /// The index of the slot among the two of a page.
    var index: Int

    init(sequence: UInt64, offset: Int, index: Int) {
        (self.sequence, self.offset, self.index) = (sequence, offset, index)
    }

    /// Returns the intact slots of a page of a journal's header.
    static func all(_ header: UnsafeRawBufferPointer, journal: UInt64, page: Int) -> [CheckpointSlot] {
        offsets.indices.compactMap { CheckpointSlot(header, journal: journal, index: $0, page: page) }
    }

    private init?(_ header: UnsafeRawBufferPointer, journal: UInt64, index: Int, page: Int) {
        let start = page + CheckpointSlot.offsets[index]
        let bytes = UnsafeRawBufferPointer(rebasing: header[start..<start + CheckpointSlot.size])
        guard bytes.number(at: 24) == CheckpointSlot.checksum(bytes, journal, start),
            let offset = Int(exactly: bytes.number(at: 8)), bytes.number(at: 0) > 0
        else { return nil }
        self.init(sequence: bytes.number(at: 0), offset: offset, index: index)
    }

    /// Writes the slot into a page of the header, and does not wait until it is durable.
    func write(to device: any JournalDevice, journal: UInt64, page: Int) throws(JournalError) {
        let start = page + CheckpointSlot.offsets[index]
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: CheckpointSlot.size, alignment: 16)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes.store(sequence, at: 0)
        bytes.store(UInt64(offset), at: 8)
        bytes.store(CheckpointSlot.checksum(UnsafeRawBufferPointer(bytes), journal, start), at: 24)
        try device.write(UnsafeRawBufferPointer(bytes), at: start)
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ journal: UInt64, _ start: Int) -> UInt64 {
        Checksum.of(
            UnsafeRawBufferPointer(rebasing: bytes[..<24]),
            seed: Checksum.seed(journal, UInt64(start)))
    }
}
