/// A set of keys of rows. A bitmap, unless the keys are far apart.
package struct KeySet {
    private enum Storage {
        /// A bit for each key from `first` on, which is a multiple of 64.
        case bits(first: ObjectKey, [UInt64])
        case keys(Set<ObjectKey>)
    }

    private let storage: Storage
    /// The number of keys.
    package let count: Int

    /// Creates a set of ascending keys. O(keys).
    init(ascending keys: [ObjectKey]) {
        count = keys.count
        guard let first = keys.first, let last = keys.last else {
            storage = .keys([])
            return
        }
        // A key in a set takes about 16 bytes.
        guard KeySet.distance(first, last) / 64 <= 2 * UInt64(keys.count) else {
            storage = .keys(Set(keys))
            return
        }
        let base = first & ~63
        var words = [UInt64](repeating: 0, count: Int(KeySet.distance(base, last) / 64) + 1)
        for key in keys {
            let distance = KeySet.distance(base, key)
            words[Int(distance / 64)] |= 1 << (distance % 64)
        }
        storage = .bits(first: base, words)
    }

    /// The distance from a key to one that is not below it. It may be more than a key can be.
    private static func distance(_ first: ObjectKey, _ last: ObjectKey) -> UInt64 {
        UInt64(bitPattern: last &- first)
    }

    /// Returns whether a key is in the set. O(1).
    package func contains(_ key: ObjectKey) -> Bool {
        switch storage {
        case .keys(let keys): return keys.contains(key)
        case .bits(let first, let words):
            let distance = KeySet.distance(first, key)
            guard key >= first, distance / 64 < UInt64(words.count) else { return false }
            return words[Int(distance / 64)] & 1 << (distance % 64) != 0
        }
    }
}
