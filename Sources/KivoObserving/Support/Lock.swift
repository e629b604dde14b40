import Foundation
import Synchronization

/// A lock on the heap, for code that one thread at a time runs.
package final class PlainLock: Sendable {
    #if KIVO_SANITIZE_THREAD
    // On Linux the thread sanitizer does not see the locks of `Synchronization`.
    private let lock = NSLock()
    #else
    private let mutex = Mutex(())
    #endif

    package init() {}

    @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        #if KIVO_SANITIZE_THREAD
        lock.lock()
        defer { lock.unlock() }
        return try body()
        #else
        // What a mutex's own closure returns must not be connected with anything outside of it.
        var result: Result?
        try mutex.withLock { (_) throws(Failure) in result = try body() }
        return result.unsafelyUnwrapped
        #endif
    }
}
