import Foundation
import KivoEngine
import KivoJournal
import KivoLog
import TestRandomness
import XCTest

@testable import Kivo

/// What a file keeps of its past when it is compacted.
final class HistoryKeepingTests: FileTestCase {
    /// A configuration of a store of its own, with which the file is compacted often.
    private func compacting(_ name: String, _ history: Realm.Configuration.History? = nil)
        -> Realm.Configuration
    {
        var configuration = process(name)
        configuration.checkpoints.allowance = 1 << 14
        configuration.checkpoints.smallestTail = 1 << 11
        configuration.checkpoints.tailShare = 1 << 10
        configuration.history = history
        return configuration
    }

    private func open(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    private func fileNumber() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
    }

    /// Writes until the file was compacted some times.
    @MainActor
    private func compact(_ times: Int, _ write: (Int) throws -> Void) async throws {
        var (count, round, number) = (0, 0, try fileNumber())
        while count < times {
            try write(round)
            round += 1
            if round % 16 == 0 { try await Task.sleep(for: .milliseconds(2)) }
            let current = try fileNumber()
            if current != number { (number, count) = (current, count + 1) }
            guard round < 20_000 else { return XCTFail("the file is never compacted") }
        }
    }

    private var writes = 0

    private func rename(_ realm: Realm, _ round: Int, author: String? = nil) throws {
        writes += 1
        try realm.write(label: "\(round)", author: author) {
            let text = "\(round) \(writes) " + String(repeating: "x", count: 300)
            realm.create(HistoryDog.self, value: ["id": round % 10, "name": text], update: .modified)
        }
    }

    private func stored(_ version: Realm.Version) -> Realm.Version {
        Realm.Version(lineage: version.lineage, number: version.number)
    }

    private func storedChanges(_ realm: Realm) -> [StoredChanges] {
        realm.refresh()
        let instance = realm.instance
        instance.updateCatalog()
        return StoredChanges.all(in: instance.snapshot, instance.catalog, lineage: realm.version.lineage)
    }

    @MainActor
    func testAConsumerThatStandsStillMissesNothingAndCostsWhatDiffers() async throws {
        let realm = try open(compacting("a"))
        try rename(realm, 0)
        // Also retained in memory, for comparison.
        let before = realm.version
        _ = try realm.consumer("slow")
        try await compact(12) { try rename(realm, $0, author: $0 % 3 == 0 ? "a" : "b") }
        let stored = storedChanges(realm)
        XCTAssertLessThanOrEqual(stored.count, 2)
        XCTAssertEqual(stored.first?.start, before.number)
        XCTAssertGreaterThan(stored.first?.count ?? 0, 100)
        XCTAssertNil(stored.first?.label.author)
        let size = try XCTUnwrap(stored.first).bytes(in: realm.instance.snapshot, realm.instance.catalog)
            .count
        XCTAssertLessThan(size, 10 * 2 * 400)

        let other = try open(compacting("b"))
        let consumer = try other.consumer("slow")
        XCTAssertEqual(try consumer.version, before)
        XCTAssertEqual(try other.changes(since: self.stored(before)), try realm.changes(since: before))
        try rename(realm, 0)
        var composed = ChangeSet()
        for try await batch in consumer.batches {
            composed = composed.followed(by: batch.changes)
            try batch.acknowledge()
            if batch.version >= realm.version { break }
        }
        XCTAssertEqual(composed, try realm.changes(since: before))
        // Nothing is kept for one that has read everything.
        try await compact(2) {
            try rename(realm, $0)
            let delivered = DeliveredChanges()
            delivered.begin(after: try consumer.number)
            try consumer.store.acknowledge("slow", upTo: realm.version.number, delivered)
        }
        XCTAssertLessThan(storedChanges(realm).map(\.count).reduce(0, +), 100)
        try realm.removeConsumer("slow")
        try await compact(2) { try rename(realm, $0) }
        XCTAssertEqual(storedChanges(realm).map(\.count).reduce(0, +), 0)
    }

