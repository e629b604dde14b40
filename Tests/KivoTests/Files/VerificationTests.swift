import Foundation
import Kivo
import KivoJournal
import TestRandomness
import XCTest

/// Files with checkpoints that are checked as a whole, and of which the rest is saved.
final class VerificationTests: FileTestCase {
    private var verified: Realm.Configuration {
        var configuration = configuration
        configuration.verifiesOnOpening = true
        return configuration
    }

    /// A file of one checkpoint, and commits after it.
    private func makeFile(dogs: Int = 700, commits: Int = 2, isCompacted: Bool = false) throws {
        var configuration = configuration
        if isCompacted { configuration.checkpoints.allowance = 0 }
        configuration.checkpoints.smallestTailOfClosing = 1
        try withRealm(configuration) { realm in
            try realm.write {
                let person = Person(value: ["name": "Ann"])
                realm.add(person)
                for number in 0..<dogs {
                    let dog = Dog(value: ["name": "dog \(number)", "age": number] as [String: Any])
                    person.dogs.append(dog)
                }
                person.favourite = person.dogs[dogs - 1]
                for code in 0..<300 {
                    realm.add(Chip(value: ["code": code, "label": "chip \(code)"] as [String: Any]))
                }
                realm.add(
                    House(value: ["address": ["street": "x", "rooms": [["name": "y"]]]] as [String: Any]))
            }
        }
        configuration.checkpoints.smallestTailOfClosing = 1 << 30
        try withRealm(configuration) { realm in
            for number in 0..<commits {
                try realm.write { realm.add(Dog(value: ["name": "late \(number)"])) }
            }
        }
    }

    private func forger() throws -> PageForger { PageForger([UInt8](try Data(contentsOf: file))) }

    private func write(_ forger: PageForger) throws { try Data(forger.bytes).write(to: file) }

    func testAnIntactFile() throws {
        try makeFile()
        let before = try Data(contentsOf: file)
        let report = try Realm.verify(fileURL: file)
        XCTAssertTrue(report.isIntact, "\(report)")
        XCTAssertEqual(report.flaws, [])
        XCTAssertEqual(report.commitCount, 3)
        XCTAssertEqual(report.objectCount, 700 + 1 + 300 + 3)
        XCTAssertEqual(report.pageCount, try forger().livePages().count)
        XCTAssertEqual(report.byteCount, before.count)
        XCTAssertNotNil(report.checkpointOffset)
        XCTAssertEqual(try Data(contentsOf: file), before)
        XCTAssertEqual(try names(verified).count, 702)
        try Data().write(to: file)
        XCTAssertTrue(try Realm.verify(fileURL: file).isIntact)
        try Data("a text".utf8).write(to: file)
        assertError(.invalidDatabase) { _ = try Realm.verify(fileURL: file) }
        try FileManager.default.removeItem(at: file)
        assertError(.fileNotFound) { _ = try Realm.verify(fileURL: file) }
    }

    /// Exchanges two texts of one length in a page of rows.
    private func exchange(_ first: String, _ second: String) throws {
        var forger = try forger()
        let texts = [Array(first.utf8), Array(second.utf8)]
        let page = try XCTUnwrap(
            forger.livePages().first { page in
                forger.bytes[page.lowerBound + 12] == 2
                    && texts.allSatisfy { forger.bytes[page].firstRange(of: $0) != nil }
            })
        let places = texts.map { forger.bytes[page].firstRange(of: $0)! }
        forger.bytes.replaceSubrange(places[0], with: texts[1])
        forger.bytes.replaceSubrange(places[1], with: texts[0])
        forger.seal(page: page)
        try write(forger)
    }

