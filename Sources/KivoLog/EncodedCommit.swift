/// A commit as a log carries it.
///
/// ``bytes`` is what a log keeps, and ``init(bytes:)`` makes the same commit of it; a log which has its own place for kinds and
/// payloads, as the realm file does, keeps these alone. All numbers are little-endian.
///
///      0  version of this layout, 1 byte: 1
///      1  kind, 1 byte
///      2  zeros, 6 bytes
///      8  identity, 2 x 8 bytes
///     24  payload
public struct EncodedCommit: Equatable, Sendable {
    /// What a commit does.
    public enum Kind: UInt8, Sendable {
        /// Changes objects.
        case changes = 1
        /// Says which version the classes have from here on.
        case schemaVersion = 2
        /// Changes tables and objects, for a higher version of the classes.
        case migration = 5
    }

    /// What tells a commit from all others, so that a store which got no answer can find out whether its commit is there.
    public struct Identity: Hashable, Sendable {
        /// Random, the same for all commits of a store.
        public var store: UInt64
        /// Which of these it is.
        public var number: UInt64

        /// An identity.
        public init(store: UInt64, number: UInt64) { (self.store, self.number) = (store, number) }
    }

    /// What it does.
    public var kind: Kind
    /// What tells it from others; zeros if the log does not keep that, because it never loses an answer.
    public var identity: Identity
    /// What it changes: as `FileFormat` of Kivo's documentation has it.
    public var payload: [UInt8]

    /// A commit.
    public init(_ kind: Kind, _ payload: [UInt8], identity: Identity = Identity(store: 0, number: 0)) {
        (self.kind, self.payload, self.identity) = (kind, payload, identity)
    }

    private static let layout: UInt8 = 1
    private static let headerSize = 24

    /// The commit as bytes. O(bytes).
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [EncodedCommit.layout, kind.rawValue, 0, 0, 0, 0, 0, 0]
        bytes.reserveCapacity(EncodedCommit.headerSize + payload.count)
        for word in [identity.store, identity.number] {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: payload)
        return bytes
    }

    /// The commit of some bytes; nil if they are none. A checksum is the log's affair. O(bytes).
    public init?(bytes: [UInt8]) {
        guard bytes.count >= EncodedCommit.headerSize, bytes[0] == EncodedCommit.layout,
            let kind = Kind(rawValue: bytes[1]), bytes[2..<8].allSatisfy({ $0 == 0 })
        else { return nil }
        func word(at offset: Int) -> UInt64 {
            bytes.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
        self.init(
            kind, Array(bytes[EncodedCommit.headerSize...]),
            identity: Identity(store: word(at: 8), number: word(at: 16)))
    }
}
