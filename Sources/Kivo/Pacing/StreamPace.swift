/// The pace of a stream: when its consumer, who asks for the next change, gets it.
struct StreamPace {
    private let rule: Realm.Pacing.Rule
    private var lastTaken: ContinuousClock.Instant?
    /// The data that the realm showed when it was last checked whether it is at rest, and the moment of the check.
    private var resting: (data: UInt64, since: ContinuousClock.Instant)?

    init(_ rule: Realm.Pacing.Rule) { self.rule = rule }

    /// Returns how long the consumer has to wait at least, or nil if it gets a change now.
    mutating func pause(at now: ContinuousClock.Instant, data: UInt64) -> Duration? {
        let end: ContinuousClock.Instant
        switch rule {
        case .everyTurn, .manual: return nil
        case .interval(let interval):
            guard let lastTaken else { return nil }
            end = lastTaken + interval
        case .rest(let duration):
            let since = if let resting, resting.data == data { resting.since } else { now }
            resting = (data, since)
            end = since + duration
        }
        return end > now ? end - now : nil
    }

    /// Records that the consumer got a change.
    mutating func didTake(at now: ContinuousClock.Instant) { lastTaken = now }
}
