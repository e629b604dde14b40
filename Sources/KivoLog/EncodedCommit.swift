/// A commit in the form that a log stores.
///
/// A log stores ``bytes``, from which ``init(bytes:)`` restores the same commit. A log that has separate fields for kinds and
/// payloads, like the realm file, stores only these. All numbers are little-endian.
///
///      0  version of this layout, 1 byte: 1
///      1  kind, 1 byte
///      2  zeros, 6 bytes
///      8  identity, 2 x 8 bytes
///     24  payload
public struct EncodedCommit: Equatable, Sendable {
    /// The effect of a commit.
    public enum Kind: UInt8, Sendable {
        /// Changes objects.
        case changes = 1
        /// Sets the schema version of the log from this commit on.
        case schemaVersion = 2
        /// Changes tables and objects, for a higher schema version.
        case migration = 5
    }

    /// A unique identity of a commit. With it, a store whose append got no answer can find out whether its commit is in the log.
    public struct Identity: Hashable, Sendable {
        /// A random number that all commits of a store share.
        public var store: UInt64
        /// The number of the commit among those of the store.
        public var number: UInt64

        /// Creates an identity.
        public init(store: UInt64, number: UInt64) { (self.store, self.number) = (store, number) }
    }

    /// The effect of the commit.
    public var kind: Kind
    /// The unique identity of the commit; zeros if the log does not store identities because it never loses an answer.
    public var identity: Identity
    /// The encoded changes, in the format that `FileFormat` of Kivo's documentation describes.
    public var payload: [UInt8]

    /// Creates a commit.
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

    /// Decodes a commit; returns nil if the bytes are not a commit. Checksums are the responsibility of the log. O(bytes).
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
