import KivoLog

/// How the log of a realm is opened, and what tells it from others: see ``Realm/Configuration/commitLog``.
///
///     let shared = MemoryLog()
///     var configuration = Realm.Configuration()
///     configuration.commitLog = CommitLogSource(identifier: "orders") { MemoryLog(sharing: shared) }
///
/// Realms of one identifier have one store in a process, which opens the log once and closes it when the last of them is gone.
public struct CommitLogSource: Sendable {
    /// What tells the log from others in this process.
    public let identifier: String
    /// Makes the log. Called when the first realm is opened, by its thread; what it throws is thrown by opening.
    public let open: @Sendable () throws -> any CommitLog

    /// A source of logs.
    public init(identifier: String, open: @escaping @Sendable () throws -> any CommitLog) {
        (self.identifier, self.open) = (identifier, open)
    }
}

extension CommitLogSource: Equatable {
    /// Whether two sources are of one identifier, and so of one log.
    public static func == (a: CommitLogSource, b: CommitLogSource) -> Bool { a.identifier == b.identifier }
}
