import Dispatch
import Synchronization

/// A timer that requests turns. It is set again and again, and requests none after it was released.
final class TurnTimer {
    /// Whether the timer was set, and the moment has not come yet. Thread-safe.
    private final class Wait: Sendable {
        let isPending = Atomic(false)
    }

    private let source = DispatchSource.makeTimerSource(queue: .global())
    private let wait = Wait()
    /// The moment for which the timer was set last.
    private var moment: ContinuousClock.Instant?

    init(_ turns: Turns) {
        source.setEventHandler { [wait, weak turns] in
            wait.isPending.store(false, ordering: .relaxed)
            turns?.request()
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// Makes sure that a turn is requested at a moment or before, or now if that has passed.
    func set(_ moment: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        if wait.isPending.load(ordering: .relaxed), let known = self.moment, known <= moment { return }
        self.moment = moment
        wait.isPending.store(true, ordering: .relaxed)
        let (seconds, attoseconds) = (max(now, moment) - now).components
        // A longer wait ends early, and the turn then sets the timer again.
        let nanoseconds = min(seconds, 1_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
        source.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
    }
}
