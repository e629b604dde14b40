/// What the realm's observers know of the version that their instance is at.
enum RealmNews {
    enum Event {
        /// The instance, which had nothing read, reads a version.
        case didRead(UInt64)
        /// The instance moved without telling anybody: a write began.
        case movedSilently
        case observersTold
        /// The first observer comes, who is told of what happens after the newest version.
        case firstObserver(head: UInt64)
        /// The instance let go of a version.
        case didInvalidate(UInt64)
    }

    /// Nothing is read: every version but this one is news.
    case unread(since: UInt64)
    case told
    case untold

    /// Whether there is something to tell of the version that is read.
    var isUntold: Bool {
        switch self {
        case .told: false
        case .untold: true
        case .unread(let since): since == 0
        }
    }

    /// The one place where the state changes.
    mutating func take(_ event: Event) {
        switch (event, self) {
        case (.didRead(let version), .unread(let since)): self = version == since ? .told : .untold
        case (.didRead, _): break
        case (.movedSilently, _): self = .untold
        case (.observersTold, _): self = .told
        case (.firstObserver(let head), .unread): self = .unread(since: head)
        case (.firstObserver, _): self = .told
        // No version is 0: after news that nobody was told of, whatever is read next is news.
        case (.didInvalidate, .untold): self = .unread(since: 0)
        case (.didInvalidate(let version), .told): self = .unread(since: version)
        case (.didInvalidate, .unread): break
        }
    }
}
