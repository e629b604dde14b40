// The file, version 7. All numbers are little-endian.
//
//        0  ┌──────────────────────────────────────────────┐
//           │ magic "KIVO" 0D 0A 1A 0A             8 bytes │
//        8  │ format version                      4 bytes  │
//       12  │ flags, 0                            4 bytes  │   The first 64 bytes have this layout in every
//       16  │ journal id, random                  8 bytes  │   version, so that any version can tell which
//       24  │ where the first record begins       8 bytes  │   one a file has. 0 stands for 4096.
//       32  │ reserved, 0                        24 bytes  │
//       56  │ checksum of bytes 0 ..< 56          8 bytes  │
//       64  │ not used                                     │
//      512  ├──────────────────────────────────────────────┤
//           │ sequence number of an acknowledged   8 bytes │   The last record when a writer closed the file,
//      520  │ where that record ends               8 bytes │   else one of the last 8. Written after the record
//      528  │ checksum of bytes 512 ..< 528        8 bytes │   is durable, and flushed with the next one.
//      536  │ not used                                     │
//     1024  ├──────────────────────────────────────────────┤
//           │ sequence number of a checkpoint      8 bytes │   One of the two slots says where the newest
//     1032  │ where that record begins             8 bytes │   checkpoint is. Written after the record is
//     1040  │ 0                                    8 bytes │   durable, over the older of the two.
//     1048  │ checksum of bytes 1024 ..< 1048      8 bytes │
//     1056  │ not used                                     │
//     1536  ├──────────────────────────────────────────────┤
//           │ the other slot                      32 bytes │
//     1568  │ not used                                     │
//     2048  ├──────────────────────────────────────────────┤
//           │ bytes 0 ..< 64 again                         │   For when a sector of the header goes bad.
//     2112  │ not used                                     │
//     4096  ├──────────────────────────────────────────────┤
//           │ bytes 0 ..< 4096 again, but for the mark     │   For when the disk loses the first page as a whole.
//     8192  ├──────────────────────────────────────────────┤
//           │ record with sequence number 1                │
//           ├──────────────────────────────────────────────┤   Every record starts at a multiple of 8, where
//           │ record with sequence number 2                │   the one before it ends.
//           ├──────────────────────────────────────────────┤
//           │ …                                            │
//      end  ├──────────────────────────────────────────────┤
//           │ zeros, allocated ahead                       │   Appending overwrites them: the file system has
//     size  └──────────────────────────────────────────────┘   nothing else to write than the record.
//
// Unused bytes are written as 0 and ignored on reading.
//
// The checksums of the second page have their own seeds. Its slots are written when those of the first page are durable. They are
// flushed with the next record, before the first page is written again. So a loss of power interrupts a write to at most one of
// the two pages. The mark is in the first page alone: two processes that mark different pages could leave both unflushed. Files
// that were created before the second page existed have records in its place, until they are compacted.
//
// A record:
//
//        0  ┌──────────────────────────────────────────────┐
//           │ length of the payload in bytes      8 bytes  │
//        8  │ sequence number                     8 bytes  │
//       16  │ kind                                 1 byte  │
//       17  │ the journal id, lower 56 bits       7 bytes  │   0 before version 4
//       24  │ checksum of bytes 0 ..< 24          8 bytes  │   seeded with the journal id and the offset
//       32  ├──────────────────────────────────────────────┤
//           │ payload, then zeros to a multiple of 8       │
//           ├──────────────────────────────────────────────┤
//           │ checksum of payload and zeros       8 bytes  │   seeded with the checksum of the header
//           └──────────────────────────────────────────────┘
//
// The seed makes a record valid in only one place of one file. Bytes that look like a record elsewhere are not a record: for
// example those of a journal that is stored in a payload, or a block that belonged to another file.
//
// Every record contains the id of its journal, so that the checksums can be verified after the loss of the header: salvage takes
// the id from the first record that is intact with it. Ids of new journals have no more than these 56 bits.
//
// A checkpoint is written as records of pages, with commits between them, followed by a record that contains the offsets of each
// table's pages. Opening reads the newest checkpoint and replays the commits that it does not include. Pages are read on first
// access. `PageLayout.swift` shows the layout of the pages, `CheckpointRecord.swift` that of the record.
//
// At most one record is being written at any time, and it is durable before the next one starts. A large record is announced: its
// header is durable before its payload is written. So after a crash there is at most one damaged record, followed only by zeros.
// It is no longer than its header says, or than a small record can be. Opening cuts it off. Anything else shows that a record was
// once durable and is lost: a valid record after damage or after zeros, damage that reaches further, or a missing acknowledged
// record. That is corruption, and the file is not changed.

