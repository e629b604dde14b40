import KivoLog

/// The source of a realm's log: see ``Realm/Configuration/commitLog``.
///
///     let shared = MemoryLog()
///     var configuration = Realm.Configuration()
///     configuration.commitLog = CommitLogSource(identifier: "orders") { MemoryLog(sharing: shared) }
///
/// Realms of one identifier share one store in a process. The store opens the log once, and closes it when the last realm is
/// released.
public struct CommitLogSource: Sendable {
    /// The identifier, which distinguishes the log from others in this process.
    public let identifier: String
    /// The closure that opens the log. The thread that opens the first realm calls it; opening throws the error that it throws.
    public let open: @Sendable () throws -> any CommitLog

    /// Creates a source from an identifier and a closure that opens the log.
    public init(identifier: String, open: @escaping @Sendable () throws -> any CommitLog) {
        (self.identifier, self.open) = (identifier, open)
    }
}

extension CommitLogSource: Equatable {
    /// Returns a Boolean value that indicates whether two sources have the same identifier, and so the same log.
    public static func == (a: CommitLogSource, b: CommitLogSource) -> Bool { a.identifier == b.identifier }
}
