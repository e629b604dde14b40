#if !os(Windows) && !os(WASI)
import Foundation
import Kivo
import KivoEngine
import KivoJournal
import XCTest

/// A disk that refuses to read says nothing of the file: the error is the system's, and nothing is called damaged.
final class PageReadErrorTests: FileTestCase {
    private func makeFile() throws -> FailingReads {
        var configuration = configuration
        configuration.checkpoints.smallestTailOfClosing = 1
        try withRealm(configuration) { realm in
            try realm.write {
                for number in 0..<3000 { realm.create(Person.self, value: ["name": "person \(number)"]) }
            }
        }
        return FailingReads()
    }

    func testErrorsOfOpeningAreThrown() throws {
        let reads = try makeFile()
        let configuration = reads.configuration(configuration)
        let whole = try Data(contentsOf: file)
        for allowed in 0..<4 {
            reads.allow(allowed)
            XCTAssertThrowsError(try Realm(configuration: configuration), "\(allowed)") { error in
                let words = "\(error)"
                XCTAssert(words.contains("Input/output error"), words)
                XCTAssertFalse(words.contains("damaged"), words)
            }
        }
        reads.allow(.max)
        XCTAssertEqual(try Data(contentsOf: file), whole)
        try withRealm(configuration) { XCTAssertEqual($0.objects(Person.self).count, 3000) }
    }

    /// A checkpoint that has to read is made again later; the commits are there.
    func testErrorsOfCheckpointsLoseNothing() throws {
        let reads = try makeFile()
        var configuration = reads.configuration(configuration)
        configuration.checkpoints.smallestTailOfClosing = 1
        try withRealm(configuration) { realm in
            try realm.write { realm.create(Person.self, value: ["name": "new"]) }
            reads.allow(0)
        }
        reads.allow(.max)
        try withRealm(configuration) { realm in
            XCTAssertEqual(realm.objects(Person.self).where { $0.name == "new" }.count, 1)
            XCTAssertEqual(realm.objects(Person.self).count, 3001)
        }
        XCTAssertTrue(try Realm.verify(fileURL: file).isIntact)
    }
}

/// The system's calls on files, of which reading fails after some times.
final class FailingReads: Sendable {
    private let left = Lock(Int.max)

    /// Lets so many calls read.
    func allow(_ count: Int) { left.withLock { $0 = count } }

    func configuration(_ base: Realm.Configuration) -> Realm.Configuration {
        var configuration = base
        var calls = FileCalls()
        calls.read = { [self] file, buffer, offset in
            let isAllowed = left.withLock { left in
                if left == 0 { return false }
                if left != .max { left -= 1 }
                return true
            }
            if isAllowed { return FileCalls.system.read(file, buffer, offset) }
            errno = EIO
            return -1
        }
        configuration.makeDevice = { [calls] path, isReadOnly in
            try FileDevice.open(path: path, readOnly: isReadOnly, isShared: true, calls: calls)
        }
        return configuration
    }
}

#if compiler(>=6.2)
import Testing

struct PageReadErrorTrapTests {
    /// A property cannot throw: the program ends with the system's reason, and the file is not called damaged.
    @Test func aPageThatCannotBeRead() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-\(UUID()).kivo")
            defer { try? FileManager.default.removeItem(at: file) }
            let reads = FailingReads()
            var configuration = reads.configuration(Realm.Configuration(fileURL: file))
            configuration.checkpoints.smallestTailOfClosing = 1
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    for number in 0..<3000 { realm.create(Person.self, value: ["name": "person \(number)"]) }
                }
            }
            try FileTestCase.waitUntilClosed(file)
            let realm = try Realm(configuration: configuration)
            reads.allow(0)
            for person in realm.objects(Person.self) { print(person.name.count) }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        for words in ["cannot be read at byte", "Input/output error", "no way to throw"] {
            #expect(text.contains(words), "\(text)")
        }
        #expect(!text.contains("damaged"), "\(text)")
    }
}
#endif
#endif
