#if !os(Windows) && !os(WASI)

import Foundation
import KivoEngine
import KivoJournal
import TestRandomness
import XCTest

/// Operations of a file whose system calls are interrupted, do a part of their work, or have no room.
final class FileCallsTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "/")
    private var path: String { folder.appendingPathComponent("journal").path }

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-calls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    private func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    // MARK: Signals

    /// Every call is interrupted twice before it is made.
    func testInterruptedCallsAreMadeAgain() throws {
        let interrupted = Lock<[String: Int]>([:])
        @Sendable func isInterrupted(_ name: String) -> Bool {
            let number = interrupted.withLock { interrupted in
                interrupted[name, default: 0] += 1
                return interrupted[name]!
            }
            errno = EINTR
            return number % 3 != 0
        }
        let system = FileCalls.system
        var calls = FileCalls()
        calls.open = { isInterrupted("open") ? -1 : system.open($0, $1) }
        calls.read = { isInterrupted("read") ? -1 : system.read($0, $1, $2) }
        calls.write = { isInterrupted("write") ? -1 : system.write($0, $1, $2) }
        calls.truncate = { isInterrupted("truncate") ? -1 : system.truncate($0, $1) }
        calls.synchronize = { isInterrupted("synchronize") ? -1 : system.synchronize($0) }
        calls.synchronizeFolder = {
            isInterrupted("synchronizeFolder") ? -1 : system.synchronizeFolder($0)
        }
        calls.rename = { isInterrupted("rename") ? -1 : system.rename($0, $1) }
        calls.lock = { isInterrupted("lock") ? -1 : system.lock($0, $1) }
        calls.changeMode = { isInterrupted("changeMode") ? -1 : system.changeMode($0, $1) }
        let device = try FileDevice.open(path: path, isShared: true, calls: calls)
        let journal = try Journal.reading(device).journal
        try journal.append(.numbered(1, length: 300_000))
        try device.truncate(to: try device.size())
        let sharing = try XCTUnwrap(device.sharing)
        try sharing.lock()
        XCTAssertTrue(try sharing.tryLock())
        let end = PublishedEnd(journal: 1, end: 2, sequence: 3)
        sharing.publish(end, to: .everybody)
        XCTAssertEqual(sharing.published(), end)
        let other = try XCTUnwrap(try device.makeReplacement())
        try device.replace(by: other)
        try XCTUnwrap(try other.reopened()).checkName()
        let calledOnce = interrupted.withLock { $0 }.filter { $0.value < 3 }
        XCTAssertEqual(calledOnce, [:])
        XCTAssertEqual(interrupted.withLock { $0.count }, 9)
    }

    // MARK: Parts

    func testWhatIsReadAndWrittenInPartsIsGoneOnWith() throws {
        let system = FileCalls.system
        var calls = FileCalls()
        calls.read = { system.read($0, UnsafeMutableRawBufferPointer(rebasing: $1.prefix(7)), $2) }
        calls.write = { system.write($0, UnsafeRawBufferPointer(rebasing: $1.prefix(1001)), $2) }
        let expected = [0, 7, 5000].map { TestRecord.numbered($0, length: $0) }
        do {
            let journal = try Journal.reading(FileDevice.open(path: path, calls: calls)).journal
            for record in expected { try journal.append(record) }
        }
        XCTAssertEqual(try Journal.reading(FileDevice.open(path: path, calls: calls)).records, expected)
        XCTAssertEqual(try Journal.reading(FileDevice.open(path: path)).records, expected)
    }

    /// A write that writes nothing and gives no reason is not repeated for ever.
    func testAWriteOfNothingEnds() throws {
        var calls = FileCalls()
        calls.write = { _, _, _ in 0 }
        let device = try FileDevice.open(path: path, calls: calls)
        XCTAssertThrowsError(try [1].withUnsafeBytes { try device.write($0, at: 0) }) {
            XCTAssertEqual($0 as? JournalError, .noSpace)
        }
    }

    /// Some systems refuse more than two gigabytes at once.
    func testWhatIsLargeIsAskedForInParts() throws {
        let largest = Lock(0)
        var calls = FileCalls()
        // The bytes are never touched.
        calls.write = { _, bytes, _ in
            largest.withLock { $0 = max($0, bytes.count) }
            return bytes.count
        }
        calls.read = { _, bytes, _ in
            largest.withLock { $0 = max($0, bytes.count) }
            return bytes.count
        }
        let device = try FileDevice.open(path: path, calls: calls)
        let start = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
        defer { start.deallocate() }
        let count = 5 << 30 | 3
        try device.write(UnsafeRawBufferPointer(start: start, count: count), at: 0)
        let read = UnsafeMutableRawBufferPointer(start: start, count: count)
        XCTAssertEqual(try device.read(into: read, at: 0), count)
        XCTAssertLessThan(largest.withLock { $0 }, Int(Int32.max))
    }

    // MARK: Room

    /// How many bytes more a disk takes.
    private final class Room: Sendable {
        let left = Lock(1 << 20)
    }

    /// Calls of a disk that takes so many bytes more behind the end of a file, and then fails for a reason.
    private func calls(_ room: Room, _ reason: Int32) -> FileCalls {
        let system = FileCalls.system
        var calls = FileCalls()
        calls.write = { file, bytes, offset in
            var status = stat()
            _ = fstat(file, &status)
            let growth = max(0, offset + bytes.count - Int(status.st_size))
            let missing = room.left.withLock { room in
                let missing = max(0, growth - room)
                room -= growth - missing
                return missing
            }
            if missing == bytes.count, missing > 0 {
                errno = reason
                return -1
            }
            return system.write(file, UnsafeRawBufferPointer(rebasing: bytes.dropLast(missing)), offset)
        }
        return calls
    }

    /// A record that has no room is taken back, for each reason that there is; others read the file meanwhile, and what fits is
    /// written.
    func testARecordWithoutRoom() throws {
        let reasons: [(Int32, JournalError)] = [
            (ENOSPC, .noSpace), (EDQUOT, .quotaExceeded), (EFBIG, .tooLarge),
        ]
        for (reason, error) in TestEffort.sample(reasons, 1) {
            try? FileManager.default.removeItem(atPath: path)
            let room = Room()
            var expected: [TestRecord] = []
            let device = try FileDevice.open(path: path, isShared: true, calls: calls(room, reason))
            let journal = try Journal.reading(device).journal
            expected.append(.numbered(1, length: 10))
            try journal.append(expected[0])
            // Up to what is allocated ahead there is room.
            room.left.withLock { $0 = 30_000 }
            for length in [400_000, 2_000_000] {
                XCTAssertThrowsError(try journal.append(TestRecord.numbered(2, length: length))) {
                    XCTAssertEqual($0 as? JournalError, error)
                }
                let reader = try FileDevice.open(path: path, readOnly: true, isShared: true)
                XCTAssertEqual(try Journal.reading(reader, readOnly: true).records, expected)
            }
            // The last bytes are used, although nothing can be allocated ahead any more.
            room.left.withLock { $0 = 30_000 }
            for length in [100_000, 160_000] {
                expected.append(.numbered(length, length: length))
                try journal.append(expected.last!)
            }
            XCTAssertLessThan(room.left.withLock { $0 }, 30_000, "the last record fitted without")
            room.left.withLock { $0 = .max }
            expected.append(.numbered(3, length: 400_000))
            try journal.append(expected.last!)
            journal.close()
            let found = try Journal.reading(FileDevice.open(path: path))
            XCTAssertEqual(found.records, expected)
            XCTAssertNil(found.journal.recovery)
        }
    }

    func testEachReasonIsSaidAsItIs() {
        let texts = [JournalError.noSpace, .quotaExceeded, .tooLarge].map(\.description)
        for (text, words) in zip(texts, ["no space left", "quota", "may not become larger"]) {
            XCTAssert(text.contains(words), text)
        }
    }

    // MARK: Compaction

    /// Whatever fails while a file is made that is to take another one's place: nothing is left of it.
    func testAReplacementThatFailsIsGone() throws {
        for name in ["truncate", "changeMode"] {
            var calls = FileCalls()
            let fails = Lock(false)
            calls.truncate = { file, size in
                errno = EIO
                return fails.withLock { $0 } && name == "truncate"
                    ? -1 : FileCalls.system.truncate(file, size)
            }
            calls.changeMode = { file, mode in
                errno = EPERM
                return fails.withLock { $0 } && name == "changeMode"
                    ? -1 : FileCalls.system.changeMode(file, mode)
            }
            let device = try FileDevice.open(path: path, calls: calls)
            fails.withLock { $0 = true }
            XCTAssertThrowsError(try device.makeReplacement(), name)
            XCTAssertEqual(try fileNames(), ["journal"], name)
            fails.withLock { $0 = false }
            let other = try XCTUnwrap(try device.makeReplacement())
            XCTAssertEqual(try fileNames(), ["journal", "journal.compacting"])
            device.discard(other)
            XCTAssertEqual(try fileNames(), ["journal"], name)
        }
    }

    /// A compaction preserves the file's owner, even if another user carries it out.
    func testAReplacementBelongsToTheSame() throws {
        guard geteuid() == 0 else { throw XCTSkip("Only the superuser can give files away.") }
        let device = try FileDevice.open(path: path)
        XCTAssertEqual(chown(path, 65_534, 65_533), 0)
        XCTAssertEqual(chmod(path, 0o640), 0)
        try device.replace(by: XCTUnwrap(try device.makeReplacement()))
        var status = stat()
        XCTAssertEqual(stat(path, &status), 0)
        XCTAssertEqual(status.st_uid, 65_534)
        XCTAssertEqual(status.st_gid, 65_533)
        XCTAssertEqual(status.st_mode & 0o777, 0o640)
    }

    // MARK: The file of locks

    /// Why the file of locks cannot be made is said as it is, and not as if the realm's folder were missing.
    func testAFileOfLocksThatCannotBeMade() throws {
        for (reason, error) in [(ENOSPC, JournalError.noSpace), (EDQUOT, .quotaExceeded)] {
            var calls = FileCalls()
            calls.open = { path, flags in
                errno = reason
                return path.hasSuffix(".lock") ? -1 : FileCalls.system.open(path, flags)
            }
            XCTAssertThrowsError(try FileDevice.open(path: path, isShared: true, calls: calls)) {
                XCTAssertEqual($0 as? JournalError, error)
            }
        }
        // A process without a free descriptor must not read the file as if writers were impossible.
        var calls = FileCalls()
        calls.open = { path, flags in
            errno = EMFILE
            return path.hasSuffix(".lock") ? -1 : FileCalls.system.open(path, flags)
        }
        XCTAssertThrowsError(
            try FileDevice.open(path: path, readOnly: true, isShared: true, calls: calls))
    }

    /// A process that may only read a file learns of commits.
    func testTheFileOfLocksCanBeReadByTheSame() throws {
        try FileDevice.open(path: path).close()
        XCTAssertEqual(chmod(path, 0o644), 0)
        try FileDevice.open(path: path, isShared: true).close()
        var status = stat()
        XCTAssertEqual(stat(path + ".lock", &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o644)
        XCTAssertEqual(status.st_size, 32, "it has its space from the beginning")
    }

    /// Opening a realm keeps the end that another process has published.
    func testTheFileOfLocksKeepsWhatWasSaid() throws {
        let writer = try FileDevice.open(path: path, isShared: true)
        let sharing = try XCTUnwrap(writer.sharing)
        // Simulates a lock file that was deleted.
        XCTAssertEqual(truncate(path + ".lock", 0), 0)
        let end = PublishedEnd(journal: 1, end: 2, sequence: 3)
        var calls = FileCalls()
        calls.write = {
            sharing.publish(end, to: .everybody)
            return FileCalls.system.write($0, $1, $2)
        }
        try sharing.lock()
        let second = try FileDevice.open(path: path, isShared: true, calls: calls)
        if sharing.published() == nil { sharing.publish(end, to: .everybody) }
        XCTAssertEqual(second.sharing?.published(), end)
        sharing.unlock()
        XCTAssertEqual(try FileDevice.open(path: path, isShared: true).sharing?.published(), end)
    }

    // MARK: Access

    /// A process that may only read a file follows to the one that takes its place.
    func testAFileThatIsOnlyReadIsReopenedForReading() throws {
        let flags = Lock<[Int32]>([])
        var calls = FileCalls()
        calls.open = { path, access in
            flags.withLock { $0.append(access) }
            return FileCalls.system.open(path, access)
        }
        let writer = try FileDevice.open(path: path, isShared: true)
        let reader = try FileDevice.open(path: path, readOnly: true, isShared: true, calls: calls)
        try writer.replace(by: XCTUnwrap(try writer.makeReplacement()))
        let next = try XCTUnwrap(try reader.reopened())
        try next.checkName()
        _ = try next.reopened()
        XCTAssertEqual(
            flags.withLock { $0 }.map { $0 & O_ACCMODE }, [O_RDONLY, O_RDONLY, O_RDONLY, O_RDONLY])
        XCTAssertThrowsError(try [1].withUnsafeBytes { try next.write($0, at: 0) })
    }
}

#endif
