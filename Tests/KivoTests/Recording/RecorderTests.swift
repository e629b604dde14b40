import Dispatch
import Foundation
import KivoLog
import KivoTesting
import TestRandomness
import XCTest

@testable import Kivo

/// Tests that recorders write everything with which a replay notifies observers in the same way.
final class RecorderTests: FileTestCase {
    private var capsules: URL { folder.appendingPathComponent("capsules") }
    override var configuration: Realm.Configuration {
        var configuration = super.configuration
        configuration.recorder = .folder(capsules)
        return configuration
    }
    private var capsuleNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: capsules.path)) ?? []).sorted()
    }

    /// The changes that observers of depots and chips received, in words.
    private final class Heard {
        var lines: [String] = []
        private var tokens: [NotificationToken] = []
        private var observations: [KeyValueObservation] = []

        init(_ realm: Realm) {
            let depots = realm.objects(Depot.self)
            for (name, results) in [("all", depots), ("sorted", depots.sorted(byKeyPath: "name"))] {
                tokens.append(results.observe { [unowned self] in note(name, $0, \.picture) })
            }
            tokens.append(
                depots.where { $0.size > 20 }.observe { [unowned self] in note("large", $0, \.picture) })
            let chips = realm.objects(Chip.self).sorted(byKeyPath: "label")
            tokens.append(chips.observe { [unowned self] in note("chips", $0) { "\($0.label) \($0.count)" } })
            // Without a primary key, in the order of their keys.
            tokens.append(realm.objects(Dog.self).observe { [unowned self] in note("dogs", $0, \.name) })
            tokens.append(depots.observe { [unowned self] _ in watch(realm) })
        }

        private func note<Element>(
            _ name: String, _ change: RealmCollectionChange<Results<Element>>, _ text: (Element) -> String
        ) {
            switch change {
            case .initial(let elements): lines.append("\(name) initial \(Array(elements.map(text)))")
            case .update(let elements, let deletions, let insertions, let modifications):
                lines.append(
                    "\(name) \(deletions) \(insertions) \(modifications) \(Array(elements.map(text)))")
            case .error(let error): lines.append("\(error)")
            }
        }

        /// Observes lists of the first depots.
        private func watch(_ realm: Realm) {
            guard tokens.count < 12, let depot = realm.objects(Depot.self).first else { return }
            tokens.append(
                depot.lines.observe { [unowned self] change in
                    if case .update(let list, let deletions, let insertions, let modifications) = change {
                        lines.append("lines \(deletions) \(insertions) \(modifications) \(Array(list))")
                    }
                })
            tokens.append(
                depot.observe { [unowned self] (change: ObjectChange<Depot>) in
                    if case .change(_, let properties) = change {
                        lines.append("depot \(properties.map(\.name).sorted())")
                    }
                })
        }
    }

    /// Makes a commit. What it edits differs afterwards: a list that is edited and restored in one commit counts as modified in the process
    /// that did so, and nowhere else; one that becomes empty counts as cleared elsewhere.
    private static func write(_ realm: Realm, _ seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        func anyDog() -> Dog? {
            let dogs = realm.objects(Dog.self)
            return dogs.isEmpty ? nil : dogs[random.below(dogs.count)]
        }
        try realm.write(label: "random") {
            for id in (0..<8).shuffled(using: &random).prefix(1 + random.below(5)) {
                let depot = realm.create(Depot.self, value: ["id": id], update: .modified)
                edit(depot, &random)
            }
            switch random.below(6) {
            case 0: realm.add(Chip(value: [random.below(8), "chip \(random.next())", 1]), update: .all)
            case 1: realm.add(Dog(value: ["name": "dog \(random.below(9))"]))
            case 2: anyDog().map { realm.delete($0) }
            case 3: anyDog()?.age += 1
            default: break
            }
        }
    }

    private static func edit(_ depot: Depot, _ random: inout RandomSource) {
        let number = Int(truncatingIfNeeded: random.next() >> 8)
        switch random.below(14) {
        case 0: depot.realm?.delete(depot)
        case 1: depot.name = "name \(number)"
        case 2: depot.size = (depot.size ?? 0) + 7
        case 3: depot.mark = UUID()
        case 4: depot.photo = Data(repeating: 1, count: depot.photo.count + 1)
        case 5: depot.any = .int(number)
        case 6: depot.yard = DepotTrack(value: ["number": number])
        case 7: depot.lines.insert(number, at: random.below(depot.lines.count + 1))
        case 8: if depot.lines.count > 1 { depot.lines.remove(at: random.below(depot.lines.count)) }
        case 9: depot.words.append("word \(number)")
        case 10: depot.tags.insert("tag \(number)")
        case 11: depot.prices["price \(random.below(6))"] = number
        case 12: depot.tracks.append(DepotTrack(value: ["number": number]))
        default: depot.others.append(depot)
        }
    }

    /// Random commits of this thread and of others, delivered in random turns, are delivered in the same way by the replay.
    func testAReplayTellsTheSame() throws {
        var random = RandomSource()
        for round in 0..<TestEffort.count(4, full: 20) {
            var configuration = configuration
            if round % 3 == 1 {
                configuration.inMemoryIdentifier = UUID().uuidString
            } else if round % 3 == 2 {
                let log = MemoryLog()
                configuration.commitLog = CommitLogSource(identifier: UUID().uuidString) { log }
            }
            var lines: [String] = []
            do {
                let realm = try Realm(configuration: configuration)
                for _ in 0..<random.below(5) { try RecorderTests.write(realm, random.next()) }
                let heard = Heard(realm)
                realm.autorefresh = false
                realm.refresh()
                for _ in 0..<TestEffort.count(20, full: 60) {
                    switch random.below(4) {
                    case 0: try RecorderTests.write(realm, random.next())
                    case 1: realm.refresh()
                    default:
                        let seed = random.next()
                        try onAnotherThread { [configuration] in
                            try RecorderTests.write(Realm(configuration: configuration), seed)
                        }
                    }
                }
                realm.refresh()
                lines = heard.lines
            }
            let capsule = try Capsule(contentsOf: capsules)
            XCTAssertEqual(capsule.places.count, 1)
            XCTAssertEqual(capsule.places.first?.home, "the main thread")
            let heard = try replay(capsule) { Heard($0) }
            XCTAssertEqual(heard.lines.count, lines.count)
            for (index, pair) in zip(heard.lines, lines).enumerated() where pair.0 != pair.1 {
                return XCTFail("line \(index) of \(lines.count):\n\(pair.0)\n\(pair.1)")
            }
            // A copy is the same.
            let copy = folder.appendingPathComponent("copy")
            try capsule.write(to: copy)
            XCTAssertEqual(try replay(Capsule(contentsOf: copy)) { Heard($0) }.lines, lines)
            try? FileManager.default.removeItem(at: capsules)
        }
    }

    func testOtherProcessesAreRecorded() throws {
        try withRealm { realm in
            let recorder = ChangeRecorder(observing: realm.objects(Chip.self))
            realm.refresh()
            var other = super.configuration
            other.separation = "other"
            try withRealm(other) { realm in
                for code in 0..<3 { try realm.write { realm.add(Chip(value: [code])) } }
            }
            realm.refresh()
            recorder.assertChanges([.initial(count: 0), .update(insertions: [0, 1, 2])])
        }
        let capsule = try Capsule(contentsOf: capsules)
        XCTAssertEqual(capsule.commitCount, 3)
        XCTAssertEqual(
            try capsule.changes().map { $0.all.map(\.primaryKey) }, [[.int(0)], [.int(1)], [.int(2)]])
        let recorder = try replay(capsule) { ChangeRecorder(observing: $0.objects(Chip.self)) }
        recorder.assertChanges([.initial(count: 0), .update(insertions: [0, 1, 2])])
    }

    /// Asynchronous writes of one instance can be one commit.
    func testAsynchronousWritesAreRecorded() throws {
        try withRealm { realm in
            let token = realm.objects(Chip.self).observe { _ in }
            realm.refresh()
            let done = expectation(description: "written")
            done.expectedFulfillmentCount = 3
            for code in 0..<3 {
                realm.writeAsync {
                    realm.add(Chip(value: [code]))
                } onComplete: {
                    XCTAssertNil($0); done.fulfill()
                }
            }
            wait(for: [done], timeout: 60)
            withExtendedLifetime(token) {}
        }
        let recorder = try replay(Capsule(contentsOf: capsules)) {
            ChangeRecorder(observing: $0.objects(Chip.self))
        }
        recorder.assertChanges([.initial(count: 0), .update(insertions: [0, 1, 2])])
    }

    // MARK: Writes of observers

    /// An observer that writes does so in the replay as well; one that writes something else cannot.
    func testObserversMayWriteWhatTheyWrote() throws {
        final class Counter {
            var tokens: [NotificationToken] = []
            var errors: [any Error] = []
            var counts: [Int] = []

            init(_ realm: Realm, step: Int = 1) {
                let chips = realm.objects(Chip.self).where { $0.count == 0 }
                tokens.append(
                    chips.observe { [unowned self] change in
                        if chips.isEmpty { return }
                        do {
                            // Changes nothing, and makes no commit.
                            try realm.write {}
                            try realm.write { for chip in Array(chips) { chip.count = chip.code + step } }
                        } catch { errors.append(error) }
                    })
                tokens.append(
                    realm.objects(Chip.self).observe { [unowned self] change in
                        if case .update(let chips, _, _, _) = change { counts.append(chips.sum(of: \.count)) }
                    })
            }
        }
        var counts: [Int] = []
        try withRealm { realm in
            let counter = Counter(realm)
            realm.refresh()
            for code in 1..<6 {
                try onAnotherThread { [configuration] in
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.add(Chip(value: ["code": code])) }
                }
                // Another commit arrives before that of the observer.
                if code % 2 == 0 {
                    try onAnotherThread { [configuration] in
                        let realm = try Realm(configuration: configuration)
                        try realm.write { realm.add(Dog()) }
                    }
                }
                realm.refresh()
            }
            realm.refresh()
            counts = counter.counts
        }
        let capsule = try Capsule(contentsOf: capsules)
        let counter = try replay(capsule) { Counter($0) }
        XCTAssertEqual(counter.counts, counts)
        XCTAssertEqual(counter.errors.map { "\($0)" }, [])
        XCTAssertEqual(counts.last, 2 + 3 + 4 + 5 + 6)

        let other = try replay(capsule) { Counter($0, step: 2) }
        XCTAssert("\(other.errors)".contains("something other than what was recorded"), "\(other.errors)")
    }

    // MARK: Files

    func testACapsuleThatIsFullIsFollowedByAnother() throws {
        var configuration = configuration
        configuration.recorder = .folder(capsules, sizeLimit: 2000, count: 3)
        try withRealm(configuration) { realm in
            let token = realm.objects(Chip.self).observe { _ in }
            for code in 0..<200 {
                try realm.write { realm.add(Chip(value: [code, "chip \(code)"])) }
                realm.refresh()
                realm.instance.store.recording?.finish(atMost: 60)
            }
            withExtendedLifetime(token) {}
        }
        XCTAssertEqual(capsuleNames.count, 3)
        var bases: [Int] = []
        for name in capsuleNames {
            let capsule = try Capsule(contentsOf: capsules.appendingPathComponent(name))
            var base = 0
            try replay(capsule) { realm in
                base = realm.objects(Chip.self).count
                return realm.objects(Chip.self)
            } afterEachTurn: { _, chips in
                XCTAssertEqual(chips.map(\.code), Array(0..<chips.count))
            }
            XCTAssertEqual(bases.last ?? base, base, "a capsule begins where the last one ends")
            bases.append(base + capsule.commitCount)
        }
        XCTAssertEqual(bases.last, 200)
    }

    /// A file that was cut off or damaged anywhere is read up to there, or refused.
    func testDamagedCapsules() throws {
        try withRealm { realm in
            let token = realm.objects(Chip.self).observe { _ in }
            for code in 0..<6 {
                try realm.write { realm.add(Chip(value: [code])) }
                realm.refresh()
            }
            withExtendedLifetime(token) {}
        }
        let data = try Data(contentsOf: capsules.appendingPathComponent(XCTUnwrap(capsuleNames.first)))
        let copy = folder.appendingPathComponent("copy")
        var counts: Set<Int> = []
        var random = RandomSource()
        for size in 0..<data.count where data.count - size < 900 || size % 97 == 0 {
            try data.prefix(size).write(to: copy)
            if let capsule = try? Capsule(contentsOf: copy) {
                counts.insert(capsule.commitCount)
                if random.chance(5) { try replay(capsule) { _ in } }
            }
            var damaged = data
            damaged[size] ^= UInt8(1 << random.below(8))
            try damaged.write(to: copy)
            if let capsule = try? Capsule(contentsOf: copy), random.chance(5) { try replay(capsule) { _ in } }
        }
        XCTAssertEqual(counts, Set(0...6))
        XCTAssertThrowsError(try Capsule(contentsOf: folder.appendingPathComponent("nothing")))
        XCTAssertThrowsError(try Capsule(contentsOf: folder)) { XCTAssert("\($0)".contains("no capsule")) }
        try Data("KivoCaps".utf8).write(to: copy)
        XCTAssertThrowsError(try Capsule(contentsOf: copy)) { XCTAssert("\($0)".contains("ended before")) }
    }

    /// However far the disk is behind, a full capsule is followed by one other, and not by one for each commit.
    func testACapsuleIsFollowedOnce() throws {
        var configuration = configuration
        configuration.recorder = .folder(capsules, sizeLimit: 10_000, count: 1000)
        try withRealm(configuration) { realm in
            for code in 0..<300 { try realm.write { realm.add(Chip(value: [code, "chip \(code)"])) } }
        }
        // A commit takes less than 500 bytes.
        XCTAssertLessThan(capsuleNames.count, 300 * 500 / 10_000 + 2)
        let last = try Capsule(contentsOf: capsules.appendingPathComponent(XCTUnwrap(capsuleNames.last)))
        try replay(last) {
            $0.objects(Chip.self)
        } afterEachTurn: { realm, chips in
            XCTAssertEqual(chips.map(\.code), Array(0..<chips.count))
        }
    }

    /// The names of realms and their folders may be beginnings of others.
    func testCapsulesOfOtherRealmsAreKept() throws {
        for name in ["a", "a-b", "a-2", "other/a"] {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            for _ in 0..<3 {
                var configuration = Realm.Configuration(fileURL: file)
                configuration.recorder = .folder(capsules, count: 2)
                try withRealm(configuration) { realm in try realm.write { realm.add(City()) } }
                try FileTestCase.waitUntilClosed(file)
            }
        }
        XCTAssertEqual(capsuleNames.count, 8)
    }

    func testAFolderThatIsRemovedEndsTheRecording() throws {
        var configuration = configuration
        configuration.recorder = .folder(capsules, sizeLimit: 1000)
        try withRealm(configuration) { realm in
            realm.instance.store.recording?.finish(atMost: 60)
            try FileManager.default.removeItem(at: capsules)
            try Data().write(to: capsules)
            for code in 0..<100 { try realm.write { realm.add(Chip(value: [code])) } }
            XCTAssertEqual(realm.objects(Chip.self).count, 100)
        }
    }

    /// A realm in memory has no log, also if it is recorded.
    func testRealmsInMemoryStayAsTheyAre() throws {
        var configuration = configuration
        configuration.inMemoryIdentifier = UUID().uuidString
        configuration.schemaVersion = 3
        try withRealm(configuration) { realm in
            XCTAssertNil(realm.instance.store.log.place)
            let token = realm.objects(Chip.self).observe { _ in }
            realm.refresh()
            let version = realm.version
            for code in 0..<5 { try realm.write(label: "chips") { realm.add(Chip(value: [code])) } }
            try realm.write {}
            try realm.write { realm.delete(realm.objects(Chip.self)[0]) }
            realm.refresh()
            XCTAssertEqual(try realm.changes(since: version).count, 4)
            XCTAssertEqual(realm.at(version)?.objects(Chip.self).count, 0)
            withExtendedLifetime(token) {}
        }
        let capsule = try Capsule(contentsOf: capsules)
        XCTAssertEqual(capsule.commitCount, 6)
        let recorder = try replay(capsule) { realm in
            XCTAssertEqual(realm.configuration.schemaVersion, 3)
            return ChangeRecorder(observing: realm.objects(Chip.self))
        }
        // A write begins with a turn.
        recorder.assertChanges(
            [.initial(count: 0)] + (0..<5).map { .update(insertions: [$0]) } + [.update(deletions: [0])])
    }

    func testAnObserverMayInvalidateTheRealm() throws {
        let realm = try Realm(configuration: configuration)
        let token = realm.observe { _, realm in realm.invalidate() }
        _ = realm.objects(Chip.self).count
        try onAnotherThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Chip(value: [1])) }
        }
        realm.refresh()
        try realm.write { realm.add(Chip(value: [2])) }
        XCTAssertEqual(realm.objects(Chip.self).count, 2)
        token.invalidate()
    }

    /// Frames that no recorder writes, with checksums that are right.
    func testForgedCapsules() throws {
        typealias Contents = CapsuleContents
        var header = Contents(baseVersion: 5)
        header.commits = []
        let commit = Contents.frame(6, EncodedCommit(.changes, []))
        let begun = Contents.frame(.begun)
        var largest = Contents(baseVersion: .max)
        largest.commits = []
        for frames in [
            commit, begun, header.header + header.header + begun, header.header + commit + begun,
            header.header + begun + Contents.frame(7, EncodedCommit(.changes, [])),
            header.header + begun + begun, header.header + begun + header.header,
            largest.header + begun + Contents.frame(0, EncodedCommit(.changes, [])),
            header.header + begun + Contents.frame(.commit) { $0.write([1, 2, 3] as [UInt8]) },
            header.header + begun + Contents.frame(.turn), header.header + begun + Contents.frame(.place),
        ] {
            XCTAssertThrowsError(try Contents(reading: Contents.beginning + frames))
        }
        let marks = [UInt64.max, 0, 5, 6, 7].map { Contents.frame(Contents.Mark(place: 1, version: $0)) }
        let contents = try Contents(
            reading: Contents.beginning + header.header + begun + commit + marks.joined())
        XCTAssertEqual(contents.marks.count, 5)
        let file = folder.appendingPathComponent("forged")
        try Data(contents.bytes).write(to: file)
        // The base is missing, and the commit makes no sense.
        XCTAssertThrowsError(try replay(Capsule(contentsOf: file)) { _ in })
    }

    func testAFolderThatCannotBeMadeEndsTheRecording() throws {
        try Data().write(to: capsules)
        try withRealm { realm in
            try realm.write { realm.add(Chip(value: [1])) }
            XCTAssertEqual(realm.objects(Chip.self).count, 1)
            realm.instance.store.recording?.finish(atMost: 60)
            let end = Date() + 60
            while !TestLog.messages.contains(where: { $0.contains("has ended") }), Date() < end {
                Thread.sleep(forTimeInterval: 0.001)
            }
            XCTAssert(TestLog.messages.contains { $0.contains("has ended") }, "\(TestLog.messages)")
        }
    }

    func testNothingIsRecordedOfAFileThatIsOnlyRead() throws {
        try withRealm(super.configuration) { realm in try realm.write { realm.add(Chip(value: [1])) } }
        try waitUntilClosed()
        var configuration = configuration
        configuration.readOnly = true
        try withRealm(configuration) { XCTAssertEqual($0.objects(Chip.self).count, 1) }
        XCTAssertEqual(capsuleNames, [])
    }

    /// A capsule begins with the data after a migration, and has its schema version.
    func testMigratedData() throws {
        try withRealm(super.configuration) { realm in try realm.write { realm.add(Chip(value: [1])) } }
        try waitUntilClosed()
        var configuration = configuration
        configuration.schemaVersion = 3
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Chip") { _, new in new?["label"] = "migrated" }
        }
        try withRealm(configuration) { realm in
            try realm.write { realm.objects(Chip.self)[0].count = 5 }
        }
        try replay(Capsule(contentsOf: capsules)) { realm in
            XCTAssertEqual(realm.configuration.schemaVersion, 3)
            return realm.objects(Chip.self)
        } afterEachTurn: { realm, chips in
            XCTAssertEqual(chips.map(\.label), ["migrated"])
        }
    }
}
