import KivoEngine

/// Why commits could not be made durable, and which: they are undone.
struct FlushFailure: Error {
    let versions: ClosedRange<UInt64>
    let error: any Error
}

/// A flush on another thread than that of the realm instance whose commits it is of. Thread-safe.
final class Flush: Sendable {
    struct Outcome: Sendable {
        /// nil if all is durable.
        let failure: FlushFailure?
    }

    /// The newest of the commits.
    let version: UInt64
    private let ended = Lock<Outcome?>(nil)

    init(upTo version: UInt64) { self.version = version }

    /// What came of it; nil as long as it is under way.
    var outcome: Outcome? { ended.withLock { $0 } }

    func end(_ failure: FlushFailure?) { ended.withLock { $0 = Outcome(failure: failure) } }
}
