import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoFaults

/// Short forms of the runs of `kivo-faults`.
final class FaultRunTests: XCTestCase {
    /// Printed with what fails.
    private let seed = RandomSource.seed(for: "FaultRunTests")

    private func damage(isCompacted: Bool) throws {
        var run = try DamageRun(seed: seed, isCompacted: isCompacted)
        XCTAssertGreaterThan(run.size, 20_000)
        var random = SeededNumbers(seed)
        run.flip(stride(from: random.below(499), to: run.size, by: 499))
        run.flip([512, 1024, 1536, 0, 2048].flatMap { [$0, 4096 + $0] }.map { $0 + random.below(24) })
        run.cut([1, 6, 7, 8, 16, 24, 40])
        run.cut(stride(from: 1 + random.below(1999), to: run.size, by: 1999))
        run.tear()
        XCTAssertGreaterThan(run.refused, 10)
        XCTAssertGreaterThan(run.unnoticed, 5)
        XCTAssertEqual(run.failures, [], "seed \(seed)")
    }

    func testDamagedFiles() throws { try damage(isCompacted: false) }

    func testDamagedFilesThatWereCompacted() throws { try damage(isCompacted: true) }

    func testHistoriesOfKeys() throws {
        var run = KeyRun(seed: seed)
        try run.run(histories: TestEffort.count(20, full: 400))
        XCTAssertGreaterThan(run.checkpointCount, run.sessionCount / 4)
        XCTAssertEqual(run.failures, [], "seed \(seed)")
    }

    func testDisksThatFail() throws {
        var run = FailureRun(seed: seed)
        try run.run(lives: TestEffort.count(4, full: 25))
        XCTAssertGreaterThan(run.thrownCount, TestEffort.expected(15))
        XCTAssertGreaterThan(run.compactionCount, TestEffort.expected(0))
        XCTAssertEqual(run.failures, [], "seed \(seed)")
    }

    /// The output of a failed compaction is written again by the next checkpoint or compaction.
    func testACompactionThatFailsIsMadeAgain() throws {
        for operation in [FaultyDisk.Operation.rename, .make] {
            let disk = FaultyDisk(seed: seed)
            let workload = Workload(seed: seed)
            disk.fail(operation, after: 0, times: 2, .noSpace)
            var contents = Contents()
            for _ in 0..<6 {
                try Files.withRealm(disk, Files.configuration(disk, allowance: 1 << 14)) { realm in
                    for _ in 0..<12 {
                        contents.apply(workload)
                        try workload.write(contents.number, to: realm)
                        // In the same session: opening begins with what is in the file.
                        if contents.number % 4 == 0 { usleep(3000) }
                    }
                    XCTAssertEqual(Contents(realm), contents)
                }
            }
            XCTAssertEqual(disk.failureCount, 2)
            XCTAssertGreaterThan(disk.renameCount, 0)
            XCTAssertEqual(try Files.contents(disk.bytes), contents)
        }
    }

    /// A compacted file whose name was not flushed takes no commits that a loss of power would take back with the name.
    func testANameThatIsNotFlushed() throws {
        for round in 0..<3 {
            let disk = FaultyDisk(seed: seed &+ UInt64(round))
            let workload = Workload(seed: seed)
            var contents = Contents()
            while disk.failureCount == 0 {
                disk.repair()
                try Files.withRealm(disk, Files.configuration(disk, allowance: 1 << 12)) { realm in
                    disk.fail(
                        .flushFolder, after: 0, times: 1 << 20,
                        .io(errno: 5, operation: "synchronizing the folder"))
                    for _ in 0..<12 where disk.failureCount == 0 {
                        var next = contents
                        next.apply(workload)
                        do { try workload.write(next.number, to: realm) } catch { break }
                        contents = next
                    }
                }
            }
            disk.repair()
            try Files.withRealm(disk, Files.configuration(disk, allowance: 1 << 30)) { realm in
                contents = Contents(realm)
                contents.apply(workload)
                try workload.write(contents.number, to: realm)
            }
            for _ in 0..<6 {
                // Each finds one of the two files.
                XCTAssertEqual(try Files.contents(disk.afterPowerLoss()), contents, "seed \(seed)")
            }
        }
    }

