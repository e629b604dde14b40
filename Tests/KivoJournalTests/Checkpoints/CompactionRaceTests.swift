import Foundation
import XCTest

@testable import KivoEngine
@testable import KivoFaults
@testable import KivoJournal

#if !os(Windows)

/// Two processes that compact one file, each by a log of its own.
final class CompactionRaceTests: FolderTestCase {
    /// A process's position in a file does not apply to the file that replaced it: a write there would be at the wrong offset,
    /// or would omit commits.
    func testACheckpointOfAFileThatWasReplacedIsGivenUp() throws {
        for compacts in [false, true] {
            var policy = CheckpointPolicy()
            policy.allowance = compacts ? 0 : 1 << 30
            policy.smallestTail = 1
            policy.tailShare = 1 << 10
            let (a, b) = (try LogProcess(path, policy), try LogProcess(path))
            let before = a.numbers.count
            for value in 0..<100 { try a.commit(UInt64(value)) }
            let checkpoint = try XCTUnwrap(a.log.beginCheckpoint(isClosing: false))
            try b.commit(100)
            XCTAssertTrue(try b.journal.rewrite(b.log.checkpoint(b.snapshot, b.store.catalog)))
            try b.commit(101)
            try a.log.catchUp(into: &a.store)
            XCTAssertEqual(a.numbers.count, before + 102)
            XCTAssertThrowsError(try checkpoint.make(a.snapshot, a.store.catalog)) {
                XCTAssertEqual($0 as? JournalError, .displaced)
            }
            try a.commit(102)
            try b.commit(103)
            XCTAssertEqual(Array(b.numbers.suffix(5)), [99, 100, 101, 102, 103])
            // By where it is now it can.
            XCTAssertTrue(try b.journal.rewrite(b.log.checkpoint(b.snapshot, b.store.catalog)))
            let c = try LogProcess(path)
            XCTAssertEqual(c.numbers, b.numbers)
            XCTAssertTrue(
                try JournalVerification.verify(FileDevice.open(path: path, readOnly: true, isLocked: false))
                    .flaws.isEmpty)
            for process in [a, b, c] { process.end() }
        }
    }

    /// A transaction that deletes the rows that it inserts leaves no trace of their keys in the log, but a checkpoint of its process
    /// knows them. Another process commits rows with lower keys meanwhile, after the position of the checkpoint.
    func testACheckpointThatKnowsMoreKeysThanTheCommitsAfterIt() throws {
        var policy = CheckpointPolicy()
        policy.allowance = 1 << 30
        policy.smallestTail = 1
        policy.tailShare = 1 << 10
        let (a, b) = (try LogProcess(path, policy), try LogProcess(path))
        for value in 0..<100 { try a.commit(UInt64(value)) }
        let table = try XCTUnwrap(a.store.catalog.table(named: "Number"))
        try a.log.beginExclusive(into: &a.store)
        try a.store.commit { transaction in
            let kept = transaction.table(table).key(at: 0)
            transaction.delete((0..<3).map { _ in transaction.insert(into: table) }, from: table)
            transaction.set(.word(1_000), table, kept, 0)
            try a.log.append(transaction, transaction.changeSet(), label: CommitLabel())
        }
        try a.store.commit { transaction in
            transaction.delete((0..<3).map { _ in transaction.insert(into: table) }, from: table)
        }
        a.log.endExclusive()
        let checkpoint = try XCTUnwrap(a.log.beginCheckpoint(isClosing: false))
        try b.commit(100)
        XCTAssertLessThan(b.snapshot.table(table).nextKey, a.snapshot.table(table).nextKey)
        try checkpoint.make(a.snapshot, a.store.catalog)
        let c = try LogProcess(path)
        XCTAssertEqual(c.numbers, b.numbers)
        try c.commit(101)
        try a.log.catchUp(into: &a.store)
        try b.log.catchUp(into: &b.store)
        XCTAssertEqual(a.numbers, c.numbers)
        XCTAssertEqual(b.numbers, c.numbers)
        XCTAssertTrue(
            try JournalVerification.verify(FileDevice.open(path: path, readOnly: true, isLocked: false))
                .flaws.isEmpty)
        for process in [a, b, c] { process.end() }
    }

