import Foundation
import Kivo
import KivoJournal

/// A test of processes on one file that may be killed at any operation, with all possible results of a loss of power after each
/// operation. Every image must open. It must contain all commits that were acknowledged or that a process has read, and no
/// partial commits.
struct PowerKillRun {
    private(set) var failures: [String] = []
    private(set) var killCount = 0
    private(set) var commitCount = 0
    private(set) var failureCount = 0
    private(set) var imageCount = 0
    private var random: SeededNumbers

    init(seed: UInt64) { random = SeededNumbers(seed) }

    /// Runs a number of files, each for a number of steps.
    mutating func run(files: Int, steps: Int = 24) throws {
        for file in 0..<files where failures.isEmpty {
            var life = Life(seed: random.next(), isAnnounced: file % 4 == 3, words: "file \(file)")
            for _ in 0..<steps where life.failures.isEmpty { life.step() }
            life.end()
            failures += life.failures
            killCount += life.killCount
            commitCount += life.acknowledged
            failureCount += life.failureCount
            imageCount += life.imageCount
        }
    }

    /// A realm that a process has open.
    private struct User {
        let process: DiskProcess
        let realm: Realm
    }

    /// One file and its processes.
    private struct Life {
        var failures: [String] = []
        var killCount = 0
        var failureCount = 0
        var imageCount = 0
        /// The minimum and the maximum number of commits in the file.
        var acknowledged = 0
        var tried = 0

        private let words: String
        private let disk: SharedDisk
        private var random: SeededNumbers
        private var workload: Workload
        /// The contents of the file after each number of commits.
        private var states = [Contents()]
        private var users: [User] = []
        private var processes: [DiskProcess] = []
        /// Whether there are checkpoints.
        private let hasCheckpoints: Bool

        init(seed: UInt64, isAnnounced: Bool, words: String) {
            self.words = words
            random = SeededNumbers(seed)
            disk = SharedDisk(seed: random.next(), mostImages: isAnnounced ? 16 : 48)
            workload = Workload(seed: random.next())
            (workload.ids, workload.longest) = (12, 60)
            workload.announced = isAnnounced ? 1 << 20 : 0
            hasCheckpoints = random.chance(40)
        }

        /// Opens, writes, reads or closes, sometimes as the last action of a process.
        mutating func step() {
            let isKilling = random.chance(35)
            switch users.isEmpty ? 0 : random.below(10) {
            case 0, 1: if users.count < 3 { open(isKilling) } else { close(isKilling) }
            case 2: close(isKilling)
            case 3: look(random.below(users.count))
            default: commit(random.below(users.count), isKilling)
            }
            // No variable holds their realms any more.
            for process in processes where process.isKilled { waitForTheEnd(of: process) }
            checkImages()
        }

        /// Closes all realms.
        mutating func end() {
            while !users.isEmpty { close(false) }
            checkImages()
            imageCount = disk.imageCount
        }

        private mutating func open(_ isKilling: Bool) {
            let process = DiskProcess(disk, number: processes.count + 1)
            processes.append(process)
            // A partial first header is not recognised as a file of Kivo, and opening it would throw.
            if isKilling, !disk.isEmpty { process.kill(afterSteps: random.below(8)) }
            var configuration = Files.configuration(FaultyDisk(), allowance: 1 << 14)
            configuration.makeDevice = { _, _ in process.open() }
            if !hasCheckpoints {
                configuration.checkpoints.smallestTail = .max
                configuration.closingTimeLimit = 0
            }
            do {
                let realm = try Realm(configuration: configuration)
                process.spare()
                // Marks and the published end are written last, and their failures are silent.
                if !process.isKilled {
                    users.append(User(process: process, realm: realm))
                    look(users.count - 1)
                }
            } catch {
                if !process.isKilled { failures.append("\(words): opening: \(error)") }
            }
            countKill(of: process)
        }

        private mutating func close(_ isKilling: Bool) {
            let process = users[random.below(users.count)].process
            if isKilling { process.kill(afterSteps: random.below(4)) }
            users.removeAll { $0.process === process }
            waitForTheEnd(of: process)
            countKill(of: process)
        }

        private mutating func commit(_ index: Int, _ isKilling: Bool) {
            let (process, realm) = (users[index].process, users[index].realm)
            if random.chance(20) {
                process.fail(flush: random.chance(50), after: random.below(3), times: 1 + random.below(2))
            }
            // A small commit without failures has few steps.
            if isKilling { process.kill(afterSteps: random.below(random.chance(70) ? 4 : 12)) }
            var number = 0
            do {
                try realm.write {
                    number = 1 + (realm.object(ofType: FaultCounter.self, forPrimaryKey: 0)?.number ?? 0)
                    while states.count <= number {
                        var next = states.last!
                        next.apply(workload)
                        states.append(next)
                    }
                    // The process has read the commit on which this one builds.
                    acknowledged = max(acknowledged, number - 1)
                    tried = max(tried, number)
                    for edit in workload.commit(number) { Workload.apply(edit, to: realm) }
                    realm.create(FaultCounter.self, value: ["id": 0, "number": number], update: .modified)
                }
                (acknowledged, tried) = (number, number)
            } catch {
                failureCount += 1
            }
            // A checkpoint may be running.
            process.spare()
            if process.isKilled { users.remove(at: index) }
            countKill(of: process)
        }

        /// Checks the contents that a process reads.
        private mutating func look(_ index: Int) {
            users[index].realm.refresh()
            let recovered = Contents(users[index].realm)
            guard recovered.number < states.count, recovered == states[recovered.number] else {
                failures.append(
                    "\(words): a process sees commit \(recovered.number), which is not what it was")
                return
            }
            if recovered.number > tried {
                failures.append("\(words): commit \(recovered.number) was never made")
            }
            acknowledged = max(acknowledged, recovered.number)
            tried = max(tried, acknowledged)
        }

        /// Waits until a process has no open devices, for at most 30 seconds.
        private mutating func waitForTheEnd(of process: DiskProcess) {
            do {
                try Files.wait { process.openCount == 0 ? nil : process.words }
            } catch {
                failures.append("\(words): \(error)")
            }
        }

        private mutating func countKill(of process: DiskProcess) { if process.isKilled { killCount += 1 } }

        private mutating func checkImages() {
            for bytes in disk.takeImages() where failures.isEmpty {
                do {
                    let recovered = try Files.contents(bytes)
                    if recovered.number < states.count, recovered == states[recovered.number],
                        (before...max(tried, before)).contains(recovered.number)
                    {
                        continue
                    }
                    failures.append(
                        "\(words): an image holds commit \(recovered.number) of \(before)...\(tried)")
                } catch let error as Realm.Error
                    where error.code == .invalidDatabase && bytes.count < JournalError.leastFileSize
                    && before == 0
                {
                    // The first header was not complete.
                    continue
                } catch {
                    failures.append(
                        "\(words): an image of \(bytes.count) bytes with \(before)...\(tried): \(error)")
                }
                keep(bytes)
            }
            before = acknowledged
        }

        /// The number of acknowledged commits when the first of the images was taken.
        private var before = 0

        /// Writes an invalid image to the folder in the environment variable.
        private func keep(_ bytes: [UInt8]) {
            guard let folder = ProcessInfo.processInfo.environment["KIVO_FAULTS_IMAGES"] else { return }
            let url = URL(fileURLWithPath: folder).appendingPathComponent("\(words).kivo")
            try? Data(bytes).write(to: url)
        }
    }
}
