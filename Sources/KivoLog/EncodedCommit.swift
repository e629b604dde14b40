/// A commit in the form that a log stores.
///
/// A log stores ``bytes``, from which ``init(bytes:)`` restores the same commit. A log that has separate fields for kinds and
/// payloads, like the realm file, stores only these. All numbers are little-endian.
///
///      0  version of this layout, 1 byte: 1, or 2 if there is a number of the log
///      1  kind, 1 byte
///      2  zeros, 6 bytes
///      8  identity, 2 x 8 bytes
///     24  in version 2, the number of the log, 8 bytes
///         payload
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
    /// The number of the log that the commit belongs to; 0 if it has none. A store recognises by it that a log was replaced.
    public var log: UInt64
    /// The encoded changes, in the format that `FileFormat` of Kivo's documentation describes.
    public var payload: [UInt8]

    /// Creates a commit.
    public init(
        _ kind: Kind, _ payload: [UInt8], identity: Identity = Identity(store: 0, number: 0), log: UInt64 = 0
    ) {
        (self.kind, self.payload, self.identity, self.log) = (kind, payload, identity, log)
    }

    private static let headerSize = 24

    /// The commit as bytes. O(bytes).
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [log == 0 ? 1 : 2, kind.rawValue, 0, 0, 0, 0, 0, 0]
        bytes.reserveCapacity(EncodedCommit.headerSize + 8 + payload.count)
        for word in [identity.store, identity.number] + (log == 0 ? [] : [log]) {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: payload)
        return bytes
    }

    /// Decodes a commit; returns nil if the bytes are not a commit. Checksums are the responsibility of the log. O(bytes).
    public init?(bytes: [UInt8]) {
        let hasLog = bytes.first == 2
        let headerSize = EncodedCommit.headerSize + (hasLog ? 8 : 0)
        guard bytes.count >= headerSize, bytes[0] == 1 || hasLog, let kind = Kind(rawValue: bytes[1]),
            bytes[2..<8].allSatisfy({ $0 == 0 })
        else { return nil }
        func word(at offset: Int) -> UInt64 {
            bytes.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
        self.init(
            kind, Array(bytes[headerSize...]), identity: Identity(store: word(at: 8), number: word(at: 16)),
            log: hasLog ? word(at: 24) : 0)
    }
}

/// A commit of a log, and its number there.
public struct LogEntry: Equatable, Sendable {
    /// The number of the commit, which is the version that it leads to.
    public var version: UInt64
    /// The commit.
    public var commit: EncodedCommit

    /// Creates an entry.
    public init(version: UInt64, _ commit: EncodedCommit) { (self.version, self.commit) = (version, commit) }
}
