/// The identity of a journal, which seeds every checksum, as its records contain it. Used for files whose header is lost.
enum JournalIdentity {
    /// The bits of an identity that a record contains. New journals have no other bits.
    static let namedBits: UInt64 = 1 << 56 - 1

    /// The highest sequence number of a record that is considered: each check costs a checksum for every possible identity.
    private static let sequenceLimit: UInt64 = 1 << 40

    /// Returns the identity with which the header of a record is intact; nil if there is none, or the record contains no
    /// identity.
    static func named(by bytes: UnsafeRawBufferPointer, at offset: Int, size: Int) -> UInt64? {
        let (length, sequence, rest) = (bytes.number(at: 0), bytes.number(at: 8), bytes.number(at: 16))
        guard rest >> 8 != 0, rest & 0xFF > 0, rest & 0xFF <= UInt64(RecordKind.migration.rawValue),
            length < UInt64(size), sequence > 0, sequence < sequenceLimit
        else { return nil }
        // Journals of earlier formats have identities of eight bytes.
        for high in 0..<UInt64(256) {
            let id = high << 56 | rest >> 8
            if RecordHeader(bytes, journal: id, offset: offset) != nil { return id }
        }
        return nil
    }

    /// Returns the identity in the first intact record of a device, and the offset of that record; nil if no record contains one.
    /// O(bytes before it).
    static func find(on device: any JournalDevice) throws(JournalError) -> (id: UInt64, offset: Int)? {
        var window = FileWindow(device, size: try device.size())
        var start = FileHeader.size
        while start + RecordHeader.size <= window.size {
            let bytes = try window.available(at: start)
            guard bytes.count >= RecordHeader.size else { return nil }
            let count = (bytes.count - RecordHeader.size) / 8 + 1
            var candidates: [(id: UInt64, offset: Int)] = []
            for index in 0..<count {
                let header = UnsafeRawBufferPointer(
                    start: bytes.baseAddress! + index * 8, count: RecordHeader.size)
                let offset = start + index * 8
                if let id = named(by: header, at: offset, size: window.size) {
                    candidates.append((id, offset))
                }
            }
            for candidate in candidates
            where try window.record(at: candidate.offset, journal: candidate.id) != nil { return candidate }
            start += count * 8
        }
        return nil
    }
}

extension FileHeader {
    /// Reads the header of a device from its first ``largestSize`` bytes. A file without a header but with a record is a damaged
    /// journal.
    init(_ bytes: UnsafeRawBufferPointer, of device: any JournalDevice) throws(JournalError) {
        do {
            self = try FileHeader(bytes)
        } catch .notAJournal {
            var window = FileWindow(device, size: try device.size(), capacity: RecordHeader.size)
            for offset in [FileHeader.size, FileHeader.largestSize]
            where window.size >= offset + RecordHeader.size {
                let record = try window.bytes(at: offset, count: RecordHeader.size)
                if JournalIdentity.named(by: record, at: offset, size: window.size) != nil {
                    throw .corrupt(offset: 0, reason: "the file's header is gone")
                }
            }
            throw .notAJournal
        }
    }

    /// Reads or reconstructs the header of a journal that is being salvaged: if the header is lost, the identity is taken from
    /// the records.
    init(salvaging device: any JournalDevice, _ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        do {
            self = try FileHeader(bytes)
        } catch {
            if case .unsupportedVersion = error { throw error }
            guard let (id, offset) = try JournalIdentity.find(on: device) else { throw error }
            self.init(id: id, record: offset)
        }
    }
}
