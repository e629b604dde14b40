import Foundation
import Kivo
import KivoEngine
import XCTest

/// Preparations before a file is opened: copying seeds, and compaction.
final class FilePreparationTests: FileTestCase {
    private var seed: URL { folder.appendingPathComponent("seed.kivo") }

    // MARK: Seeds

    func testASeedIsCopiedWhenThereIsNoFile() throws {
        try withRealm(Realm.Configuration(fileURL: seed)) { realm in
            try realm.write { realm.add(Dog(value: ["name": "seed"])) }
        }
        let before = try Data(contentsOf: seed)
        let seeded = Realm.Configuration(fileURL: file, seedFilePath: seed)
        XCTAssertEqual(try names(seeded), ["seed"])
        try withRealm(seeded) { realm in try realm.write { realm.objects(Dog.self)[0].name = "grown" } }
        XCTAssertEqual(try names(seeded), ["grown"])
        XCTAssertEqual(try Data(contentsOf: seed), before)
        try Realm.deleteFiles(for: seeded)
        XCTAssertEqual(try names(seeded), ["seed"])
    }

    func testAMissingSeedIsAnErrorThatNamesIt() throws {
        let seeded = Realm.Configuration(fileURL: file, seedFilePath: seed)
        assertError(.fileNotFound, says: [seed.path]) { _ = try Realm(configuration: seeded) }
        XCTAssertFalse(Realm.fileExists(for: seeded))
        try commit(["a"])
        XCTAssertEqual(try names(seeded), ["a"], "it is not needed")
    }

    func testASeedThatIsNoRealmIsRefused() throws {
        try Data("no realm, but long enough to be something".utf8).write(to: seed)
        let seeded = Realm.Configuration(fileURL: file, seedFilePath: seed)
        assertError(.invalidDatabase) { _ = try Realm(configuration: seeded) }
    }

    // MARK: Compaction

    private struct Question: Equatable, Sendable {
        var total: Int
        var used: Int
    }

    /// Without what is done about the size of a file as it grows, and when it is closed.
    private func unattended(_ configuration: Realm.Configuration) -> Realm.Configuration {
        var unattended = configuration
        unattended.checkpoints.allowance = .max / 4
        unattended.checkpoints.smallestTail = .max / 2
        unattended.checkpoints.smallestTailOfClosing = .max / 2
        return unattended
    }

    private func grow() throws {
        try withRealm(unattended(configuration)) { realm in
            try realm.write { realm.add(Dog()) }
            let dog = realm.objects(Dog.self)[0]
            let text = String(repeating: "long ", count: 20_000)
            for index in 0..<10 { try realm.write { dog.name = text + "\(index)" } }
            try realm.write { dog.name = "short" }
        }
    }

    private var size: Int {
        get throws { try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0 }
    }

    /// A configuration that notes what it is asked and answers alike.
    private func asking(_ answer: Bool, _ questions: Questions) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: file,
            shouldCompactOnLaunch: { total, used in
                questions.list.withLock { $0.append(Question(total: total, used: used)) }
                return answer
            })
    }

    private final class Questions: Sendable {
        let list = Lock<[Question]>([])
        var all: [Question] { list.withLock { $0 } }
    }

    func testAFileIsMadeSmallIfThatIsWanted() throws {
        try grow()
        let before = try size
        let questions = Questions()
        try withRealm(asking(true, questions)) { realm in
            XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["short"])
            XCTAssertEqual(try Realm(configuration: asking(true, questions)), realm, "and asks nothing")
        }
        XCTAssertEqual(questions.all.count, 1)
        XCTAssertEqual(questions.all[0].total, before)
        XCTAssertLessThan(questions.all[0].used, 12_288)
        XCTAssertLessThan(try size, 300_000, "with what is allocated ahead")
        XCTAssertGreaterThan(before, 1_000_000)
        try withRealm { realm in try realm.write { realm.add(Dog(value: ["name": "b"])) } }
        XCTAssertEqual(try names(), ["short", "b"])
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(),
            ["test.kivo", "test.kivo.lock"])
    }

    func testAFileThatIsNotToBeMadeSmallIsLeftAlone() throws {
        try grow()
        let before = try Data(contentsOf: file)
        let questions = Questions()
        XCTAssertEqual(try names(unattended(asking(false, questions))), ["short"])
        XCTAssertEqual(questions.all.count, 1)
        XCTAssertEqual(try Data(contentsOf: file), before)
        var readOnly = asking(true, questions)
        readOnly.readOnly = true
        XCTAssertEqual(try names(readOnly), ["short"])
        XCTAssertEqual(questions.all.count, 1, "a file that is only read is not asked about")
        XCTAssertEqual(try Data(contentsOf: file), before)
    }

    func testAFileThatDoesNotExistIsNotAskedAbout() throws {
        let questions = Questions()
        XCTAssertEqual(try names(asking(true, questions)), [])
        XCTAssertEqual(questions.all, [])
    }

    func testCompactionKeepsTheVersionAndTheKeys() throws {
        let versioned = Realm.Configuration(fileURL: file, schemaVersion: 7)
        try withRealm(versioned) { realm in
            try realm.write { for name in ["a", "b"] { realm.add(Dog(value: ["name": name])) } }
            try realm.write { realm.delete(realm.objects(Dog.self)[1]) }
        }
        var compacting = versioned
        compacting.shouldCompactOnLaunch = { _, _ in true }
        XCTAssertEqual(try names(compacting), ["a"])
        assertError(.schemaMismatch, says: ["less than last set version 7"]) { _ = try names() }
    }

    #if !os(Windows)
    func testCompactionKeepsThePermissionsAndTheLink() throws {
        try grow()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let link = folder.appendingPathComponent("link.kivo")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let linked = Realm.Configuration(fileURL: link, shouldCompactOnLaunch: { _, _ in true })
        XCTAssertEqual(try names(linked), ["short"])
        XCTAssertLessThan(try size, 300_000)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o640)
        let linkType =
            try FileManager.default.attributesOfItem(atPath: link.path)[.type] as? FileAttributeType
        XCTAssertEqual(linkType, .typeSymbolicLink)
    }

    func testWhatACompactionLeftUnfinishedDoesNotMatter() throws {
        try grow()
        try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: file.path + ".compacting"))
        XCTAssertEqual(try names(asking(true, Questions())), ["short"])
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(),
            ["test.kivo", "test.kivo.lock"])
    }

    func testAFileThatAnotherProcessHasAloneIsNotMadeSmall() throws {
        try grow()
        let before = try Data(contentsOf: file)
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        XCTAssertEqual(flock(descriptor, LOCK_EX), 0)
        assertError(.alreadyOpen, says: ["another process"]) {
            _ = try Realm(configuration: asking(true, Questions()))
        }
        XCTAssertEqual(try Data(contentsOf: file), before)
    }
    #endif
}
