import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(WinSDK)
import WinSDK
#endif

/// Tells threads apart: a number that a thread gets when it first asks, and that no other ever has.
///
/// The system's own thread ids are given to new threads once a thread has ended, while objects of its realm may live on.
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

    @inline(never)
    private static func make() -> ThreadIdentity {
        let identity =
            Thread.isMainThread ? main : ThreadIdentity(number: next.add(1, ordering: .relaxed).oldValue)
        write(identity.number)
        return identity
    }

    #if canImport(WinSDK)
    private static let slot = TlsAlloc()

    private static func read() -> UInt { UInt(bitPattern: TlsGetValue(slot)) }
    private static func write(_ number: UInt) {
        TlsSetValue(slot, UnsafeMutableRawPointer(bitPattern: number))
    }
    #else
    private static let slot: pthread_key_t = {
        var slot = pthread_key_t()
        guard pthread_key_create(&slot, nil) == 0 else {
            trap("The system has no thread-local storage left.")
        }
        return slot
    }()

    @inline(__always)
    private static func read() -> UInt { UInt(bitPattern: pthread_getspecific(slot)) }
    private static func write(_ number: UInt) {
        pthread_setspecific(slot, UnsafeRawPointer(bitPattern: number))
    }
    #endif
}
