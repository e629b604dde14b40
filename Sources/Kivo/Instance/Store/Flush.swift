import KivoEngine

/// The error for commits that could not be made durable, and their versions. The commits are undone.
struct FlushFailure: Error {
    let versions: ClosedRange<UInt64>
    let error: any Error
}

/// A flush of a realm instance's commits on another thread. Thread-safe.
final class Flush: Sendable {
    struct Outcome: Sendable {
        /// The failure, or nil if all commits are durable.
        let failure: FlushFailure?
    }

    /// The version of the newest commit.
    let version: UInt64
    private let ended = Lock<Outcome?>(nil)

    init(upTo version: UInt64) { self.version = version }

    /// The outcome, or nil while the flush is running.
    var outcome: Outcome? { ended.withLock { $0 } }

    func end(_ failure: FlushFailure?) { ended.withLock { $0 = Outcome(failure: failure) } }
}
