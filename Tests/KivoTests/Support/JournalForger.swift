@testable import KivoJournal

/// The records of a journal, to be changed and put together again with checksums that are right.
struct JournalForger {
    struct Record {
        var kind: UInt8
        var payload: [UInt8]
    }

    private static let headerSize = 8192
    private static let mark = 512..<536
    private let header: [UInt8]
    var records: [Record] = []

    /// Takes a journal apart.
    init(_ bytes: [UInt8]) {
        header = Array(bytes[..<JournalForger.headerSize])
        var offset = JournalForger.headerSize
        while offset + 40 <= bytes.count {
            let length = bytes.withUnsafeBytes { Int($0.number(at: offset)) }
            if bytes[offset + 8] == 0, bytes[offset + 9] == 0 { break }
            let start = offset + 32
            records.append(Record(kind: bytes[offset + 16], payload: Array(bytes[start..<start + length])))
            offset = start + (length + 7) / 8 * 8 + 8
        }
    }

    /// A journal of the records, as if each had been written and none acknowledged.
    var bytes: [UInt8] {
        var bytes = header
        bytes.replaceSubrange(JournalForger.mark, with: repeatElement(0, count: JournalForger.mark.count))
        let id = header.withUnsafeBytes { $0.number(at: 16) }
        for (index, record) in records.enumerated() {
            let header = RecordHeader(
                length: record.payload.count, kind: RecordKind(rawValue: record.kind),
                sequence: UInt64(index + 1), journal: id,
                offset: bytes.count)
            var encoded = [UInt8](repeating: 0, count: header.recordSize)
            encoded.replaceSubrange(32..<32 + record.payload.count, with: record.payload)
            let checksum = record.payload.withUnsafeBytes { Checksum.of($0, seed: header.checksum) }
            encoded.withUnsafeMutableBytes {
                header.encode(into: $0)
                $0.store(checksum, at: $0.count - 8)
            }
            bytes += encoded
        }
        return bytes
    }
}
