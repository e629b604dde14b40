import Dispatch
import KivoEngine

extension CommitLog {
    /// The default is 0: the log has no number.
    public var id: UInt64 { 0 }

    /// The default is true, as for a file.
    public var isSlow: Bool { true }

    /// The default is false, as for a file.
    public var isRemote: Bool { false }

    /// The default is false: there is only one store.
    public var isShared: Bool { false }

    /// The default is false: the log has no path that another file could take.
    public var isDisplaced: Bool { false }

    /// The default is true.
    public func takesStamp(isLabeled: Bool) -> Bool { true }

    /// The default is nil: there is no limit.
    public var largestCommit: Int? { nil }

    /// Restores the checkpoint, then reads the commits after it.
    ///
    /// - Throws: Errors of ``checkpoint()``, of ``commits(after:_:)`` and of the closures.
    public func open(
        restoring restore: (LogCheckpoint) throws -> Void, reading read: (LogEntry) throws -> Void,
        accepting accept: () throws -> Void
    ) throws {
        var version: UInt64 = 0
        if let checkpoint = try checkpoint() {
            try restore(checkpoint)
            version = checkpoint.version
        }
        try commits(after: version, read)
        try accept()
    }

    /// Returns false, because no other store appends.
    public func hasCommits(after version: UInt64) -> Bool { false }

    /// Does nothing, because no other store appends.
    public func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) {}

    /// Does nothing: the append ends at its deadline.
    public func cancelAppend(_ identity: EncodedCommit.Identity) {}

    /// Reads the first of the commits after the version.
    ///
    /// - Throws: Errors of ``commits(after:_:)``.
    public func resolve(
        _ identity: EncodedCommit.Identity, after version: UInt64, until deadline: ContinuousClock.Instant?
    ) throws -> AppendResolution {
        var found: EncodedCommit.Identity?
        do {
            try commits(after: version) { entry in
                found = entry.commit.identity
                throw Enough()
            }
        } catch is Enough {
        } catch CommitLogError.removed(let checkpoint) {
            return .removed(checkpoint: checkpoint)
        }
        return found.map { $0 == identity ? .appended : .other } ?? .open
    }

    /// Returns nil, because there are no leases.
    ///
    /// - Throws: Nothing; a log with leases throws if one cannot be taken.
    public func acquireLease(until deadline: ContinuousClock.Instant?) throws -> LogLease? { nil }

    /// Does nothing, because there are no leases.
    public func releaseLease(_ lease: LogLease) {}

    /// Returns nil, because the log keeps all commits.
    ///
    /// - Throws: Nothing; a log with checkpoints throws if one cannot be read.
    public func checkpoint() throws -> LogCheckpoint? { nil }

    /// Returns nil, because the log keeps all commits.
    public func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? { nil }

    /// Releases nothing.
    public func close() {}
}

/// Ends the iteration over the commits.
private struct Enough: Error {}

extension CommitLog {
    /// Appends a commit, and waits for the outcome.
    ///
    /// A log that has not answered some time after the deadline is not waited for any longer: the outcome is unknown.
    ///
    /// - Throws: The error of the log if the commit was not appended, and will not be.
    public func append(_ request: AppendRequest) throws -> AppendOutcome {
        let answer = AppendAnswer()
        append(request) { answer.set($0) }
        return try answer.wait(for: request, cancelAppend).get()
    }
}

/// The answer to an append, for the thread that waits for it.
private final class AppendAnswer: Sendable {
    private enum State: Sendable {
        case open
        case waiting(DispatchSemaphore)
        case answered(Result<AppendOutcome, any Error>)
    }

    private let state = Lock(State.open)

    func set(_ result: Result<AppendOutcome, any Error>) {
        let waiting = state.withLock { state -> DispatchSemaphore? in
            switch state {
            case .answered: return nil
            case .open:
                state = .answered(result)
                return nil
            case .waiting(let semaphore):
                state = .answered(result)
                return semaphore
            }
        }
        waiting?.signal()
    }

    func wait(
        for request: AppendRequest, _ cancel: (EncodedCommit.Identity) -> Void
    ) -> Result<AppendOutcome, any Error> {
        let (answer, semaphore) = state.withLock {
            state -> (Result<AppendOutcome, any Error>?, DispatchSemaphore?) in
            if case .answered(let result) = state { return (result, nil) }
            let semaphore = DispatchSemaphore(value: 0)
            state = .waiting(semaphore)
            return (nil, semaphore)
        }
        if let answer { return answer }
        if let deadline = request.deadline {
            // The log ends the append itself at the deadline; this is for one that forgets it.
            let rest = deadline - .now + .milliseconds(250)
            if semaphore!.wait(timeout: .now() + max(0, rest.inSeconds)) == .timedOut {
                cancel(request.commit.identity)
            }
        } else {
            semaphore!.wait()
        }
        return state.withLock { state in
            if case .answered(let result) = state { return result }
            state = .answered(.success(.unknown))
            return .success(.unknown)
        }
    }
}

extension Duration {
    /// The duration in seconds.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
