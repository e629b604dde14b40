#if !os(Windows) && !os(WASI)

import Foundation
import Kivo
import KivoEngine
import KivoJournal
import Testing
import XCTest

/// A full disk under a file that two processes share: commits throw and nothing else is lost, checkpoints and compactions are
/// made another time.
final class FullDiskTests: FileTestCase {
    private let disk = FullDisk()

    /// A configuration with checkpoints at closing, or with none.
    private func closing(_ tail: Int, allowance: Int) -> Realm.Configuration {
        var configuration = disk.configuration(configuration)
        configuration.checkpoints.smallestTail = .max
        configuration.checkpoints.smallestTailOfClosing = tail
        configuration.checkpoints.allowance = allowance
        return configuration
    }

    private var journal: Data { get throws { try Data(contentsOf: file)[16..<24] } }
    private var hasCheckpoint: Bool {
        get throws { try Data(contentsOf: file)[1024..<2048].contains { $0 != 0 } }
    }
    private var fileNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    func testACommitWithoutRoom() throws {
        try commitsWithoutRoom()
        try waitUntilClosed()
        XCTAssert(try Realm.verify(fileURL: file).flaws.isEmpty)
    }

    private func commitsWithoutRoom() throws {
        let reasons = [(ENOSPC, "no space left"), (EDQUOT, "quota"), (EFBIG, "may not become larger")]
        let (a, b) = (
            try Realm(configuration: disk.configuration(process("a"))),
            try Realm(configuration: process("b"))
        )
        let dog = Dog(value: ["name": "Rex"])
        try a.write { a.add(dog) }
        for (number, (reason, words)) in reasons.enumerated() {
            disk.fill(reason)
            assertError(.outOfDiskSpace, says: [words, file.path]) {
                try a.write {
                    dog.name = String(repeating: "x", count: 600_000)
                    a.add(Dog())
                }
            }
            XCTAssertFalse(a.isInWriteTransaction)
            XCTAssertEqual(dog.age, number * 2)
            XCTAssertEqual(dog.name, "Rex")
            XCTAssertEqual(a.objects(Dog.self).count, 1)
            // A commit that fits is written even while the disk is full, also if another instance made it.
            try a.write { dog.age += 1 }
            b.refresh()
            XCTAssertEqual(b.objects(Dog.self).map(\.age), [number * 2 + 1])
            try b.write { b.objects(Dog.self)[0].age += 1 }
            a.refresh()
            XCTAssertEqual(dog.age, number * 2 + 2)
        }
        disk.clear()
        try a.write { dog.name = String(repeating: "y", count: 600_000) }
        b.refresh()
        XCTAssertEqual(b.objects(Dog.self)[0].name.count, 600_000)
    }

    func testANewFileWithoutRoom() throws {
        disk.fill(EDQUOT)
        assertError(.outOfDiskSpace, says: ["quota", file.path]) {
            _ = try Realm(configuration: self.disk.configuration(self.configuration))
        }
        disk.clear()
        try withRealm(disk.configuration(configuration)) { realm in
            XCTAssertTrue(realm.isEmpty)
            try realm.write { realm.add(Dog()) }
        }
        XCTAssertEqual(try names(), [""])
    }

    func testACheckpointWithoutRoom() throws {
        let names = (0..<6000).map { "a dog whose name is so long that there are many pages of them \($0)" }
        try withRealm(closing(.max, allowance: 1 << 30)) { realm in
            try realm.write { for name in names { realm.add(Dog(value: ["name": name])) } }
        }
        try waitUntilClosed()
        try withRealm(closing(1, allowance: 1 << 30)) { realm in
            XCTAssertEqual(realm.objects(Dog.self).count, 6000)
            disk.fill()
            try realm.write { realm.objects(Dog.self)[0].age = 7 }
        }
        try waitUntilClosed()
        XCTAssertGreaterThan(disk.failureCount, 0)
        XCTAssertFalse(try hasCheckpoint)
        XCTAssert(try Realm.verify(fileURL: file).flaws.isEmpty)
        disk.clear()
        try withRealm(closing(1, allowance: 1 << 30)) { realm in
            XCTAssertEqual(realm.objects(Dog.self).map(\.name), names)
            XCTAssertEqual(realm.objects(Dog.self)[0].age, 7)
        }
        try waitUntilClosed()
        XCTAssertTrue(try hasCheckpoint, "the next one is made when there is room")
        XCTAssertEqual(try self.names(), names)
        XCTAssert(try Realm.verify(fileURL: file).flaws.isEmpty)
    }

