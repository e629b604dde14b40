/// Watches for a version that is held for so long that it is worth a message: what was replaced since then stays in memory.
struct HeldVersionWatch {
    /// The number of commits from one check to the next, which reads the clock.
    static let interval: UInt64 = 16
    static let longest = Duration.seconds(10)

    /// The version that was the oldest at the last check, and since when it has been.
    private var oldest: (version: UInt64, since: Duration)?
    private var isReported = false

    /// Checks the oldest version that is read. Returns how long it has been held if that is worth a message: once for each version.
    ///
    /// - Parameter now: the present moment, on any clock.
    mutating func check(_ version: UInt64, at now: Duration) -> Duration? {
        guard let oldest, oldest.version == version else {
            (oldest, isReported) = ((version, now), false)
            return nil
        }
        let age = now - oldest.since
        if isReported || age < HeldVersionWatch.longest { return nil }
        isReported = true
        return age
    }
}
