import Foundation
import Kivo
import KivoEngine
import KivoLog

/// A log on another machine whose answers a test decides, over one in memory.
final class ScriptedLog: CommitLog {
    /// The outcome of an append.
    enum Step: Sendable {
        /// It is carried out.
        case answers
        /// The request gets lost.
        case losesRequest
        /// It is carried out, and the answer gets lost.
        case losesAnswer
        /// The request arrives when the test says so.
        case isLate
        /// The log sends nothing, and says so.
        case isUnreachable
    }

    /// The state that the logs of one test share.
    final class Script: Sendable {
        struct State: Sendable {
            var steps: [Step] = []
            /// The outcome when no steps are left.
            var last = Step.answers
            /// Whether what was appended can be asked for.
            var resolves = true
            var late: [AppendRequest] = []
            var appends = 0
            /// Calls that ask another machine, by their threads.
            var remoteCallsOfMain = 0
        }

        let state = Lock(State())

        /// Carries out the requests that are late.
        func deliver(to log: MemoryLog) -> [AppendOutcome] {
            let late = state.withLock { state in
                defer { state.late = [] }
                return state.late
            }
            return late.map { log.append($0) }
        }
    }

    let base: MemoryLog
    let script: Script

    init(_ base: MemoryLog, _ script: Script) { (self.base, self.script) = (base, script) }

    let name = "a log with a script"
    let isShared = true
    let isRemote = true
    let isSlow = true
    var id: UInt64 { base.id }

    private func askAnotherMachine() {
        if Thread.isMainThread { script.state.withLock { $0.remoteCallsOfMain += 1 } }
    }

    func head() -> UInt64 {
        askAnotherMachine()
        return base.head()
    }

    func hasCommits(after version: UInt64) -> Bool { base.hasCommits(after: version) }

    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        try base.commits(after: version, body)
    }

    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) {
        askAnotherMachine()
        let step = script.state.withLock { state in
            state.appends += 1
            return state.steps.isEmpty ? state.last : state.steps.removeFirst()
        }
        switch step {
        case .answers: completion(.success(base.append(request)))
        case .losesRequest: completion(.success(.unknown))
        case .losesAnswer:
            _ = base.append(request)
            completion(.success(.unknown))
        case .isLate:
            script.state.withLock { $0.late.append(request) }
            completion(.success(.unknown))
        case .isUnreachable: completion(.failure(CommitLogError.unavailable("nobody is there")))
        }
    }

    func resolve(
        _ identity: EncodedCommit.Identity, after version: UInt64, until deadline: ContinuousClock.Instant?
    ) throws -> AppendResolution {
        askAnotherMachine()
        guard script.state.withLock({ $0.resolves }) else {
            throw CommitLogError.unavailable("nobody is there")
        }
        return try base.resolve(identity, after: version, until: deadline)
    }

    func acquireLease(until deadline: ContinuousClock.Instant?) throws -> LogLease? {
        // A lease that is at hand costs nothing.
        if deadline.map({ $0 > .now }) ?? true { askAnotherMachine() }
        return nil
    }

    func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) { base.observe(handler) }
    func checkpoint() -> LogCheckpoint? { base.checkpoint() }
    func close() { base.close() }
}
