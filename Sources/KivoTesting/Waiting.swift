import Foundation

/// Waiting for what other threads, tasks and processes cause.
enum Waiting {
    /// Runs the run loop of the current thread until a condition holds or the time is over.
    static func serveRunLoop(for timeout: TimeInterval, until condition: () -> Bool) {
        let deadline = Date(timeIntervalSinceNow: timeout)
        while !condition(), Date() < deadline {
            // Without input sources, the run loop returns at once.
            if !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) {
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
    }

    /// Suspends until a condition holds, the time is over or the task is cancelled.
    static func suspend(
        for timeout: TimeInterval, isolation: isolated (any Actor)?, until condition: () -> Bool
    ) async {
        let deadline = Date(timeIntervalSinceNow: timeout)
        while !condition(), Date() < deadline, !Task.isCancelled {
            try? await Task.sleep(nanoseconds: 1_000_000)
        }
    }
}
