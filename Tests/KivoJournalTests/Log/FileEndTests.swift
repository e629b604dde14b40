#if !os(Windows) && !os(WASI)

import Foundation
import TestRandomness
import XCTest

@testable import KivoEngine
@testable import KivoFaults
@testable import KivoJournal

/// The contents of a file whose lock file disagrees with it, and compactions that fail.
final class FileEndTests: FolderTestCase {
    private var lock: URL { URL(fileURLWithPath: path + FileDevice.sharingSuffix) }

    /// Writes numbers in two lives; returns what the file of locks said after the first.
    private func write(_ first: Range<UInt64>, _ second: Range<UInt64>) throws -> Data {
        let writer = try LogProcess(path)
        for number in first { try writer.commit(number) }
        let said = try Data(contentsOf: lock)
        for number in second { try writer.commit(number) }
        writer.end()
        return said
    }

    /// Writes bytes into the file of locks that is there.
    private func say(_ bytes: Data) throws {
        let file = try FileHandle(forWritingTo: lock)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func readNumbers() throws -> [UInt64] {
        let reader = try LogProcess(path, readOnly: true)
        defer { reader.end() }
        return reader.numbers
    }

    // MARK: Files of locks from before a loss of power

    func testAReadOnlyOpeningReadsWhatComesAfterWhatWasPublished() throws {
        let said = try write(0..<5, 5..<15)
        try say(said)
        XCTAssertEqual(try readNumbers(), Array(0..<15))
        // This holds even while another process writes: the mark says that all were acknowledged.
        let device = try FileDevice.open(path: path, isShared: true)
        try device.sharing!.lock()
        XCTAssertEqual(try readNumbers(), Array(0..<15))
        device.sharing!.unlock()
    }

    /// While another process writes, its last record may still be undone.
    func testTheLastRecordOfOneWhoWritesIsNotRead() throws {
        let writer = try LogProcess(path)
        for number in 0..<3 as Range<UInt64> { try writer.commit(number) }
        let said = try Data(contentsOf: lock)
        for number in 3..<5 as Range<UInt64> { try writer.commit(number) }
        let published = try Data(contentsOf: lock)
        try say(said)
        let device = try FileDevice.open(path: path, isShared: true)
        try device.sharing!.lock()
        XCTAssertEqual(try readNumbers(), Array(0..<4))
        device.sharing!.unlock()
        XCTAssertEqual(try readNumbers(), Array(0..<5))
        try say(published)
        try device.sharing!.lock()
        XCTAssertEqual(try readNumbers(), Array(0..<5))
        device.sharing!.unlock()
        writer.end()
    }

    /// The mark says that a record was acknowledged, so its damage is an error although less was published.
    func testAReadOnlyOpeningHonoursTheMark() throws {
        let said = try write(0..<5, 5..<15)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let end = said.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) }
        bytes[end + 40] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        try say(said)
        XCTAssertThrowsError(try readNumbers()) { error in
            guard case .corrupt? = error as? JournalError else { return XCTFail("\(error)") }
        }
    }

    /// The mark may be some records behind; what was published was durable.
    func testADamagedRecordThatWasPublishedIsNotCutOff() throws {
        let writer = try LogProcess(path)
        for number in 0..<5 as Range<UInt64> { try writer.commit(number) }
        let before = try XCTUnwrap(writer.journal.contents?.journal.position.end)
        try writer.commit(5)
        // Taken before the end, like the bytes of a killed process: nothing is marked by closing.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        writer.end()
        bytes[before + 40] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        XCTAssertThrowsError(try LogProcess(path)) { error in
            guard case .corrupt(_, let reason)? = error as? JournalError else { return XCTFail("\(error)") }
            XCTAssert(reason.contains("was acknowledged, and is damaged"), reason)
        }
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), bytes, "nothing is cut off")
        // Without the file of locks it is taken for one that was not finished, as before.
        try FileManager.default.removeItem(at: lock)
        let next = try LogProcess(path)
        XCTAssertEqual(next.numbers, [0, 1, 2, 3, 4])
        next.end()
    }

    func testAFileThatWasCutOffIsNoNewOne() throws {
        _ = try write(0..<5, 5..<6)
        XCTAssertEqual(truncate(path, 0), 0)
        for readOnly in [false, true] {
            XCTAssertThrowsError(try LogProcess(path, readOnly: readOnly)) { error in
                guard case .corrupt(0, let reason)? = error as? JournalError else {
                    return XCTFail("\(error)")
                }
                XCTAssert(reason.contains("6 records were acknowledged"), reason)
            }
        }
        XCTAssertTrue(try FileDeletion.delete(path))
        let writer = try LogProcess(path)
        XCTAssertEqual(writer.numbers, [])
        writer.end()
    }

    /// The file was deleted without its lock file, and the process that creates a new one is killed before it has a header.
    func testAFileThatIsMadeAnewIsNotTakenForOneThatWasCutOff() throws {
        _ = try write(0..<5, 5..<6)
        try FileManager.default.removeItem(atPath: path)
        try FileDevice.open(path: path, isShared: true).close()
        let writer = try LogProcess(path)
        XCTAssertEqual(writer.numbers, [])
        writer.end()
    }

    // MARK: Compactions

    private var compacting: CheckpointPolicy {
        var policy = CheckpointPolicy()
        policy.allowance = 0
        policy.smallestTail = 1
        policy.tailShare = 1 << 10
        return policy
    }

    /// Checkpoints go on, in the file that is there.
    func testACompactionThatFailsEndsNoCheckpoints() throws {
        for reason in TestEffort.sample([EACCES, EBUSY, ENAMETOOLONG, EIO], 1) {
            try? FileManager.default.removeItem(atPath: path)
            let tries = Lock(0)
            var calls = FileCalls()
            calls.rename = { _, _ in
                tries.withLock { $0 += 1 }
                errno = reason
                return -1
            }
            let process = try LogProcess(path, compacting, calls: calls)
            var made = 0
            for number in 0..<400 as Range<UInt64> {
                try process.commit(number)
                guard let checkpoint = process.log.beginCheckpoint(isClosing: false) else { continue }
                XCTAssertNoThrow(try checkpoint.make(process.snapshot, process.store.catalog))
                made += 1
            }
            XCTAssertGreaterThan(made, 20)
            let count = tries.withLock { $0 }
            XCTAssertGreaterThan(count, 0)
            XCTAssertLessThan(count, made / 2, "what fails is not tried each time")
            let record = try XCTUnwrap(
                Journal.newestCheckpoint(of: process.journal.contents!.journal.file.device)?.record)
            XCTAssertGreaterThan(record.commits, 390)
            XCTAssertFalse(FileManager.default.fileExists(atPath: path + FileDevice.replacementSuffix))
            process.end()
            let next = try LogProcess(path)
            XCTAssertEqual(next.numbers, Array(0..<400))
            next.end()
        }
    }

    /// Another process holds the file that compactions are written to.
    func testACompactionThatSomebodyElseMakesEndsNoCheckpoints() throws {
        let process = try LogProcess(path, compacting)
        let other = try FileDevice.open(path: path + FileDevice.replacementSuffix)
        for number in 0..<100 as Range<UInt64> { try process.commit(number) }
        let checkpoint = try XCTUnwrap(process.log.beginCheckpoint(isClosing: false))
        try checkpoint.make(process.snapshot, process.store.catalog)
        XCTAssertNotNil(try Journal.newestCheckpoint(of: process.journal.contents!.journal.file.device))
        other.close()
        process.end()
    }

    /// A process that opens the file that took the realm's place finds it complete, from the first moment.
    func testAFileThatTakesTheRealmsPlaceCanBeOpened() throws {
        let path = path
        let flaws = Lock<[String]>([])
        var calls = FileCalls()
        calls.rename = { source, target in
            let result = FileCalls.system.rename(source, target)
            do { try FileDevice.open(path: path, readOnly: true).close() } catch {
                flaws.withLock { $0.append("\(error)") }
            }
            return result
        }
        let process = try LogProcess(path, compacting, calls: calls)
        for number in 0..<10 as Range<UInt64> { try process.commit(number) }
        XCTAssertTrue(
            try process.journal.rewrite(process.log.checkpoint(process.snapshot, process.store.catalog)))
        XCTAssertEqual(flaws.withLock { $0 }, [])
        process.end()
    }
}

#endif
