import Foundation
import Kivo
import KivoJournal
import TestRandomness
import XCTest

final class FileRealmTests: FileTestCase {
    override func tearDownWithError() throws {
        try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try super.tearDownWithError()
    }

    // MARK: Durability

    func testReopeningFindsWhatWasCommitted() throws {
        try withRealm { realm in
            let person = Person(value: [
                "name": "Ann", "dogs": [["name": "Rex", "age": 3], ["name": "Max"]],
            ])
            try realm.write {
                realm.add(person)
                person.favourite = person.dogs[1]
            }
            try realm.write { person.dogs[0].age = 4 }
            realm.beginWrite()
            person.name = "never"
            realm.cancelWrite()
        }
        try withRealm { realm in
            let person = try XCTUnwrap(realm.objects(Person.self).first)
            XCTAssertEqual(person.name, "Ann")
            XCTAssertEqual(person.dogs.map(\.name), ["Rex", "Max"])
            XCTAssertEqual(person.dogs.map(\.age), [4, 0])
            XCTAssertEqual(person.favourite?.name, "Max")
            XCTAssertEqual(person.favourite?.holders.map(\.name), ["Ann"])
            try realm.write { realm.delete(person.dogs[1]) }
        }
        try withRealm { realm in
            let person = try XCTUnwrap(realm.objects(Person.self).first)
            XCTAssertNil(person.favourite)
            XCTAssertEqual(person.dogs.map(\.name), ["Rex"])
            try realm.write { realm.deleteAll() }
        }
        try withRealm { realm in XCTAssertTrue(realm.isEmpty) }
    }

    func testRandomStatesSurviveReopening() throws {
        var random = RandomSource()
        var expected = ""
        for round in 0..<12 {
            try withRealm { realm in
                if round == 0 { try realm.write { realm.add(FuzzHolder()) } }
                if round > 0 { XCTAssertEqual(fuzzState(realm), expected, "round \(round)") }
                for _ in 0..<random.below(20) {
                    realm.beginWrite()
                    for _ in 0..<random.below(8) { FuzzEdit.random(&random).make(in: realm) }
                    if random.chance(20) { realm.cancelWrite() } else { try realm.commitWrite() }
                }
                expected = fuzzState(realm)
            }
        }
    }

    private func fuzzState(_ realm: Realm) -> String {
        let items = Array(realm.objects(FuzzItem.self))
        let holder = realm.objects(FuzzHolder.self).first
        let position = { (item: FuzzItem?) in
            item.flatMap { realm.objects(FuzzItem.self).index(of: $0) } ?? -1
        }
        return """
            \(items.map(\.value)) \(items.map { position($0.link) }) \
            \(items.map { Array($0.linkedBy.map { position($0) }) }) \(holder?.items.map { position($0) } ?? []) \
            \(holder.map { Array($0.numbers) } ?? []) \(holder?.itemSet.map { position($0) } ?? [])
            """
    }

    func testTheSameFileIsOneRealmWhateverItIsCalled() throws {
        let realm = try Realm(fileURL: file)
        let detour = folder.appendingPathComponent("nowhere/../test.kivo")
        let other = try Realm(fileURL: detour)
        XCTAssertEqual(realm, other)
        try onAnotherThread { [configuration] in
            let there = try Realm(configuration: configuration)
            try there.write { there.add(Dog(value: ["name": "Rex"])) }
        }
        realm.refresh()
        XCTAssertEqual(other.objects(Dog.self).first?.name, "Rex")
    }

