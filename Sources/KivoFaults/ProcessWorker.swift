#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// One of several processes on one file. It writes, refreshes and observes until a stop file exists. It notes its actions, line
/// by line, in a file that outlives it.
///
///     s 12      it began, and the file has 12 commits of its
///     c 13      its commit 13 was acknowledged
///     d         it writes no more
///     F words   something is wrong
///     ok 95     it was notified of all commits; its observer of objects was called 95 times
struct ProcessWorker {
    /// The counter of all commits.
    static let total = 0
    /// Two counters that each commit sets to the same number, as its first and its last action.
    private static let twins = [1, 2]
    /// The counter of the commits of a process.
    static func own(_ process: Int) -> Int { 100 + process }

    private let path: String
    private let process: Int
    private let realm: Realm
    private var random: SeededNumbers
    private var workload: Workload

    /// The files through which workers and the process that starts them communicate.
    static func notes(_ path: String, _ process: Int) -> String { "\(path).notes-\(process)" }
    static func stop(_ path: String) -> String { path + ".stop" }
    static func final(_ path: String) -> String { path + ".final" }

    init(_ path: String, process: Int, seed: UInt64) throws {
        (self.path, self.process) = (path, process)
        random = SeededNumbers(seed)
        workload = Workload(seed: seed)
        (workload.ids, workload.longest) = (40, 60)
        realm = try Realm(configuration: Files.configuration(URL(fileURLWithPath: path), allowance: 1 << 14))
    }

    /// Creates a file for workers.
    static func prepare(_ path: String, processes: Int) throws {
        let realm = try Realm(configuration: Files.configuration(URL(fileURLWithPath: path)))
        try realm.write {
            for id in [total] + twins + (0..<processes).map(own) {
                realm.create(FaultCounter.self, value: ["id": id, "number": 0])
            }
        }
    }

    private static func number(_ id: Int, _ realm: Realm) -> Int {
        realm.object(ofType: FaultCounter.self, forPrimaryKey: id)?.number ?? -1
    }

    /// Returns the reason why a realm cannot be the result of whole commits, or nil if it can.
    static func flaw(of realm: Realm) -> String? {
        let numbers = twins.map { number($0, realm) }
        if numbers[0] != numbers[1] { return "half a commit is there: \(numbers)" }
        let own = realm.objects(FaultCounter.self).where { $0.id >= 100 }.sum(of: \.number)
        let all = number(total, realm)
        return own == all ? nil : "\(all) commits, of which the processes made \(own)"
    }

    /// Works until it is killed or all is done.
    mutating func run() throws {
        note("s \(ProcessWorker.number(ProcessWorker.own(process), realm))")
        let picture = ItemsPicture(realm)
        while !FileManager.default.fileExists(atPath: ProcessWorker.stop(path)) {
            RunLoop.main.run(until: Date() + Double(random.below(8)) / 1000)
            if random.chance(20) { realm.refresh() }
            if random.chance(60) { note("c \(try commit())") }
            for failure in picture.failures { note("F \(failure)") }
        }
        note("d")
        let end = Date() + 60
        var wanted: Int?
        while Date() < end, picture.total != wanted {
            // From here on it does not refresh: it must be notified.
            RunLoop.main.run(until: Date() + 0.01)
            wanted = (try? String(contentsOfFile: ProcessWorker.final(path), encoding: .utf8)).flatMap {
                Int($0)
            }
        }
        picture.check()
        for failure in picture.failures { note("F \(failure)") }
        if picture.total != wanted { note("F it was told of \(picture.total) commits of \(wanted ?? -1)") }
        note("ok \(picture.updateCount)")
        picture.end()
    }

    /// Performs a commit. Returns the number of commits of this process.
    private mutating func commit() throws -> Int {
        let (seed, process) = (random.next(), process)
        var workload = workload
        workload = Workload(seed: seed, ids: workload.ids, longest: workload.longest)
        return try realm.write {
            func add(_ id: Int) -> Int {
                let counter = realm.object(ofType: FaultCounter.self, forPrimaryKey: id)!
                counter.number += 1
                return counter.number
            }
            _ = add(ProcessWorker.twins[0])
            let own = add(ProcessWorker.own(process))
            for edit in workload.commit(own + 1) { Workload.apply(edit, to: realm) }
            _ = add(ProcessWorker.total)
            _ = add(ProcessWorker.twins[1])
            return own
        }
    }

    /// Appends a line at once.
    private func note(_ line: String) {
        let descriptor = open(ProcessWorker.notes(path, process), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    }
}

#endif
