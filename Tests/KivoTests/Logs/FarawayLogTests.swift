import Foundation
import Kivo
import KivoEngine
import KivoLog
import KivoTesting
import XCTest

/// Logs on other machines, as the threads of a program see them.
final class FarawayLogTests: XCTestCase {
    private let base = MemoryLog()

    private func configuration(
        _ name: String, _ open: @escaping @Sendable () throws -> any CommitLog
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(objectTypes: [LogNote.self])
        configuration.commitLog = CommitLogSource(identifier: "\(self.name) \(name)", open: open)
        return configuration
    }

    /// The commits that have arrived are applied, without a request to another machine.
    @MainActor
    func testTheMainThreadReadsWithoutAskingAnotherMachine() throws {
        let script = ScriptedLog.Script()
        let realm = try Realm(
            configuration: configuration("reading") { [base] in
                ScriptedLog(MemoryLog(sharing: base), script)
            })
        let other = try Realm(
            configuration: configuration("other") { [base] in MemoryLog(sharing: base) })
        try other.write { other.add(LogNote(value: ["number": 1])) }
        script.state.withLock { $0.remoteCallsOfMain = 0 }
        realm.refresh()
        XCTAssertEqual(realm.objects(LogNote.self).count, 1)
        try other.write { other.add(LogNote(value: ["number": 2])) }
        realm.beginWrite()
        XCTAssertEqual(realm.objects(LogNote.self).count, 2)
        realm.cancelWrite()
        XCTAssertEqual(script.state.withLock { $0.remoteCallsOfMain }, 0)
    }

    /// A realm that only follows is observed like any other.
    @MainActor
    func testAReadOnlyRealmOfALogIsObserved() throws {
        let writing = try Realm(
            configuration: configuration("writing") { [base] in MemoryLog(sharing: base) })
        var following = configuration("following") { [base] in MemoryLog(sharing: base) }
        following.readOnly = true
        let reading = try Realm(configuration: following)
        let table = BatchUpdateTable<LogNote, Int> { $0.number }
        let token = reading.objects(LogNote.self).observe { table.apply($0) }
        var moves = 0
        let realmToken = reading.observe { _, _ in moves += 1 }
        reading.refresh()
        for number in 1...3 { try writing.write { writing.add(LogNote(value: ["number": number])) } }
        reading.refresh()
        XCTAssertEqual(table.problems, [])
        XCTAssertEqual(table.rows, [1, 2, 3])
        XCTAssertGreaterThan(moves, 0)
        token.invalidate()
        realmToken.invalidate()
    }

    /// All of a checkpoint is fetched before the first of its bytes is used; a byte that comes late is waited for.
    func testACheckpointThatIsHardToGet() throws {
        let bytes = try checkpoint(of: 2000)
        for failures in [0, 3, 1_000_000] {
            let left = Lock(failures)
            let configuration = configuration("checkpoint \(failures)") {
                CheckpointLog(bytes) { offset in
                    guard offset > bytes.count / 2 else { return }
                    let fails = left.withLock { left in
                        defer { left -= 1 }
                        return left > 0
                    }
                    if fails { throw CommitLogError.unavailable("byte \(offset) is on its way") }
                }
            }
            if failures > 100 {
                XCTAssertThrowsError(try Realm(configuration: configuration)) {
                    XCTAssertTrue(Realm.Error.logUnavailable ~= $0, "\($0)")
                }
                continue
            }
            let realm = try Realm(configuration: configuration)
            // From now on the log gives nothing.
            left.withLock { $0 = .max }
            XCTAssertEqual(realm.objects(LogNote.self).sum(of: \.number) as Int, 2000 * 1999 / 2)
        }
    }

    /// A damaged checkpoint throws when the realm is opened, and ends no program later.
    func testADamagedCheckpoint() throws {
        var bytes = try checkpoint(of: 2000)
        // A byte of a page: the header before them has unused bytes.
        let header = 8192
        bytes[header + (bytes.count - header) / 2] ^= 1
        let damaged = bytes
        XCTAssertThrowsError(
            try Realm(configuration: configuration("damaged") { CheckpointLog(damaged) { _ in } })
        ) { XCTAssertTrue(Realm.Error.invalidDatabase ~= $0, "\($0)") }
    }

