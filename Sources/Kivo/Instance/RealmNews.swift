/// Whether the realm's observers were notified of the version that their instance is at.
enum RealmNews {
    enum Event {
        /// The instance, which read no version before, reads one.
        case didRead(UInt64)
        /// The instance moved to another version without notifying observers, because a write began.
        case movedSilently
        case observersTold
        /// The first observer is added. It is notified of changes after the newest version.
        case firstObserver(head: UInt64)
        /// The instance unpinned a version.
        case didInvalidate(UInt64)
    }

    /// No version is read. Observers are notified of any version but `since`.
    case unread(since: UInt64)
    case told
    case untold

    /// Whether observers have to be notified of the version that is read.
    var isUntold: Bool {
        switch self {
        case .told: false
        case .untold: true
        case .unread(let since): since == 0
        }
    }

    /// Applies an event. The state changes nowhere else.
    mutating func take(_ event: Event) {
        switch (event, self) {
        case (.didRead(let version), .unread(let since)): self = version == since ? .told : .untold
        case (.didRead, _): break
        case (.movedSilently, _): self = .untold
        case (.observersTold, _): self = .told
        case (.firstObserver(let head), .unread): self = .unread(since: head)
        case (.firstObserver, _): self = .told
        // No version has the number 0. After a missed notification, observers are notified of any version that is read next.
        case (.didInvalidate, .untold): self = .unread(since: 0)
        case (.didInvalidate(let version), .told): self = .unread(since: version)
        case (.didInvalidate, .unread): break
        }
    }
}