    @MainActor
    func testTheLastCommitsAreKeptEachByItself() async throws {
        let realm = try open(compacting("a", .commits(40)))
        try await compact(6) { try rename(realm, $0) }
        let end = realm.version
        let start = Realm.Version(lineage: end.lineage, number: end.number - 30)
        let other = try open(process("b"))
        var labels: [Int] = []
        for try await commit in other.commits(since: start) {
            labels.append(Int(commit.label ?? "") ?? -1)
            XCTAssertEqual(commit.changes.count, 1)
            if commit.version >= end { break }
        }
        // Commits of Kivo itself have versions, too.
        XCTAssertGreaterThan(labels.count, 24)
        XCTAssertEqual(labels, Array(labels[0]..<labels[0] + labels.count))
        let early = Realm.Version(lineage: end.lineage, number: 1)
        do {
            _ = try other.changes(since: early)
            XCTFail("all commits are kept")
        } catch Realm.HistoryError.removed(let oldest) {
            XCTAssertLessThanOrEqual(oldest, start)
            _ = try other.changes(since: oldest)
        }
    }

    @MainActor
    func testCommitsOfTheLastDaysAreKept() async throws {
        var now: Int64 = 1_700_000_000_000_000
        let realm = try open(compacting("a", .days(2)))
        // The clock of the recorder is that of the machine: these commits are of long ago.
        try await compact(3) { round in
            now += 1_000_000
            let time = now
            try CommitStamp.$clock.withValue({ time }) { try rename(realm, round) }
        }
        XCTAssertEqual(storedChanges(realm).filter { $0.count > 0 }.map(\.microseconds), [])
        try await compact(3) { try rename(realm, $0) }
        let stored = storedChanges(realm).filter { $0.count > 0 }
        XCTAssertGreaterThan(stored.count, 30)
        XCTAssertTrue(stored.allSatisfy { $0.count == 1 && $0.label.label != nil })
    }

    @MainActor
    func testTheFileSaysWhatIsKept() async throws {
        try withRealm(compacting("a", .commits(1000))) { try rename($0, 0) }
        let first = try withRealm(compacting("b")) { self.stored($0.version) }
        // Neither asks for anything, and both keep it.
        let realm = try open(compacting("b"))
        try await compact(3) { try rename(realm, $0) }
        XCTAssertNoThrow(try open(process("c")).changes(since: first))
        try withRealm(compacting("d", .nothing)) { _ = try $0.consumer("slow", since: first) }
        realm.refresh()
        try await compact(3) { try rename(realm, $0) }
        XCTAssertThrowsError(try open(process("e")).changes(since: first))
        try withRealm(compacting("f", .forConsumers)) { other in
            XCTAssertEqual(StoredConsumer.all(in: other.instance.snapshot, other.instance.catalog).count, 1)
        }
    }

    @MainActor
    func testEveryWayOfCompactionKeepsIt() async throws {
        try withRealm { realm in
            try rename(realm, 0)
            _ = try realm.consumer("slow")
            for round in 1..<20 { try rename(realm, round) }
        }
        try waitUntilClosed()
        var start: Realm.Version?
        for way in 0..<3 {
            let before = try fileNumber()
            switch way {
            case 0: _ = try FileCompaction.run(file)
            case 1:
                var configuration = self.configuration
                configuration.shouldCompactOnLaunch = { _, _ in true }
                try withRealm(configuration) { _ in }
            default:
                // Programs that only ever close the file have no time to record anything: the next opening does.
                var configuration = compacting("a")
                for round in 0..<100 where try fileNumber() == before {
                    try withRealm(configuration) { try rename($0, round) }
                    try waitUntilClosed()
                    configuration = compacting("\(round)")
                }
            }
            try waitUntilClosed()
            XCTAssertNotEqual(try fileNumber(), before, "\(way)")
            try withRealm { realm in
                let version = try realm.consumer("slow").version
                if let start { XCTAssertEqual(version, start) }
                start = version
                let changes = try realm.changes(since: self.stored(version))
                XCTAssertEqual(changes.of(HistoryDog.self).map(\.kind).filter { $0 == .inserted }.count, 9)
                XCTAssertEqual(changes.count, 10)
                try rename(realm, way)
            }
            try waitUntilClosed()
        }
    }

