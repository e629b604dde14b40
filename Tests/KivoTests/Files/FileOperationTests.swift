import Foundation
import Kivo
import XCTest

/// Files as a whole: whether they are there, deleting them, and copies.
final class FileOperationTests: FileTestCase {
    private var copy: URL { folder.appendingPathComponent("copy.kivo") }
    private var contents: [String] {
        get throws {
            // Lock files are created and removed together with their files.
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .filter { !$0.hasSuffix(".lock") }
        }
    }

    // MARK: Being there

    func testFilesThatExist() throws {
        XCTAssertFalse(Realm.fileExists(for: configuration))
        try commit(["a"])
        XCTAssertTrue(Realm.fileExists(for: configuration))
        XCTAssertFalse(Realm.fileExists(for: Realm.Configuration(fileURL: folder)), "a folder")
        XCTAssertFalse(Realm.fileExists(for: Realm.Configuration(inMemoryIdentifier: "FileOperationTests")))
        XCTAssertFalse(
            Realm.fileExists(for: Realm.Configuration(fileURL: URL(string: "https://example.com")!)))
    }

    #if !os(Windows)
    func testNewFilesAreForTheirOwnerOnly() throws {
        try commit(["a"])
        try withRealm { try $0.writeCopy(toFile: copy) }
        for file in [file, copy] {
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            XCTAssertEqual(mode, 0o600, file.lastPathComponent)
        }
    }
    #endif

    func testAFolderIsRefusedInWords() {
        let configuration = Realm.Configuration(fileURL: folder)
        assertError(.fileAccess, says: ["leads to a folder", folder.path]) {
            _ = try Realm(configuration: configuration)
        }
        XCTAssertThrowsError(try Realm.deleteFiles(for: configuration))
        XCTAssertTrue(FileManager.default.fileExists(atPath: folder.path))
    }

    // MARK: Spellings of one path

    #if !os(Windows)
    func testALinkLeadsToTheSameStore() throws {
        let link = folder.appendingPathComponent("link.kivo")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        // The link leads nowhere yet: the file is made where it leads.
        try withRealm(Realm.Configuration(fileURL: link)) { realm in
            try realm.write { realm.add(Dog(value: ["name": "a"])) }
            XCTAssertEqual(try Realm(configuration: configuration), realm)
        }
        XCTAssertEqual(try names(), ["a"])
        let attributes = try FileManager.default.attributesOfItem(atPath: link.path)
        XCTAssertEqual(attributes[.type] as? FileAttributeType, .typeSymbolicLink)
    }

