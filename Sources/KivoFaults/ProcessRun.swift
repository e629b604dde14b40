#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// A test of several processes that write and observe one file with frequent checkpoints and compactions. Some are killed at
/// random moments and restarted, some are stopped for a while. No acknowledged commit may be lost, and no partial commit may be
/// seen. Each living process must be notified of every commit, by consistent changes.
struct ProcessRun {
    private(set) var failures: [String] = []
    /// The number of kills, and the number of temporary stops.
    private(set) var killCount = 0
    private(set) var stopCount = 0
    /// The number of commits, and the number of times that the file was replaced.
    private(set) var commitCount = 0
    private(set) var compactionCount = 0
    /// The number of updates that the observers of objects received in processes that lived to the end.
    private(set) var updateCount = 0

    private let program: URL
    private let path: String
    private let count: Int
    private var random: SeededNumbers
    private var workers: [Process] = []
    /// The number of the last acknowledged commit of each process.
    private var acknowledged: [Int]
    /// For each process, the number of its notes that were read since its last start.
    private var readCount: [Int]

    /// Creates a run on a new file in a folder. `program` is this program.
    init(_ program: URL, in folder: URL, count: Int, seed: UInt64) {
        self.program = program
        self.count = count
        path = folder.appendingPathComponent("shared.kivo").path
        random = SeededNumbers(seed)
        acknowledged = Array(repeating: 0, count: count)
        readCount = acknowledged
    }

    /// Runs for a number of seconds.
    mutating func run(seconds: Double) throws {
        try ProcessWorker.prepare(path, processes: count)
        for index in 0..<count { workers.append(try start(index)) }
        defer { for worker in workers where worker.isRunning { kill(worker.processIdentifier, SIGKILL) } }
        let end = Date() + seconds
        var journal = Data()
        while Date() < end, failures.isEmpty {
            Thread.sleep(forTimeInterval: Double(random.below(150)) / 1000)
            let now = try Data(contentsOf: URL(fileURLWithPath: path))[16..<24]
            if now != journal { (journal, compactionCount) = (now, compactionCount + 1) }
            let index = random.below(count)
            if !workers[index].isRunning {
                failures.append("process \(index) ended by itself: \(workers[index].terminationStatus)")
            } else if random.chance(40) {
                try killOne(index)
            } else if random.chance(50) {
                stopOne(index)
            }
        }
        try finish()
    }

    private mutating func start(_ index: Int) throws -> Process {
        // The old notes have been read by now.
        try? FileManager.default.removeItem(atPath: ProcessWorker.notes(path, index))
        let process = Process()
        process.executableURL = program
        process.arguments = ["work", path, "\(index)", "\(random.next() >> 1)"]
        try process.run()
        return process
    }

    private mutating func killOne(_ index: Int) throws {
        kill(workers[index].processIdentifier, SIGKILL)
        workers[index].waitUntilExit()
        killCount += 1
        try readNotes(index)
        readCount[index] = 0
        workers[index] = try start(index)
    }

    private mutating func stopOne(_ index: Int) {
        kill(workers[index].processIdentifier, SIGSTOP)
        // Sometimes this is long enough for others to compact the file more than once. They wait if the process holds the lock.
        Thread.sleep(forTimeInterval: Double(random.below(random.chance(30) ? 2000 : 200)) / 1000)
        kill(workers[index].processIdentifier, SIGCONT)
        stopCount += 1
    }

    /// Ends all workers after they have been notified of all commits.
    private mutating func finish() throws {
        try Data().write(to: URL(fileURLWithPath: ProcessWorker.stop(path)))
        wait("to stop writing", isEnd: false) { try $0.lines($1).contains("d") }
        let total: Int = try {
            let configuration = Files.configuration(URL(fileURLWithPath: path))
            let realm = try Realm(configuration: configuration)
            if let flaw = ProcessWorker.flaw(of: realm) { failures.append(flaw) }
            for index in 0..<count {
                let own = realm.object(
                    ofType: FaultCounter.self, forPrimaryKey: ProcessWorker.own(index))!.number
                try readNotes(index)
                if own < acknowledged[index] || own > acknowledged[index] + 1 {
                    failures.append(
                        "process \(index): \(own) commits are there, \(acknowledged[index]) acknowledged")
                }
            }
            return realm.object(ofType: FaultCounter.self, forPrimaryKey: ProcessWorker.total)!.number
        }()
        commitCount = total
        // The write is atomic, so that readers see the whole file.
        try Data("\(total)".utf8).write(
            to: URL(fileURLWithPath: ProcessWorker.final(path)), options: .atomic)
        wait("to be told of all commits", isEnd: true) { !$0.workers[$1].isRunning }
        for index in 0..<count {
            try readNotes(index)
            let last = try lines(index).last { $0.hasPrefix("ok ") }
            updateCount += last.flatMap { Int($0.dropFirst(3)) } ?? 0
            if last == nil { failures.append("process \(index) did not come to its end") }
        }
    }

    private mutating func wait(
        _ words: String, isEnd: Bool, until condition: (ProcessRun, Int) throws -> Bool
    ) {
        let end = Date() + 120
        for index in 0..<count {
            while (try? condition(self, index)) != true {
                if Date() > end || (!isEnd && !workers[index].isRunning) {
                    failures.append("process \(index) never came \(words)")
                    break
                }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// Returns the complete lines that a process has noted since it was last started.
    private func lines(_ index: Int) throws -> [String] {
        guard let notes = try? String(contentsOfFile: ProcessWorker.notes(path, index), encoding: .utf8)
        else { return [] }
        let whole = notes.prefix(upTo: notes.lastIndex(of: "\n") ?? notes.startIndex)
        return whole.split(separator: "\n").map(String.init)
    }

    /// Checks the notes of a process since it was last started.
    private mutating func readNotes(_ index: Int) throws {
        let lines = try lines(index)
        defer { readCount[index] = lines.count }
        for line in lines.dropFirst(readCount[index]) {
            let number = Int(line.dropFirst(2)) ?? 0
            if line.hasPrefix("s ") {
                // A commit may exist that was never acknowledged.
                if number < acknowledged[index] {
                    failures.append(
                        "process \(index) found \(number) commits, \(acknowledged[index]) were acknowledged")
                }
                acknowledged[index] = max(acknowledged[index], number)
            } else if line.hasPrefix("c ") {
                acknowledged[index] = max(acknowledged[index], number)
            } else if line.hasPrefix("F ") {
                failures.append("process \(index): \(line.dropFirst(2))")
            }
        }
    }
}

#endif
