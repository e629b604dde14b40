/// The identity of a journal, which begins every checksum, as its records name it: for files whose header is gone.
enum JournalIdentity {
    /// The part of an identity that a record names. New journals have no other bits.
    static let namedBits: UInt64 = 1 << 56 - 1

    /// The highest number that a record can have to be looked at: checking one costs a checksum for each identity it may mean.
    private static let sequenceLimit: UInt64 = 1 << 40

    /// The identity with which the header of a record, which names it, is intact; nil if there is none.
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

    /// The identity that the first intact record of a device names, and where that begins; nil if none names one. O(bytes before it).
    static func find(on device: any JournalDevice) throws(JournalError) -> (id: UInt64, place: Int)? {
        var window = FileWindow(device, size: try device.size())
        var start = FileHeader.size
        while start + RecordHeader.size <= window.size {
            let bytes = try window.available(at: start)
            guard bytes.count >= RecordHeader.size else { return nil }
            let count = (bytes.count - RecordHeader.size) / 8 + 1
            var candidates: [(id: UInt64, place: Int)] = []
            for index in 0..<count {
                let header = UnsafeRawBufferPointer(
                    start: bytes.baseAddress! + index * 8, count: RecordHeader.size)
                let place = start + index * 8
                if let id = named(by: header, at: place, size: window.size) { candidates.append((id, place)) }
            }
            for candidate in candidates
            where try window.record(at: candidate.place, journal: candidate.id) != nil { return candidate }
            start += count * 8
        }
        return nil
    }
}

extension FileHeader {
    /// Reads the header of a device from its first ``largestSize`` bytes. A file that has none, but a record, is a damaged journal.
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

    /// The same of a journal of which as much is to be saved as there is: one that has no header has its records.
    init(salvaging device: any JournalDevice, _ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        do {
            self = try FileHeader(bytes)
        } catch {
            if case .unsupportedVersion = error { throw error }
            guard let (id, place) = try JournalIdentity.find(on: device) else { throw error }
            self.init(id: id, record: place)
        }
    }
}
