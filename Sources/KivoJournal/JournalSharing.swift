/// How the processes that have one file open keep apart and hear of each other.
///
/// Thread-safe. The processes are those of one machine: a file on a network volume is for one of them at a time.
public protocol JournalSharing: AnyObject, Sendable {
    /// Waits until no other process writes, and keeps them from it until ``unlock()`` was called as often. The lock goes with
    /// its process, also when that dies.
    func lock() throws(JournalError)

    /// The same without waiting: false if somebody writes at the moment.
    func tryLock() throws(JournalError) -> Bool

    /// Lets others write.
    func unlock()

    /// How long ``lock()`` waits, in seconds, until it throws ``JournalError/timedOut(holder:)``; nil for as long as it takes.
    func setTimeout(_ seconds: Double?)

    /// Calls a closure while no process writes, and keeps them from it for as long. Returns false, and calls nothing, if one writes
    /// at the moment. Not by who holds the lock.
    func whileNobodyWrites(_ body: () throws -> Void) rethrows -> Bool

    /// What the process that wrote last said; nil if nobody did, or it cannot be read.
    func published() -> PublishedEnd?

    /// Says where the file ends now, and has those who ``watch(_:)`` be called. By who holds the lock.
    func publish(_ end: PublishedEnd, to audience: PublicationAudience)

    /// Has a block be called, on some thread, after others have published. Once.
    func watch(_ body: @escaping @Sendable () -> Void)

    /// Ends watching.
    func close()
}

extension JournalSharing {
    /// Does nothing: nobody is waited for.
    public func setTimeout(_ seconds: Double?) {}

    /// False: whether somebody writes is not known.
    public func whileNobodyWrites(_ body: () throws -> Void) rethrows -> Bool { false }
}

/// Which watchers are called when a process publishes where the file ends.
public enum PublicationAudience: Sendable {
    /// Those of all processes, this one included: there may be commits of others among what is new.
    case everybody
    /// Those of other processes: this one knows all that is new. Where the system cannot leave out one process, its watchers are
    /// called too.
    case others
}

/// Where a file ended after a record that is durable.
public struct PublishedEnd: Equatable, Sendable {
    /// The identity of the journal; another one if the file was compacted.
    public var journal: UInt64
    /// Where the next record goes.
    public var end: Int
    /// The number of the last record.
    public var sequence: UInt64

    /// An end.
    public init(journal: UInt64, end: Int, sequence: UInt64) {
        (self.journal, self.end, self.sequence) = (journal, end, sequence)
    }
}
