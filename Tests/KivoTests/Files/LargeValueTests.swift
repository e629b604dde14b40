import Foundation
import KivoJournal
import TestRandomness
import XCTest

@testable import Kivo
@testable import KivoEngine

final class LargeNote: Object {
    @Persisted var name = ""
    @Persisted var text = ""
    @Persisted var maybe: String?
    @Persisted var data = Data()
    @Persisted var any: AnyRealmValue
    @Persisted var texts: List<String>
    @Persisted var values: List<AnyRealmValue>
    @Persisted var byKey: Map<String, Data>
    @Persisted var set: MutableSet<String>
}

/// Strings and bytes that have pages of their own.
final class LargeValueTests: FileTestCase {
    /// The contents of a note as a value.
    private struct Note: Equatable {
        var name = "", text = "", maybe: String?
        var data = Data(), any = AnyRealmValue.none
        var texts: [String] = []
        var values: [AnyRealmValue] = []
        var byKey: [String: Data] = [:]
        var set: Set<String> = []

        init() {}
        init(_ note: LargeNote) {
            (name, text, maybe, data, any) = (note.name, note.text, note.maybe, note.data, note.any)
            (texts, values, set) = (Array(note.texts), Array(note.values), Set(note.set))
            for entry in note.byKey { byKey[entry.key] = entry.value }
        }

        func assign(to note: LargeNote) {
            (note.name, note.text, note.maybe, note.data, note.any) = (name, text, maybe, data, any)
            note.texts.removeAll()
            note.texts.append(objectsIn: texts)
            note.values.removeAll()
            note.values.append(objectsIn: values)
            note.set.removeAll()
            note.set.insert(objectsIn: set)
            note.byKey.removeAll()
            for (key, value) in byKey { note.byKey[key] = value }
        }
    }

    private var random = RandomSource("LargeValueTests")

    private func text() -> String {
        let size = [0, 3, 40, 4095, 4096, 4097, 5000, 20_000].randomElement(using: &random)!
        let letter = UnicodeScalar(UInt8(97 + random.below(26)))
        return String(repeating: Character(letter), count: size)
    }

    private func bytes() -> Data { Data(text().utf8) }

    private func any() -> AnyRealmValue {
        switch random.below(4) {
        case 0: .none
        case 1: .int(random.below(10))
        case 2: .string(text())
        default: .data(bytes())
        }
    }

    private func change(_ note: inout Note) {
        switch random.below(9) {
        case 0: note.name = "\(random.below(1000))"
        case 1: note.text = text()
        case 2: note.maybe = random.below(3) == 0 ? nil : text()
        case 3: note.data = bytes()
        case 4: note.any = any()
        case 5: note.texts = (0..<random.below(6)).map { _ in text() }
        case 6: note.values = (0..<random.below(6)).map { _ in any() }
        case 7: note.byKey["\(random.below(4))"] = bytes()
        default: note.set = Set((0..<random.below(5)).map { _ in text() })
        }
    }

    private func contents(_ realm: Realm) -> [Note] { realm.objects(LargeNote.self).map { Note($0) } }

    private func policy() -> Realm.Configuration {
        var configuration = configuration
        configuration.checkpoints.smallestTail = 1 << 12
        configuration.checkpoints.tailShare = 1 << 10
        configuration.checkpoints.smallestTailOfClosing = 1
        configuration.checkpoints.allowance = random.below(2) == 0 ? 0 : 1 << 20
        return configuration
    }

