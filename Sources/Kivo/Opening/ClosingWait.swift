import Foundation

/// A wait until a store closes that no realm uses any more.
///
/// For a moment after the release of the last realm, others retain the store: a checkpoint, and code that looks at it at the same time.
/// A running checkpoint alone is not asked for, because it may end between two questions. Frozen values retain a store, too, for
/// as long as the program holds them: the wait ends after a second then.
struct ClosingWait {
    private static let limit: TimeInterval = 1
    private var deadline = Date(timeIntervalSinceNow: limit)

    /// Returns whether a store that was found still closes by itself, or may do so; nil stands for one that is being opened or closed.
    mutating func continues(for store: Store?) -> Bool {
        if let store {
            if store.instanceCount > 0 { return false }
            if store.isMakingCheckpoint { deadline = Date(timeIntervalSinceNow: Self.limit) }
        }
        return Date() < deadline
    }

    /// Waits until a store is closed. Returns false if it is in use.
    static func end(of entry: StoreEntry) -> Bool {
        var wait = ClosingWait()
        while entry.isOpen {
            guard wait.continues(for: entry.current) else { return false }
            pause()
        }
        return true
    }

    static func pause() { Thread.sleep(forTimeInterval: 0.002) }
}