    @MainActor
    func testAReaderThatIsUpToDateWhenTheFileIsCompactedGoesOn() async throws {
        let realm = try open(compacting("a", .commits(100_000)))
        // Each version is one up to which somebody may have read.
        var versions: [Realm.Version] = []
        var names: [ChangeSet.Value] = []
        try await compact(4) { round in
            try rename(realm, round % 2)
            versions.append(stored(realm.version))
            names.append(.string(realm.object(ofType: HistoryDog.self, forPrimaryKey: round % 2)!.name))
        }
        let other = try open(process("b"))
        // The versions before the commits by which Kivo recorded the others.
        let recorded = Set(storedChanges(realm).filter(\.isEmpty).map(\.start))
        let last = versions.indices.filter { recorded.contains(versions[$0].number) && $0 > 2 }
        XCTAssertGreaterThan(last.count, 2)
        for index in last.dropLast() {
            let changes = try other.changes(since: versions[index])
            XCTAssertEqual(changes.count, 2, "\(versions[index])")
            var commits = other.commits(since: versions[index], until: versions[index + 1])
                .makeAsyncIterator()
            let commit = try await commits.next()
            XCTAssertEqual(commit?.changes.all.first?.properties.first?.new, names[index + 1])
            let end = try await commits.next()
            XCTAssertNil(end)
        }
    }

    func testConsumersThatHaveReadEverythingGoOnAfterCompactions() throws {
        var versions: [String: Realm.Version] = [:]
        try withRealm { realm in
            try rename(realm, 0)
            for name in ["a", "b", "c"] {
                // Each begins after the commit by which the one before was made.
                versions[name] = stored(try realm.consumer(name).version)
            }
        }
        var count = 0
        for round in 0..<6 {
            try waitUntilClosed()
            _ = try FileCompaction.run(file)
            try waitUntilClosed()
            try withRealm { realm in
                for (name, version) in versions {
                    XCTAssertEqual(try realm.consumer(name).version, version)
                    XCTAssertEqual(try realm.changes(since: version).count, count, "\(name) \(round)")
                }
                for changes in storedChanges(realm) where !changes.isEmpty {
                    for version in versions.values {
                        XCTAssertFalse(changes.start < version.number && version.number < changes.end)
                    }
                }
                if round == 1 || round == 3 { try rename(realm, 0) }
                if round >= 1 { count = 1 }
            }
        }
        // One that begins earlier than what is kept, as far as it is known.
        try withRealm { realm in
            _ = try realm.consumer("d", since: versions["a"]!)
            let beyond = Realm.Version(lineage: realm.version.lineage, number: realm.version.number + 1)
            XCTAssertThrowsError(try realm.consumer("e", since: beyond))
        }
    }

    @MainActor
    func testBatchesAreAcknowledgedAcrossCompactions() async throws {
        let realm = try open(compacting("a"))
        let consumer = try realm.consumer("pipeline")
        for round in 0..<30 { try rename(realm, round) }
        var batches: [DurableConsumer.Batch] = []
        var iterator = consumer.batches(ofAtMost: 3).makeAsyncIterator()
        for round in 0..<4 {
            // The file may have been compacted, so that one batch was all.
            try rename(realm, round)
            batches.append(try await iterator.next()!)
        }
        var replica = ChangeSet()
        for batch in batches {
            // What the file kept was composed in the middle of what was delivered.
            try await compact(1) { try rename(realm, $0) }
            replica = replica.followed(by: batch.changes)
            try batch.acknowledge()
            XCTAssertEqual(try consumer.version, batch.version)
        }
        for number in 0..<3 {
            try await compact(1) { try rename(realm, $0) }
            let batch = try await iterator.next()!
            replica = replica.followed(by: batch.changes)
            if number == 1 { try batch.acknowledge() }
        }
        iterator = try realm.consumer("other").batches.makeAsyncIterator()
        try rename(realm, 1)
        let first = Realm.Version(lineage: realm.version.lineage, number: 0)
        let rest = try open(process("b")).changes(since: try consumer.version)
        XCTAssertThrowsError(try open(process("c")).changes(since: first))
        for dog in realm.objects(HistoryDog.self) {
            let last = rest.of(HistoryDog.self).first { $0.primaryKey == .int(dog.id) }
            XCTAssertEqual(last?.new(\.name) ?? dog.name, dog.name)
        }
        XCTAssertFalse(rest.isEmpty)
    }

