/// Watches for a version that is held for so long that it is worth a message: what was replaced since then stays in memory.
struct HeldVersionWatch {
    /// The number of commits from one check to the next, which reads the clock.
    static let interval: UInt64 = 16
    static let longest = Duration.seconds(10)

    /// The version that was the oldest at the last check, and since when it has been.
    private var oldest: (version: UInt64, since: ContinuousClock.Instant)?
    private var isTold = false

    /// Checks the oldest version that is read. Returns how long it has been held if that is worth a message: once for each version.
    mutating func check(_ version: UInt64, at now: ContinuousClock.Instant) -> Duration? {
        guard let oldest, oldest.version == version else {
            (oldest, isTold) = ((version, now), false)
            return nil
        }
        let age = oldest.since.duration(to: now)
        if isTold || age < HeldVersionWatch.longest { return nil }
        isTold = true
        return age
    }
}
