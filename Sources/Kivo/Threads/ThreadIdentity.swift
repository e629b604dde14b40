import Foundation
import Synchronization

/// The number of the thread that runs this code, for code that is inlined into other modules.
@usableFromInline
enum CurrentThread {
    @usableFromInline
    static var number: UInt64 { ThreadIdentity.currentNumber }
}

/// The identity of a thread: a number that is assigned on first use, and that no other thread ever has.
///
/// The system reuses its own thread ids once a thread has ended, while objects of the thread's realm may live on.
struct ThreadIdentity: Hashable, Sendable {
    /// Never 0.
    let number: UInt

    /// The thread that the process began with.
    static let main = ThreadIdentity(number: 1)

    private static let next = Atomic<UInt>(2)

    /// The thread that runs this code.
    @inline(__always)
    static var current: ThreadIdentity {
        let stored = read()
        return stored == 0 ? make() : ThreadIdentity(number: stored)
    }

    /// The number of the thread that runs this code, in the width of a reader's words.
    @inline(__always)
    static var currentNumber: UInt64 { UInt64(truncatingIfNeeded: current.number) }

    @inline(never)
    private static func make() -> ThreadIdentity {
        let identity =
            Thread.isMainThread ? main : ThreadIdentity(number: next.add(1, ordering: .relaxed).oldValue)
        write(identity.number)
        return identity
    }

    private static let pointer = ThreadLocalPointer()

    @inline(__always)
    private static func read() -> UInt { UInt(bitPattern: pointer.value) }
    private static func write(_ number: UInt) {
        pointer.value = UnsafeMutableRawPointer(bitPattern: number)
    }
}
