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

/// A thread-local pointer, nil at first.
package struct ThreadLocalPointer: Sendable {
    #if canImport(WinSDK)
    /// Called by the system at the end of a thread whose pointer is not nil.
    package typealias End = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private let slot: DWORD

    package init(atEnd end: End? = nil) { slot = FlsAlloc(end) }

    package var value: UnsafeMutableRawPointer? {
        get { FlsGetValue(slot) }
        nonmutating set { FlsSetValue(slot, newValue) }
    }
    #else
    /// Called by the system at the end of a thread whose pointer is not nil.
    #if canImport(Darwin)
    package typealias End = @convention(c) (UnsafeMutableRawPointer) -> Void
    #else
    package typealias End = @convention(c) (UnsafeMutableRawPointer?) -> Void
    #endif
    private let slot: pthread_key_t

    package init(atEnd end: End? = nil) {
        var slot = pthread_key_t()
        guard pthread_key_create(&slot, end) == 0 else {
            trap("The system has no thread-local storage left.")
        }
        self.slot = slot
    }

    @inline(__always)
    package var value: UnsafeMutableRawPointer? {
        get { pthread_getspecific(slot) }
        nonmutating set { pthread_setspecific(slot, newValue) }
    }
    #endif
}
