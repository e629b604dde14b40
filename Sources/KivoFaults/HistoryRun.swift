#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// A test of consumers whose processes are killed, with processes that write the same file and compact it often.
///
/// Each consumer adds up in the realm what the writers have counted, in the transaction of its acknowledgement. Two processes read as each
/// consumer. At the end every sum is that of the counters: each change was seen, and counted once.
struct HistoryRun {
    private(set) var failures: [String] = []
    /// The number of kills, and the number of times that the file was replaced.
    private(set) var killCount = 0
    private(set) var compactionCount = 0
    /// The sum of the counters.
    private(set) var sum = 0

    private let program: URL
    private let path: String
    private let count: Int
    private var random: SeededNumbers

    /// Creates a run on a new file in a folder. `program` is this program, and there are `count` writers and as many consumers.
    init(_ program: URL, in folder: URL, count: Int, seed: UInt64) {
        (self.program, self.count) = (program, count)
        path = folder.appendingPathComponent("history.kivo").path
        random = SeededNumbers(seed)
    }

    /// Runs for a number of seconds.
    mutating func run(seconds: Double) throws {
        try prepare()
        var processes = try (0..<3 * count).map { try start($0) }
        defer {
            for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        let end = Date() + seconds
        var journal = Data()
        while Date() < end, failures.isEmpty {
            Thread.sleep(forTimeInterval: Double(random.below(100)) / 1000)
            let now = try Data(contentsOf: URL(fileURLWithPath: path))[16..<24]
            if now != journal { (journal, compactionCount) = (now, compactionCount + 1) }
            let index = random.below(processes.count)
            if !processes[index].isRunning {
                failures.append("process \(index) ended by itself: \(processes[index].terminationStatus)")
            } else if random.chance(70) {
                kill(processes[index].processIdentifier, SIGKILL)
                processes[index].waitUntilExit()
                killCount += 1
                processes[index] = try start(index)
            }
        }
        for process in processes {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        if failures.isEmpty { try check() }
    }

    private func prepare() throws {
        let realm = try HistoryRun.open(path)
        try realm.write {
            for id in 0..<count {
                realm.create(FaultCounter.self, value: ["id": id, "number": 0])
                realm.create(FaultCounter.self, value: ["id": HistoryRun.sumID(id), "number": 0])
            }
        }
        for consumer in 0..<count { _ = try realm.consumer("\(consumer)") }
    }

    /// Starts a process: the first of them write, the others read as one of the consumers.
    private func start(_ index: Int) throws -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments =
            index < count ? ["count", path, "\(index)"] : ["add-up", path, "\(index % count)"]
        try process.run()
        return process
    }

    private mutating func check() throws {
        let realm = try HistoryRun.open(path)
        let counters = realm.objects(FaultCounter.self)
        // Something to read last.
        try realm.write { counters.first { $0.id == 0 }?.number += 1 }
        let end = realm.version
        for consumer in 0..<count {
            HistoryRun.addUp(path, consumer, until: end)
            realm.refresh()
            let numbers = counters.filter { $0.id < 1000 }.map(\.number)
            sum = numbers.reduce(0, +)
            let found = realm.object(ofType: FaultCounter.self, forPrimaryKey: HistoryRun.sumID(consumer))?
                .number
            if found != sum {
                failures.append(
                    "consumer \(consumer) has counted to \(found ?? -1), and the counters to \(sum)")
            }
        }
    }

    // MARK: The processes

    private static func sumID(_ consumer: Int) -> Int { 1000 + consumer }

    private static func open(_ path: String) throws -> Realm {
        try Realm(configuration: Files.configuration(URL(fileURLWithPath: path), allowance: 1 << 14))
    }

    /// Counts until the process is killed.
    static func count(_ path: String, _ id: Int) throws {
        let realm = try open(path)
        while true {
            try realm.write(label: "count", author: "writer \(id)") {
                realm.object(ofType: FaultCounter.self, forPrimaryKey: id)?.number += 1
            }
        }
    }

    /// Adds up what the writers count, until a version or until the process is killed.
    static func addUp(_ path: String, _ consumer: Int, until end: Realm.Version? = nil) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                for try await batch in try source(path, consumer).batches(ofAtMost: Int.random(in: 1...50)) {
                    try take(batch, path, consumer)
                    if let end, batch.version >= end { break }
                }
            } catch {
                FileHandle.standardError.write(Data("consumer \(consumer): \(error)\n".utf8))
                exit(1)
            }
            done.signal()
        }
        done.wait()
    }

    private static func source(_ path: String, _ consumer: Int) throws -> DurableConsumer {
        try open(path).consumer("\(consumer)")
    }

    private static func take(_ batch: DurableConsumer.Batch, _ path: String, _ consumer: Int) throws {
        let realm = try open(path)
        let counted = batch.changes.of(FaultCounter.self).reduce(0) { sum, change in
            guard case .int(let id)? = change.primaryKey, id < 1000 else { return sum }
            return sum + (change.new(\.number) ?? 0) - (change.old(\.number) ?? 0)
        }
        try realm.write {
            if counted != 0 {
                realm.object(ofType: FaultCounter.self, forPrimaryKey: sumID(consumer))?.number += counted
            }
            try batch.acknowledge()
        }
    }
}

#endif
