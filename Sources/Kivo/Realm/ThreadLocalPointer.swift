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

/// A pointer of which each thread has its own, nil at first.
struct ThreadLocalPointer: Sendable {
    #if canImport(WinSDK)
    private let slot = TlsAlloc()

    var value: UnsafeMutableRawPointer? {
        get { TlsGetValue(slot) }
        nonmutating set { TlsSetValue(slot, newValue) }
    }
    #else
    private let slot: pthread_key_t

    init() {
        var slot = pthread_key_t()
        guard pthread_key_create(&slot, nil) == 0 else {
            trap("The system has no thread-local storage left.")
        }
        self.slot = slot
    }

    var value: UnsafeMutableRawPointer? {
        get { pthread_getspecific(slot) }
        nonmutating set { pthread_setspecific(slot, newValue) }
    }
    #endif
}
