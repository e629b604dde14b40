#if !os(Windows) && !os(WASI)

import Foundation
import TestRandomness
import XCTest

@testable import KivoEngine
@testable import KivoJournal

/// Programs of earlier formats that have a file open while today's program writes commits and checkpoints.
final class OldProgramTests: FolderTestCase {
    /// A program of an earlier format: it writes records of that format, knows nothing of later ones, and does not look at the
    /// version of a file that it has open.
    private struct OldProgram {
        let process: LogProcess
        let device: FileDevice
        let journal: UInt64

        init(_ path: String, version: UInt32) throws {
            // Its lock says that the file is in use, as that of another process.
            device = try FileDevice.open(path: path, isShared: true)
            process = try LogProcess(path)
            let header = try HeaderPages(device, size: device.size()).header
            XCTAssertEqual(header.version, version)
            journal = header.id
        }

        /// Appends a commit. Returns false if the file was replaced, which such a program notices.
        func commit(_ number: UInt64, version: UInt32) throws -> Bool {
            do { try device.checkName() } catch .displaced { return false }
            let header = try HeaderPages(device, size: device.size()).header
            XCTAssertEqual(header.version, version, "an open file was turned into another format")
            // The records behind its own are all of its format.
            var records = RecordCursor(
                device, from: LogPosition(beginningOf: header), size: try device.size())
            while let record = try records.next() {
                XCTAssertTrue(
                    record.kind == .commit || record.kind == .schemaVersion, "a record of a later format")
            }
            try process.commit(number)
            return true
        }

        func end() {
            process.end()
            device.close()
        }
    }

    private func makeFile(version: UInt32) throws {
        try? FileManager.default.removeItem(atPath: path)
        let device = try FileDevice.open(path: path)
        defer { device.close() }
        _ = try Journal.create(on: device, readOnly: false)
        var header = try HeaderPages(device, size: device.size()).header
        header.version = version
        try header.write(to: device)
    }

    private func checkpoint(_ process: LogProcess) throws {
        try process.log.catchUp(into: &process.store)
        guard let due = process.log.beginCheckpoint(isClosing: false) else { return }
        try due.make(process.snapshot, process.store.catalog)
    }

    private func version() throws -> UInt32 {
        let device = try FileDevice.open(path: path, readOnly: true, isLocked: false)
        defer { device.close() }
        return try HeaderPages(device, size: device.size()).header.version
    }

    /// Whatever the order: no commit is lost, and a file that an old program has open stays one of its format.
    func testNothingIsLostBesideOldPrograms() throws {
        var random = RandomSource()
        let versions = FileHeader.oldestVersion..<FileHeader.version
        for round in TestEffort.rounds(200, within: 2) {
            let version = versions.lowerBound + UInt32(random.below(versions.count))
            try makeFile(version: version)
            var policy = CheckpointPolicy()
            (policy.smallestTail, policy.tailShare) = (1 << 7, 1 << 30)
            policy.allowance = random.below(2) << 20
            var old: OldProgram? = try OldProgram(path, version: version)
            let today = try LogProcess(path, policy)
            var expected: [UInt64] = []
            for step in 0..<UInt64(5 + random.below(30)) {
                let number = UInt64(round) << 32 | step
                switch random.below(5) {
                case 0, 1:
                    guard let program = old else { continue }
                    if try program.commit(number, version: version) {
                        expected.append(number)
                    } else {
                        program.end()
                        old = nil
                    }
                case 2, 3:
                    try today.commit(number)
                    expected.append(number)
                default:
                    try checkpoint(today)
                    if let program = old, random.below(8) == 0 {
                        program.end()
                        old = nil
                    }
                }
            }
            old?.end()
            try today.log.catchUp(into: &today.store)
            XCTAssertEqual(today.numbers, expected, "round \(round), format \(version)")
            today.end()
            let reader = try LogProcess(path)
            XCTAssertEqual(reader.numbers, expected, "round \(round), format \(version)")
            reader.end()
        }
    }

    /// A program that is alone upgrades in place; one that is not writes a new file.
    func testHowAFileIsUpgraded() throws {
        for isAlone in [true, false] {
            try makeFile(version: 3)
            let old = isAlone ? nil : try OldProgram(path, version: 3)
            var policy = CheckpointPolicy()
            (policy.smallestTail, policy.tailShare) = (1, 1 << 30)
            let today = try LogProcess(path, policy)
            try today.commit(1)
            let before = today.journal.contents?.journal.position.journal
            XCTAssertEqual(try version(), 3)
            try checkpoint(today)
            XCTAssertEqual(try version(), FileHeader.version)
            XCTAssertEqual(before == today.journal.contents?.journal.position.journal, isAlone)
            if let old {
                XCTAssertFalse(try old.commit(2, version: 3))
                old.end()
            }
            today.end()
            let reader = try LogProcess(path)
            XCTAssertEqual(reader.numbers, [1])
            reader.end()
        }
    }
}

#endif