    /// Random changes, with versions that stay behind, compactions and reopening, against arrays of structures.
    func testRandomHistories() throws {
        let before = LargeValue.liveCount.load(ordering: .relaxed)
        var model: [Note] = []
        for _ in TestEffort.rounds(12, within: 0.21) {
            var frozen: [(Realm, [Note])] = []
            try withRealm(policy()) { realm in
                XCTAssertEqual(contents(realm), model)
                for _ in 0..<12 {
                    let isCancelled = random.below(6) == 0
                    let before = model
                    realm.beginWrite()
                    for _ in 0..<1 + random.below(4) {
                        let objects = realm.objects(LargeNote.self)
                        if model.isEmpty || random.below(3) == 0 {
                            var note = Note()
                            for _ in 0..<3 { change(&note) }
                            let object = LargeNote()
                            if random.below(2) == 0 {
                                note.assign(to: object)
                                realm.add(object)
                            } else {
                                realm.add(object)
                                note.assign(to: object)
                            }
                            model.append(note)
                        } else if random.below(4) == 0 {
                            let index = random.below(model.count)
                            realm.delete(objects[index])
                            model.remove(at: index)
                        } else {
                            let index = random.below(model.count)
                            change(&model[index])
                            if random.below(2) == 0 {
                                // Twice, over a value that the same transaction has stored.
                                Note().assign(to: objects[index])
                                change(&model[index])
                            }
                            model[index].assign(to: objects[index])
                        }
                    }
                    XCTAssertEqual(contents(realm), model)
                    if isCancelled {
                        realm.cancelWrite()
                        model = before
                    } else {
                        try realm.commitWrite()
                    }
                    XCTAssertEqual(contents(realm), model)
                    if random.below(3) == 0 { frozen.append((realm.freeze(), model)) }
                    if !frozen.isEmpty, random.below(4) == 0 {
                        frozen.remove(at: random.below(frozen.count))
                    }
                    for (realm, expected) in frozen { XCTAssertEqual(contents(realm), expected) }
                }
                frozen = []
            }
            try waitUntilClosed()
            let report = try Realm.verify(fileURL: file)
            XCTAssert(report.isIntact, "\(report)")
        }
        XCTAssertEqual(LargeValue.liveCount.load(ordering: .relaxed), before, "values are leaked")
    }

    private func make(_ count: Int, size: Int) throws {
        var configuration = configuration
        configuration.checkpoints.smallestTailOfClosing = 1
        try withRealm(configuration) { realm in
            for number in 0..<count {
                try realm.write {
                    let note = LargeNote()
                    note.name = "\(number)"
                    note.data = Data(repeating: UInt8(number), count: size)
                    realm.add(note)
                }
            }
        }
        try waitUntilClosed()
    }

    /// A short property is read without the large ones beside it, and a large one without its neighbours.
    func testWhatIsReadBesideLargeValues() throws {
        try make(200, size: 50_000)
        try withRealm { realm in
            let before = try bytesRead()
            XCTAssertEqual(realm.objects(LargeNote.self)[150].name, "150")
            let afterName = try bytesRead()
            XCTAssertEqual(realm.objects(LargeNote.self)[150].data.count, 50_000)
            let afterData = try bytesRead()
            XCTAssertLessThan(afterName - before, 400_000, "of ten million bytes")
            XCTAssertLessThan(afterData - afterName, 100_000)
        }
    }

