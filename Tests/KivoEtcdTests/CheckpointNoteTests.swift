import XCTest

@testable import KivoEtcd

/// When checkpoints are made, and what they cost together.
final class CheckpointNoteTests: XCTestCase {
    private let options = EtcdOptions(endpoints: [], prefix: "realm")

    /// Returns the number of bytes of all checkpoints that are made while so many commits of 200 bytes change data of a constant
    /// size.
    private func bytesOfCheckpoints(size: Int, commits: Int) -> Int {
        var last = CheckpointNote(version: 1, image: 1, partCount: 1, size: size)
        var (bytes, sum) = (0, 0)
        for version in UInt64(2)...UInt64(commits) {
            bytes += 200
            if CheckpointNote.isDue(version, after: last, bytes: bytes, options) {
                (last.version, bytes, sum) = (version, 0, sum + size)
            }
        }
        return sum
    }

    /// Checkpoints cost at most four times what the commits weigh, also of four times as much data.
    func testCheckpointsCostWhatChanges() {
        let commits = 400_000
        for size in [1 << 18, 20 << 20, 80 << 20, 320 << 20] {
            let sum = bytesOfCheckpoints(size: size, commits: commits)
            XCTAssertLessThanOrEqual(sum, 4 * commits * (200 + 1024), "\(size)")
            XCTAssertGreaterThan(sum, 0, "\(size)")
        }
    }

    func testSmallCheckpointsAreMadeAsTheOptionsSay() {
        XCTAssertEqual(bytesOfCheckpoints(size: 1 << 20, commits: 10_001), 10 << 20)
        XCTAssertFalse(CheckpointNote.isDue(999, after: nil, bytes: 0, options))
        XCTAssertTrue(CheckpointNote.isDue(1000, after: nil, bytes: 0, options))
        XCTAssertTrue(CheckpointNote.isDue(1, after: nil, bytes: 16 << 20, options))
        let note = CheckpointNote(version: 7, image: 1, partCount: 1, size: 100)
        XCTAssertFalse(CheckpointNote.isDue(7, after: note, bytes: 16 << 20, options))
    }

    /// Notes that no store has written.
    func testNotesThatAreRefused() {
        XCTAssertNotNil(CheckpointNote("9 1 2 10"))
        for text in [
            "", "9", "9 1 2", "9 1 -1 10", "9 1 2 -10", "-9 1 2 10", "9 1 2 9223372036854775807",
            "9 1 2 10 11", "a b c d",
        ] { XCTAssertNil(CheckpointNote(text), text) }
    }
}
