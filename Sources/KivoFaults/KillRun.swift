#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo
import KivoJournal

/// A test of a process that writes, makes checkpoints and compacts, and is killed at random moments. Every acknowledged commit
/// must be in the file, and no partial commit.
struct KillRun {
    private(set) var failures: [String] = []
    /// The number of kills, and the numbers of those in the middle of a record, of a compaction and of a checkpoint.
    private(set) var killCount = 0
    private(set) var tornCount = 0
    private(set) var compactingCount = 0
    private(set) var checkpointingCount = 0
    /// The number of acknowledged commits, and the number of compactions.
    private(set) var commitCount = 0
    private(set) var compactedCount = 0

    private let program: URL
    private let file: URL
    private let workload: Workload
    private var contents = Contents()
    private var random: SeededNumbers
    private let torn = Torn()

    /// Whether the last opening found the remains of a record.
    private final class Torn: @unchecked Sendable {
        // Used by one thread only: the thread that opens the file calls the handler.
        var isTorn = false
    }

    /// Creates a run on a new file in a folder. `program` is this program.
    init(_ program: URL, in folder: URL, seed: UInt64) {
        self.program = program
        file = folder.appendingPathComponent("killed.kivo")
        random = SeededNumbers(seed)
        workload = Workload(seed: seed)
    }

    /// Kills a number of processes, one after the other; stops at the first failure.
    mutating func run(kills: Int, progress: (KillRun) -> Void = { _ in }) throws {
        for _ in 0..<kills where failures.isEmpty {
            let acknowledged = try killOne()
            killCount += 1
            commitCount += max(acknowledged - contents.number, 0)
            try check(acknowledged)
            progress(self)
        }
    }

    /// Starts a process and kills it. Returns the last commit that it acknowledged.
    private mutating func killOne() throws -> Int {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["write", file.path, "\(workload.seed)"]
        process.standardOutput = pipe
        try process.run()
        // The process has its own descriptor. After this one is closed, reading ends with the process.
        try pipe.fileHandleForWriting.close()
        var text = Data()
        // Some processes are killed before they open the file, most while they write.
        if random.chance(90) { text.append(pipe.fileHandleForReading.availableData) }
        usleep(UInt32(random.below(random.chance(30) ? 2000 : 40_000)))
        kill(process.processIdentifier, SIGKILL)
        text.append(pipe.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        if process.terminationReason != .uncaughtSignal || process.terminationStatus != SIGKILL {
            failures.append("the process ended by itself: \(process.terminationStatus)")
        }
        let whole = text.prefix(upTo: text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex)
        let last = whole.split(separator: UInt8(ascii: "\n")).last.flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        return last ?? contents.number
    }

    private mutating func check(_ acknowledged: Int) throws {
        let compacting = file.path + ".compacting"
        if FileManager.default.fileExists(atPath: compacting) { compactingCount += 1 }
        if FileManager.default.fileExists(atPath: file.path) {
            let bytes = [UInt8](try Data(contentsOf: file))
            if bytes.isCompacted { compactedCount += 1 }
            if bytes.endsInPages { checkpointingCount += 1 }
        }
        var configuration = Files.configuration(file)
        configuration.verifiesOnOpening = true
        configuration.readOnly = false
        configuration.recoveryHandler = { [torn] in torn.isTorn = !$0.discardedBytes.isEmpty }
        torn.isTorn = false
        let recovered: Contents
        do {
            recovered = try { Contents(try Realm(configuration: configuration)) }()
        } catch {
            failures.append("after commit \(acknowledged): \(error)")
            return
        }
        if torn.isTorn { tornCount += 1 }
        guard (acknowledged...acknowledged + 1).contains(recovered.number) else {
            failures.append(
                "commit \(recovered.number) is the last one, commit \(acknowledged) was acknowledged")
            return
        }
        while contents.number < recovered.number { contents.apply(workload) }
        if recovered != contents { failures.append(recovered.difference(from: contents)) }
    }

    /// Performs one commit after the other and prints each number. The process that is killed runs this.
    static func write(_ path: String, seed: UInt64) throws {
        let workload = Workload(seed: seed)
        let realm = try Realm(configuration: Files.configuration(URL(fileURLWithPath: path)))
        var number = realm.object(ofType: FaultCounter.self, forPrimaryKey: 0)?.number ?? 0
        while true {
            number += 1
            try workload.write(number, to: realm)
            let line = Array("\(number)\n".utf8)
            _ = line.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
        }
    }
}

extension [UInt8] {
    /// Whether the last record of a file is one of pages, which means that its checkpoint was not finished.
    fileprivate var endsInPages: Bool {
        var (start, kind): (Int, UInt8) = (JournalError.recordsOffset, 0)
        while start + 40 <= count, number(at: start + 8) != 0 {
            let length = number(at: start)
            let end = start + 40 + (length + 7) / 8 * 8
            if end > count { break }
            kind = self[start + 16]
            start = end
        }
        return kind == 3
    }
}

#endif
