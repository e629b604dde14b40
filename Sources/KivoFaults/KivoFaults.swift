import Foundation

/// The harness that proves what a file promises when something goes wrong.
///
///     kivo-faults kills [count] [seed]     processes that are killed
///     kivo-faults damage [seed]            every byte flipped, every prefix, every record torn
///     kivo-faults failures [lives] [seed]  disks that fail
///     kivo-faults power [files] [seed]     losses of power
@main
struct KivoFaults {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ index: Int, _ usual: Int) -> Int {
            arguments.indices.contains(index) ? Int(arguments[index]) ?? usual : usual
        }
        func seed(_ index: Int) -> UInt64 {
            let seed = UInt64(number(index, Int.random(in: 0..<1 << 40)))
            print("Seed \(seed).")
            return seed
        }
        switch arguments.first {
        #if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
        case "write": try KillRun.write(arguments[1], seed: UInt64(arguments[2])!)
        case "kills": try kills(number(1, 2000), seed: seed(2))
        #endif
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
        default:
            print(
                "usage: kivo-faults kills [count] [seed] | damage [seed] | failures [lives] [seed] | power [files] [seed]"
            )
            exit(64)
        }
    }

    /// Prints a line at once: long runs are looked at while they run.
    private static func print(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func finish(_ failures: [String]) {
        for failure in failures { print("FAILED: \(failure)") }
        print(failures.isEmpty ? "Nothing was lost." : "\(failures.count) failures.")
        exit(failures.isEmpty ? 0 : 1)
    }

    #if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    private static func kills(_ count: Int, seed: UInt64) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let path =
            FileManager.default.fileExists(atPath: program.path)
            ? program : URL(fileURLWithPath: CommandLine.arguments[0])
        var run = KillRun(path, in: folder, seed: seed)
        func tell(_ run: KillRun) {
            print(
                """
                \(run.killCount) kills, \(run.commitCount) commits acknowledged; \(run.tornCount) within a record, \
                \(run.checkpointingCount) within a checkpoint, \(run.compactingCount) within a compaction; \
                \(run.compactedCount) of compacted files.
                """)
        }
        try run.run(kills: count) { if $0.killCount % 100 == 0 { tell($0) } }
        tell(run)
        // Of a failure the file is kept.
        if run.failures.isEmpty {
            try FileManager.default.removeItem(at: folder)
        } else {
            print("See \(folder.path).")
        }
        finish(run.failures)
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
