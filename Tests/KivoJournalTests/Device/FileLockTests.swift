#if !os(Windows) && !os(WASI)

import Foundation
import XCTest

@testable import KivoEngine
@testable import KivoJournal

/// Locks of realm files: lock files that are removed, files with several names, links, deletions. Two devices stand for two
/// processes.
final class FileLockTests: FolderTestCase {
    private var lockPath: String { path + FileDevice.sharingSuffix }

    private func shared(readOnly: Bool = false, calls: FileCalls = .system) throws -> FileDevice {
        try FileDevice.open(path: path, readOnly: readOnly, isShared: true, calls: calls)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func assertRefused(
        _ words: String, line: UInt = #line, _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), line: line) { error in
            guard case .refused(let reason)? = error as? JournalError else {
                return XCTFail("\(error)", line: line)
            }
            XCTAssert(reason.contains(words), reason, line: line)
        }
    }

    // MARK: Files of locks that are removed

    #if os(Linux)
    func testTwoFilesOfLocksKeepWritersApart() throws {
        let own = try shared()
        try own.sharing!.lock()
        XCTAssertEqual(unlink(lockPath), 0)
        let other = try shared()
        XCTAssertTrue(exists(lockPath), "it has another file of locks")
        XCTAssertFalse(try other.sharing!.tryLock(), "and waits all the same")
        own.sharing!.unlock()
        XCTAssertTrue(try other.sharing!.tryLock())
        XCTAssertFalse(try own.sharing!.tryLock())
        other.sharing!.unlock()
    }

    /// The file that takes the realm's place is locked by who puts it there, until that lets others write.
    func testTheFileThatTakesTheRealmsPlaceIsLocked() throws {
        let own = try shared()
        try own.sharing!.lock()
        let made = try XCTUnwrap(try own.makeReplacement())
        XCTAssertEqual(unlink(lockPath), 0)
        try own.replace(by: made)
        let other = try shared()
        XCTAssertFalse(try other.sharing!.tryLock())
        own.sharing!.unlock()
        XCTAssertTrue(try other.sharing!.tryLock())
        other.sharing!.unlock()
    }

    func testAProcessGoesOverToTheFileOfLocksThatIsThere() throws {
        let (own, other) = (try shared(), try shared())
        let end = PublishedEnd(journal: 1, end: 8192, sequence: 3)
        try own.sharing!.lock()
        own.sharing!.publish(end, to: .everybody)
        own.sharing!.unlock()
        XCTAssertEqual(unlink(lockPath), 0)
        try own.sharing!.lock()
        own.sharing!.unlock()
        let third = try shared()
        XCTAssertEqual(third.sharing!.published(), end, "what was published is in the new file")
        try other.sharing!.lock()
        XCTAssertFalse(try third.sharing!.tryLock())
        other.sharing!.publish(PublishedEnd(journal: 1, end: 8200, sequence: 4), to: .everybody)
        other.sharing!.unlock()
        XCTAssertEqual(third.sharing!.published()?.sequence, 4)
        XCTAssertEqual(own.sharing!.published()?.sequence, 4)
    }

    /// Removed while a process writes: what it publishes is in the file that others open.
    func testWhatIsPublishedIsInTheFileAtThePath() throws {
        let own = try shared()
        try own.sharing!.lock()
        XCTAssertEqual(unlink(lockPath), 0)
        let end = PublishedEnd(journal: 1, end: 8192, sequence: 3)
        own.sharing!.publish(end, to: .others)
        own.sharing!.unlock()
        XCTAssertEqual(try shared().sharing!.published(), end)
    }

    func testNothingIsMadeBesideAFileThatIsGone() throws {
        let own = try shared()
        XCTAssertEqual(unlink(lockPath), 0)
        XCTAssertEqual(unlink(path), 0)
        try own.sharing!.lock()
        own.sharing!.unlock()
        XCTAssertFalse(exists(lockPath))
    }
    #endif

    // MARK: Names

    func testAFileWithTwoNamesIsRefused() throws {
        try shared().close()
        XCTAssertEqual(link(path, path + "2"), 0)
        assertRefused("2 names (hard links)") { _ = try shared() }
        assertRefused("hard links") {
            _ = try FileDevice.open(path: path + "2", isShared: true)
        }
        XCTAssertNoThrow(try shared(readOnly: true))
        XCTAssertEqual(unlink(path + "2"), 0)
        let device = try shared()
        // One that is made later stays what it is.
        XCTAssertEqual(link(path, path + "2"), 0)
        assertRefused("hard links") { _ = try device.makeReplacement() }
    }

