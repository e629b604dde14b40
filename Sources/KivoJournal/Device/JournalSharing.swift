/// The lock and the notifications that coordinate the processes that have one file open.
///
/// Thread-safe. The processes run on one machine: only one process at a time may open a file on a network volume.
package protocol JournalSharing: AnyObject, Sendable {
    /// Waits until no other process writes, and prevents other processes from writing until ``unlock()`` has been called as
    /// often. The lock is released when its process ends, even if the process is killed.
    func lock() throws(JournalError)

    /// Acquires the lock without waiting; returns false if another process is writing at the moment.
    func tryLock() throws(JournalError) -> Bool

    /// Releases the lock, so that other processes can write.
    func unlock()

    /// Sets how long ``lock()`` waits, in seconds, until it throws ``JournalError/timedOut(holder:)``; nil to wait without limit.
    func setTimeout(_ seconds: Double?)

    /// Calls `body` while no process writes, and prevents writes during the call. Returns false, and does not call `body`, if a
    /// process is writing at the moment.
    ///
    /// - Precondition: The caller does not hold the lock.
    func whileNobodyWrites(_ body: () throws -> Void) rethrows -> Bool

    /// Returns the end that the last writing process published; nil if no process did, or it cannot be read.
    func published() -> PublishedEnd?

    /// Publishes where the file ends now, and notifies the watchers of the audience.
    ///
    /// - Precondition: The caller holds the lock.
    func publish(_ end: PublishedEnd, to audience: PublicationAudience)

    /// Registers the closure that is called, on some thread, after other processes have published. Called at most once.
    func watch(_ body: @escaping @Sendable () -> Void)

    /// Reserves a number for this process, without waiting; returns false if another process has reserved it. The reservation ends with
    /// the process, even if that is killed, or by ``release(_:)``.
    func tryReserve(_ number: UInt64) -> Bool

    /// Ends the reservation of a number.
    func release(_ number: UInt64)

    /// Ends the calls of the closure that ``watch(_:)`` registered.
    func close()
}

extension JournalSharing {
    /// Does nothing: ``lock()`` does not wait.
    package func setTimeout(_ seconds: Double?) {}

    /// Returns true: other processes are not known.
    package func tryReserve(_ number: UInt64) -> Bool { true }

    /// Does nothing.
    package func release(_ number: UInt64) {}

    /// Returns false: it is unknown whether a process writes.
    package func whileNobodyWrites(_ body: () throws -> Void) rethrows -> Bool { false }
}

/// The watchers that are notified when a process publishes where the file ends.
package enum PublicationAudience: Sendable {
    /// The watchers of all processes, including this one: the new records may include commits of other processes.
    case everybody
    /// The watchers of other processes: this process knows all new records. On systems that cannot exclude a single process, its
    /// watchers are called too.
    case others
}

/// The end of a file after a durable record.
package struct PublishedEnd: Equatable, Sendable {
    /// The identity of the journal; a different one after the file was compacted.
    package var journal: UInt64
    /// The offset of the next record.
    package var end: Int
    /// The number of the last record.
    package var sequence: UInt64

    /// Creates an end.
    package init(journal: UInt64, end: Int, sequence: UInt64) {
        (self.journal, self.end, self.sequence) = (journal, end, sequence)
    }
}
