import Foundation
import Kivo
import KivoJournal
import TestRandomness
import XCTest

/// Migrations that do not come to their end, and what configurations say of them.
final class MigrationFailureTests: MigrationTestCase {
    private typealias Old = MigrationClasses.Old
    private typealias New = MigrationClasses.New

    private func keyed(_ realm: Realm) {
        for index in 0..<20 { realm.add(Old.Keyed(value: ["code": "code \(index)", "number": index])) }
    }

    private let renumber: MigrationBlock = { migration, _ in
        migration.enumerateObjects(ofType: "Keyed") { old, new in
            new?["number"] = 1000 + (old?["number"] as? Int ?? 0)
        }
    }

    func testADataErrorInTheBlockLeavesTheFileAsItWas() throws {
        try write([Old.Keyed.self], keyed)
        try assertRefused(
            .invalidInput, [New.Keyed.self], version: 1, says: ["'Keyed'", "'5'", "exists already"]
        ) {
            migration, _ in
            migration.deleteData(forType: "Keyed")
            migration.create("Keyed", value: ["number": 5])
            migration.create("Keyed", value: ["number": 5])
        }
        try withRealm(configuration([Old.Keyed.self], version: 0)) { realm in
            XCTAssertEqual(realm.objects(Old.Keyed.self).count, 20)
        }
    }

