#if !os(Windows)

import Foundation
import KivoJournal
import XCTest

final class FileDeviceTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(at: folder)
    }

    private func path(_ name: String = "journal") -> String { folder.appendingPathComponent(name).path }

    private func assertThrows<Value>(
        _ expected: JournalError, line: UInt = #line, _ body: @autoclosure () throws -> Value
    ) {
        XCTAssertThrowsError(try body(), line: line) {
            XCTAssertEqual($0 as? JournalError, expected, line: line)
        }
    }

    func testRecordsLastInAFile() throws {
        var expected: [TestRecord] = []
        for length in [0, 100, 70_000, 3_000_000, 9] {
            let (journal, records) = try Journal.reading(FileDevice.open(path: path()))
            XCTAssert(records == expected)
            expected.append(.numbered(length, length: length))
            try journal.append(expected.last!)
        }
        XCTAssert(try Journal.reading(FileDevice.open(path: path(), readOnly: true)).records == expected)
    }

    func testAFileThatTakesAnothersPlace() throws {
        let path = path()
        let old = try FileDevice.open(path: path)
        let new = try XCTUnwrap(try old.makeReplacement())
        // Each is where it should be: the new one under a name of its own.
        try old.checkName()
        try new.checkName()
        XCTAssertEqual(new.name, path)
        try old.replace(by: new)
        try new.checkName()
        XCTAssertThrowsError(try old.checkName()) { XCTAssertEqual($0 as? JournalError, .displaced) }
        old.close()
        new.close()
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + ".compacting"))
    }

    func testFileIsForItsOwnerOnly() throws {
        _ = try FileDevice.open(path: path())
        let attributes = try FileManager.default.attributesOfItem(atPath: path())
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
    }

    func testFileOpensOnceForWriting() throws {
        let journal = try Journal.reading(FileDevice.open(path: path())).journal
        assertThrows(.alreadyOpen, try FileDevice.open(path: path()))
        assertThrows(.alreadyOpen, try FileDevice.open(path: path(), readOnly: true))
        journal.close()
        let reader = try FileDevice.open(path: path(), readOnly: true)
        let other = try FileDevice.open(path: path(), readOnly: true)
        assertThrows(.alreadyOpen, try FileDevice.open(path: path()))
        reader.close()
        other.close()
        XCTAssertNoThrow(try FileDevice.open(path: path()))
    }

    func testMissingFilesAndFolders() throws {
        assertThrows(.notFound, try FileDevice.open(path: path(), readOnly: true))
        assertThrows(.notFound, try FileDevice.open(path: path("missing/journal")))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }

    func testWhatIsNotAFile() throws {
        assertThrows(.notAJournal, try FileDevice.open(path: folder.path))
        assertThrows(.notAJournal, try FileDevice.open(path: folder.path, readOnly: true))
        assertThrows(.notAJournal, try FileDevice.open(path: "/dev/null"))
        XCTAssertEqual(mkfifo(path("pipe"), 0o600), 0)
        assertThrows(.notAJournal, try FileDevice.open(path: path("pipe"), readOnly: true))
    }

    func testForeignFileIsNotTouched() throws {
        let text = Data("Dear diary, nothing happened today.".utf8)
        try text.write(to: folder.appendingPathComponent("journal"))
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path())
        assertThrows(.notAJournal, try Journal.reading(FileDevice.open(path: path())))
        XCTAssertEqual(try Data(contentsOf: folder.appendingPathComponent("journal")), text)
        let attributes = try FileManager.default.attributesOfItem(atPath: path())
        XCTAssertEqual(attributes[.modificationDate] as? Date, date)
    }

    func testFileThatMayNotBeWritten() throws {
        try asOrdinaryUser {
            try Journal.reading(FileDevice.open(path: path())).journal.append(.numbered(1, length: 1))
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path())
            assertThrows(.permissionDenied, try FileDevice.open(path: path()))
            XCTAssertEqual(
                try Journal.reading(FileDevice.open(path: path(), readOnly: true)).records,
                [.numbered(1, length: 1)])
        }
    }

    /// Runs `body` as a user that may not write everything; the superuser may.
    private func asOrdinaryUser(_ body: () throws -> Void) throws {
        guard geteuid() == 0 else { return try body() }
        let nobody: uid_t = 65_534
        XCTAssertEqual(chown(folder.path, nobody, gid_t(nobody)), 0)
        XCTAssertEqual(seteuid(nobody), 0)
        defer { XCTAssertEqual(seteuid(0), 0) }
        guard (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) == [] else {
            throw XCTSkip("Only the superuser gets to \(folder.path).")
        }
        try body()
    }

    #if os(Linux)
    func testSynchronizingLeavesNothingToWrite() throws {
        let device = try FileDevice.open(path: path())
        let bytes = [UInt8](repeating: 7, count: 50_000)
        try bytes.withUnsafeBytes { try device.write($0, at: 0) }
        // Outside of the assertions, which would take the error that skips the test for a failure.
        let written = try PageCache.unwrittenPages(of: path())
        XCTAssertGreaterThan(written, 0, "a write alone need not reach the disk")
        try device.synchronize()
        let left = try PageCache.unwrittenPages(of: path())
        XCTAssertEqual(left, 0)
    }

    func testARecordIsOnTheDiskWhenItIsAcknowledged() throws {
        let journal = try Journal.reading(FileDevice.open(path: path())).journal
        for length in [0, 10, 5_000, 1_000_000] {
            try journal.append(.numbered(length, length: length))
            // A mark in the header says afterwards that the record is there.
            let left = try PageCache.unwrittenPages(of: path(), from: 2)
            XCTAssertEqual(left, 0, "\(length)")
        }
    }
    #endif

    func testClosedDeviceThrows() throws {
        let device = try FileDevice.open(path: path())
        device.close()
        device.close()
        XCTAssertThrowsError(try device.size())
        XCTAssertThrowsError(try device.synchronize())
        XCTAssertThrowsError(try device.truncate(to: 0))
    }

    func testAFolderBehindALinkThatIsPutElsewhere() throws {
        for name in ["one", "two"] {
            try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        }
        XCTAssertEqual(symlink("one", path("current")), 0)
        let journal = try Journal.reading(FileDevice.open(path: path("current/journal"))).journal
        try journal.append(.numbered(1, length: 1))
        XCTAssertEqual(unlink(path("current")), 0)
        XCTAssertEqual(symlink("two", path("current")), 0)
        assertThrows(.displaced, try journal.append(.numbered(2, length: 1)))
    }

    func testNameWithoutAFolder() throws {
        let name = "kivo-journal-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: name) }
        try Journal.reading(FileDevice.open(path: name)).journal.append(.numbered(1, length: 1))
        let whole = FileManager.default.currentDirectoryPath + "/" + name
        XCTAssertEqual(
            try Journal.reading(FileDevice.open(path: whole, readOnly: true)).records,
            [.numbered(1, length: 1)])
    }
}

#endif
