import Kivo

/// A test of power losses at random moments of commits, checkpoints and compactions. Acknowledged commits must stay, and no
/// partial commit may appear.
struct PowerRun {
    private(set) var failures: [String] = []
    private(set) var lossCount = 0
    private(set) var compactionCount = 0
    private var random: SeededNumbers

    init(seed: UInt64) { random = SeededNumbers(seed) }

    /// Runs a number of files until each has lost its power a number of times.
    mutating func run(files: Int, losses: Int) throws {
        for file in 0..<files { try live(losses: losses, "file \(file)") }
    }

    private mutating func live(losses: Int, _ words: String) throws {
        var workload = Workload(seed: random.next())
        workload.ids = 40
        var bytes: [UInt8] = []
        var acknowledged = Contents()
        for loss in 0..<losses {
            let disk = FaultyDisk(bytes, seed: random.next())
            disk.losePower(afterSteps: random.below(random.chance(50) ? 40 : 200))
            var pending: Contents?
            do {
                try Files.withRealm(disk, Files.configuration(disk, allowance: 1 << 14)) { realm in
                    for _ in 0..<40 where pending == nil {
                        var next = acknowledged
                        next.apply(workload)
                        do {
                            try workload.write(next.number, to: realm)
                            acknowledged = next
                        } catch {
                            pending = next
                        }
                    }
                }
            } catch {
                if !disk.isOff {
                    failures.append("\(words), loss \(loss): \(error)")
                    return
                }
            }
            lossCount += disk.isOff ? 1 : 0
            compactionCount += disk.renameCount
            bytes = disk.afterPowerLoss()
            do {
                let recovered = try Files.contents(bytes)
                if recovered == pending { acknowledged = recovered }
                if recovered != acknowledged {
                    failures.append("\(words), loss \(loss): \(recovered.difference(from: acknowledged))")
                    return
                }
            } catch {
                failures.append("\(words), loss \(loss): \(error)")
                return
            }
        }
    }
}
