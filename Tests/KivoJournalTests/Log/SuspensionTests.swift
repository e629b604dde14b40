import Foundation
import TestRandomness
import XCTest

@testable import KivoEngine
@testable import KivoFaults
@testable import KivoJournal

#if !os(Windows)

/// Processes that can be suspended at any time outside of a write: no file is locked then.
final class SuspensionTests: FolderTestCase {
    private var calls: FileCalls {
        var calls = FileCalls()
        calls.keepsLocks = false
        return calls
    }

    /// Fails if any process has a lock of the realm file or its lock file.
    private func assertNothingIsLocked(line: UInt = #line) throws {
        for name in [path, path + FileDevice.sharingSuffix] {
            let file = calls.open(name, O_RDWR)
            XCTAssertGreaterThanOrEqual(file, 0, name, line: line)
            XCTAssertEqual(calls.lock(file, LOCK_EX | LOCK_NB), 0, "\(name) is locked", line: line)
            XCTAssertEqual(calls.lockWriting(file, LOCK_EX | LOCK_NB), 0, "\(name) is locked", line: line)
            _ = calls.close(file)
        }
    }

    func testNothingIsLockedBetweenWrites() throws {
        var random = TestRandom()
        var processes = try (0..<3).map { _ in try LogProcess(path, calls: calls) }
        var expected: [UInt64] = []
        for value in 0..<200 as Range<UInt64> {
            let turn = random.below(processes.count)
            switch random.below(10) {
            case 0:
                let process = processes[turn]
                try process.log.catchUp(into: &process.store)
                _ = try process.journal.rewrite(
                    process.log.checkpoint(process.snapshot, process.store.catalog))
            case 1:
                processes[turn].end()
                processes[turn] = try LogProcess(path, calls: calls)
            default:
                try processes[turn].commit(value)
                expected.append(value)
            }
            try assertNothingIsLocked()
        }
        for process in processes {
            try process.log.catchUp(into: &process.store)
            XCTAssertEqual(process.numbers, expected)
            process.end()
        }
    }

    /// The file is locked while it is written. Opening it waits for a process that has it alone, and then throws `alreadyOpen`.
    func testWritesAreLocked() throws {
        let (a, b) = (try LogProcess(path, calls: calls), try LogProcess(path, calls: calls))
        try a.log.beginExclusive(into: &a.store)
        XCTAssertFalse(try XCTUnwrap(b.journal.contents?.sharing).tryLock())
        a.log.endExclusive()
        try b.commit(1)
        for process in [a, b] { process.end() }
        let alone = try FileDevice.open(path: path, readOnly: true, isAlone: true)
        XCTAssertThrowsError(try FileDevice.open(path: path, isShared: true, calls: calls)) {
            XCTAssertEqual($0 as? JournalError, .alreadyOpen)
        }
        alone.close()
    }

    /// An open file can still be deleted, and the next write fails with `displaced`.
    func testAFileThatIsDeletedIsDisplaced() throws {
        let process = try LogProcess(path, calls: calls)
        try process.commit(1)
        XCTAssertTrue(try FileDeletion.delete(path))
        XCTAssertThrowsError(try process.commit(2)) { XCTAssertEqual($0 as? JournalError, .displaced) }
        XCTAssertEqual(process.numbers, [1])
        process.end()
    }
}

#endif
