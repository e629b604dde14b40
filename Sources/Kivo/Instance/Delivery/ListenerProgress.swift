/// What a listener was told, from its registration to its end.
enum ListenerProgress {
    enum Event {
        /// Something that concerns the listener happened after a version.
        case concerned(since: UInt64)
        /// The listener was called, or what concerned it is not to be told.
        case caughtUp
        /// What the listener hears of is gone.
        case ended
    }

    case awaitingFirstCall
    /// All that concerns it up to the version for which the registry looked for listeners.
    case told
    /// All that concerned it up to a version; there is more.
    case behind(since: UInt64)
    case ended

    /// Whether the listener may have to be called.
    var isDue: Bool {
        switch self {
        case .awaitingFirstCall, .behind: true
        case .told, .ended: false
        }
    }

    /// The one place where progress is made.
    mutating func take(_ event: Event) {
        switch (event, self) {
        case (.concerned(let since), .told): self = .behind(since: since)
        case (.concerned, _), (.caughtUp, .ended): break
        case (.caughtUp, _): self = .told
        case (.ended, _): self = .ended
        }
    }
}
