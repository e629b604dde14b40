import Dispatch
import Foundation
import KivoEngine
import KivoLog

/// A log behind a bad network: it is slow, responses get lost before or long after the operation took effect, and notifications
/// arrive late, more than once and out of order.
final class UnreliableLog: CommitLog {
    private let base: MemoryLog
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "an unreliable log")
    private let answers = DispatchQueue(label: "answers of an unreliable log")

    private struct State: Sendable {
        var random: SplitMix
        /// The last version that others announced.
        var heard: UInt64 = 0
        var isClosed = false
    }

    /// A generator that can be carried along.
    private struct SplitMix: Sendable {
        var word: UInt64
        mutating func below(_ bound: UInt64) -> UInt64 {
            word &+= 0x9E37_79B9_7F4A_7C15
            var mixed = word
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return (mixed ^ (mixed >> 31)) % bound
        }
    }

    init(_ base: MemoryLog, seed: UInt64) {
        self.base = base
        state = Lock(State(random: SplitMix(word: seed)))
    }

    private func below(_ bound: UInt64) -> UInt64 { state.withLock { $0.random.below(bound) } }

    private func dawdle() { Thread.sleep(forTimeInterval: Double(below(300)) / 1_000_000) }

    let name = "an unreliable log"
    let isShared = true
    var id: UInt64 { base.id }

    func head() -> UInt64 {
        dawdle()
        return base.head()
    }

    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        try base.commits(after: version, body)
    }

    /// Only the versions that others announced.
    func hasCommits(after version: UInt64) -> Bool { state.withLock { $0.heard > version } }

    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) {
        dawdle()
        switch below(9) {
        case 0:
            // The request gets lost.
            completion(.success(.unknown))
        case 1:
            // The answer gets lost.
            _ = base.append(request)
            completion(.success(.unknown))
        case 2:
            // The request is late.
            let delay = Double(below(3000)) / 1_000_000
            queue.asyncAfter(deadline: .now() + delay) { [base] in _ = base.append(request) }
            completion(.success(.unknown))
        case 3:
            // The answer comes on another thread.
            let delay = Double(below(1000)) / 1_000_000
            answers.asyncAfter(deadline: .now() + delay) { [base] in
                completion(.success(base.append(request)))
            }
        default: completion(.success(base.append(request)))
        }
    }

    func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) {
        base.observe { [self] _ in
            let head = base.head()
            for _ in 0...below(2) {
                queue.asyncAfter(deadline: .now() + Double(below(2000)) / 1_000_000) { [self] in
                    let isOpen = state.withLock { state in
                        state.heard = max(state.heard, head)
                        return !state.isClosed
                    }
                    if isOpen { handler(.head(head)) }
                }
            }
        }
    }

    func checkpoint() -> LogCheckpoint? { base.checkpoint() }

    func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        base.beginCheckpoint(of: version, isClosing: isClosing)
    }

    func close() {
        state.withLock { $0.isClosed = true }
        base.close()
    }
}
