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

    /// Runs `body` while this thread holds the lock. Not inlined, since a copy in every use of `Locked` makes a program larger
    /// by 37 KB; frequent uses call ``withLockInline(_:)``.
    @inline(never)
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try withLockInline(body)
    }

    /// Runs `body` like ``withLock(_:)``, as part of the calling code.
    @inline(__always)
    func withLockInline<Result, Failure: Error>(_ body: () throws(Failure) -> Result)
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
