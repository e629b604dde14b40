import Foundation
import Kivo
import KivoEngine
import KivoLog

/// The log of a realm that replays a capsule, or from which a capsule is made.
///
/// A replay delivers commits as if another process had made them, at the versions that the test asks for. The observers of a replay may
/// write only what was recorded: the commit that the recorded observers made in the same place is then taken for theirs.
final class CapsuleLog: CommitLog {
    private struct State: Sendable {
        var contents: CapsuleContents
        /// The version up to which commits have arrived.
        var head: UInt64
    }

    private let state: Lock<State>
    private let isReplay: Bool
    /// The versions that the instance which is played committed itself, and those of its turns.
    private let (ownVersions, turns): ([UInt64], [UInt64])

    /// Creates a log whose commits arrive when ``deliver(upTo:)`` asks for them.
    init(replaying contents: CapsuleContents, at place: Capsule.Place? = nil) {
        state = Lock(State(contents: contents, head: contents.baseVersion))
        isReplay = true
        ownVersions = contents.versions(of: place, own: true)
        turns = contents.versions(of: place, own: false)
    }

    /// Creates a log that takes commits on top of a base.
    init(recordingOnto base: CapsuleContents) {
        state = Lock(State(contents: base, head: base.end))
        isReplay = false
        (ownVersions, turns) = ([], [])
    }

    /// The base and the commits of the log.
    var contents: CapsuleContents { state.withLock { $0.contents } }

    /// Lets commits arrive.
    func deliver(upTo version: UInt64) {
        state.withLock { $0.head = max($0.head, min(version, $0.contents.end)) }
    }

    /// Lets commits arrive one by one in a realm over the log. Returns what each of them changes.
    func changes(upTo version: UInt64, in realm: Realm) throws -> [ChangeSet] {
        try (head()..<version).map { last in
            let before = realm.version
            deliver(upTo: last + 1)
            realm.refresh()
            return try realm.changes(since: before)
        }
    }

    /// Makes the newest version the base, in place of the commits that led to it.
    func setBase(_ bytes: [UInt8]) {
        state.withLock { state in
            state.contents.base = bytes
            state.contents.baseVersion = state.head
            state.contents.commits = []
        }
    }

    /// Opens a realm over the log, which advances only when it is refreshed.
    func realm(of types: [ObjectBase.Type]?) throws -> Realm {
        var configuration = Realm.Configuration(
            schemaVersion: contents.schemaVersion, objectTypes: types)
        configuration.commitLog = CommitLogSource(identifier: UUID().uuidString) { self }
        let realm = try Realm(configuration: configuration)
        realm.autorefresh = false
        return realm
    }

    // MARK: CommitLog

    var name: String { "of a capsule" }
    var id: UInt64 { contents.log }
    var isSlow: Bool { false }
    var isShared: Bool { true }

    func head() -> UInt64 { state.withLock { $0.head } }

    func checkpoint() -> LogCheckpoint? {
        let contents = contents
        return contents.base.isEmpty
            ? nil : LogCheckpoint(version: contents.baseVersion, bytes: contents.base)
    }

    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        let (contents, head) = state.withLock { ($0.contents, $0.head) }
        guard version >= contents.baseVersion else {
            throw CommitLogError.removed(checkpoint: contents.baseVersion)
        }
        var number = version
        while number < head {
            number += 1
            try body(LogEntry(version: number, contents.commits[Int(number - contents.baseVersion) - 1]))
        }
    }

    func hasCommits(after version: UInt64) -> Bool { head() > version }

    /// Times and labels would differ in each run.
    func takesStamp(isLabeled: Bool) -> Bool { false }

    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) { completion(Result { try append(request) }) }

    private func append(_ request: AppendRequest) throws -> AppendOutcome {
        try state.withLock { state in
            guard state.head == request.version else { return .behind(head: state.head) }
            if isReplay {
                let position = Int(state.head - state.contents.baseVersion)
                guard position < state.contents.commits.count,
                    // A recorded commit ends with its time.
                    state.contents.commits[position].payload.starts(with: request.commit.payload)
                else {
                    throw CapsuleError(
                        "The code that replays a capsule writes something other than what was recorded.")
                }
            } else {
                state.contents.commits.append(request.commit)
            }
            state.head += 1
            return .appended(version: state.head)
        }
    }

    /// Lets the commits arrive that others made before the next one of the instance that is played, but no more than its next turn
    /// delivered: a write begins with a turn. There are no leases.
    func acquireLease(until deadline: ContinuousClock.Instant?) -> LogLease? {
        state.withLock { state in
            guard let next = ownVersions.first(where: { $0 > state.head }), next - 1 > state.head else {
                return
            }
            let turn = turns.first { $0 > state.head } ?? .max
            state.head = min(next - 1, turn, state.contents.end)
        }
        return nil
    }
}