    func testIndexesAreComparedIfThatIsAsked() throws {
        var configuration = configuration
        configuration.objectTypes = [IndexedPlace.self]
        configuration.checkpoints.smallestTailOfClosing = 1
        try withRealm(configuration) { realm in
            try realm.write {
                // No ascending keys, and values that many have.
                for number in 0..<200 {
                    realm.create(
                        IndexedPlace.self,
                        value: ["code": "code \((number * 77) % 200 + 100)", "town": "town \(number % 2)"])
                }
            }
        }
        XCTAssertTrue(try Realm.verify(fileURL: file, indexes: true).isIntact)
        try exchange("code 101", "code 102")
        XCTAssertTrue(try Realm.verify(fileURL: file).isIntact)
        let report = try Realm.verify(fileURL: file, indexes: true)
        XCTAssertEqual(
            report.flaws.map(\.reason), ["the index of 'IndexedPlace.code' misses 2 objects"], "\(report)")
        XCTAssertFalse(report.isIntact)
        // A salvaged file has new indexes.
        _ = try rescue()
        let forged = try Data(contentsOf: file)
        try withRealm(configuration) { _ in
            assertError(.alreadyOpen) { try Realm.reindex(fileURL: self.file) }
        }
        try forged.write(to: file)
        try Realm.reindex(fileURL: file)
        for repaired in [rescued, file] {
            XCTAssertTrue(try Realm.verify(fileURL: repaired, indexes: true).isIntact)
            configuration.fileURL = repaired
            try withRealm(configuration) { realm in
                XCTAssertEqual(realm.objects(IndexedPlace.self).count, 200)
                XCTAssertNotNil(realm.object(ofType: IndexedPlace.self, forPrimaryKey: "code 101"))
                XCTAssertEqual(realm.objects(IndexedPlace.self).filter("town == 'town 1'").count, 100)
            }
        }
        // A damaged file stays as it is. The repaired one has no commits from which the page could be made again.
        var damaged = try Data(contentsOf: file)
        let rows = try XCTUnwrap(
            forger().livePages().first { damaged[$0].range(of: Data("code 150".utf8)) != nil })
        damaged[rows.lowerBound + 100] ^= 1
        try damaged.write(to: file)
        assertError(.invalidDatabase, says: ["salvaged"]) { try Realm.reindex(fileURL: self.file) }
        XCTAssertEqual(try Data(contentsOf: file), damaged)
    }

    func testEachDamagedPageIsFoundAndTheRestIsSaved() throws {
        try makeFile(isCompacted: true)
        let whole = try forger()
        var random = RandomSource()
        for page in TestEffort.cases(try whole.livePages(), within: 0.3) {
            var forger = whole
            forger.bytes[page.lowerBound + random.below(page.count)] ^= 1 << UInt8(random.below(8))
            try write(forger)
            let report = try Realm.verify(fileURL: file)
            XCTAssertFalse(report.isIntact)
            XCTAssertTrue(
                report.flaws.contains { $0.offset == page.lowerBound && !$0.isHarmless }, "\(page) \(report)")
            assertError(.invalidDatabase, says: ["byte \(page.lowerBound)"]) {
                _ = try Realm(configuration: verified)
            }
            let saved = try rescue()
            let lost = saved.damagedPages.reduce(0) { $0 + ($1.className == "Dog" ? $1.objectCount : 0) }
            try withRealm(Realm.Configuration(fileURL: rescued)) { realm in
                XCTAssertEqual(realm.objects(Dog.self).count, 702 - lost, "\(saved)")
                XCTAssertEqual(realm.objects(Dog.self).last?.name, "late 1")
                for dog in realm.objects(Dog.self) { _ = (dog.name, dog.holders.count) }
                if let ann = realm.objects(Person.self).first {
                    XCTAssertEqual(ann.favourite?.age, lost > 0 ? ann.favourite?.age : 699)
                    _ = ann.dogs.map(\.name)
                }
                for chip in realm.objects(Chip.self) {
                    XCTAssertTrue(
                        realm.object(ofType: Chip.self, forPrimaryKey: chip.code)?.label == chip.label)
                }
                // It can be changed, and closed, as any other.
                try realm.write { realm.deleteAll() }
            }
            try withRealm(Realm.Configuration(fileURL: rescued)) { XCTAssertTrue($0.isEmpty) }
            XCTAssertTrue(try Realm.verify(fileURL: rescued).isIntact)
        }
    }

    func testALeafThatIsLostIsSaid() throws {
        try makeFile(isCompacted: true)
        var forger = try forger()
        // Leaves are of kind 2; the largest is full of objects.
        let leaves = try forger.livePages().filter { forger.bytes[$0.lowerBound + 12] == 2 }
        let page = try XCTUnwrap(leaves.max { $0.count < $1.count })
        forger.bytes[page.lowerBound + 100] ^= 1
        try write(forger)
        let report = try rescue()
        XCTAssertEqual(report.damagedPages.count, 1)
        let lost = try XCTUnwrap(report.damagedPages.first)
        XCTAssertEqual(lost.offset, page.lowerBound)
        XCTAssertGreaterThan(lost.objectCount, 100)
        XCTAssertFalse(report.isComplete)
        XCTAssertEqual(report.recordCount, 2)
        XCTAssertEqual(report.missingRecordCount, 0)
        XCTAssert(
            report.description.contains("\(lost.objectCount) objects of class '\(lost.className)'"),
            "\(report)")
        if lost.className == "Dog" {
            XCTAssert(
                report.losses.contains { $0.className == "Person" && $0.kind == .linkToMissingObject },
                "\(report)")
        }
    }

