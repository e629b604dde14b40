import Foundation
import Kivo
import KivoEngine
import KivoLog
import XCTest

/// Commits that a log forgets behind a checkpoint while a store needs them.
final class ForgottenCommitTests: XCTestCase {
    private let first = MemoryLog(checkpointInterval: 5)

    private static func configuration(
        _ name: String, _ open: @escaping @Sendable () throws -> any CommitLog
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(objectTypes: [LogNote.self])
        configuration.commitLog = CommitLogSource(identifier: name, open: open)
        return configuration
    }

    /// Writes through another store until there is a newer checkpoint.
    private static func write(_ first: MemoryLog, _ name: String) {
        let before = first.checkpoint()?.version ?? 0
        do {
            let realm = try Realm(configuration: configuration(name) { MemoryLog(sharing: first) })
            let end = Date() + 60
            repeat {
                try realm.write { realm.add(LogNote()) }
                usleep(200)
            } while first.checkpoint()?.version ?? 0 <= before && Date() < end
        } catch {
            XCTFail("\(error)")
        }
        XCTAssertGreaterThan(first.checkpoint()?.version ?? 0, before)
    }

    private func count() throws -> Int {
        let realm = try Realm(
            configuration: Self.configuration("\(name) count") { [first] in MemoryLog(sharing: first) })
        return realm.objects(LogNote.self).count
    }

    func testAStoreThatOpensBeginsAgain() throws {
        Self.write(first, "\(name) first")
        let reading = Self.configuration("\(name) reading") { [first, name] in
            InterruptedLog(MemoryLog(sharing: first), afterCheckpoint: 3) {
                Self.write(first, "\(name) \($0)")
            }
        }
        let realm = try Realm(configuration: reading)
        XCTAssertEqual(realm.objects(LogNote.self).count, try count())
        try realm.write { realm.add(LogNote()) }
        XCTAssertEqual(realm.objects(LogNote.self).count, try count())
    }

    /// The checkpoint knows the last commit of each store.
    func testAnAnswerThatIsLostBehindACheckpoint() throws {
        let writing = Self.configuration("\(name) writing") { [first, name] in
            InterruptedLog(MemoryLog(sharing: first), afterAppend: 1) { Self.write(first, "\(name) \($0)") }
        }
        let realm = try Realm(configuration: writing)
        try realm.write { realm.add(LogNote(value: ["number": 7])) }
        realm.refresh()
        XCTAssertEqual(realm.objects(LogNote.self).where { $0.number == 7 }.count, 1)
        XCTAssertEqual(realm.objects(LogNote.self).count, try count())
        try realm.write { realm.add(LogNote(value: ["number": 8])) }
        XCTAssertEqual(realm.objects(LogNote.self).count, try count())
    }
}

class LogNote: Object {
    @Persisted var number = 0
}

/// A log beside which others write in between: after the store has asked for the checkpoint, or before it learns what became of
/// a commit, which it then does not.
private final class InterruptedLog: CommitLog {
    private let base: MemoryLog
    private let interrupt: @Sendable (Int) -> Void
    /// How often that is still to happen.
    private let counts: Lock<(checkpoints: Int, appends: Int)>

    init(
        _ base: MemoryLog, afterCheckpoint checkpoints: Int = 0, afterAppend appends: Int = 0,
        _ interrupt: @escaping @Sendable (Int) -> Void
    ) {
        self.base = base
        self.interrupt = interrupt
        counts = Lock((checkpoints, appends))
    }

    let name = "an interrupted log"
    let isShared = true
    var id: UInt64 { base.id }

    func head() -> UInt64 { base.head() }
    func hasCommits(after version: UInt64) -> Bool { base.hasCommits(after: version) }
    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        try base.commits(after: version, body)
    }

    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) {
        let outcome = base.append(request)
        let left = counts.withLock { counts in
            defer { counts.appends -= 1 }
            return counts.appends
        }
        if left > 0 { interrupt(left) }
        completion(.success(left > 0 ? .unknown : outcome))
    }

    func checkpoint() -> LogCheckpoint? {
        let checkpoint = base.checkpoint()
        let left = counts.withLock { counts in
            defer { counts.checkpoints -= 1 }
            return counts.checkpoints
        }
        if left > 0 { interrupt(left) }
        return checkpoint
    }

    func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) { base.observe(handler) }
    func close() { base.close() }
}