    func testObjectsThatAreKeptAreInvalidAfterwards() throws {
        try write([Old.Keyed.self], keyed)
        let kept = KeptObjects()
        let block: MigrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                kept.add(old!)
                kept.add(new!)
            }
        }
        try withRealm(configuration([New.Keyed.self], version: 1, block)) { realm in
            XCTAssertEqual(kept.objects.count, 40)
            XCTAssertTrue(kept.objects.allSatisfy(\.isInvalidated))
            XCTAssertEqual(realm.versionCount, 1)
        }
        // Like all objects they keep their realm open as long as they are retained.
        kept.objects = []
        try assertRefused(.invalidInput, [New.Rekeyed.self], version: 2, says: ["'Keyed.id'"], block)
        // The retained objects do not keep the file open.
        try withRealm(configuration([New.Keyed.self], version: 1)) { realm in
            XCTAssertEqual(realm.objects(New.Keyed.self).count, 20)
        }
    }

    /// A process that ends in the middle of what it writes: after as many bytes as there are.
    func testAKilledMigrationLeavesTheFileAsItWas() throws {
        try write([Old.Keyed.self], keyed)
        let bytes = [UInt8](try Data(contentsOf: file))
        var (lives, last) = (0, 0)
        let step = TestEffort.current == .standard ? 17 : 1
        var random = RandomSource()
        let first = random.below(step)
        for limit in stride(from: first, to: .max, by: step) {
            let disk = DyingDisk(bytes, bytesLeft: limit)
            var dying = configuration([New.Keyed.self], version: 1, renumber)
            dying.makeDevice = { _, _ in disk }
            let isDone = (try? withRealm(dying) { _ in }) != nil
            // The next process finds what is on the disk.
            let found = SmallDisk(disk.bytes)
            var next = configuration([Old.Keyed.self], version: 0)
            next.makeDevice = { _, _ in found }
            if isDone {
                next = configuration([New.Keyed.self], version: 1)
                next.makeDevice = { _, _ in found }
                try withRealm(next) { realm in
                    XCTAssertEqual(realm.objects(New.Keyed.self).map(\.number), Array(1000..<1020))
                }
                last = limit
                break
            }
            try withRealm(next) { realm in
                XCTAssertEqual(realm.objects(Old.Keyed.self).map(\.number), Array(0..<20), "\(limit)")
                XCTAssertEqual(realm.objects(Old.Keyed.self).last?.code, "code 19")
            }
            lives += 1
        }
        XCTAssertGreaterThan(last, 250)
        XCTAssertEqual(lives, (last - first) / step)
    }

    func testAFullDisk() throws {
        let disk = SmallDisk()
        var old = configuration([Old.Keyed.self], version: 0)
        old.makeDevice = { _, _ in disk }
        try withRealm(old) { realm in try realm.write { keyed(realm) } }
        disk.bytesLeft = 50
        var new = configuration([New.Keyed.self], version: 1, renumber)
        new.makeDevice = { _, _ in disk }
        assertError(.outOfDiskSpace) { try withRealm(new) { _ in } }
        disk.bytesLeft = .max
        try withRealm(old) { realm in XCTAssertEqual(realm.objects(Old.Keyed.self).count, 20) }
        try withRealm(new) { realm in
            XCTAssertEqual(realm.objects(New.Keyed.self).last?.number, 1019)
            try realm.write { realm.add(New.Keyed(value: ["number": 5])) }
        }
        try withRealm(new) { realm in XCTAssertEqual(realm.objects(New.Keyed.self).count, 21) }
    }

    /// A file that is large enough to get a checkpoint when it is closed.
    func testALargeFileThatCannotBeMigrated() throws {
        try write([Old.Keyed.self]) { realm in
            for index in 0..<5_000 {
                realm.add(Old.Keyed(value: ["code": "code \(index)", "number": index / 2]))
            }
        }
        for isCheckpoint in [false, true] {
            try assertRefused(.invalidInput, [New.Keyed.self], version: 1, says: ["'Keyed.number'"])
            try assertRefused(.schemaMismatch, [New.Keyed.self], version: 0, says: ["'Keyed'"])
            if isCheckpoint { break }
            try withRealm(configuration([Old.Keyed.self], version: 0)) { realm in
                XCTAssertEqual(realm.objects(Old.Keyed.self).count, 5_000)
                try realm.write { realm.objects(Old.Keyed.self)[0].number = 0 }
            }
        }
        try migrate([New.Keyed.self]) { migration, _ in
            migration.enumerateObjects(ofType: "Keyed") { old, new in
                new?["number"] = Int((old?["code"] as? String ?? "").dropFirst(5)) ?? -1
            }
        } check: { realm in
            XCTAssertEqual(realm.objects(New.Keyed.self).count, 5_000)
            XCTAssertEqual(realm.object(ofType: New.Keyed.self, forPrimaryKey: 4_321)?.code, "code 4321")
        }
        try migrate([New.Unkeyed.self], version: 2) { realm in
            XCTAssertEqual(realm.objects(New.Unkeyed.self).where { $0.number == 17 }.map(\.code), ["code 17"])
        }
    }

    // MARK: Configurations

    func testTheBlockIsCalledForAHigherVersionOnly() throws {
        let versions = Shared<[UInt64]>([])
        let block: MigrationBlock = { _, version in versions.update { $0.append(version) } }
        // A new file has nothing to be migrated.
        try withRealm(configuration([Old.Keyed.self], version: 3, block)) { _ in }
        try withRealm(configuration([Old.Keyed.self], version: 3, block)) { realm in
            try realm.write { keyed(realm) }
        }
        XCTAssertEqual(versions.value, [])
        try withRealm(configuration([Old.Keyed.self], version: 5, block)) { _ in }
        XCTAssertEqual(versions.value, [3])
        assertError(.schemaMismatch, says: ["less than last set version 5"]) {
            try withRealm(configuration([Old.Keyed.self], version: 4, block)) { _ in }
        }
        try withRealm(configuration([Old.Keyed.self], version: 6, block)) { realm in
            XCTAssertEqual(realm.objects(Old.Keyed.self).count, 20)
        }
        XCTAssertEqual(versions.value, [3, 5])
        // A realm in memory begins with nothing whenever it is opened.
        var memory = Realm.Configuration(inMemoryIdentifier: "migration", schemaVersion: 1)
        memory.migrationBlock = block
        try withRealm(memory) { _ in }
        memory.schemaVersion = 2
        try withRealm(memory) { _ in }
        XCTAssertEqual(versions.value, [3, 5])
    }

    func testAFileThatIsOnlyReadIsNotMigrated() throws {
        try write([Old.Keyed.self], keyed)
        for version in [0, 1] as [UInt64] {
            var readOnly = configuration([New.Keyed.self], version: version, renumber)
            readOnly.readOnly = true
            let before = try Data(contentsOf: file)
            assertError(.schemaMismatch, says: ["'Keyed'"]) { try withRealm(readOnly) { _ in } }
            XCTAssertEqual(try Data(contentsOf: file), before)
        }
    }

    func testAFileIsDeletedInstead() throws {
        var configuration = configuration([New.Keyed.self], version: 0, renumber)
        configuration.deleteRealmIfMigrationNeeded = true
        func reset() throws {
            try? FileManager.default.removeItem(at: file)
            try write([Old.Keyed.self], version: 1, keyed)
        }
        // Another version, lower or higher, and other classes at the same one.
        for version in [0, 1, 2] as [UInt64] {
            try reset()
            configuration.schemaVersion = version
            try withRealm(configuration) { realm in
                XCTAssertEqual(realm.objects(New.Keyed.self).count, 0)
                try realm.write { realm.add(New.Keyed(value: ["number": 1])) }
            }
            XCTAssertEqual(try schemaVersionAtURL(file), version)
            try withRealm(configuration) { XCTAssertEqual($0.objects(New.Keyed.self).count, 1) }
        }
        try reset()
        configuration.objectTypes = [Old.Keyed.self]
        configuration.schemaVersion = 1
        try withRealm(configuration) { XCTAssertEqual($0.objects(Old.Keyed.self).count, 20) }
        // Damage is not a reason to delete the file.
        var data = try Data(contentsOf: file)
        data[8192 + 40] ^= 1
        try data.write(to: file)
        assertError(.invalidDatabase) { try withRealm(configuration) { _ in } }
    }

    func testMigratingWithoutOpening() throws {
        try write([Old.Keyed.self], keyed)
        XCTAssertEqual(try schemaVersionAtURL(file), 0)
        let configuration = configuration([New.Keyed.self], version: 7, renumber)
        try withRealm(self.configuration([Old.Keyed.self], version: 0)) { realm in
            XCTAssertFalse(realm.isEmpty)
            assertError(.alreadyOpen) { try Realm.performMigration(for: configuration) }
            XCTAssertEqual(try schemaVersionAtURL(file), 0)
        }
        try Realm.performMigration(for: configuration)
        XCTAssertEqual(try schemaVersionAtURL(file), 7)
        try Realm.performMigration(for: configuration)
        try withRealm(self.configuration([New.Keyed.self], version: 7)) { realm in
            XCTAssertEqual(realm.objects(New.Keyed.self).first?.number, 1000)
            XCTAssertEqual(try schemaVersionAtURL(file), 7)
        }
        assertError(.invalidDatabase) { _ = try schemaVersionAtURL(folder.appendingPathComponent("no")) }
        assertError(.invalidInput) { _ = try schemaVersionAtURL(file, encryptionKey: Data(count: 64)) }
        let text = folder.appendingPathComponent("text")
        try Data("no realm at all".utf8).write(to: text)
        assertError(.invalidDatabase) { _ = try schemaVersionAtURL(text) }
    }

    func testEveryDifferenceOfEveryClassIsSaid() throws {
        try write([Old.Keyed.self] + Old.owners) { realm in
            keyed(realm)
            realm.add(Old.Owner(value: ["part": ["number": 1]]))
        }
        try assertRefused(
            .schemaMismatch, [New.Keyed.self] + New.owners, version: 0,
            says: ["'Keyed' differs", "'number' is the primary key now", "'Part' differs", "'schemaVersion'"])
    }

    // MARK: Classes that come later

    /// Classes that were not used before are found, wherever they are declared.
    func testAClassThatDiffersIsFoundWhenTheFileIsOpened() throws {
        func writeFile(_ type: Object.Type, _ name: String) throws {
            try? FileManager.default.removeItem(at: file)
            try withRealm { realm in try realm.write { realm.add(type.init()) } }
            var data = try Data(contentsOf: file)
            // Renames the classes in the file, as if another program had written it with other classes of these names.
            for (from, to) in [("MigrationFound1", name), ("MigrationFound2", name)] {
                while let range = data.range(of: Data(from.utf8)) {
                    data.replaceSubrange(range, with: Data(to.utf8))
                }
            }
            try Data(JournalForger([UInt8](data)).bytes).write(to: file)
        }
        class MigrationLocal1: Object { @Persisted var other = 0 }
        for name in ["MigrationNested", "MigrationHidden", "MigrationLocal1"] {
            try writeFile(MigrationFound1.self, name)
            assertError(.schemaMismatch, says: ["'\(name)'", "'text' was removed", "'other' was added"]) {
                try withRealm { _ in }
            }
            // With a higher version it is migrated.
            var newer = configuration
            newer.schemaVersion = 1
            try withRealm(newer) { realm in
                XCTAssertEqual(realm.dynamicObjects(name).first?["other"] as? Int, 0)
            }
        }
        // If two classes fit, the right one is unknown.
        try writeFile(MigrationFound2.self, "MigrationDouble")
        XCTAssertNoThrow(
            try withRealm { realm in XCTAssertEqual(realm.dynamicObjects("MigrationDouble").count, 1) })
    }
}

