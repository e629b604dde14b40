import Observation
import Synchronization

/// The model classes that conform to `Observable`.
///
/// Every new object needs that information, so it is cached in a small table by the address of the class: one load. Thread-safe.
enum ObservableClasses {
    /// For each slot, the address of the last class that maps to it, with a 1 in the lowest bit if the class is `Observable`.
    /// Words are replaced whole, and each one is complete by itself.
    private struct Words: ~Copyable, @unchecked Sendable {
        // Proof of `Sendable`: the memory is never freed, and nothing but atomic operations reach it.
        let words = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: 256)

        init() { for index in 0..<256 { (words + index).initialize(to: Atomic(0)) } }
    }

    private static let words = Words()

    /// Returns whether a class is `Observable` by the conformances of the program.
    @inline(__always)
    static func contains(_ type: AnyClass) -> Bool {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        let word = words.words + Int(truncatingIfNeeded: (address >> 4 ^ address >> 12) & 255)
        let known = word.pointee.load(ordering: .relaxed)
        if known & ~1 == address { return known & 1 != 0 }
        return look(type, address, word)
    }

    @inline(never)
    private static func look(
        _ type: AnyClass, _ address: UInt, _ word: UnsafeMutablePointer<Atomic<UInt>>
    ) -> Bool {
        let isObservable = type is any Observable.Type
        word.pointee.store(address | (isObservable ? 1 : 0), ordering: .relaxed)
        return isObservable
    }
}