    /// How many bytes the process has read from files.
    private func bytesRead() throws -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("rchar:") }),
            let count = Int(line.dropFirst(7))
        else { throw XCTSkip("the system does not count what a process reads") }
        return count
    }

    /// A checkpoint of a row in which something else was changed does not write its large values again.
    func testLargeValuesAreWrittenOnce() throws {
        try make(20, size: 100_000)
        var configuration = configuration
        configuration.checkpoints.smallestTailOfClosing = 1
        let size = try fileSize()
        try withRealm(configuration) { realm in
            try realm.write { realm.objects(LargeNote.self)[3].name = "another" }
        }
        try waitUntilClosed()
        // A file may end with space for a mebibyte of records.
        XCTAssertLessThan(try fileSize() - size, 1_700_000, "of two million bytes")
        try withRealm { realm in
            XCTAssertEqual(realm.objects(LargeNote.self)[3].name, "another")
            XCTAssertEqual(realm.objects(LargeNote.self)[4].data, Data(repeating: 4, count: 100_000))
        }
    }

    private func fileSize() throws -> Int {
        try file.resourceValues(forKeys: [.fileSizeKey]).fileSize!
    }

    /// A version that stays behind has values that no later one has, and whose file is gone.
    func testVersionsBeforeACompaction() throws {
        try checkVersionsBeforeACompaction { notes in
            notes[2].data = Data([1])
            notes.realm!.delete(notes[5])
        }
    }

    /// The old versions stay if the compacted file takes over no page of its predecessor.
    func testVersionsBeforeACompactionOfNothing() throws {
        try checkVersionsBeforeACompaction { notes in
            notes.realm!.delete(notes)
            notes.realm!.add(LargeNote())
        }
    }

    private func checkVersionsBeforeACompaction(_ change: (Results<LargeNote>) -> Void) throws {
        try make(10, size: 30_000)
        var configuration = configuration
        configuration.checkpoints.allowance = 0
        configuration.checkpoints.smallestTail = 1
        configuration.checkpoints.tailShare = 1 << 10
        try withRealm(configuration) { realm in
            let frozen = realm.freeze()
            try realm.write { change(realm.objects(LargeNote.self)) }
            let unchanged = realm.objects(LargeNote.self).count > 1 ? realm.objects(LargeNote.self)[1] : nil
            for round in 0..<3 {
                let number = try fileNumber()
                var count = 0
                while try fileNumber() == number {
                    count += 1
                    XCTAssertLessThan(count, 10_000, "the file is not compacted")
                    try realm.write {
                        realm.objects(LargeNote.self)[0].data = Data(repeating: UInt8(round), count: 50_000)
                    }
                }
                let old = frozen.objects(LargeNote.self)
                for index in 0..<10 {
                    XCTAssertEqual(old[index].data, Data(repeating: UInt8(index), count: 30_000))
                }
                if let unchanged { XCTAssertEqual(unchanged.data, Data(repeating: 1, count: 30_000)) }
            }
        }
        try waitUntilClosed()
    }

    private func fileNumber() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
    }

    /// A value that is too large for a page is not written, and the existing data stays.
    func testPagesThatNobodyCouldRead() throws {
        var limited = configuration
        limited.checkpoints.smallestTailOfClosing = 1
        limited.checkpoints.smallestTail = 1 << 40
        limited.checkpoints.largestPage = 1 << 16
        for allowance in [1 << 30, 0] {
            try? FileManager.default.removeItem(at: file)
            limited.checkpoints.allowance = allowance
            try withRealm(limited) { realm in
                for number in 0..<3 {
                    try realm.write {
                        let note = LargeNote()
                        note.data = Data(repeating: UInt8(number), count: number == 1 ? 70_000 : 60_000)
                        realm.add(note)
                    }
                }
            }
            try waitUntilClosed()
            let report = try Realm.verify(fileURL: file)
            XCTAssert(report.isIntact, "\(report)")
            XCTAssertNil(report.checkpointOffset)
            try withRealm(limited) { realm in
                XCTAssertEqual(realm.objects(LargeNote.self).map(\.data.count), [60_000, 70_000, 60_000])
                try realm.write { realm.objects(LargeNote.self)[0].name = "again" }
            }
            try waitUntilClosed()
            XCTAssertNil(try Realm.verify(fileURL: file).checkpointOffset)
            var unlimited = limited
            unlimited.checkpoints.largestPage = configuration.checkpoints.largestPage
            try withRealm(unlimited) { realm in
                XCTAssertEqual(realm.objects(LargeNote.self).map(\.data.count), [60_000, 70_000, 60_000])
                try realm.write { realm.objects(LargeNote.self)[0].name = "once more" }
            }
            try waitUntilClosed()
            XCTAssertNotNil(try Realm.verify(fileURL: file).checkpointOffset)
        }
    }

    /// Strings of equal bytes are found whatever their length, and others are not.
    func testQueries() throws {
        try withRealm { realm in
            let large = String(repeating: "x", count: 5000)
            try realm.write {
                for text in ["", "x", String(repeating: "x", count: 4096), large, large + "y"] {
                    let note = LargeNote()
                    (note.text, note.maybe) = (text, text.isEmpty ? nil : text)
                    realm.add(note)
                }
            }
            let copy = folder.appendingPathComponent("copy.kivo")
            func check(_ realm: Realm) {
                let notes = realm.objects(LargeNote.self)
                XCTAssertEqual(notes.where { $0.text == large }.count, 1)
                XCTAssertEqual(notes.where { $0.text == "x" }.count, 1)
                XCTAssertEqual(notes.where { $0.text != large }.count, 4)
                XCTAssertEqual(notes.where { $0.text.starts(with: large) }.count, 2)
                XCTAssertEqual(notes.where { $0.maybe == nil }.count, 1)
                XCTAssertEqual(notes.where { $0.maybe.ends(with: "y") }.count, 1)
                XCTAssertEqual(notes.sorted(byKeyPath: "text", ascending: false).first?.text, large + "y")
            }
            check(realm)
            try realm.writeCopy(configuration: Realm.Configuration(fileURL: copy))
            try check(Realm(configuration: Realm.Configuration(fileURL: copy)))
        }
    }

    /// The page of a value that is damaged costs that value, and no row.
    func testSalvage() throws {
        try make(4, size: 10_000)
        try withRealm { realm in
            try realm.write {
                realm.objects(LargeNote.self)[1].texts.append(String(repeating: "t", count: 6000))
            }
        }
        // In a file that was compacted, nothing but the page has the value.
        var compacting = configuration
        compacting.checkpoints.smallestTailOfClosing = 1
        compacting.checkpoints.allowance = 0
        try withRealm(compacting) { realm in
            try realm.write { realm.objects(LargeNote.self)[0].name = "zero" }
        }
        try waitUntilClosed()
        let intact = try Data(contentsOf: file)
        let rescued = folder.appendingPathComponent("rescued.kivo")
        var count = 0
        for record in PageSeal.pages(of: Array(intact)) {
            for page in record.pages where intact[page.lowerBound + 12] == 7 {
                var damaged = intact
                damaged[page.upperBound - 100] ^= 1
                try damaged.write(to: file)
                try? FileManager.default.removeItem(at: rescued)
                let report = try Realm.salvage(contentsOf: file, to: rescued)
                let isText = page.count < 10_000
                XCTAssertEqual(report.damagedPages.map(\.propertyName), [isText ? "texts" : "data"])
                let realm = try Realm(configuration: Realm.Configuration(fileURL: rescued))
                let notes = realm.objects(LargeNote.self)
                XCTAssertEqual(notes.map(\.name), ["zero", "1", "2", "3"])
                XCTAssertEqual(notes.count { $0.data.isEmpty }, isText ? 0 : 1)
                XCTAssertEqual(Array(notes[1].texts), [isText ? "" : String(repeating: "t", count: 6000)])
                count += 1
            }
        }
        XCTAssertEqual(count, 5)
    }

    private enum Later {
        final class LargeNote: Object {
            @Persisted var name = ""
            @Persisted var data: Data?
            @Persisted var added = 0
            @Persisted var texts: List<String>
        }
    }

    /// A migration takes large values over where they are, and its block may change them.
    func testMigration() throws {
        try make(6, size: 50_000)
        var configuration = Realm.Configuration(
            fileURL: file, schemaVersion: 1, objectTypes: [Later.LargeNote.self])
        configuration.migrationBlock = { migration, _ in
            var number = 0
            migration.enumerateObjects(ofType: "LargeNote") { old, new in
                XCTAssertEqual((old?["data"] as? Data)?.count, 50_000)
                if number == 2 { new?["data"] = Data([2]) }
                if number == 3 { new?["data"] = nil }
                number += 1
            }
        }
        for _ in 0..<2 {
            let before = LargeValue.liveCount.load(ordering: .relaxed)
            try withRealm(configuration) { realm in
                let sizes = realm.objects(Later.LargeNote.self).map { $0.data?.count }
                XCTAssertEqual(Array(sizes), [50_000, 50_000, 1, nil, 50_000, 50_000])
                XCTAssertEqual(
                    LargeValue.liveCount.load(ordering: .relaxed), before, "values were brought in")
            }
            try waitUntilClosed()
            XCTAssert(try Realm.verify(fileURL: file).isIntact)
        }
    }
}