    func testDamagedCommitsAfterACheckpoint() throws {
        try makeFile(commits: 3)
        var forger = try forger()
        let commits = forger.records.filter { $0.kind == 1 }
        forger.bytes[commits[2].payload.lowerBound] ^= 1
        try write(forger)
        let report = try Realm.verify(fileURL: file)
        XCTAssertEqual(report.flaws.map(\.offset), [commits[2].start])
        XCTAssertEqual(report.flaws.map(\.isHarmless), [false])
        let saved = try rescue()
        XCTAssertEqual(saved.recordCount, 2)
        XCTAssertEqual(saved.missingRecordCount, 1)
        XCTAssertEqual(saved.damagedPages, [])
        XCTAssertEqual(
            try names(Realm.Configuration(fileURL: rescued)).suffix(3), ["dog 699", "late 0", "late 2"])
    }

    func testCommitsThatTheCheckpointHasAreNotMissed() throws {
        try makeFile()
        var forger = try forger()
        forger.bytes[forger.records.first { $0.kind == 1 }!.payload.lowerBound] ^= 1
        try write(forger)
        let report = try Realm.verify(fileURL: file)
        XCTAssertTrue(report.isIntact)
        XCTAssertEqual(report.flaws.map(\.isHarmless), [true])
        XCTAssertEqual(try names(verified).count, 702)
        XCTAssertTrue(try rescue().isComplete)
    }

    /// Without the checkpoint there are still the commits, as long as a file was not compacted.
    func testADamagedCheckpointOfAFileThatWasNotCompacted() throws {
        try makeFile()
        let whole = try forger()
        var forger = whole
        forger.bytes[forger.records.last { $0.kind == 4 }!.payload.lowerBound] ^= 1
        try write(forger)
        XCTAssertTrue(try rescue().isComplete)
        XCTAssertEqual(try names(Realm.Configuration(fileURL: rescued)).count, 702)
        // With a damaged page as well, the commits are what there is.
        forger = whole
        forger.bytes[try forger.livePages()[0].lowerBound + 30] ^= 1
        try write(forger)
        let report = try rescue()
        XCTAssertTrue(report.isComplete, "\(report)")
        XCTAssertNil(report.checkpointOffset)
    }

    /// The only checkpoint of a compacted file is not taken for a commit that was not finished.
    func testADamagedCheckpointOfACompactedFile() throws {
        try makeFile()
        var configuration = configuration
        configuration.checkpoints.allowance = 0
        configuration.checkpoints.smallestTailOfClosing = 1
        try withRealm(configuration) { realm in
            for _ in 0..<3 { try realm.write { realm.objects(Dog.self).first!.age += 1 } }
        }
        let whole = try forger()
        XCTAssertEqual(whole.records.first?.kind, 3, "it was not compacted")
        for position in [0, 20, 40] {
            var forger = whole
            let record = forger.records.last { $0.kind == 4 }!
            forger.bytes[record.start + position] ^= 1
            // Simulates that the last close did not complete its checkpoint.
            forger.bytes.replaceSubrange(512..<536, with: repeatElement(0, count: 24))
            try write(forger)
            assertError(.invalidDatabase, says: ["byte \(record.start)"]) {
                _ = try Realm(configuration: self.configuration)
            }
            XCTAssertFalse(try Realm.verify(fileURL: file).isIntact)
        }
    }

    /// The identity with which every checksum begins is in both pages of the header; each record names it, too.
    func testEachPageOfTheDiskCanBeLost() throws {
        for isCompacted in [false, true] {
            try? FileManager.default.removeItem(at: file)
            try makeFile(isCompacted: isCompacted)
            let whole = try Data(contentsOf: file)
            let end = try XCTUnwrap(whole.lastIndex { $0 != 0 })
            let pages = stride(from: 0, to: end, by: 4096).map { $0..<min($0 + 4096, whole.count) }
            for page in TestEffort.cases(pages + [0..<8192], within: 0.2) {
                var damaged = whole
                damaged.resetBytes(in: page)
                try damaged.write(to: file)
                let report = try rescue()
                let found = try names(Realm.Configuration(fileURL: rescued))
                if page.lowerBound >= 8192 { continue }
                XCTAssertTrue(report.isComplete, "\(report)")
                XCTAssertEqual(found.count, 702)
                if page.count == 4096 {
                    XCTAssertTrue(try Realm.verify(fileURL: file).isIntact)
                    XCTAssertEqual(try names(verified).count, 702)
                    continue
                }
                assertError(.invalidDatabase, says: ["byte 0", "header"]) {
                    _ = try Realm(configuration: verified)
                }
                XCTAssertFalse(try Realm.verify(fileURL: file).isIntact)
            }
        }
    }