    /// A process that put a copy in place was killed before it took the other name away.
    func testTheNameOfACopyThatWasPutInPlaceIsTakenAway() throws {
        try shared().close()
        XCTAssertEqual(link(path, path + JournalCopy.unfinishedSuffix), 0)
        XCTAssertNoThrow(try shared())
        XCTAssertFalse(exists(path + JournalCopy.unfinishedSuffix))
    }

    func testLinksAreNotFollowedToOtherFiles() throws {
        let victim = folder.appendingPathComponent("victim")
        let contents = Data("not of a realm".utf8)
        try contents.write(to: victim)
        let device = try shared()
        for suffix in [FileDevice.replacementSuffix, JournalCopy.unfinishedSuffix] {
            XCTAssertEqual(symlink(victim.path, path + suffix), 0)
        }
        XCTAssertThrowsError(try device.makeReplacement())
        XCTAssertThrowsError(
            try FileDevice.open(path: path + JournalCopy.unfinishedSuffix, followsLinks: false))
        device.close()
        XCTAssertEqual(unlink(lockPath), 0)
        XCTAssertEqual(symlink(victim.path, lockPath), 0)
        XCTAssertThrowsError(try shared())
        XCTAssertEqual(try Data(contentsOf: victim), contents)
        // Deletion removes the links, not their targets.
        XCTAssertTrue(try FileDeletion.delete(path))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), ["victim"])
    }

    func testNothingIsMadeBesideAFileOfAnotherKind() throws {
        try Data("T-DB and more that is of another engine".utf8).write(to: URL(fileURLWithPath: path))
        XCTAssertThrowsError(try shared()) { XCTAssertEqual($0 as? JournalError, .notAJournal) }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), ["test.kivo"])
    }

    func testTheFileOfLocksIsOfTheRealmsGroup() throws {
        guard getuid() == 0 else { throw XCTSkip("only for who may give files away") }
        try FileDevice.open(path: path).close()
        XCTAssertEqual(chown(path, 1234, 4321), 0)
        XCTAssertEqual(chmod(path, 0o660), 0)
        try shared().close()
        var status = stat()
        XCTAssertEqual(stat(lockPath, &status), 0)
        XCTAssertEqual(status.st_gid, 4321)
        XCTAssertEqual(status.st_uid, 1234)
        XCTAssertEqual(status.st_mode & 0o777, 0o660)
    }

    // MARK: Deleting

    func testAFileThatIsOpenIsNotDeleted() throws {
        let device = try shared()
        XCTAssertThrowsError(try FileDeletion.delete(path)) {
            XCTAssertEqual($0 as? JournalError, .alreadyOpen)
        }
        XCTAssertTrue(exists(lockPath))
        device.close()
        XCTAssertTrue(try FileDeletion.delete(path))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
        XCTAssertFalse(try FileDeletion.delete(path))
    }

    /// The lock file is deleted while the realm file exists and cannot be opened.
    func testTheFileOfLocksOfTheNextFileIsNotDeleted() throws {
        try shared().close()
        var opened: [FileDevice] = []
        defer { withExtendedLifetime(opened) {} }
        let path = path
        let mayEnd = Lock(false)
        let isDone = Lock(false)
        let thread = Thread {
            while !mayEnd.withLock({ $0 }) {
                _ = try? FileDeletion.delete(path)
            }
            isDone.withLock { $0 = true }
        }
        thread.start()
        // Whole rounds are counted, because the two threads may have one processor.
        let (enough, atMost) = (Date() + 1, Date() + 120)
        var count = 0
        while count == 0 || Date() < enough, Date() < atMost {
            guard let one = try? shared(), let two = try? shared() else { continue }
            // While they are open, neither file is deleted: both have one file of locks.
            XCTAssertTrue(try one.sharing!.tryLock())
            XCTAssertFalse(try two.sharing!.tryLock())
            one.sharing!.unlock()
            count += 1
            if count % 100 == 0 { opened = [] }
        }
        mayEnd.withLock { $0 = true }
        while !isDone.withLock({ $0 }) { usleep(500) }
        XCTAssertGreaterThan(count, 0)
    }

    func testOnlyTheFileThatWasLookedAtIsDeleted() throws {
        let device = try shared()
        let identity = try XCTUnwrap(device.identity)
        device.close()
        XCTAssertTrue(try FileDeletion.delete(path))
        try Journal.reading(shared()).journal.append(.numbered(1, length: 1))
        XCTAssertFalse(try FileDeletion.delete(path, only: identity))
        XCTAssertTrue(exists(path))
        let other = try shared()
        let found = other.identity
        other.close()
        XCTAssertTrue(try FileDeletion.delete(path, only: found))
        XCTAssertFalse(exists(path))
    }

    /// Leftovers without a realm file are deleted only while no process creates one.
    func testWhatIsLeftOfAFileThatIsGoneIsDeleted() throws {
        for suffix in [".lock", ".compacting", ".unfinished"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: path + suffix))
        }
        XCTAssertFalse(try FileDeletion.delete(path))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }

    // MARK: Waiting

    func testALockIsNotWaitedForLongerThanAllowed() throws {
        let (own, other) = (try shared(), try shared())
        own.sharing!.setTimeout(0.02)
        try other.sharing!.lock()
        XCTAssertThrowsError(try own.sharing!.lock()) { error in
            guard case .timedOut(let holder)? = error as? JournalError else { return XCTFail("\(error)") }
            #if os(Linux)
            XCTAssertEqual(holder, getpid())
            XCTAssert("\(error)".contains("process \(getpid())"), "\(error)")
            #endif
        }
        other.sharing!.unlock()
        try own.sharing!.lock()
        XCTAssertFalse(try other.sharing!.tryLock())
        own.sharing!.unlock()
        XCTAssertTrue(try other.sharing!.tryLock())
    }

    /// A process that was forked has the locks of its parent.
    func testAChildThatWasForkedIsRefused() throws {
        let isChild = Lock(false)
        var calls = FileCalls()
        calls.process = { isChild.withLock { $0 } ? 2 : 1 }
        let (own, other) = (try shared(calls: calls), try shared())
        try own.sharing!.lock()
        isChild.withLock { $0 = true }
        own.sharing!.unlock()
        XCTAssertFalse(try other.sharing!.tryLock(), "the child has not unlocked the parent's file")
        assertRefused("forked") { try own.sharing!.lock() }
    }

    #if os(Linux)
    func testNetworkFileSystemsAreFoundInTheTableOfMounts() {
        let table = """
            22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
            36 22 0:49 / /mnt/a\\040b rw,relatime shared:1 master:2 - nfs4 server:/x rw
            """
        XCTAssertEqual(FileSystemKind.name(ofDevice: 0xFE00, in: table), "ext4")
        XCTAssertEqual(FileSystemKind.name(ofDevice: 49, in: table), "nfs4")
        XCTAssertNil(FileSystemKind.name(ofDevice: 50, in: table))
    }

    // MARK: Watching

    private var inotifyCount: Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0))
                == "anon_inode:inotify"
        }.count
    }

    func testManyFilesAreWatchedByOneInstance() throws {
        var devices: [FileDevice] = []
        let heard = Lock<Set<Int>>([])
        for index in 0..<150 {
            let device = try FileDevice.open(path: path + "\(index)", isShared: true)
            device.sharing!.watch { _ = heard.withLock { $0.insert(index) } }
            devices.append(device)
        }
        XCTAssertLessThanOrEqual(inotifyCount, 1)
        for index in 0..<150 {
            let other = try FileDevice.open(path: path + "\(index)", isShared: true)
            try other.sharing!.lock()
            other.sharing!.publish(PublishedEnd(journal: 1, end: 2, sequence: 3), to: .everybody)
            other.sharing!.unlock()
        }
        let end = Date() + 120
        while heard.withLock({ $0.count }) < 150, Date() < end { usleep(500) }
        XCTAssertEqual(heard.withLock { $0.count }, 150)
        for device in devices { device.sharing!.close() }
    }
    #endif

    func testAFileThatCannotBeWatchedIsLookedAt() throws {
        let device = try shared()
        let descriptor = open(lockPath, O_RDONLY)
        defer { close(descriptor) }
        let count = Lock(0)
        let watch = FileWatch(of: descriptor, lockPath, isPolling: true) { count.withLock { $0 += 1 } }
        defer { watch.cancel() }
        try device.sharing!.lock()
        device.sharing!.publish(PublishedEnd(journal: 1, end: 2, sequence: 3), to: .others)
        device.sharing!.unlock()
        let end = Date() + 120
        while count.withLock({ $0 }) == 0, Date() < end { usleep(500) }
        XCTAssertGreaterThan(count.withLock { $0 }, 0)
    }
}

#endif
