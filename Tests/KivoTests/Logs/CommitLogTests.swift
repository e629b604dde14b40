import Foundation
import Kivo
import KivoEngine
import KivoJournal
import KivoLog
import KivoTesting
import TestRandomness
import XCTest

/// The requirements of `CommitLog`, by the suite that any implementation can run.
final class CommitLogTests: FileTestCase {
    private func run(_ suite: CommitLogSuite, line: UInt = #line) {
        for failure in suite.run() { XCTFail(failure, line: line) }
    }

    private func wait(_ what: String, line: UInt = #line, until condition: () -> Bool) {
        let end = Date(timeIntervalSinceNow: 120)
        while !condition(), Date() < end {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
        }
        XCTAssert(condition(), what, line: line)
    }

    func testALogInMemory() {
        run(
            CommitLogSuite("memory") {
                let first = MemoryLog()
                return { MemoryLog(sharing: first) }
            })
    }

    func testALogInMemoryThatForgets() {
        run(
            CommitLogSuite("memory with checkpoints") {
                let first = MemoryLog(checkpointInterval: 7)
                return { MemoryLog(sharing: first) }
            })
    }

    func testALogInMemoryWithLeases() {
        run(
            CommitLogSuite("memory with leases") {
                let first = MemoryLog(hasLeases: true)
                return { MemoryLog(sharing: first) }
            })
    }

    func testTheFile() {
        let folder = file.deletingLastPathComponent()
        run(
            CommitLogSuite("file") {
                let path = folder.appendingPathComponent("\(UUID().uuidString).kivo").path
                return {
                    JournalLog(
                        try FileDevice.open(path: path, readOnly: false, isShared: true), readOnly: false)
                }
            })
    }

    func testTheFileWithManyCheckpoints() {
        let folder = file.deletingLastPathComponent()
        run(
            CommitLogSuite("file with checkpoints") {
                let path = folder.appendingPathComponent("\(UUID().uuidString).kivo").path
                var policy = CheckpointPolicy()
                policy.allowance = 1 << 15
                policy.smallestTail = 1 << 11
                policy.smallestTailOfClosing = 1
                policy.tailShare = 1 << 10
                return { [policy] in
                    JournalLog(
                        try FileDevice.open(path: path, readOnly: false, isShared: true), readOnly: false,
                        policy: policy)
                }
            })
    }

    func testALogThatLosesAnswersAndNews() {
        let random = Lock(RandomSource())
        for _ in 0..<TestEffort.count(1, full: 3) {
            run(
                CommitLogSuite("unreliable") {
                    let first = MemoryLog()
                    return { UnreliableLog(MemoryLog(sharing: first), seed: random.withLock { $0.next() }) }
                })
        }
    }

    func testAnUnreliableLogThatForgets() {
        let random = Lock(RandomSource())
        run(
            CommitLogSuite("unreliable with checkpoints") {
                let first = MemoryLog(checkpointInterval: 11)
                return { UnreliableLog(MemoryLog(sharing: first), seed: random.withLock { $0.next() }) }
            })
    }

    /// The suite notices what logs do wrong.
    func testBrokenLogsAreFound() {
        for fault in TestEffort.sample(FaultyLog.Fault.allCases, 2) {
            let suite = CommitLogSuite("\(fault)") {
                let (first, leases) = (MemoryLog(), MemoryLog(hasLeases: true))
                return {
                    FaultyLog(MemoryLog(sharing: first), fault, leases: MemoryLog(sharing: leases))
                }
            }
            var impatient = suite
            impatient.timeout = 0.2
            XCTAssertNotEqual(impatient.run(), [], "\(fault)")
        }
    }

    /// A store that hears of nothing by itself finds that the commits it lacks were forgotten.
    func testAStoreThatIsBehindACheckpointIsToldTheDifference() throws {
        let first = MemoryLog(checkpointInterval: 5)
        func realm(_ name: String, isDeaf: Bool) throws -> Realm {
            var configuration = Realm.Configuration(objectTypes: [Dog.self, Person.self])
            configuration.commitLog = CommitLogSource(identifier: "\(self.name) \(name)") {
                let log = MemoryLog(sharing: first)
                return isDeaf ? FaultyLog(log, .keepsNewsToItself) : log
            }
            return try Realm(configuration: configuration)
        }
        let (writing, behind) = (try realm("writing", isDeaf: false), try realm("behind", isDeaf: true))
        try writing.write { for index in 0..<20 { writing.add(Dog(value: ["name": "\(index)"])) } }
        behind.refresh()
        let table = BatchUpdateTable<Dog, String> { "\($0.name) \($0.age)" }
        let token = behind.objects(Dog.self).observe { table.apply($0) }
        behind.refresh()
        XCTAssertEqual(table.rows.count, 20)
        let heldDog = try XCTUnwrap(behind.objects(Dog.self).where { $0.name == "7" }.first)
        var ages: [Int] = []
        let observation = heldDog.observe(\.age) { dog, _ in ages.append(dog.age) }
        for round in 1...30 {
            try writing.write {
                let dogs = writing.objects(Dog.self)
                dogs.where { $0.name == "7" }.first?.age = round
                if round % 3 == 0 { writing.delete(dogs.last!) }
                writing.add(Dog(value: ["name": "new \(round)"]))
            }
        }
        // The checkpoints are made in the background, one after the other, when a commit finds that one is due.
        wait("a checkpoint") {
            try? writing.write { writing.add(Dog(value: ["name": "later"])) }
            return first.checkpoint().map { $0.version > 10 } ?? false
        }
        behind.refresh()
        XCTAssertEqual(table.problems, [])
        XCTAssertEqual(table.rows, writing.objects(Dog.self).map { "\($0.name) \($0.age)" })
        XCTAssertEqual(table.changeCount, 2)
        XCTAssertEqual(ages, [30])
        try behind.write { behind.add(Dog(value: ["name": "last"])) }
        wait("the other to hear of it") { writing.objects(Dog.self).contains { $0.name == "last" } }
        token.invalidate()
        observation.invalidate()
    }

    func testBytesOfACommit() {
        let commit = EncodedCommit(.migration, [1, 2, 3], identity: .init(store: 7, number: .max))
        XCTAssertEqual(EncodedCommit(bytes: commit.bytes), commit)
        XCTAssertEqual(commit.bytes.count, 27)
        var marked = commit
        marked.log = 9
        XCTAssertEqual(EncodedCommit(bytes: marked.bytes), marked)
        XCTAssertEqual(marked.bytes.count, 35)
        for place in [0, 1, 2, 7] {
            var bytes = commit.bytes
            bytes[place] = 77
            XCTAssertNil(EncodedCommit(bytes: bytes))
        }
        for count in 0..<24 { XCTAssertNil(EncodedCommit(bytes: Array(commit.bytes.prefix(count)))) }
    }
}
