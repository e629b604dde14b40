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

/// What a thread keeps from the first need to its end. Confined with it.
final class ThreadStorage {
    /// The instances of the thread whose write transaction is open.
    var writing: [CoreAnchor] = []
    /// The turns of the thread's run loop, once somebody listens.
    var turns: TurnQueue?

    /// That of the thread that runs this code.
    static var current: ThreadStorage {
        if let known = read() { return Unmanaged<ThreadStorage>.fromOpaque(known).takeUnretainedValue() }
        let storage = ThreadStorage()
        write(Unmanaged.passRetained(storage).toOpaque())
        return storage
    }

    /// Called by the system at the end of the thread.
    ///
    /// A write lasts until somebody on its thread ends it. Now nobody can any more, and everybody else would wait for the
    /// writer's place for ever.
    private static func end(_ storage: UnsafeMutableRawPointer?) {
        guard let storage else { return }
        let ending = Unmanaged<ThreadStorage>.fromOpaque(storage).takeRetainedValue()
        for anchor in ending.writing { anchor.core.giveUpWrite() }
    }

    #if canImport(WinSDK)
    private static let slot = FlsAlloc { end($0) }

    private static func read() -> UnsafeMutableRawPointer? { FlsGetValue(slot) }
    private static func write(_ storage: UnsafeMutableRawPointer) { FlsSetValue(slot, storage) }
    #else
    private static let slot: pthread_key_t = {
        var slot = pthread_key_t()
        guard pthread_key_create(&slot, { end($0) }) == 0 else {
            trap("The system has no thread-local storage left.")
        }
        return slot
    }()

    private static func read() -> UnsafeMutableRawPointer? { pthread_getspecific(slot) }
    private static func write(_ storage: UnsafeMutableRawPointer) { pthread_setspecific(slot, storage) }
    #endif
}
