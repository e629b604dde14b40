/// How long a request may take.
///
/// The limit is on silence, not on size: each byte in either direction restarts it. What is large takes its time over a slow
/// line, and a member that does not answer is left soon.
package struct EtcdPatience: Sendable {
    /// The time after which an attempt is given up in which nothing has moved.
    var silence: Duration
    /// The time at which all ends; nil for attempts that go on as long as something moves.
    var end: ContinuousClock.Instant?
    /// How long further attempts are begun if there is no end.
    private var tries = Duration.zero

    private static let longestSilence = Duration.seconds(30)

    private init(silence: Duration, end: ContinuousClock.Instant?) {
        (self.silence, self.end) = (silence, end)
    }

    /// The patience of a caller who waits until a time.
    package static func until(
        _ end: ContinuousClock.Instant, silence: Duration = .seconds(2)
    ) -> EtcdPatience { EtcdPatience(silence: silence, end: end) }

    /// The patience of a caller who waits as long as something moves, and begins further attempts for some time.
    package static func whileMoving(tryingFor time: Duration) -> EtcdPatience {
        var patience = EtcdPatience(silence: .seconds(2), end: nil)
        patience.tries = time
        return patience
    }

    /// The time after which a request that begins now is not tried again.
    var lastAttempt: ContinuousClock.Instant { end ?? .now + tries }

    /// The time at which an attempt is given up if nothing moves from now on.
    var deadline: ContinuousClock.Instant {
        let next = ContinuousClock.now + silence
        return end.map { min($0, next) } ?? next
    }

    /// Doubles the silence, after an attempt without an answer: a tunnel on the way may take a request sooner than it passes it on.
    mutating func prolong() { silence = min(silence * 2, EtcdPatience.longestSilence) }
}
