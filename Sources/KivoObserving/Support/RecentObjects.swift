import Synchronization

/// The objects that were looked up last, found without a lock: each slot has the last object whose key maps to it.
///
/// The objects exist at least as long as this, which does not retain them. Thread-safe: a slot is one word, replaced whole.
@usableFromInline
package struct RecentObjects<Element: AnyObject>: ~Copyable, @unchecked Sendable {
    // Proof of `Sendable`: only atomic operations reach the memory, and an element is complete before its address is stored.
    @usableFromInline let words: UnsafeMutablePointer<Atomic<UInt>>
    @usableFromInline let count: Int

    /// - Parameter count: the number of slots, a power of two.
    @inlinable
    package init(count: Int) {
        self.count = count
        words = .allocate(capacity: count)
        for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    }

    @inlinable
    deinit { words.deallocate() }

    @inlinable @inline(__always)
    func word(_ key: ObjectIdentifier) -> UnsafeMutablePointer<Atomic<UInt>> {
        let address = UInt(bitPattern: key)
        return words + Int(truncatingIfNeeded: address >> 4 ^ address >> 10) & (count - 1)
    }

    /// Returns the object that was stored last in the slot of a key. It can belong to another key.
    @inlinable @inline(__always)
    package func candidate(_ key: ObjectIdentifier) -> Element? {
        UnsafeRawPointer(bitPattern: word(key).pointee.load(ordering: .acquiring)).map {
            Unmanaged<Element>.fromOpaque($0).takeUnretainedValue()
        }
    }

    @inlinable
    package func store(_ element: Element, _ key: ObjectIdentifier) {
        word(key).pointee.store(
            UInt(bitPattern: Unmanaged.passUnretained(element).toOpaque()), ordering: .releasing)
    }
}
