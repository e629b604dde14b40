import Foundation

/// The harness that tests a file's guarantees under failures.
///
///     kivo-faults kills [count] [seed]     processes that are killed
///     kivo-faults processes --count N --seconds S [seed]
///                                          processes on one file, some of them killed, some stopped
///     kivo-faults history --count N --seconds S [seed]
///                                          consumers of a file, whose processes are killed
///     kivo-faults values [processes] [seed]
///                                          invalid values of JSON
///     kivo-faults deletions --count N --seconds S [seed]
///                                          processes that make, delete and migrate one file
///     kivo-faults damage [seed]            every byte flipped, every prefix, every record torn
///     kivo-faults failures [lives] [seed]  disks that fail
///     kivo-faults power [files] [seed]     losses of power
///     kivo-faults power-kills [files] [seed]
///                                          processes on one file, some of them killed, and all possible results of a power loss
///     kivo-faults large [megabytes] [seed] values of ten megabytes, written, compacted, read and verified
///     kivo-faults old-programs [files] [seed]
///                                          programs of earlier formats that have a file open
///     kivo-faults keys [histories] [seed]  histories of primary keys, verified with their indexes
///     kivo-faults forged [files] [seed]    pages with valid checksums and invalid contents
@main
struct KivoFaults {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ index: Int, _ usual: Int) -> Int {
            arguments.indices.contains(index) ? Int(arguments[index]) ?? usual : usual
        }
        func seed(_ index: Int) -> UInt64 {
            let seed = UInt64(number(index, Int.random(in: 0...Int.max >> 23)))
            print("Seed \(seed).")
            return seed
        }
        switch arguments.first {
        #if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
        case "write": try KillRun.write(arguments[1], seed: UInt64(arguments[2])!)
        case "work":
            var worker = try ProcessWorker(
                arguments[1], process: Int(arguments[2])!, seed: UInt64(arguments[3])!)
            try worker.run()
        case "read": try ProcessReader.run(arguments[1])
        case "processes":
            let count = option("--count", 2, &arguments)
            let seconds = option("--seconds", 60, &arguments)
            try processes(count, seconds: seconds, seed: seed(1))
        case "count": try HistoryRun.count(arguments[1], Int(arguments[2])!)
        case "add-up": HistoryRun.addUp(arguments[1], Int(arguments[2])!)
        case "history":
            let count = option("--count", 2, &arguments)
            let seconds = option("--seconds", 60, &arguments)
            let folder = try newFolder()
            var run = HistoryRun(program, in: folder, count: count, seed: seed(1))
            try run.run(seconds: Double(seconds))
            print(
                """
                \(count) consumers, \(seconds) s: \(run.sum) changes, at least \(run.compactionCount) files, \(run.killCount) kills.
                """)
            end(folder, run.failures)
        case "give": try InputRun.give(arguments[1], seed: UInt64(arguments[2])!)
        case "values": try values(number(1, 500), seed: seed(2))
        case "replace":
            var worker = DeletionWorker(
                arguments[1], process: Int(arguments[2])!, seed: UInt64(arguments[3])!,
                removesLocks: arguments[4] == "locks")
            try worker.run()
        case "deletions":
            let count = option("--count", 2, &arguments)
            let seconds = option("--seconds", 60, &arguments)
            try deletions(count, seconds: seconds, seed: seed(1))
        case "kills": try kills(number(1, 2000), seed: seed(2))
        case "read-forged": ForgedRun.read(arguments[1])
        case "forged":
            let folder = try newFolder()
            var run = try ForgedRun(program, in: folder, seed: seed(2))
            try run.run(files: number(1, 1000))
            print(
                "\(run.count) forged files, \(run.refused) refused, \(run.stopped) stopped the reader in other words."
            )
            end(folder, run.failures)
        case "old-programs":
            let folder = try newFolder()
            var run = OldProgramRun(in: folder, seed: seed(2))
            try run.run(files: number(1, 10_000))
            print(
                """
                \(run.commitCount) commits, \(run.checkpointCount) checkpoints; \(run.replacementCount) files were replaced \
                while an old program had them open.
                """)
            end(folder, run.failures)
        case "large":
            let folder = try newFolder()
            var run = LargeRun(in: folder, seed: seed(2))
            try run.run(megabytes: number(1, 3000))
            print(
                """
                \(run.sizes.before) bytes, \(run.sizes.after) when compacted; a short property read in \(run.times.reading), \
                all verified in \(run.times.verifying).
                """)
            end(folder, run.failures)
        #endif
        case "keys":
            var run = KeyRun(seed: seed(2))
            try run.run(histories: number(1, 100_000)) { print("\($0) histories") }
            print("\(run.sessionCount) sessions, \(run.checkpointCount) of them with a checkpoint.")
            finish(run.failures)
        case "damage": try damage(seed: seed(1))
        case "failures":
            var run = FailureRun(seed: seed(2))
            try run.run(lives: number(1, 2000))
            print("\(run.failedCount) operations failed, \(run.thrownCount) commits threw.")
            finish(run.failures)
        case "power":
            var run = PowerRun(seed: seed(2))
            try run.run(files: number(1, 200), losses: 20)
            print("\(run.lossCount) losses of power, \(run.compactionCount) compactions.")
            finish(run.failures)
        case "power-kills":
            var run = PowerKillRun(seed: seed(2))
            try run.run(files: number(1, 100))
            print(
                """
                \(run.killCount) kills, \(run.commitCount) commits acknowledged, \(run.failureCount) commits failed, \
                \(run.imageCount) images of a disk after a loss of power.
                """)
            finish(run.failures)
        default:
            print(
                """
                usage: kivo-faults kills [count] [seed] | processes [--count N] [--seconds S] [seed]
                                 | history [--count N] [--seconds S] [seed]
                                 | values [processes] [seed] | deletions [--count N] [--seconds S] [seed]
                                 | damage [seed] | failures [lives] [seed] | power [files] [seed]
                                 | power-kills [files] [seed] | large [megabytes] [seed]
                                 | old-programs [files] [seed] | keys [histories] [seed] | forged [files] [seed]
                """
            )
            exit(64)
        }
    }

    /// Prints a line at once: long runs are watched while they run.
    private static func print(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func finish(_ failures: [String]) {
        for failure in failures { print("FAILED: \(failure)") }
        print(failures.isEmpty ? "Nothing was lost." : "\(failures.count) failures.")
        exit(failures.isEmpty ? 0 : 1)
    }

    #if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    /// Removes an option with a number from the arguments, and returns the number.
    private static func option(_ name: String, _ usual: Int, _ arguments: inout [String]) -> Int {
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count,
            let number = Int(arguments[index + 1])
        else { return usual }
        arguments.removeSubrange(index...index + 1)
        return number
    }

    private static func newFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// This program.
    private static var program: URL {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return FileManager.default.fileExists(atPath: program.path)
            ? program : URL(fileURLWithPath: CommandLine.arguments[0])
    }

    private static func processes(_ count: Int, seconds: Int, seed: UInt64) throws {
        let folder = try newFolder()
        var run = ProcessRun(program, in: folder, count: count, seed: seed)
        try run.run(seconds: Double(seconds))
        print(
            """
            \(count) processes, \(seconds) s: \(run.commitCount) commits, at least \(run.compactionCount) files, \
            \(run.killCount) kills, \(run.stopCount) stops; \(run.updateCount) updates told to those at the end.
            """)
        end(folder, run.failures)
    }

    /// Runs half of the time with workers that also remove lock files.
    private static func deletions(_ count: Int, seconds: Int, seed: UInt64) throws {
        let folder = try newFolder()
        var failures: [String] = []
        for removesLocks in [false, true] {
            var run = DeletionRun(program, in: folder, count: count, removesLocks: removesLocks, seed: seed)
            try run.run(seconds: Double(seconds) / 2)
            print(
                """
                \(count) processes, \(Double(seconds) / 2) s, files of locks \(removesLocks ? "removed" : "left alone"): \
                \(run.lifeCount) files, \(run.commitCount) commits, \(run.deletionCount) deletions, \(run.migrationCount) files \
                of other classes.
                """)
            failures += run.failures
        }
        end(folder, failures)
    }

    /// Deletes the files of a run, unless it failed.
    private static func end(_ folder: URL, _ failures: [String]) {
        if failures.isEmpty {
            try? FileManager.default.removeItem(at: folder)
        } else {
            print("See \(folder.path).")
        }
        finish(failures)
    }

    private static func kills(_ count: Int, seed: UInt64) throws {
        let folder = try newFolder()
        var run = KillRun(program, in: folder, seed: seed)
        func report(_ run: KillRun) {
            print(
                """
                \(run.killCount) kills, \(run.commitCount) commits acknowledged; \(run.tornCount) within a record, \
                \(run.checkpointingCount) within a checkpoint, \(run.compactingCount) within a compaction; \
                \(run.compactedCount) of compacted files.
                """)
        }
        try run.run(kills: count) { if $0.killCount % 100 == 0 { report($0) } }
        report(run)
        end(folder, run.failures)
    }

    private static func values(_ count: Int, seed: UInt64) throws {
        let folder = try newFolder()
        var run = InputRun(program, in: folder, seed: seed)
        func report(_ run: InputRun) {
            print(
                """
                \(run.processCount) processes, \(run.refusalCount) of them refused in words; \(run.commitCount) commits.
                """)
        }
        try run.run(processes: count) { if $0.processCount % 100 == 0 { report($0) } }
        report(run)
        end(folder, run.failures)
    }
    #endif

    private static func damage(seed: UInt64) throws {
        var failures: [String] = []
        for isCompacted in [false, true] {
            var run = try DamageRun(seed: seed, isCompacted: isCompacted)
            let size = run.size
            run.flip(0..<size)
            run.cut(1...size)
            run.tear()
            print(
                """
                \(isCompacted ? "Compacted" : "Not compacted"), \(size) bytes: \(run.count) damaged files, \
                \(run.refused) refused, \(run.unnoticed) hold what was acknowledged.
                """)
            failures += run.failures
        }
        finish(failures)
    }
}
