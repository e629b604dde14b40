/// A holder of a store's write lock, or a participant in the line that waits for it. This class is the store itself as a writer: it
/// takes the lock at once or blocks its thread, so it has no turns. A realm instance is a writer by its `InstanceHandle`.
///
/// A class and not a protocol, because each write stores the writer in the state of the line: existentials made a commit without
/// changes 0.1 µs slower.
///
/// Thread-safe: it is immutable, and subclasses are thread-safe too.
class Writer: @unchecked Sendable {
    /// Whether the writer only advances the store to the commits of other processes.
    final let isFollower: Bool
    /// A description of where the writer runs.
    var home: String { "another thread" }
    /// Whether the writer is a realm instance, so that code of the program waits for the lock.
    var isInstance: Bool { false }
    /// Whether the writer belongs to an actor or a queue, whose end causes no notification.
    var mayGoUnnoticed: Bool { false }
    /// Whether the actor or queue that the writer belongs to no longer exists.
    var isGone: Bool { false }

    init(isFollower: Bool) { self.isFollower = isFollower }

    /// Schedules a turn, in which the writer accepts the write lock that it was offered.
    func requestTurn() {}
    /// Rolls back the write that an actor or a queue left open when it was deallocated.
    func giveUpWrite() {}
}