class MigrationFound1: Object {
    @Persisted var text = ""
}

class MigrationFound2: Object {
    @Persisted var text = ""
}

enum MigrationOuter {
    class MigrationNested: Object {
        @Persisted var other = 0
    }

    class MigrationDouble: Object {
        @Persisted var other = 0
    }
}

enum MigrationOther {
    class MigrationDouble: Object {
        @Persisted var another = 0
    }
}

private class MigrationHidden: Object {
    @Persisted var other = 0
}

/// Objects that outlive the block that they were given to.
private final class KeptObjects: @unchecked Sendable {
    // The block is called by the thread that opens the realm, which is the test's.
    var objects: [DynamicObject] = []

    func add(_ object: DynamicObject) { objects.append(object) }
}

/// A device that stops to take anything after so many bytes, as if the process had ended there.
private final class DyingDisk: JournalDevice {
    private let disk: SmallDisk
    private let isDead = Shared(false)

    init(_ bytes: [UInt8], bytesLeft: Int) {
        disk = SmallDisk(bytes)
        disk.bytesLeft = bytesLeft
    }

    var bytes: [UInt8] { disk.bytes }

    private func living<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        if isDead.value { throw .noSpace }
        do {
            return try body()
        } catch {
            isDead.update { $0 = true }
            throw error
        }
    }

    func size() throws(JournalError) -> Int { try disk.size() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try disk.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try living { () throws(JournalError) in try disk.write(bytes, at: offset) }
    }

    func truncate(to size: Int) throws(JournalError) {
        try living { () throws(JournalError) in try disk.truncate(to: size) }
    }

    func synchronize() throws(JournalError) {
        try living { () throws(JournalError) in try disk.synchronize() }
    }

    func close() { disk.close() }
}
