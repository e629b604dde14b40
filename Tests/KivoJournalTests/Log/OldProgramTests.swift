#if !os(Windows) && !os(WASI)

import Foundation
import XCTest

@testable import KivoFaults
@testable import KivoJournal

/// How today's program upgrades a file of an earlier format. `FaultRunTests` has the histories beside old programs.
final class OldProgramTests: FolderTestCase {
    private func version() throws -> UInt32 {
        let device = try FileDevice.open(path: path, readOnly: true, isLocked: false)
        defer { device.close() }
        return try HeaderPages(device, size: device.size()).header.version
    }

    /// A program that is alone upgrades in place; one that is not writes a new file.
    func testHowAFileIsUpgraded() throws {
        for isAlone in [true, false] {
            try OldProgram.makeFile(path, 3)
            let old = isAlone ? nil : try OldProgram(path, 3)
            var policy = CheckpointPolicy()
            (policy.smallestTail, policy.tailShare) = (1, 1 << 30)
            let today = try LogProcess(path, policy)
            try today.commit(1)
            let before = today.journal.contents?.journal.position.journal
            XCTAssertEqual(try version(), 3)
            XCTAssertTrue(try today.checkpoint())
            XCTAssertEqual(try version(), FileHeader.version)
            XCTAssertEqual(before == today.journal.contents?.journal.position.journal, isAlone)
            if let old {
                XCTAssertFalse(try old.commit(2))
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
