/// Something that happened in one of the program's realms, and how long it took. See ``Realm/events``.
public struct RealmEvent: Sendable {
    /// The path of the realm's file, the identifier of a realm in memory, or the name of another commit log.
    public var realm: String { name.text }
    let name: EventName
    /// The number of the thread on which it happened, which is 1 for the main thread.
    public let thread: Int
    let moment: EventMoment
    /// The moment at which it began.
    public var start: ContinuousClock.Instant { moment.instant }
    let nanoseconds: Int64
    /// The time that it took.
    public var duration: Duration { .nanoseconds(nanoseconds) }
    /// The kind of event, with its details.
    public let kind: Kind

    /// A kind of event, with its details. More cases may follow: a `switch` needs a `default`.
    public enum Kind: Sendable {
        /// A transaction became the newest version.
        case commit(Commit)
        /// A listener was called.
        case delivery(Delivery)
        /// A write had to wait for another one.
        case writeWait(WriteWait)
        /// The data were written to the file as a whole, so that the next program that opens it need not replay the commits.
        case checkpoint(Checkpoint)
        /// The rows of a class were compared one by one, because no index leads to those that a condition asks for.
        case scan(Scan)
    }
}

extension RealmEvent {
    /// A transaction that became the newest version. The duration is that of the commit: of making it durable, for a file.
    public struct Commit: Sendable, Hashable {
        /// The number of the new version in this process.
        public let version: UInt64
        /// The number of objects that were created.
        public let insertions: Int
        /// The number of objects of which properties were assigned.
        public let modifications: Int
        /// The number of objects that were deleted.
        public let deletions: Int
        /// A Boolean value that indicates whether another process or machine made the commit.
        public let isForeign: Bool
    }

    /// A call of a listener. The duration is that of the call: what the program's block takes.
    public struct Delivery: Sendable {
        /// The listener.
        public let listener: ListenerInfo
        /// A Boolean value that indicates whether it is the first call, which reports no changes.
        public let isInitial: Bool
        /// The number of elements that the change reports as inserted.
        public let insertions: Int
        /// The number of elements that the change reports as deleted; 1 for an object that was deleted.
        public let deletions: Int
        /// The number of elements that the change reports as modified; for an object, the number of its properties.
        public let modifications: Int
        /// The versions from the one that the listener had seen to the one that it sees now. The commits after the first are those that
        /// the call is about. For an observer of a realm, both are the version that it sees.
        public let versions: ClosedRange<UInt64>
    }

    /// A wait of a write for another one.
    public struct WriteWait: Sendable, Hashable {
        /// A description of where the write that was waited for was open when the wait began.
        public let holder: String
        /// A Boolean value that indicates whether the wait ended with the write lock. If not, it lasted for the configuration's
        /// `lockTimeout`.
        public let isSuccessful: Bool
    }

    /// A checkpoint.
    public struct Checkpoint: Sendable, Hashable {
        /// The number of the version that it contains.
        public let version: UInt64
        /// The reason for its failure, or nil. The commits are in the file without it, and the next one is tried some commits later.
        public let failure: String?
    }

    /// A query that compared all rows of a class, of at least 64. Results that are read or observed, and their counts, are queries.
    public struct Scan: Sendable, Hashable {
        /// The name of the class.
        public let className: String
        /// The number of rows of the class.
        public let rowCount: Int
        /// The names of indexed properties in the condition whose index would have left too many rows.
        public let unusedIndexes: [String]
    }
}

extension RealmEvent: CustomStringConvertible {
    /// A line for a log.
    public var description: String { "\(kind) in \(duration.milliseconds) ms" }
}

extension RealmEvent.Kind: CustomStringConvertible {
    /// The event in words.
    public var description: String {
        switch self {
        case .commit(let commit):
            "\(commit.isForeign ? "commit of another process" : "commit"): version \(commit.version), "
                + RealmEvent.summary(commit.insertions, commit.deletions, commit.modifications)
        case .delivery(let delivery):
            "call of \(delivery.listener): "
                + (delivery.isInitial
                    ? "initial, version \(delivery.versions.upperBound)"
                    : RealmEvent.summary(delivery.insertions, delivery.deletions, delivery.modifications)
                        + ", version \(delivery.versions.lowerBound) to \(delivery.versions.upperBound)")
        case .writeWait(let wait):
            "wait of a write for one on \(wait.holder)" + (wait.isSuccessful ? "" : ", given up")
        case .checkpoint(let checkpoint):
            "checkpoint of version \(checkpoint.version)"
                + (checkpoint.failure.map { ", failed: \($0)" } ?? "")
        case .scan(let scan): "scan of \(scan.rowCount) objects of \(scan.className)"
        }
    }
}

extension RealmEvent {
    fileprivate static func summary(_ insertions: Int, _ deletions: Int, _ modifications: Int) -> String {
        "\(insertions) inserted, \(deletions) deleted, \(modifications) modified"
    }
}

extension Duration {
    /// The duration in milliseconds.
    var milliseconds: Double { self / .milliseconds(1) }
}