/// The header of a record.
struct RecordHeader {
    static let size = 32
    /// The size up to which records are written at once. The headers of larger ones are made durable first.
    static let largestUnannounced = 1 << 20
    private static let checksumOffset = 24

    let length: Int
    let kind: RecordKind
    let sequence: UInt64
    /// The kind, and the journal identity that the record contains.
    private let third: UInt64
    /// The checksum of the header, which is the seed of the payload's checksum.
    let checksum: UInt64

    /// The size of the payload and the zeros after it, in bytes.
    var paddedLength: Int { (length + 7) & ~7 }

    /// The size of the whole record in bytes.
    var recordSize: Int { RecordHeader.size + paddedLength + 8 }

    /// Whether the whole record has at most a number of bytes. A length from a damaged file can be too large to compute with.
    func fits(into size: Int) -> Bool { length <= size && recordSize <= size }

    /// Creates the header of a record to write at `offset`.
    ///
    /// - Parameter isNaming: Whether the record contains the journal's identity. Records before version 4 do not.
    @inline(__always)
    init(
        length: Int, kind: RecordKind, sequence: UInt64, journal: UInt64, offset: Int, isNaming: Bool = true
    ) {
        self.length = length
        self.kind = kind
        self.sequence = sequence
        third = UInt64(kind.rawValue) | (isNaming ? journal << 8 : 0)
        let words = (UInt64(length).littleEndian, sequence.littleEndian, third.littleEndian)
        checksum = withUnsafeBytes(of: words) { RecordHeader.checksum($0, journal, offset) }
    }

    /// Reads the header from ``size`` bytes at `offset` of the file; returns nil if they are not a header.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, journal: UInt64, offset: Int) {
        assert(bytes.count == RecordHeader.size)
        let words = (bytes.number(at: 0), bytes.number(at: 8), bytes.number(at: 16))
        guard words.1 != 0, words.1 < UInt64.max / 2,
            words.2 >> 8 == 0 || words.2 >> 8 == journal & JournalIdentity.namedBits,
            words.0 <= UInt64(Int.max / 2)
        else { return nil }
        let stored = bytes.number(at: RecordHeader.checksumOffset)
        self.init(
            length: Int(words.0), kind: RecordKind(rawValue: UInt8(truncatingIfNeeded: words.2)),
            sequence: words.1, journal: journal, offset: offset, isNaming: words.2 >> 8 != 0)
        guard stored == checksum else { return nil }
    }

    /// Writes the header into ``size`` bytes.
    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.store(UInt64(length), at: 0)
        bytes.store(sequence, at: 8)
        bytes.store(third, at: 16)
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

    /// Whether all bytes are zeros.
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

/// The kind of a record.
struct RecordKind: RawRepresentable, Equatable {
    let rawValue: UInt8

    /// The changes of a transaction: see ``CommitEncoder``.
    static let commit = RecordKind(rawValue: 1)
    /// The program's schema version from this record on, in 8 bytes.
    static let schemaVersion = RecordKind(rawValue: 2)
    /// Pages: see `PageLayout`. Their offsets count from the beginning of the file.
    static let pages = RecordKind(rawValue: 3)
    /// A ``CheckpointRecord``.
    static let checkpoint = RecordKind(rawValue: 4)
    /// New columns for tables, and the changes of their rows: see ``MigrationEncoder``.
    static let migration = RecordKind(rawValue: 5)

    /// Whether the record contains data that no record before it contains.
    var isData: Bool { self != .pages && self != .checkpoint }

    /// The format version of a journal that contains a record of this kind.
    var minimumVersion: UInt32 { self == .commit || self == .schemaVersion ? 2 : FileHeader.version }
}