    /// A file of commits alone has no checkpoint that could say whose it is.
    func testTheHeaderOfAFewCommits() throws {
        try commit(["a", "b", "c"])
        var data = try Data(contentsOf: file)
        data.resetBytes(in: 0..<8192)
        try data.write(to: file)
        XCTAssertTrue(try rescue().isComplete)
        XCTAssertEqual(try names(Realm.Configuration(fileURL: rescued)), ["a", "b", "c"])
    }

    // MARK: Pages that make no sense

    func testCountsThatDoNotAgree() throws {
        try makeFile()
        let whole = try forger()
        let inner = try XCTUnwrap(try whole.livePages().first { whole.bytes[$0.lowerBound + 12] == 1 })
        let references = Int(whole.bytes[inner.lowerBound + 16])
        var forger = whole
        // Behind the references: level, bits, then the counts, of which the last is below 128.
        let counts = inner.lowerBound + 24 + references * 8 + 9
        let last = (counts..<inner.upperBound).last { forger.bytes[$0] != 0 }!
        forger.bytes[last] ^= 1
        forger.seal(page: inner)
        try write(forger)
        let report = try Realm.verify(fileURL: file)
        XCTAssert(report.description.contains("not as many rows"), "\(report)")
        XCTAssertFalse(report.isIntact)
        assertError(.invalidDatabase, says: ["rows"]) { _ = try Realm(configuration: verified) }
    }

    func testPagesOfAnotherPlace() throws {
        try makeFile()
        let whole = try forger()
        let inner = try XCTUnwrap(
            try whole.livePages().first {
                whole.bytes[$0.lowerBound + 12] == 1 && whole.bytes[$0.lowerBound + 16] > 1
            })
        var forger = whole
        // Two children change places.
        for offset in 0..<8 {
            forger.bytes.swapAt(inner.lowerBound + 24 + offset, inner.lowerBound + 32 + offset)
        }
        forger.seal(page: inner)
        try write(forger)
        XCTAssertFalse(try Realm.verify(fileURL: file).isIntact)
        let saved = try rescue()
        XCTAssertEqual(saved.checkpointOffset, nil, "the commits have all of it")
        XCTAssertTrue(saved.isComplete)
    }

    /// Pages and checkpoints with checksums that are right, and a few bytes that are not: a value or an error.
    func testRandomPagesAndCheckpoints() throws {
        try makeFile(dogs: 300)
        let whole = try forger()
        let pages = try whole.livePages()
        let checkpoint = whole.records.last { $0.kind == 4 }!
        var random = RandomSource()
        var (intact, damaged) = (0, 0)
        let rounds = Sanitizer.isPresent ? 300 : 1500
        for round in TestEffort.rounds(rounds, within: 0.15, atLeast: 60) {
            var forger = whole
            let isPage = random.chance(60)
            let page = pages[random.below(pages.count)]
            let range = isPage ? page.lowerBound + 8..<page.upperBound : checkpoint.payload
            for _ in 0...random.below(3) {
                let position =
                    range.lowerBound + random.below(min(range.count, random.chance(70) ? 48 : range.count))
                switch random.below(4) {
                case 0: forger.bytes[position] ^= 1 << UInt8(random.below(8))
                case 1: forger.bytes[position] = UInt8(random.below(256))
                case 2: forger.bytes[position] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)]
                default:
                    let other = range.lowerBound + random.below(range.count)
                    forger.bytes.swapAt(position, other)
                }
            }
            if isPage { forger.seal(page: page) } else { forger.seal(checkpoint) }
            let disk = SmallDisk(forger.bytes)
            let report = try JournalVerification.verify(disk)
            if report.isIntact { intact += 1 } else { damaged += 1 }
            if round % 10 == 0 {
                try write(forger)
                do {
                    _ = try rescue()
                } catch is Realm.Error {}
            }
        }
        XCTAssertGreaterThan(damaged, (damaged + intact) / 3)
        XCTAssertGreaterThan(intact, TestEffort.expected(rounds / 300))
    }
}

final class IndexedPlace: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted(indexed: true) var town: String
}
