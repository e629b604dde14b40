import Kivo
import KivoJournal

/// A test of disks that fail and possibly recover. Acknowledged commits must stay, and no others may appear.
struct FailureRun {
    private(set) var failures: [String] = []
    /// The numbers of failed operations, of commits that threw, and of replacements of the file.
    private(set) var failedCount = 0
    private(set) var thrownCount = 0
    private(set) var compactionCount = 0
    private var random: SeededNumbers

    init(seed: UInt64) { random = SeededNumbers(seed) }

    /// Runs some lives of files, each with several sessions.
    mutating func run(lives: Int) throws {
        for life in 0..<lives { try live("life \(life)") }
    }

    private mutating func live(_ words: String) throws {
        var workload = Workload(seed: random.next())
        workload.ids = 40
        let disk = FaultyDisk(seed: random.next())
        var acknowledged = Contents()
        for session in 0..<4 {
            let configuration = Files.configuration(disk, allowance: 1 << 14, verifies: true)
            // The failed commits since the last successful one. The disk may still have written one of them.
            var pending: [Contents] = []
            do {
                try Files.withRealm(disk, configuration) { realm in
                    breakSomething(disk)
                    for _ in 0..<12 {
                        var next = acknowledged
                        next.apply(workload)
                        do {
                            try workload.write(next.number, to: realm)
                            (acknowledged, pending) = (next, [])
                        } catch is Realm.Error {
                            thrownCount += 1
                            pending.append(next)
                        }
                        if random.chance(25) { disk.repair() }
                        if random.chance(15) { breakSomething(disk) }
                    }
                    if random.chance(50) { disk.repair() }
                }
            } catch is Realm.Error where disk.failureCount > 0 {
                // Opening failed, because its repairs could not be written.
            }
            disk.repair()
            let recovered: Contents
            do {
                recovered = try Files.contents(disk.bytes)
            } catch {
                failures.append("\(words), session \(session): \(error)")
                return
            }
            if let one = pending.first(where: { $0 == recovered }) { acknowledged = one }
            if recovered != acknowledged {
                failures.append("\(words), session \(session): \(recovered.difference(from: acknowledged))")
                return
            }
        }
        compactionCount += disk.renameCount
        failedCount += disk.failureCount
    }

    private mutating func breakSomething(_ disk: FaultyDisk) {
        switch random.below(8) {
        case 0: disk.limit(space: random.below(1 << 18))
        case 1: disk.limit(space: random.below(1 << 12))
        default:
            let operation = FaultyDisk.Operation.allCases[random.below(FaultyDisk.Operation.allCases.count)]
            let isRare = operation != .write && operation != .flush
            let error: JournalError =
                random.chance(50) ? .noSpace : .io(errno: 5, operation: "doing something")
            disk.fail(
                operation, after: random.below(isRare ? 1 : 12),
                times: random.chance(70) ? 1 + random.below(3) : 1 << 20,
                operation == .flush ? .io(errno: 5, operation: "synchronizing") : error)
        }
    }
}
