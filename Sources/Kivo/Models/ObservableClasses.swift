import Observation
import Synchronization

/// Which model classes say that they are `Observable`.
///
/// Every new object asks, so what is known of a class is found by its address in a small table: one load. Thread-safe.
enum ObservableClasses {
    /// The class whose address leads to a word last, with a 1 in the lowest bit if it is `Observable`. Words are replaced
    /// whole, and each says all there is to know.
    private struct Words: ~Copyable, @unchecked Sendable {
        // Proof of `Sendable`: the memory is never freed, and nothing but atomic operations reach it.
        let words = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: 256)

        init() { for index in 0..<256 { (words + index).initialize(to: Atomic(0)) } }
    }

    private static let words = Words()

    /// Whether a class is `Observable`, as far as conformances of the program say.
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