    func testReadOnlyRealmsShowTheFileAndLeaveItAlone() throws {
        try commit(["Rex"])
        let before = try Data(contentsOf: file)
        var readOnly = configuration
        readOnly.readOnly = true
        do {
            let realm = try Realm(configuration: readOnly)
            XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["Rex"])
        }
        XCTAssertEqual(try Data(contentsOf: file), before)
    }

    func testMissingFileOpenedReadOnly() throws {
        var readOnly = configuration
        readOnly.readOnly = true
        assertError(.fileNotFound) { _ = try Realm(configuration: readOnly) }
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
    }

    // MARK: Damage

    func testATornTailIsCutOff() throws {
        try commit(["a", "b", "c"])
        var whole = try Data(contentsOf: file)
        // Simulates that no commit had been acknowledged: a crash can have left any of these files.
        whole.resetBytes(in: 512..<536)
        var seen: Set<[String]> = []
        // The file ends in space that was set aside for more.
        let end = (whole.lastIndex { $0 != 0 } ?? 0) + 1
        var random = RandomSource()
        let sizes = Array(stride(from: end, to: 0, by: -max(1, end / 150))) + [whole.count]
        for size in TestEffort.cases(sizes, within: 0.21) {
            try whole.prefix(size).write(to: file)
            // It says which records were acknowledged.
            try? FileManager.default.removeItem(atPath: file.path + ".lock")
            do {
                let names = try names()
                XCTAssertTrue(
                    [[], ["a"], ["a", "b"], ["a", "b", "c"]].contains(names), "\(size): \(names)")
                seen.insert(names)
                // The commits that were cut off are gone, and the realm accepts writes again.
                if random.chance(30) {
                    try commit(["d"])
                    XCTAssertEqual(try self.names(), names + ["d"])
                }
            } catch Realm.Error.invalidDatabase {
                XCTAssertEqual(try Data(contentsOf: file), whole.prefix(size), "a refused file was touched")
            }
        }
        XCTAssertTrue(
            seen.isSuperset(of: [["a", "b"], ["a", "b", "c"]]) || !TestEffort.isExhaustive, "\(seen)")
    }

    func testAFlippedBitIsNoticed() throws {
        try commit(["alpha", "beta", "gamma"])
        let whole = try Data(contentsOf: file)
        let end = (whole.lastIndex { $0 != 0 } ?? 0) + 1
        var random = RandomSource()
        for _ in 0..<100 {
            var bytes = whole
            let position = random.below(end)
            bytes[position] ^= 1 << UInt8(random.below(8))
            try bytes.write(to: file)
            do {
                let names = try names()
                let prefixes = [[], ["alpha"], ["alpha", "beta"], ["alpha", "beta", "gamma"]]
                XCTAssertTrue(prefixes.contains(names), "byte \(position): \(names)")
            } catch let error as Realm.Error {
                XCTAssertTrue(
                    [.invalidDatabase, .unsupportedFileFormatVersion].contains(error.code), "\(error)")
                XCTAssertEqual(try Data(contentsOf: file), bytes, "a refused file was touched")
            }
        }
    }

    func testForeignFilesAreRefusedAndUntouched() throws {
        let foreign = [
            Data("SQLite format 3\0 and so on, long enough to be something".utf8), Data([0x7f]),
            Data(repeating: 0xff, count: 5000), Data("a text\n".utf8),
        ]
        for bytes in foreign {
            try bytes.write(to: file)
            assertError(.invalidDatabase) { _ = try Realm(configuration: configuration) }
            XCTAssertEqual(try Data(contentsOf: file), bytes)
        }
        try FileManager.default.removeItem(at: file)
        try commit(["Rex"])
        XCTAssertEqual(try names(), ["Rex"])
    }

    func testAFolderIsNoRealm() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        XCTAssertThrowsError(try Realm(configuration: configuration)) {
            XCTAssertTrue($0 is Realm.Error, "\($0)")
        }
    }

    func testAMissingFolderIsAnError() throws {
        let lost = folder.appendingPathComponent("missing/test.kivo")
        XCTAssertThrowsError(try Realm(fileURL: lost)) { XCTAssertTrue($0 is Realm.Error, "\($0)") }
    }

    #if !os(Windows)
    func testAReadOnlyFolderIsAnError() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        // The superuser may write anywhere.
        let isSuperuser = geteuid() == 0
        if isSuperuser { XCTAssertEqual(seteuid(65_534), 0) }
        defer { if isSuperuser { XCTAssertEqual(seteuid(0), 0) } }
        guard (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) == [] else {
            throw XCTSkip("Only the superuser gets to \(folder.path).")
        }
        assertError(.filePermissionDenied) { _ = try Realm(configuration: configuration) }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }
    #endif

    func testARefusedFileIsAnError() throws {
        var refused = configuration
        refused.makeDevice = { _, _ in throw JournalError.permissionDenied }
        assertError(.filePermissionDenied) { _ = try Realm(configuration: refused) }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }

    func testADifferentSchemaIsRefusedAndTheFileIsUntouched() throws {
        try withRealm { realm in try realm.write { realm.add(Schemas.One.Pet(value: ["name": "Rex"])) } }
        let before = try Data(contentsOf: file)
        var other = configuration
        other.objectTypes = [Schemas.Two.Pet.self]
        XCTAssertThrowsError(try Realm(configuration: other)) { error in
            XCTAssertEqual((error as? Realm.Error)?.code, .schemaMismatch)
            XCTAssertTrue("\(error)".contains("'Pet'"), "\(error)")
            XCTAssertTrue("\(error)".contains("age"), "\(error)")
        }
        XCTAssertEqual(try Data(contentsOf: file), before)
        try withRealm { realm in XCTAssertEqual(realm.objects(Schemas.One.Pet.self).first?.name, "Rex") }
    }

    // MARK: A failing disk

    func testAFullDiskLeavesTheDataAsItWas() throws {
        let disk = SmallDisk()
        var configuration = configuration
        configuration.makeDevice = { _, _ in disk }
        do {
            let realm = try Realm(configuration: configuration)
            let dog = Dog(value: ["name": "Rex"])
            try realm.write { realm.add(dog) }
            disk.bytesLeft = 100
            assertError(.outOfDiskSpace) {
                try realm.write {
                    dog.name = "Max"
                    for _ in 0..<100 { realm.add(Dog(value: ["name": "a dog that needs space"])) }
                }
            }
            XCTAssertFalse(realm.isInWriteTransaction)
            XCTAssertEqual(dog.name, "Rex")
            XCTAssertEqual(realm.objects(Dog.self).count, 1)
            disk.bytesLeft = .max
            try realm.write { dog.name = "Max" }
            XCTAssertEqual(dog.name, "Max")
        }
        let realm = try Realm(configuration: configuration)
        XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["Max"])
    }

    func testAFullDiskTellsNobody() throws {
        let disk = SmallDisk()
        var configuration = configuration
        configuration.makeDevice = { _, _ in disk }
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(dog) }
        var (objectCalls, realmCalls, values) = (0, 0, [String?]())
        let objectToken = dog.observe { (_: ObjectChange<Dog>) in objectCalls += 1 }
        let realmToken = realm.observe { _, _ in realmCalls += 1 }
        let valueToken = dog.observe(\.name, options: [.new]) { _, change in values.append(change.newValue) }
        disk.bytesLeft = 0
        assertError(.outOfDiskSpace) { try realm.write { dog.name = "Max" } }
        realm.refresh()
        XCTAssertEqual(objectCalls, 0)
        XCTAssertEqual(realmCalls, 0)
        XCTAssertEqual(values, ["Max", "Rex"], "the assignment, and its taking back")
        valueToken.invalidate()
        objectToken.invalidate()
        realmToken.invalidate()
    }
}

/// Two declarations of a class of one name.
private enum Schemas {
    enum One {
        class Pet: Object {
            @Persisted var name = ""
        }
    }

    enum Two {
        class Pet: Object {
            @Persisted var name = ""
            @Persisted var age = 0
        }
    }
}