    /// However large the data are, a checkpoint passes in parts.
    func testACheckpointComesInParts() throws {
        let sizes = Lock<[Int]>([])
        let base = MemoryLog(checkpointInterval: 1)
        var configuration = configuration("parts") {
            MeasuringLog(MemoryLog(sharing: base)) { size in sizes.withLock { $0.append(size) } }
        }
        configuration.objectTypes = [LogText.self]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for _ in 0..<400 { realm.add(LogText(value: ["text": String(repeating: "long ", count: 2000)])) }
        }
        let end = Date(timeIntervalSinceNow: 60)
        while base.checkpoint() == nil, Date() < end { Thread.sleep(forTimeInterval: 0.001) }
        let found = sizes.withLock { $0 }
        XCTAssertGreaterThan(found.reduce(0, +), 4_000_000)
        XCTAssertGreaterThan(found.count, 10)
        XCTAssertLessThanOrEqual(found.max() ?? .max, 1 << 18)
    }

    private func checkpoint(of count: Int) throws -> [UInt8] {
        let base = MemoryLog(checkpointInterval: 1)
        let realm = try Realm(configuration: configuration("making") { MemoryLog(sharing: base) })
        try realm.write { for number in 0..<count { realm.add(LogNote(value: ["number": number])) } }
        let end = Date(timeIntervalSinceNow: 60)
        while base.checkpoint() == nil, Date() < end { Thread.sleep(forTimeInterval: 0.001) }
        return try XCTUnwrap(base.checkpoint()).bytes()
    }

    /// Nodes of a new version that open together: one migrates, and the others find it done.
    func testNodesOfANewVersionThatOpenTogether() throws {
        let base = MemoryLog()
        do {
            let old = try Realm(configuration: configuration("old") { MemoryLog(sharing: base) })
            try old.write { old.add(LogNote(value: ["number": 1])) }
        }
        let migrations = Lock(0)
        let failures = Lock<[String]>([])
        let name = self.name
        DispatchQueue.concurrentPerform(iterations: 4) { node in
            var configuration = Realm.Configuration(
                schemaVersion: 1,
                migrationBlock: { migration, _ in
                    migrations.withLock { $0 += 1 }
                    migration.enumerateObjects(ofType: LogNote.className()) { _, new in
                        new?["number"] = 5
                    }
                    // Long enough for all to have read the old data.
                    Thread.sleep(forTimeInterval: 0.05)
                }, objectTypes: [LogNote.self])
            configuration.commitLog = CommitLogSource(identifier: "\(name) node \(node)") {
                MemoryLog(sharing: base)
            }
            do {
                let realm = try Realm(configuration: configuration)
                if realm.objects(LogNote.self).count != 1 { failures.withLock { $0.append("other data") } }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        XCTAssertEqual(failures.withLock { $0 }, [])
        XCTAssertGreaterThan(migrations.withLock { $0 }, 0)
        var isMigrated = 0
        try base.commits(after: 0) { if $0.commit.kind == .migration { isMigrated += 1 } }
        XCTAssertEqual(isMigrated, 1)
    }

    /// A gap is an error, also when the realm is opened.
    func testALogWithAGap() throws {
        let realm = try Realm(configuration: configuration("whole") { [base] in MemoryLog(sharing: base) })
        for number in 1...3 { try realm.write { realm.add(LogNote(value: ["number": number])) } }
        XCTAssertThrowsError(
            try Realm(
                configuration: configuration("gap") { [base] in
                    FaultyLog(MemoryLog(sharing: base), .skipsCommits)
                })
        ) { XCTAssertTrue(Realm.Error.invalidDatabase ~= $0, "\($0)") }
    }

    /// Commits of another log than the checkpoint are not mixed with it.
    func testAnotherLog() throws {
        let realm = try Realm(configuration: configuration("whole") { [base] in MemoryLog(sharing: base) })
        try realm.write { realm.add(LogNote(value: ["number": 1])) }
        XCTAssertThrowsError(
            try Realm(
                configuration: configuration("other") { [base] in
                    RenumberedLog(MemoryLog(sharing: base))
                })
        ) { XCTAssertTrue(Realm.Error.otherLog ~= $0, "\($0)") }
    }
}

class LogText: Object {
    @Persisted var text = ""
}

/// A log that has nothing but a checkpoint, elsewhere.
private final class CheckpointLog: CommitLog {
    private let bytes: [UInt8]
    private let ask: @Sendable (Int) throws -> Void

    init(_ bytes: [UInt8], _ ask: @escaping @Sendable (Int) throws -> Void) {
        (self.bytes, self.ask) = (bytes, ask)
    }

    let name = "a log with a checkpoint"
    func head() -> UInt64 { 1 }
    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) {}
    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) { completion(.success(.unknown)) }

    func checkpoint() -> LogCheckpoint? {
        LogCheckpoint(version: 1, size: bytes.count) { [bytes, ask] buffer, offset in
            try ask(offset)
            let part = bytes[offset..<min(bytes.count, offset + min(buffer.count, 4096))]
            buffer.copyBytes(from: part)
            return part.count
        }
    }
}

/// A log that records the part sizes that it receives for checkpoints.
private final class MeasuringLog: CommitLog {
    private let base: MemoryLog
    private let note: @Sendable (Int) -> Void

    init(_ base: MemoryLog, _ note: @escaping @Sendable (Int) -> Void) {
        (self.base, self.note) = (base, note)
    }

    let name = "a log that measures"
    let isShared = true
    func head() -> UInt64 { base.head() }
    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        try base.commits(after: version, body)
    }
    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) { base.append(request, completion) }
    func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        guard let put = base.beginCheckpoint(of: version, isClosing: isClosing) else { return nil }
        return { [note] checkpoint in
            try checkpoint.write { note($0.count) }
            try put(checkpoint)
        }
    }
    func close() { base.close() }
}

/// A log that says that it is another.
private final class RenumberedLog: CommitLog {
    private let base: MemoryLog

    init(_ base: MemoryLog) { self.base = base }

    let name = "another log"
    var id: UInt64 { base.id ^ 1 }
    func head() -> UInt64 { base.head() }
    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        try base.commits(after: version, body)
    }
    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) { base.append(request, completion) }
}
