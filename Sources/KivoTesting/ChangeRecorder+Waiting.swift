import Foundation

extension ChangeRecorder {
    /// Runs the run loop of the current thread until a number of changes are recorded.
    ///
    /// For the main thread and other threads whose run loop delivers notifications. On other threads, refresh the realm instead.
    ///
    /// - Parameters:
    ///   - count: the number of changes, including those that are already recorded.
    ///   - timeout: the number of seconds after which to give up.
    /// - Returns: whether that many changes are recorded. If not, a comparison shows which ones are missing.
    @available(*, noasync, message: "await the other form")
    @discardableResult
    public func waitForChanges(_ count: Int, timeout: TimeInterval = 60) -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout)
        while changes.count < count, Date() < deadline {
            // Without input sources, the run loop returns at once.
            if !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) {
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
        return changes.count >= count
    }

    /// Suspends until a number of changes are recorded or the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: the number of changes, including those that are already recorded.
    ///   - timeout: the number of seconds after which to give up.
    ///   - isolation: the caller's isolation, which must be the realm's.
    /// - Returns: whether that many changes are recorded. If not, a comparison shows which ones are missing.
    @discardableResult
    public func waitForChanges(
        _ count: Int, timeout: TimeInterval = 60, isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout)
        while changes.count < count, Date() < deadline, !Task.isCancelled {
            try? await Task.sleep(nanoseconds: 1_000_000)
        }
        return changes.count >= count
    }
}
