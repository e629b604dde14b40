/// The changes that a listener has received, from its registration to its end.
enum ListenerProgress {
    enum Event {
        /// A change after a version concerns the listener.
        case concerned(since: UInt64)
        /// The listener was called, or skips the changes that concern it.
        case caughtUp
        /// The observed object or collection no longer exists.
        case ended
    }

    case awaitingFirstCall
    /// The listener has received all changes that concern it and that the registry has searched.
    case upToDate
    /// The listener has received all changes that concern it up to a version; there are more.
    case outdated(since: UInt64)
    case ended

    /// Whether the listener may have to be called.
    var isDue: Bool {
        switch self {
        case .awaitingFirstCall, .outdated: true
        case .upToDate, .ended: false
        }
    }

    /// Applies an event. The progress changes nowhere else.
    mutating func take(_ event: Event) {
        switch (event, self) {
        case (.concerned(let since), .upToDate): self = .outdated(since: since)
        case (.concerned, _), (.caughtUp, .ended): break
        case (.caughtUp, _): self = .upToDate
        case (.ended, _): self = .ended
        }
    }
}
