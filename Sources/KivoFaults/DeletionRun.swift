#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// A test of several processes that create, write, delete and migrate one file. Acknowledged commits must stay as long as their
/// file exists. A file may only disappear when a process deletes it or opens it with classes of another version.
struct DeletionRun {
    private(set) var failures: [String] = []
    /// The number of files that had commits, and the number of commits.
    private(set) var lifeCount = 0
    private(set) var commitCount = 0
    private(set) var deletionCount = 0
    /// The number of times that a process opened the file and would have deleted one with other classes.
    private(set) var migrationCount = 0

    private let program: URL
    private let path: String
    private let count: Int
    private let removesLocks: Bool
    private var random: SeededNumbers

    /// An event between two points in time.
    private struct Event {
        let life: Int
        let version: Int
        let start: UInt64
        let end: UInt64

        init?(_ words: [Substring]) {
            guard words.count == 5, let life = Int(words[1]), let version = Int(words[2]),
                let start = UInt64(words[3]), let end = UInt64(words[4])
            else { return nil }
            (self.life, self.version, self.start, self.end) = (life, version, start, end)
        }
    }

    /// A file, from its first commit to its last.
    private struct Life {
        let number: Int
        let version: Int
        var first: UInt64
        var last: UInt64
    }

    /// Creates a run on a new file in a folder. `program` is this program.
    init(_ program: URL, in folder: URL, count: Int, removesLocks: Bool, seed: UInt64) {
        self.program = program
        self.count = count
        self.removesLocks = removesLocks
        path = folder.appendingPathComponent(removesLocks ? "unlocked.kivo" : "deleted.kivo").path
        random = SeededNumbers(seed)
    }

    /// Runs for a number of seconds.
    mutating func run(seconds: Double) throws {
        var workers: [Process] = []
        for index in 0..<count {
            let process = Process()
            process.executableURL = program
            process.arguments = [
                "replace", path, "\(index)", "\(random.next() >> 1)", removesLocks ? "locks" : "",
            ]
            try process.run()
            workers.append(process)
        }
        Thread.sleep(forTimeInterval: seconds)
        for (index, worker) in workers.enumerated() where !worker.isRunning {
            failures.append("process \(index) ended by itself: \(worker.terminationStatus)")
        }
        try Data().write(to: URL(fileURLWithPath: DeletionWorker.stop(path)))
        let end = Date() + 60
        for (index, worker) in workers.enumerated() {
            while worker.isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.005) }
            if worker.isRunning {
                failures.append("process \(index) never came to its end")
                kill(worker.processIdentifier, SIGKILL)
            }
        }
        try check()
    }

    private mutating func check() throws {
        var events: [Character: [Event]] = [:]
        for index in 0..<count {
            let notes = try String(contentsOfFile: DeletionWorker.notes(path, index), encoding: .utf8)
            for line in notes.split(separator: "\n") {
                guard let kind = line.first else { continue }
                if kind == "F" {
                    failures.append("process \(index): \(line.dropFirst(2))")
                } else if let event = Event(line.split(separator: " ")) {
                    events[kind, default: []].append(event)
                }
            }
        }
        let (commits, deletions) = (events["c"] ?? [], events["d"] ?? [])
        let migrations = events["m"] ?? []
        (commitCount, deletionCount, migrationCount) = (commits.count, deletions.count, migrations.count)
        var lives: [Int: Life] = [:]
        for commit in commits {
            var life =
                lives[commit.life]
                ?? Life(number: commit.life, version: commit.version, first: commit.start, last: commit.end)
            life.first = min(life.first, commit.start)
            life.last = max(life.last, commit.end)
            lives[commit.life] = life
            if life.version != commit.version { failures.append("life \(life.number) has two versions") }
        }
        lifeCount = lives.count
        let inOrder = lives.values.sorted { $0.first < $1.first }
        for (index, life) in inOrder.enumerated() {
            let next = index + 1 < inOrder.count ? inOrder[index + 1] : nil
            if let next, next.first < life.last {
                // The last commit of a life and the first one of the next may overlap.
                let overlap = commits.contains { $0.life == life.number && $0.start > next.last }
                if overlap { failures.append("life \(life.number) goes on beside \(next.number)") }
            }
            if next == nil, try lastLife(life.version) == life.number { continue }
            // The file was deleted after its last commit had begun, and before the first commit of the next was acknowledged.
            let firstCommit = next.map { next in commits.filter { $0.life == next.number }.map(\.end).min()! }
            let window = life.last...max(life.last, firstCommit ?? .max)
            let isCovered =
                deletions.contains { $0.end >= window.lowerBound && $0.start <= window.upperBound }
                || migrations.contains {
                    $0.version != life.version && $0.end >= window.lowerBound && $0.start <= window.upperBound
                }
            if !isCovered {
                failures.append("the file of life \(life.number) is gone, and nobody has deleted it")
            }
        }
    }

    /// Returns the life of the remaining file, or 0 if there is none.
    private func lastLife(_ version: Int) throws -> Int {
        var configuration = Files.configuration(URL(fileURLWithPath: path))
        configuration.schemaVersion = UInt64(version)
        guard Realm.fileExists(for: configuration) else { return 0 }
        do {
            return try DeletionWorker.life(of: Realm(configuration: configuration))
        } catch Realm.Error.schemaMismatch {
            return 0
        }
    }
}

#endif