    /// A compaction for which there is no room leaves the file in its place and nothing beside it.
    func testACompactionWithoutRoom() throws {
        let names = (0..<6000).map { "a dog whose name is so long that there are many pages of them \($0)" }
        try withRealm(closing(.max, allowance: 1 << 30)) { realm in
            try realm.write { for name in names { realm.add(Dog(value: ["name": name])) } }
        }
        try waitUntilClosed()
        let before = try journal
        for room in [0, 100_000] {
            try withRealm(closing(1, allowance: 1)) { realm in
                disk.room = room
                try realm.write { realm.objects(Dog.self)[0].age += 1 }
            }
            try waitUntilClosed()
            XCTAssertEqual(try journal, before)
            XCTAssertEqual(try fileNames, ["test.kivo", "test.kivo.lock"])
            disk.clear()
        }
        XCTAssertGreaterThan(disk.failureCount, 1)
        try withRealm(closing(1, allowance: 1)) { realm in
            XCTAssertEqual(realm.objects(Dog.self).map(\.name), names)
            XCTAssertEqual(realm.objects(Dog.self)[0].age, 2)
        }
        try waitUntilClosed()
        XCTAssertNotEqual(try journal, before, "it is made when there is room")
        XCTAssertEqual(try fileNames, ["test.kivo", "test.kivo.lock"])
        XCTAssertEqual(try self.names(), names)
    }

    /// If there is no room for a second file, the checkpoint is made in the existing file, although that is too large.
    func testACheckpointInPlaceOfACompactionWithoutRoom() throws {
        disk.fail("making")
        try withRealm(closing(.max, allowance: 1)) { realm in
            try realm.write { for age in 0..<500 { realm.add(Dog(value: ["age": age])) } }
        }
        try waitUntilClosed()
        let before = try journal
        try withRealm(closing(1, allowance: 1)) { realm in
            try realm.write { realm.objects(Dog.self)[0].age += 500 }
        }
        try waitUntilClosed()
        XCTAssertGreaterThan(disk.failureCount, 0)
        XCTAssertEqual(try journal, before)
        XCTAssertTrue(try hasCheckpoint)
        try withRealm { realm in
            XCTAssertEqual(realm.objects(Dog.self).map(\.age), [500] + Array(1..<500))
        }
    }

    /// A new file that took the old one's place, but whose name is not known to be on the disk, takes no commits until it is.
    func testACompactionWhoseNameIsNotFlushed() throws {
        var often = closing(.max, allowance: 1)
        (often.checkpoints.smallestTail, often.checkpoints.tailShare) = (1, 1 << 10)
        often.separation = "a"
        let a = try Realm(configuration: often)
        let b = try Realm(configuration: process("b"))
        let before = try journal
        disk.fail("synchronizeFolder")
        let end = Date() + 60
        var (added, thrown) = (0, nil as Realm.Error?)
        while thrown == nil, Date() < end {
            do {
                try a.write { a.add(Dog(value: ["age": added])) }
                added += 1
            } catch {
                thrown = error as? Realm.Error
            }
        }
        XCTAssertEqual(thrown?.code, .fileAccess)
        XCTAssertNotEqual(try journal, before, "the file is in its place")
        assertError(.fileAccess, says: ["folder"]) { try a.write { a.add(Dog(value: ["age": added])) } }
        disk.clear()
        try a.write { a.add(Dog(value: ["age": added])) }
        b.refresh()
        XCTAssertEqual(b.objects(Dog.self).map(\.age), Array(0...added))
        try b.write { b.add(Dog(value: ["age": added + 1])) }
        a.refresh()
        XCTAssertEqual(a.objects(Dog.self).map(\.age), Array(0...added + 1))
    }
}

#if os(Linux) && compiler(>=6.2)
#if canImport(Glibc)
private let limitOfFiles = __rlimit_resource_t(1)
#else
private let limitOfFiles: Int32 = 1
#endif

/// The limit that the system itself keeps: writes are short, and then fail.
struct FileLimitTests {
    @Test func aLimitOfTheProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(
                "kivo-\(UUID().uuidString).kivo")
            var configuration = Realm.Configuration(fileURL: file, objectTypes: [Dog.self])
            configuration.checkpoints.smallestTail = .max
            defer { _ = try? Realm.deleteFiles(for: configuration) }
            var limit = rlimit()
            getrlimit(limitOfFiles, &limit)
            let usual = limit
            limit.rlim_cur = 300_001
            precondition(setrlimit(limitOfFiles, &limit) == 0)
            do {
                var count = 0
                do {
                    let realm = try Realm(configuration: configuration)
                    do {
                        while count < 1000 {
                            try realm.write {
                                realm.add(Dog(value: ["name": String(repeating: "n", count: 999)]))
                            }
                            count += 1
                        }
                    } catch Realm.Error.outOfDiskSpace {
                    }
                    precondition(count > 50 && count < 1000, "\(count)")
                    precondition(realm.objects(Dog.self).count == count)
                    precondition(setrlimit(limitOfFiles, [usual]) == 0)
                    try realm.write {
                        realm.add(Dog(value: ["name": String(repeating: "m", count: 400_000)]))
                    }
                }
                let flaws = try Realm.verify(fileURL: file).flaws
                let found = try Realm(configuration: configuration).objects(Dog.self).count
                precondition(flaws.isEmpty && found == count + 1, "\(flaws), \(found)")
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }
}
#endif

#endif
