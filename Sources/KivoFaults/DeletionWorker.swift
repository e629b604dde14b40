#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// One of several processes that create, write, delete and migrate one file at random. Each file has a life: a random number that
/// its first writer chooses. A process notes its actions in a file that outlives it, with the times before and after:
///
///     c life version t0 t1    a commit to the file of that life and that version of the classes was acknowledged
///     d life version t0 t1    files were deleted
///     m life version t0 t1    the file was opened, and deleted if it had another version; life is 0 if it has none yet
///     F words                 something is wrong
struct DeletionWorker {
    private let path: String
    private let process: Int
    private let removesLocks: Bool
    private var random: SeededNumbers
    /// The number of acknowledged commits of this process, by life.
    private var acknowledged: [Int: Int] = [:]

    private static let life = 0
    private static let total = 1
    private static func own(_ process: Int) -> Int { 100 + process }

    static func notes(_ path: String, _ process: Int) -> String { "\(path).notes-\(process)" }
    static func stop(_ path: String) -> String { path + ".stop" }

    init(_ path: String, process: Int, seed: UInt64, removesLocks: Bool) {
        (self.path, self.process, self.removesLocks) = (path, process, removesLocks)
        random = SeededNumbers(seed)
    }

    /// The schema version that all processes use at a time, so that several migrate the same file to it.
    private static var version: UInt64 { clock / 40_000_000 % 2 + 1 }

    private static var clock: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func configuration(_ version: UInt64) -> Realm.Configuration {
        var configuration = Files.configuration(URL(fileURLWithPath: path), allowance: 1 << 14)
        configuration.schemaVersion = version
        return configuration
    }

    /// Works until the stop file exists.
    mutating func run() throws {
        Logger.shared.level = .off
        while !FileManager.default.fileExists(atPath: DeletionWorker.stop(path)) {
            let start = DeletionWorker.clock
            do {
                if random.chance(12) {
                    if try Realm.deleteFiles(for: configuration(1)) { note("d 0 0", from: start) }
                } else if removesLocks, random.chance(15) {
                    unlink(path + ".lock")
                } else {
                    try use(migrating: random.chance(60), from: start)
                }
            } catch Realm.Error.alreadyOpen {
            } catch Realm.Error.schemaMismatch {
            } catch {
                note("F \(error)")
            }
            if random.chance(20) { usleep(UInt32(random.below(2_000))) }
        }
    }

    private mutating func use(migrating: Bool, from start: UInt64) throws {
        // Otherwise a file of the first version would be migrated to the second, and one life would have both versions.
        let version = migrating ? DeletionWorker.version : 1
        var configuration = configuration(version)
        configuration.deleteRealmIfMigrationNeeded = migrating
        defer { if migrating { note("m 0 \(version)", from: start) } }
        let realm = try Realm(configuration: configuration)
        for _ in 0..<random.below(4) {
            let start = DeletionWorker.clock
            if let life = commit(realm) { note("c \(life) \(version)", from: start) }
            if removesLocks, random.chance(10) { unlink(path + ".lock") }
        }
    }

    /// Performs a commit and returns the life of the file, or nil if the commit failed.
    private mutating func commit(_ realm: Realm) -> Int? {
        var flaw: String?
        let next = random.below(1 << 40) + 1
        let (process, known) = (process, acknowledged)
        do {
            let (life, count) = try realm.write {
                func counter(_ id: Int) -> FaultCounter {
                    realm.object(ofType: FaultCounter.self, forPrimaryKey: id)
                        ?? realm.create(FaultCounter.self, value: ["id": id, "number": 0])
                }
                let life = counter(DeletionWorker.life)
                if life.number == 0 { life.number = next }
                let (total, own) = (counter(DeletionWorker.total), counter(DeletionWorker.own(process)))
                let all = realm.objects(FaultCounter.self).where { $0.id >= 100 }.sum(of: \.number)
                if own.number != known[life.number] ?? 0 {
                    flaw = "\(own.number) commits are there, \(known[life.number] ?? 0) were acknowledged"
                }
                if total.number != all {
                    flaw = "\(total.number) commits, of which the processes made \(all)"
                }
                own.number += 1
                total.number += 1
                return (life.number, own.number)
            }
            acknowledged[life] = count
            if let flaw { note("F life \(life): \(flaw)") }
            return life
        } catch {
            note("F commit: \(error)")
            return nil
        }
    }

    /// Returns the life of a file, or 0 if no process has written it.
    static func life(of realm: Realm) -> Int {
        realm.object(ofType: FaultCounter.self, forPrimaryKey: life)?.number ?? 0
    }

    private func note(_ words: String, from start: UInt64) {
        note("\(words) \(start) \(DeletionWorker.clock)")
    }

    /// Appends a line at once.
    private func note(_ line: String) {
        let descriptor = open(DeletionWorker.notes(path, process), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    }
}

#endif