    func testLossesOfPower() throws {
        var run = PowerRun(seed: seed)
        try run.run(files: TestEffort.count(1, full: 4), losses: TestEffort.count(6, full: 10))
        XCTAssertGreaterThan(run.lossCount, TestEffort.expected(20))
        XCTAssertGreaterThan(run.compactionCount, TestEffort.expected(0))
        XCTAssertEqual(run.failures, [], "seed \(seed)")
    }

    #if os(Linux) || os(macOS)
    /// The program, which is beside the tests.
    private func program() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("kivo-faults")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "kivo-faults, beside the tests"])
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    func testOldProgramsBesideTodays() throws {
        try withFolder { folder in
            var run = OldProgramRun(in: folder, seed: seed)
            try run.run(files: TestEffort.count(10, full: 60))
            XCTAssertEqual(run.failures, [], "seed \(seed)")
            XCTAssertGreaterThan(run.replacementCount, TestEffort.expected(10))
            XCTAssertGreaterThan(run.checkpointCount, TestEffort.expected(10))
        }
    }

    /// Nulls, values of other types and of no sense are taken or refused in words, and what is committed can be read.
    func testValuesOfNoSense() throws {
        try withFolder { folder in
            var run = InputRun(try program(), in: folder, seed: seed)
            try run.run(processes: TestEffort.count(6, full: 15))
            XCTAssertEqual(run.failures, [], "seed \(seed)")
            XCTAssertGreaterThan(run.refusalCount, TestEffort.expected(1))
            XCTAssertGreaterThan(run.commitCount, TestEffort.expected(20))
        }
    }

    func testProcessesThatAreKilled() throws {
        try withFolder { try killProcesses(in: $0) }
    }

    private func killProcesses(in directory: URL) throws {
        var run = KillRun(try program(), in: directory, seed: seed)
        try run.run(kills: TestEffort.count(10, full: 20))
        XCTAssertEqual(run.failures, [], "seed \(seed)")
        // All but about two processes acknowledge a commit before they are killed, however slow they are.
        XCTAssertGreaterThan(run.commitCount, 5)
    }

    /// Another process compacts the file again and again.
    func testAProcessThatMayOnlyReadFollows() throws {
        try withFolder { try read(in: $0) }
    }

    private func read(in folder: URL) throws {
        let file = folder.appendingPathComponent("shared.kivo")
        try ProcessWorker.prepare(file.path, processes: 1)
        for (path, mode) in [(file.path, 0o644), (folder.path, 0o755)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let realm = try Realm(configuration: Files.configuration(file, allowance: 1 << 12))
        let reader = Process()
        let (asked, told) = (Pipe(), Pipe())
        reader.executableURL = try program()
        reader.arguments = ["read", file.path]
        (reader.standardInput, reader.standardOutput) = (asked, told)
        try reader.run()
        defer {
            try? asked.fileHandleForWriting.close()
            reader.waitUntilExit()
        }
        var total = 0
        func compact(times: Int) throws {
            let end = Date() + 60
            for _ in 0..<times {
                let before = try Data(contentsOf: file)[16..<24]
                while try Data(contentsOf: file)[16..<24] == before, Date() < end {
                    total += 1
                    try realm.write {
                        realm.create(
                            FaultItem.self,
                            value: ["id": total % 7, "text": String(repeating: "t", count: 500)],
                            update: .modified)
                        realm.object(ofType: FaultCounter.self, forPrimaryKey: ProcessWorker.total)!.number =
                            total
                    }
                }
            }
        }
        for times in [0, 1, 1, 3, 0, 2] {
            try compact(times: times)
            try asked.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
            let line = String(decoding: told.fileHandleForReading.availableData, as: UTF8.self)
            XCTAssertEqual(line, "\(total) \(min(total, 7)) 0\n")
        }
    }
    #endif
}
