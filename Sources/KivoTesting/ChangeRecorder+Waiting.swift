import Foundation

extension ChangeRecorder {
    /// Runs the run loop of the current thread until so many changes are recorded.
    ///
    /// For the main thread, and for threads whose run loop delivers; elsewhere refresh the realm.
    ///
    /// - Parameters:
    ///   - count: how many changes, those that are there already included.
    ///   - timeout: after how many seconds to give up.
    /// - Returns: whether there are as many. If not, comparing them says which ones came.
    @available(*, noasync, message: "await the other form")
    @discardableResult
    public func waitForChanges(_ count: Int, timeout: TimeInterval = 60) -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout)
        while changes.count < count, Date() < deadline {
            // With nothing to wait for, the run loop returns at once.
            if !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) {
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
        return changes.count >= count
    }

    /// Suspends until so many changes are recorded, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: how many changes, those that are there already included.
    ///   - timeout: after how many seconds to give up.
    ///   - isolation: where the caller runs, which must be where the realm belongs.
    /// - Returns: whether there are as many. If not, comparing them says which ones came.
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
