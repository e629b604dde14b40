import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoFaults

/// Processes that are killed on a disk that loses its power: a short run.
final class PowerKillTests: XCTestCase {
    private let seed = RandomSource.seed(for: "PowerKillTests")

    func testKillsAndLossesOfPower() throws {
        var run = PowerKillRun(seed: seed)
        try run.run(files: TestEffort.count(1, full: 4), steps: TestEffort.count(8, full: 16))
        XCTAssertEqual(run.failures, [], "seed \(seed)")
        XCTAssertGreaterThan(run.killCount, TestEffort.expected(0))
        XCTAssertGreaterThan(run.commitCount, TestEffort.expected(10))
        XCTAssertGreaterThan(run.imageCount, TestEffort.expected(100))
    }

    /// The next process flushes a record that a killed one has written, before it shows it or writes behind it.
    func testRecordsOfAKilledWriterAreFlushedByWhoAdoptsThem() throws {
        let workload = Workload(seed: seed)
        for isOpen in [false, true] {
            let disk = SharedDisk(seed: seed)
            let (killed, other) = (DiskProcess(disk, number: 1), DiskProcess(disk, number: 2))
            var follower = isOpen ? try open(other) : nil
            try autoreleasing {
                let realm = try open(killed)
                try workload.write(1, to: realm)
                // The write of the record is the last thing that it does.
                killed.kill(afterSteps: 1)
                XCTAssertThrowsError(try workload.write(2, to: realm))
            }
            XCTAssertTrue(killed.isKilled)
            _ = disk.takeImages()
            if follower == nil { follower = try open(other) }
            let first = follower!
            if isOpen { first.beginWrite(); first.cancelWrite() }
            XCTAssertEqual(Contents(first).number, 2)
            _ = disk.takeImages()
            // Whatever is written from here on, the commit is there.
            try workload.write(3, to: first)
            for bytes in disk.takeImages() {
                XCTAssertGreaterThanOrEqual(try Files.contents(bytes).number, 2, "seed \(seed)")
            }
        }
    }

    /// A commit that is too large to be written at once, and fails, is undone so that a kill at any moment leaves a file that opens.
    func testUndoingALargeCommitCanBeKilled() throws {
        var workload = Workload(seed: seed)
        (workload.ids, workload.announced) = (4, 1 << 20)
        // What fails once more is the removal of the record.
        for (isFlush, times) in TestEffort.sample([(false, 1), (true, 1), (false, 2), (true, 2)], 1) {
            for steps in TestEffort.cases(0..<20, within: 0.24) {
                let disk = SharedDisk(seed: seed, mostImages: 3)
                let process = DiskProcess(disk, number: 1)
                try autoreleasing {
                    let realm = try open(process)
                    for number in 1..<5 { try workload.write(number, to: realm) }
                    _ = disk.takeImages()
                    // The payload is written, or flushed, behind the header that was.
                    process.fail(flush: isFlush, after: 1, times: times)
                    process.kill(afterSteps: steps)
                    XCTAssertThrowsError(try workload.write(5, to: realm))
                }
                for bytes in disk.takeImages() + [disk.state.withLock { $0.files[0].cache }] {
                    let number = try Files.contents(bytes, verifies: false).number
                    XCTAssertTrue((4...5).contains(number), "\(number), kill after \(steps), seed \(seed)")
                }
                // In order, no later step kills it either.
                if !process.isKilled, TestEffort.isExhaustive { break }
            }
        }
    }

    /// Opens a realm without checkpoints.
    private func open(_ process: DiskProcess) throws -> Realm {
        var configuration = Files.configuration(FaultyDisk())
        configuration.makeDevice = { _, _ in process.open() }
        configuration.checkpoints.smallestTail = .max
        configuration.closingTimeLimit = 0
        return try Realm(configuration: configuration)
    }

    @inline(never)
    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }
}