    func testALinkedFolderLeadsToTheSameStoreBeforeAndAfterTheFileIsThere() throws {
        let real = folder.appendingPathComponent("real")
        let link = folder.appendingPathComponent("linked")
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: "./nothing/../real")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("nothing"), withIntermediateDirectories: true)
        let first = try Realm(fileURL: link.appendingPathComponent("a.kivo"))
        let second = try Realm(fileURL: real.appendingPathComponent("./a.kivo"))
        XCTAssertEqual(first, second)
        XCTAssertEqual(try Realm(fileURL: folder.appendingPathComponent("linked//../linked/a.kivo")), second)
    }

    func testALinkToItselfIsAnError() throws {
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
        XCTAssertThrowsError(try Realm(configuration: configuration)) { XCTAssertTrue($0 is Realm.Error) }
    }
    #endif

    #if os(Linux)
    /// The file system has two names, so these are two files, although the strings are equal.
    func testNamesOfOtherBytesAreTheFilesThatTheSystemTakesThemFor() throws {
        let composed = URL(fileURLWithPath: folder.path + "/\u{E9}.kivo")
        let decomposed = URL(fileURLWithPath: folder.path + "/e\u{301}.kivo")
        XCTAssertEqual(composed.lastPathComponent, decomposed.lastPathComponent, "equal as strings")
        let one = try Realm(fileURL: composed)
        let other = try Realm(fileURL: decomposed)
        XCTAssertNotEqual(one, other)
        try one.write { one.add(Dog(value: ["name": "composed"])) }
        try other.write { other.add(Dog(value: ["name": "decomposed"])) }
        XCTAssertEqual(one.objects(Dog.self).map(\.name), ["composed"])
        XCTAssertEqual(other.objects(Dog.self).map(\.name), ["decomposed"])
        XCTAssertEqual(try contents.count, 2)
    }
    #endif

    // MARK: Deleting

    func testDeletingFiles() throws {
        XCTAssertFalse(try Realm.deleteFiles(for: configuration))
        try commit(["a"])
        try Data("half".utf8).write(to: URL(fileURLWithPath: file.path + ".unfinished"))
        XCTAssertTrue(try Realm.deleteFiles(for: configuration))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
        XCTAssertFalse(try Realm.deleteFiles(for: configuration))
        XCTAssertFalse(
            try Realm.deleteFiles(for: Realm.Configuration(inMemoryIdentifier: "FileOperationTests")))
        try commit(["b"])
        XCTAssertEqual(try names(), ["b"])
    }

    func testAnOpenFileIsNotDeleted() throws {
        try withRealm { realm in
            try realm.write { realm.add(Dog(value: ["name": "a"])) }
            assertError(.alreadyOpen) { try Realm.deleteFiles(for: configuration) }
        }
        var readOnly = configuration
        readOnly.readOnly = true
        try withRealm(readOnly) { _ in
            assertError(.alreadyOpen) { try Realm.deleteFiles(for: configuration) }
        }
        XCTAssertEqual(try names(), ["a"])
        XCTAssertTrue(try Realm.deleteFiles(for: configuration))
    }

    func testFrozenObjectsKeepAFileFromBeingDeleted() throws {
        try commit(["a"])
        var frozen: Dog? = try withRealm { $0.objects(Dog.self)[0].freeze() }
        assertError(.alreadyOpen) { try Realm.deleteFiles(for: configuration) }
        XCTAssertEqual(frozen?.name, "a")
        frozen = nil
        XCTAssertTrue(try Realm.deleteFiles(for: configuration))
    }

    #if !os(Windows)
    func testOfALinkTheFileIsDeleted() throws {
        let link = folder.appendingPathComponent("link.kivo")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try commit(["a"])
        XCTAssertTrue(try Realm.deleteFiles(for: Realm.Configuration(fileURL: link)))
        XCTAssertEqual(try contents, ["link.kivo"])
    }

    func testAFileOpenInAnotherProcessIsNotDeleted() throws {
        try commit(["a"])
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        // The lock belongs to the open file, so this is the same as a lock of another process.
        XCTAssertEqual(flock(descriptor, LOCK_SH), 0)
        assertError(.alreadyOpen) { try Realm.deleteFiles(for: configuration) }
        XCTAssertTrue(Realm.fileExists(for: configuration))
    }
    #endif

    // MARK: Copies

    func testACopyHoldsWhatTheInstanceSees() throws {
        try commit(["a", "b"])
        try withRealm { realm in
            let dogs = realm.objects(Dog.self)
            try realm.write { realm.delete(dogs[0]) }
            try realm.writeCopy(toFile: copy)
            try realm.write { realm.add(Dog(value: ["name": "later"])) }
        }
        XCTAssertEqual(try names(Realm.Configuration(fileURL: copy)), ["b"])
        XCTAssertEqual(try contents, ["copy.kivo", "test.kivo"])
        let bytes = try Data(contentsOf: copy)
        XCTAssertLessThan(bytes.count, 12_288, "nothing is allocated ahead")
        // It can be written to like any other.
        try withRealm(Realm.Configuration(fileURL: copy)) { realm in
            try realm.write { realm.add(Dog(value: ["name": "c"])) }
        }
        XCTAssertEqual(try names(Realm.Configuration(fileURL: copy)), ["b", "c"])
    }

    func testACopyInATransactionHoldsWhatIsWrittenInIt() throws {
        try withRealm { realm in
            realm.beginWrite()
            realm.add(Dog(value: ["name": "not committed"]))
            try realm.writeCopy(toFile: copy)
            realm.cancelWrite()
            XCTAssertTrue(realm.isEmpty)
        }
        XCTAssertEqual(try names(Realm.Configuration(fileURL: copy)), ["not committed"])
    }

    /// Rows that a transaction deleted leave empty nodes, which are removed when it ends.
    func testACopyInATransactionThatDeletes() throws {
        try withRealm { realm in
            try realm.write {
                for index in 0..<5_000 {
                    let person = Person(value: ["name": "p\(index)"])
                    if index % 2 == 0 { person.dogs.append(Dog(value: ["name": "d\(index)"])) }
                    realm.add(person)
                }
            }
            let people = realm.objects(Person.self).sorted(byKeyPath: "name")
            for deleted in [0..<5_000, 0..<4_000, 1_000..<5_000, 700..<4_100, 4_000..<4_600, 5..<6] {
                realm.beginWrite()
                let names = Set(deleted.map { "p\($0)" })
                let leaving = realm.objects(Person.self).filter { names.contains($0.name) }
                for person in leaving { realm.delete(person.dogs) }
                realm.delete(leaving)
                if deleted.lowerBound % 1_000 == 0 {
                    realm.add(Person(value: ["name": "new", "dogs": [["name": "newer"]]]))
                    realm.delete(realm.objects(Person.self).where { $0.name == "new" })
                }
                try realm.writeCopy(toFile: copy)
                let report = try Realm.verify(fileURL: copy)
                XCTAssertTrue(report.isIntact, "\(deleted): \(report)")
                try withRealm(Realm.Configuration(fileURL: copy)) { copied in
                    func described(_ realm: Realm) -> [String] {
                        realm.objects(Person.self).map { "\($0.name) \(Array($0.dogs.map(\.name)))" }
                            + realm.objects(Dog.self).map(\.name)
                    }
                    XCTAssertEqual(described(copied), described(realm), "\(deleted)")
                    try copied.write {
                        copied.add(Person(value: ["name": "later", "dogs": [["name": "x"]]]))
                    }
                    XCTAssertEqual(copied.objects(Person.self).last?.dogs[0].name, "x")
                }
                realm.cancelWrite()
                XCTAssertEqual(people.count, 5_000)
                XCTAssertTrue(try Realm.deleteFiles(for: Realm.Configuration(fileURL: copy)))
            }
        }
    }

    func testRealmsInMemoryAndFrozenOnesAreCopied() throws {
        let memory = Realm.Configuration(inMemoryIdentifier: "FileOperationTests-copy", schemaVersion: 3)
        try withRealm(memory) { realm in
            try realm.write { realm.add(Dog(value: ["name": "then"])) }
            let frozen = realm.freeze()
            try realm.write { realm.objects(Dog.self)[0].name = "now" }
            try frozen.writeCopy(configuration: configuration)
            try realm.writeCopy(toFile: copy)
            assertError(.invalidInput) { try realm.writeCopy(configuration: memory) }
        }
        XCTAssertEqual(try names(Realm.Configuration(fileURL: file, schemaVersion: 3)), ["then"])
        XCTAssertEqual(try names(Realm.Configuration(fileURL: copy, schemaVersion: 3)), ["now"])
        assertError(.schemaMismatch) { _ = try Realm(configuration: Realm.Configuration(fileURL: copy)) }
    }

    func testACopyReplacesNothing() throws {
        try commit(["a"])
        try Data("mine".utf8).write(to: copy)
        try withRealm { realm in
            assertError(.fileExists, says: [copy.path]) { try realm.writeCopy(toFile: copy) }
            assertError(.fileExists) { try realm.writeCopy(toFile: file) }
            assertError(.fileNotFound) {
                try realm.writeCopy(toFile: folder.appendingPathComponent("missing/copy.kivo"))
            }
        }
        XCTAssertEqual(try Data(contentsOf: copy), Data("mine".utf8))
        XCTAssertEqual(try contents, ["copy.kivo", "test.kivo"])
        XCTAssertEqual(try names(), ["a"])
    }

    /// A copy is written page by page, so that it opens at once.
    func testACopyIsACheckpoint() throws {
        try withRealm { realm in
            try realm.write {
                for index in 0..<3_000 { realm.add(Dog(value: ["name": "dog \(index)"])) }
            }
            try realm.writeCopy(toFile: copy)
        }
        let report = try Realm.verify(fileURL: copy)
        XCTAssertTrue(report.isIntact, "\(report)")
        XCTAssertNotNil(report.checkpointOffset)
        XCTAssertGreaterThan(report.pageCount, 10)
        XCTAssertEqual(report.objectCount, 3_000)
        XCTAssertEqual(report.commitCount, 0)
        XCTAssertEqual(try names(Realm.Configuration(fileURL: copy)), (0..<3_000).map { "dog \($0)" })
    }

    func testACopyOfNothing() throws {
        try withRealm { try $0.writeCopy(toFile: copy) }
        XCTAssertTrue(try Realm.verify(fileURL: copy).isIntact)
        XCTAssertEqual(try names(Realm.Configuration(fileURL: copy)), [])
    }

    func testLinksAndOrderSurviveACopy() throws {
        try withRealm { realm in
            try realm.write {
                for index in 0..<300 {
                    let person = Person(value: ["name": "p\(index)"])
                    for dog in 0..<(index % 4) {
                        person.dogs.append(Dog(value: ["name": "d\(index).\(dog)"]))
                    }
                    realm.add(person)
                }
                realm.delete(realm.objects(Person.self).filter("name ENDSWITH '7'"))
            }
            try realm.writeCopy(toFile: copy)
        }
        func described(_ configuration: Realm.Configuration) throws -> [String] {
            try withRealm(configuration) { realm in
                realm.objects(Person.self).map { person in "\(person.name): \(Array(person.dogs.map(\.name)))"
                }
            }
        }
        XCTAssertEqual(try described(Realm.Configuration(fileURL: copy)), try described(configuration))
    }

    // MARK: Keys

    func testAnEncryptionKeyIsRefusedAndNothingIsWritten() throws {
        var keyed = configuration
        keyed.encryptionKey = Data(repeating: 1, count: 64)
        assertError(.invalidInput, says: ["does not encrypt", "encryptionKey"]) {
            _ = try Realm(configuration: keyed)
        }
        XCTAssertEqual(try contents, [])
        let initialized = Realm.Configuration(fileURL: file, encryptionKey: Data(count: 64))
        XCTAssertNotEqual(initialized, configuration)
        assertError(.invalidInput) { _ = try Realm(configuration: initialized) }
        var memory = Realm.Configuration(inMemoryIdentifier: "FileOperationTests-key")
        memory.encryptionKey = Data(count: 64)
        assertError(.invalidInput) { _ = try Realm(configuration: memory) }
        try commit(["a"])
        try withRealm { realm in
            assertError(.invalidInput) { try realm.writeCopy(toFile: copy, encryptionKey: Data(count: 64)) }
        }
        XCTAssertEqual(try contents, ["test.kivo"])
        XCTAssertTrue(Realm.fileExists(for: keyed))
        XCTAssertTrue(try Realm.deleteFiles(for: keyed), "it takes no key to delete a file")
    }

    @MainActor
    func testAnEncryptionKeyIsRefusedAsynchronously() async throws {
        let keyed = Realm.Configuration(fileURL: file, encryptionKey: Data(count: 64))
        do {
            _ = try await Realm(configuration: keyed)
            XCTFail("a key was accepted")
        } catch Realm.Error.invalidInput {}
    }
}