    /// A process that has compacted the file is killed before it says where the new one ends: the others find it all the same, and
    /// so does who opens the file, and both say it then.
    func testAFileOfWhichNobodySaysWhereItEndsIsFollowed() throws {
        for opens in [false, true] {
            let (a, b) = (try LogProcess(path), try LogProcess(path))
            let sharing = try XCTUnwrap(b.journal.contents?.sharing)
            try b.commit(1)
            XCTAssertTrue(try b.journal.rewrite(b.log.checkpoint(b.snapshot, b.store.catalog)))
            let said = try XCTUnwrap(sharing.published())
            try b.commit(2)
            XCTAssertTrue(try b.journal.rewrite(b.log.checkpoint(b.snapshot, b.store.catalog)))
            let last = try XCTUnwrap(sharing.published())
            sharing.publish(said, to: .everybody)
            if opens {
                let c = try LogProcess(path)
                XCTAssertEqual(sharing.published(), last)
                c.end()
            }
            try a.log.catchUp(into: &a.store)
            XCTAssertEqual(sharing.published(), last)
            XCTAssertEqual(a.numbers, b.numbers)
            XCTAssertFalse(a.log.hasForeignCommits)
            for process in [a, b] { process.end() }
        }
    }

    /// A file of other data takes the path of a file that is open, with a checkpoint of fewer, as many or more commits. The open
    /// file keeps its commits and takes no more of them; the new one is left as it is.
    func testAFileOfOtherDataIsNotFollowed() throws {
        let other = folder.appendingPathComponent("other.kivo").path
        for count: UInt64 in [1, 3, 5] {
            let (a, b) = (try LogProcess(path), try LogProcess(other))
            for value: UInt64 in 0..<3 { try a.commit(value) }
            for value in 0..<count { try b.commit(100 + value) }
            XCTAssertTrue(try b.journal.rewrite(b.log.checkpoint(b.snapshot, b.store.catalog)))
            try b.commit(200)
            b.end()
            XCTAssertEqual(rename(other, path), 0)
            XCTAssertTrue(a.log.isDisplaced)
            XCTAssertEqual(try a.commitCount(after: 3), 0, "\(count)")
            XCTAssertThrowsError(try a.commit(3), "\(count)") {
                XCTAssertEqual($0 as? JournalError, .displaced)
            }
            XCTAssertEqual(a.numbers, [0, 1, 2], "\(count)")
            a.end()
            let c = try LogProcess(path)
            XCTAssertEqual(c.numbers, (0..<count).map { 100 + $0 } + [200])
            c.end()
            XCTAssertEqual(unlink(path), 0)
        }
    }

    /// A file that another process is making is not deleted by one that gives up.
    func testGivingUpDeletesOnlyWhatIsOnesOwn() throws {
        let device = try FileDevice.open(path: path, isShared: true)
        defer { device.close() }
        let making = path + FileDevice.replacementSuffix
        let first = try XCTUnwrap(try device.makeReplacement())
        XCTAssertThrowsError(try device.makeReplacement()) {
            XCTAssertEqual($0 as? JournalError, .alreadyOpen)
        }
        XCTAssertTrue(FileManager.default.fileExists(atPath: making))
        // Simulates that another process has removed the name and created a file of that name.
        XCTAssertEqual(unlink(making), 0)
        let second = try XCTUnwrap(try device.makeReplacement())
        device.discard(first)
        XCTAssertTrue(FileManager.default.fileExists(atPath: making))
        device.discard(second)
        XCTAssertFalse(FileManager.default.fileExists(atPath: making))
    }
}

#endif
