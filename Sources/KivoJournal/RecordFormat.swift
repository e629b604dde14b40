// The file, version 1. All numbers are little-endian.
//
//        0  ┌──────────────────────────────────────────────┐
//           │ magic "KIVO" 0D 0A 1A 0A             8 bytes │
//        8  │ format version                      4 bytes  │
//       12  │ flags, 0 in version 1               4 bytes  │   The first 64 bytes have this layout in every
//       16  │ journal id, random                  8 bytes  │   version, so that any version can tell which
//       24  │ reserved, 0                        32 bytes  │   one a file has.
//       56  │ checksum of bytes 0 ..< 56          8 bytes  │
//       64  │ reserved for later versions, 0               │
//     4096  ├──────────────────────────────────────────────┤
//           │ record with sequence number 1                │
//           ├──────────────────────────────────────────────┤   Every record starts at a multiple of 8, where
//           │ record with sequence number 2                │   the one before it ends.
//           ├──────────────────────────────────────────────┤
//           │ …                                            │
//      end  ├──────────────────────────────────────────────┤
//           │ zeros, allocated ahead                       │   Appending overwrites them: the file system has
//     size  └──────────────────────────────────────────────┘   nothing else to write than the record.
//
// A record:
//
//        0  ┌──────────────────────────────────────────────┐
//           │ length of the payload in bytes      8 bytes  │
//        8  │ sequence number                     8 bytes  │
//       16  │ kind                                 1 byte  │
//       17  │ reserved, 0                         7 bytes  │
//       24  │ checksum of bytes 0 ..< 24          8 bytes  │   seeded with the journal id and the offset
//       32  ├──────────────────────────────────────────────┤
//           │ payload, then zeros to a multiple of 8       │
//           ├──────────────────────────────────────────────┤
//           │ checksum of payload and zeros       8 bytes  │   seeded with the checksum of the header
//           └──────────────────────────────────────────────┘
//
// The seed makes a record valid in one place of one file: what looks like a record inside a payload (a
// journal that somebody stores in a journal), or in a block that belonged to another file, is none.
//
// At most one record is being written at any time, and it is durable before the next one starts. So after a
// crash there is at most one damaged record and nothing valid after it: that is cut off. Anything valid after
// damage, or after zeros, shows that a record that was once durable is gone: that is corruption, and the file
// is left alone.

/// The header of a journal.
struct FileHeader {
    /// The bytes that the header and what is reserved for it take; the first record follows.
    static let size = 4096
    static let version: UInt32 = 1

    private static let magic: [UInt8] = [0x4B, 0x49, 0x56, 0x4F, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let checksumOffset = 56
    private static let fixedSize = 64

    let id: UInt64

    /// The header of a new journal.
    init() { id = UInt64.random(in: .min ... .max) }

    /// Reads the first ``size`` bytes of a file, or all if it has fewer.
    init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        guard bytes.starts(with: FileHeader.magic) else { throw .notAJournal }
        guard bytes.count >= FileHeader.size else {
            throw .corrupt(offset: bytes.count, reason: "the file ends within its header")
        }
        guard bytes.number(at: FileHeader.checksumOffset) == FileHeader.checksum(bytes) else {
            throw .corrupt(offset: 0, reason: "the checksum of the file's header is wrong")
        }
        let versionAndFlags = bytes.number(at: 8)
        guard versionAndFlags == UInt64(FileHeader.version) else {
            throw .unsupportedVersion(Int(UInt32(truncatingIfNeeded: versionAndFlags)))
        }
        guard UnsafeRawBufferPointer(rebasing: bytes[FileHeader.fixedSize..<FileHeader.size]).isZero else {
            throw .corrupt(
                offset: FileHeader.fixedSize, reason: "the reserved part of the file's header is in use")
        }
        id = bytes.number(at: 16)
    }

    /// Writes the header into ``size`` zeros.
    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.copyBytes(from: FileHeader.magic)
        bytes.store(UInt64(FileHeader.version), at: 8)
        bytes.store(id, at: 16)
        bytes.store(FileHeader.checksum(UnsafeRawBufferPointer(bytes)), at: FileHeader.checksumOffset)
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<checksumOffset]), seed: 0)
    }
}

/// The header of a record.
struct RecordHeader {
    static let size = 32
    private static let checksumOffset = 24

    let length: Int
    let kind: UInt8
    let sequence: UInt64
    /// The checksum of the header, which is the seed of the payload's.
    let checksum: UInt64

    /// The bytes of the payload and the zeros after it.
    var paddedLength: Int { (length + 7) & ~7 }

    /// The bytes of the whole record.
    var recordSize: Int { RecordHeader.size + paddedLength + 8 }

    /// The header of a record to write at `offset`.
    init(length: Int, kind: UInt8, sequence: UInt64, journal: UInt64, offset: Int) {
        self.length = length
        self.kind = kind
        self.sequence = sequence
        let words = (UInt64(length).littleEndian, sequence.littleEndian, UInt64(kind).littleEndian)
        checksum = withUnsafeBytes(of: words) { RecordHeader.checksum($0, journal, offset) }
    }

    /// Reads ``size`` bytes from `offset` of the file; nil if they are no header.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, journal: UInt64, offset: Int) {
        let words = (bytes.number(at: 0), bytes.number(at: 8), bytes.number(at: 16))
        guard words.1 != 0, words.2 <= UInt8.max, words.0 <= UInt64(Int.max / 2) else { return nil }
        let stored = bytes.number(at: RecordHeader.checksumOffset)
        self.init(
            length: Int(words.0), kind: UInt8(words.2), sequence: words.1, journal: journal, offset: offset)
        guard stored == checksum else { return nil }
    }

    /// Writes the header into ``size`` bytes.
    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.store(UInt64(length), at: 0)
        bytes.store(sequence, at: 8)
        bytes.store(UInt64(kind), at: 16)
        bytes.store(checksum, at: RecordHeader.checksumOffset)
    }

    private static func checksum(
        _ bytes: UnsafeRawBufferPointer, _ journal: UInt64, _ offset: Int
    ) -> UInt64 {
        Checksum.of(bytes, seed: Checksum.seed(journal, UInt64(offset)))
    }
}

extension UnsafeRawBufferPointer {
    /// The 8-byte number at an offset, which need not be aligned.
    @inline(__always)
    func number(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether there are only zeros.
    var isZero: Bool {
        var all: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            all |= number(at: offset)
            offset += 8
        }
        return all == 0 && self[offset...].allSatisfy { $0 == 0 }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores an 8-byte number at an offset, which need not be aligned.
    func store(_ number: UInt64, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
}
