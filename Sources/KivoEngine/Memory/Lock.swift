#if KIVO_SANITIZE_THREAD && canImport(Glibc)

import Glibc

/// A value that one thread at a time reads or changes: `Synchronization.Mutex`, on a lock that the thread sanitizer supports.
///
/// On Linux `Synchronization.Mutex` calls the kernel directly. The sanitizer ignores such waits and reports every access behind
/// such a lock as a race. It supports POSIX locks.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Proof of `Sendable`: the value came in as `sending`, and only `withLock` accesses it. `withLock` holds the lock while its
    // body has the value, and returns nothing that is still connected with it.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ initialValue: consuming sending Value) {
        value.initialize(to: initialValue)
        lock.initialize(to: pthread_mutex_t())
        guard pthread_mutex_init(lock, nil) == 0 else { fatalError("There is no memory for another lock.") }
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }

    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        if pthread_mutex_trylock(lock) != 0 { return nil }
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}

#elseif hasFeature(Embedded)

/// A value that is read or changed in one place at a time, for platforms with a single thread.
///
/// Embedded Swift has no `Synchronization.Mutex` without a system. A second thread would need another lock than this.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Proof of `Sendable`: there is one thread, and only `withLock` accesses the value.
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private let isHeld = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

    package init(_ initialValue: consuming sending Value) {
        value.initialize(to: initialValue)
        isHeld.initialize(to: false)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        isHeld.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if isHeld.pointee { fatalError("A lock is taken by who has it.") }
        isHeld.pointee = true
        defer { isHeld.pointee = false }
        return try body(&value.pointee)
    }

    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        if isHeld.pointee { return nil }
        isHeld.pointee = true
        defer { isHeld.pointee = false }
        return try body(&value.pointee)
    }
}

#else

import Synchronization

/// A value that one thread at a time reads or changes. All of Kivo's locks have this type, so that a build for the thread
/// sanitizer can replace them: see `KIVO_SANITIZE_THREAD` in the package's manifest.
package typealias Lock<Value: ~Copyable> = Mutex<Value>

#endif