    // MARK: Random histories

    @MainActor
    func testConsumersOfRandomHistoriesHaveReplicas() async throws {
        for round in TestEffort.rounds(30, within: 1.5) {
            try await checkConsumers(RandomSource("consumers \(round)"))
            try waitUntilClosed()
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Each consumer acknowledges some of what it reads, and applies to a replica what it has acknowledged.
    @MainActor
    private func checkConsumers(_ source: RandomSource) async throws {
        var random = source
        var realms = [
            try open(
                compacting("a", [nil, .forConsumers, .commits(5), .days(1)].randomElement(using: &random)!)),
            try open(compacting("b")),
        ]
        struct Reader {
            let name: String
            let replica: Realm
        }
        var readers: [Reader] = []
        for index in 0..<3 {
            let memory = Realm.Configuration(inMemoryIdentifier: "\(name) \(source) \(index)")
            let replica = try open(memory)
            try replica.write { replica.deleteAll() }
            let first = Realm.Version(lineage: realms[0].version.lineage, number: 0)
            readers.append(
                Reader(name: try realms[0].consumer("\(index)", since: first).name, replica: replica))
        }
        for step in 0..<80 {
            switch random.below(12) {
            case 0:
                realms[1].refresh()
                if random.chance(50) {
                    _ = try realms[1].consumer("late \(random.below(3))")
                } else {
                    try realms[1].removeConsumer("late \(random.below(3))")
                }
            case 1, 2:
                let reader = readers.randomElement(using: &random)!
                try await read(reader.name, realms[random.below(2)], reader.replica, isAll: false, &random)
            case 3 where random.chance(30):
                // A store that is closed, and opened again.
                realms = []
                try waitUntilClosed()
                realms = [try open(compacting("a")), try open(compacting("b \(step)"))]
            case 4:
                // Bytes without which the file is not compacted.
                for _ in 0..<20 { try rename(realms[random.below(2)], 100 + random.below(3)) }
                try await Task.sleep(for: .milliseconds(3))
            default:
                let author = ["a", "b", nil].randomElement(using: &random)!
                realms[0].refresh()
                var edits = HistoryEdits(random: random, realm: realms[0])
                edits.hasPersons = false
                try realms[0].write(label: "\(step)", author: author) { edits.edit(random.below(8)) }
            }
        }
        try rename(realms[0], 1000)
        for reader in readers {
            try await read(reader.name, realms[1], reader.replica, isAll: true, &random)
            XCTAssertEqual(dogs(reader.replica), dogs(realms[0]), "\(source)")
        }
    }

    private func dogs(_ realm: Realm) -> HistoryContents {
        realm.refresh()
        return HistoryContents(realm)
    }

    /// Reads some batches, or all, and acknowledges some.
    @MainActor
    private func read(
        _ name: String, _ realm: Realm, _ replica: Realm, isAll: Bool, _ random: inout RandomSource
    ) async throws {
        realm.refresh()
        // Something to read, so that the iteration ends.
        try rename(realm, 2000)
        let (end, limit) = (realm.version, 1 + random.below(20))
        let consumer = try realm.consumer(name)
        var pending: [ChangeSet] = []
        for try await batch in consumer.batches(ofAtMost: limit) {
            pending.append(batch.changes)
            let isLast = batch.version >= end
            if isAll || random.chance(60) {
                try batch.acknowledge()
                for changes in pending { _ = try replica.apply(changes) }
                pending = []
            }
            if isLast || !isAll && random.chance(30) { break }
        }
    }
}
