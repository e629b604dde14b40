import Foundation

/// A 12-byte identifier that is unique without central allocation.
///
/// From the most significant byte down it contains four bytes of creation time (seconds since 1970), five random bytes per
/// process, and a three-byte counter. Ids therefore sort roughly by creation time across machines, and exactly by creation within
/// one process.
///
/// An `ObjectId` is a plain value: it may be used from any thread, and comparing or hashing two of them costs as much as
/// comparing two integers. The default of `@Persisted var id: ObjectId` is a generated id.
public struct ObjectId: Hashable, Sendable {
    /// The first eight bytes, big-endian, so that comparing ids is comparing integers.
    package var high: UInt64

    /// The last four bytes, big-endian.
    package var low: UInt32

    package init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// Creates the id whose bytes are all zero, as in realm-swift. Use ``generate()`` for a new id.
    public init() {
        self = .zero
    }

    /// The id whose twelve bytes are all zero. It sorts before every other id, and is never generated.
    public static let zero = ObjectId(high: 0, low: 0)

    /// The moment stored in the id, in whole seconds: for a generated id, the second in which it was created.
    ///
    /// A process that generates more than about eight million ids in one second borrows from the following seconds.
    public var timestamp: Date {
        Date(timeIntervalSince1970: Double(high >> 32))
    }
}

extension ObjectId {
    /// The id as two words, most significant first; the second one uses only its lower half.
    ///
    /// Comparing the words in order gives the order of the ids.
    package var bits: (UInt64, UInt64) {
        (high, UInt64(low))
    }

    /// Restores an id from its ``bits``. The unused upper half of the second word is ignored.
    package init(bits: (UInt64, UInt64)) {
        self.init(high: bits.0, low: UInt32(truncatingIfNeeded: bits.1))
    }
}

extension ObjectId: Comparable {
    /// Returns whether the bytes of the first id come before those of the second: for generated ids, whether it is older.
    public static func < (lhs: ObjectId, rhs: ObjectId) -> Bool {
        lhs.high == rhs.high ? lhs.low < rhs.low : lhs.high < rhs.high
    }
}
