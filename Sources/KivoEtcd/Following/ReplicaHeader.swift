import KivoEngine
import KivoJournal

/// The first bytes of a replica's file: eight words, the last of which is the checksum of the others.
///
///      "KIVOETC2"  log  prefix  base  image size  first  in use  checksum
struct ReplicaHeader: Equatable {
    /// The number of the log; 0 for a new replica.
    var log: UInt64 = 0
    /// A checksum of the prefix of the realm's keys.
    var prefix: UInt64
    /// The version of the image; 0 if there is none.
    var base: UInt64 = 0
    /// The number of bytes of the image.
    var imageSize = 0
    /// The version before the first commit.
    var first: UInt64 = 0
    /// Whether a process uses the replica, or used it when it ended or the power was lost.
    var isInUse = false

    static let size = 64
    private static let magic: UInt64 = 0x3243_5445_4F56_494B
    /// All formats of replicas begin with these seven bytes. A realm file begins with the first four of them.
    private static let kind = Array("KIVOETC".utf8)

    init(prefix: String) {
        var prefix = prefix
        self.prefix = prefix.withUTF8 { Checksum.of(UnsafeRawBufferPointer($0), seed: 0) }
    }

    /// Reads a header; nil if the bytes are none, or damaged.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == ReplicaHeader.size, ReplicaHeader.word(bytes, 0) == ReplicaHeader.magic,
            ReplicaHeader.word(bytes, 7) == ReplicaHeader.checksum(bytes)
        else { return nil }
        prefix = ReplicaHeader.word(bytes, 2)
        (log, base) = (ReplicaHeader.word(bytes, 1), ReplicaHeader.word(bytes, 3))
        (imageSize, first) = (Int(clamping: ReplicaHeader.word(bytes, 4)), ReplicaHeader.word(bytes, 5))
        isInUse = ReplicaHeader.word(bytes, 6) != 0
    }

    /// Whether a file that begins with these bytes, and has no intact header, may be emptied: it is a replica of another format, or a
    /// damaged one. Any other file was named by mistake.
    static func isReplica(_ bytes: [UInt8]) -> Bool {
        zip(bytes, kind).filter { $0 == $1 }.count >= kind.count - 1
    }

    /// The stored form.
    var bytes: [UInt8] {
        let words = [
            ReplicaHeader.magic, log, prefix, base, UInt64(imageSize), first, isInUse ? 1 : 0,
        ]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        let checksum = ReplicaHeader.checksum(bytes)
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<56]), seed: magic) }
    }

    private static func word(_ bytes: [UInt8], _ index: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[8 * index + $1]) << (8 * $1) }
    }
}
