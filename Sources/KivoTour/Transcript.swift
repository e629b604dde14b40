import Foundation
import Synchronization

/// What each listener of one scene was told, in order. Any thread may add to it.
final class Transcript: Sendable {
    private let heard = Mutex<[(listener: String, notice: String)]>([])

    func hear(_ listener: String, _ notice: String) {
        heard.withLock { $0.append((listener, notice)) }
    }

    /// Everything that `listener` was told.
    func notices(of listener: String) -> [String] {
        heard.withLock { $0.filter { $0.listener == listener }.map(\.notice) }
    }

    /// The listeners that were told anything, in the order in which they first were.
    var listeners: [String] {
        heard.withLock { entries in
            entries.reduce(into: []) { if !$0.contains($1.listener) { $0.append($1.listener) } }
        }
    }

    /// Waits up to five seconds until `listener` was told `count` things; `idle` passes the time in between.
    func wait(for listener: String, count: Int, idle: () -> Void = { Thread.sleep(forTimeInterval: 0.001) }) {
        let deadline = Date(timeIntervalSinceNow: 5)
        while notices(of: listener).count < count, Date() < deadline { idle() }
    }
}
