import Dispatch
import Synchronization

/// A request for a turn at a moment.
final class TurnTimer: Sendable {
    let moment: ContinuousClock.Instant
    private let hasEnded = Atomic(false)

    /// Requests a turn at a moment, or now if that has passed.
    init(_ moment: ContinuousClock.Instant, now: ContinuousClock.Instant, _ turns: Turns) {
        self.moment = moment
        let delay = max(now, moment) - now
        let (seconds, attoseconds) = delay.components
        // Longer waits end early, and the turn then requests another one.
        let nanoseconds = min(seconds, 1_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) {
            [self, weak turns] in
            hasEnded.store(true, ordering: .relaxed)
            turns?.request()
        }
    }

    /// Whether the turn was not requested yet.
    var isPending: Bool { !hasEnded.load(ordering: .relaxed) }
}
