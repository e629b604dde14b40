import Foundation
import Kivo
import XCTest

/// The locations of files, and the effects of moving or removing them.
final class DisplacedFileTests: FileTestCase {
    private var readOnly: Realm.Configuration {
        var configuration = configuration
        configuration.readOnly = true
        return configuration
    }

    // MARK: Files that do not stay

    #if !os(Windows)
    private func refuseCommits(_ move: () throws -> Void, line: UInt = #line) throws {
        try commit(["a"])
        try withRealm { realm in
            let dog = realm.objects(Dog.self)[0]
            try move()
            assertError(.fileAccess, says: ["deleted, moved or replaced"], line: line) {
                try realm.write { dog.name = "lost" }
            }
            XCTAssertEqual(dog.name, "a", line: line)
            XCTAssertFalse(realm.isInWriteTransaction, line: line)
        }
    }

    func testADeletedFileTakesNoCommits() throws {
        try refuseCommits { try FileManager.default.removeItem(at: file) }
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
        try commit(["b"])
        XCTAssertEqual(try names(), ["b"])
    }

    /// A file that another process is just creating in the same place has no header yet, or only its first page.
    func testAFileThatIsBeingMadeTakesNoCommits() throws {
        let made = folder.appendingPathComponent("made.kivo")
        try withRealm(Realm.Configuration(fileURL: made)) { _ in }
        let header = try Data(contentsOf: made)
        for count in [0, 4096] {
            try refuseCommits {
                try FileManager.default.removeItem(at: file)
                try header.prefix(count).write(to: file)
            }
            try FileManager.default.removeItem(at: file)
        }
    }

    func testAMovedFileTakesNoCommitsUntilItIsBack() throws {
        let elsewhere = folder.appendingPathComponent("elsewhere.kivo")
        try refuseCommits { try FileManager.default.moveItem(at: file, to: elsewhere) }
        XCTAssertEqual(try names(Realm.Configuration(fileURL: elsewhere)), ["a"])
        try FileManager.default.moveItem(at: elsewhere, to: file)
        try withRealm { realm in
            try FileManager.default.moveItem(at: file, to: elsewhere)
            XCTAssertThrowsError(try realm.write { realm.add(Dog()) })
            try FileManager.default.moveItem(at: elsewhere, to: file)
            try realm.write { realm.add(Dog(value: ["name": "back"])) }
        }
        XCTAssertEqual(try names(), ["a", "back"])
    }

    func testAReplacedFileTakesNoCommitsAndIsOpenedAnew() throws {
        let other = folder.appendingPathComponent("other.kivo")
        try withRealm(Realm.Configuration(fileURL: other)) { realm in
            try realm.write { realm.add(Dog(value: ["name": "other"])) }
        }
        try commit(["a"])
        let old = try Realm(configuration: configuration)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: other, to: file)
        XCTAssertThrowsError(try old.write { old.add(Dog()) })
        let new = try Realm(configuration: configuration)
        XCTAssertNotEqual(old, new)
        XCTAssertEqual(new.objects(Dog.self).map(\.name), ["other"])
        XCTAssertEqual(old.objects(Dog.self).map(\.name), ["a"])
        try new.write { new.add(Dog(value: ["name": "more"])) }
        XCTAssertEqual(try Realm(configuration: configuration), new)
    }
    #endif

    // MARK: Reading and writing

    func testAFileIsNotOpenForReadingAndForWriting() throws {
        try commit(["a"])
        try withRealm(readOnly) { realm in
            assertError(.alreadyOpen, says: ["different read permissions"]) {
                _ = try Realm(configuration: configuration)
            }
            XCTAssertEqual(try Realm(configuration: readOnly), realm)
        }
        try withRealm { realm in
            assertError(.alreadyOpen, says: ["different read permissions"]) {
                _ = try Realm(configuration: readOnly)
            }
            try realm.write { realm.add(Dog(value: ["name": "b"])) }
        }
        XCTAssertEqual(try names(readOnly), ["a", "b"])
    }

    // MARK: URLs

    func testURLsThatAreNoFiles() throws {
        let urls = [
            "https://example.com/default.kivo", "default.kivo", "/tmp/default.kivo",
            "file://elsewhere/tmp/a.kivo",
            "file:///tmp/a%00b.kivo", "data:,text",
        ].map { URL(string: $0)! }
        for url in urls {
            assertError(.invalidInput, says: [url.absoluteString]) { _ = try Realm(fileURL: url) }
            assertError(.invalidInput) { try Realm.salvage(contentsOf: url, to: file) }
        }
        let nul = URL(fileURLWithPath: folder.path + "/a\0b.kivo")
        assertError(.invalidInput) { _ = try Realm(fileURL: nul) }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }

    func testARelativeURLIsThatOfItsBase() throws {
        try commit(["a"])
        let base = URL(fileURLWithPath: folder.path, isDirectory: true)
        let relative = URL(fileURLWithPath: "test.kivo", relativeTo: base)
        try withRealm { realm in
            XCTAssertEqual(try Realm(configuration: Realm.Configuration(fileURL: relative)), realm)
        }
        XCTAssertEqual(try names(Realm.Configuration(fileURL: relative)), ["a"])
        let spelled = try XCTUnwrap(
            URL(string: "test.kivo", relativeTo: URL(string: "file://\(folder.path)/")))
        XCTAssertEqual(try names(Realm.Configuration(fileURL: spelled)), ["a"])
    }

    #if !os(Windows)
    func testErrorsOfTheSystemAreSentences() throws {
        let name = String(repeating: "x", count: 300)
        assertError(.fileAccess, says: ["File name too long"]) {
            _ = try Realm(fileURL: folder.appendingPathComponent(name))
        }
    }
    #endif
}
