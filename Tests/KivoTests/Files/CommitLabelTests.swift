import Foundation
import Kivo
import KivoEngine
import KivoJournal
import KivoLog
import XCTest

/// The labels and authors that writes give their commits.
final class CommitLabelTests: FileTestCase {
    /// The labels of the commits of the file, in order.
    private func labels() throws -> [CommitLabel?] {
        try waitUntilClosed()
        let device = try FileDevice.open(path: file.path, readOnly: true)
        defer { device.close() }
        var reader = JournalReader(device)
        var store = Replay(Heap())
        defer { store.discard() }
        var labels: [CommitLabel?] = []
        try reader.readOn(into: &store) { _, record in
            if record.kind.isData { labels.append(record.stamp?.label) }
        }
        return labels
    }

    private static let none = CommitLabel()

    func testLabelsOfEachFormOfWrite() throws {
        try withRealm { realm in
            let result = try realm.write(label: "One", author: "importer") { () -> Int in
                realm.add(Dog())
                return 5
            }
            XCTAssertEqual(result, 5)
            try realm.write(label: "Two") { realm.add(Dog()) }
            realm.beginWrite()
            realm.add(Dog())
            realm.labelWrite("never")
            realm.labelWrite(nil, author: "me")
            try realm.commitWrite()
            // A label does not stay for later writes.
            try realm.write { realm.add(Dog()) }
            // A commit without changes is not stored.
            try realm.write(label: "Nothing") {}
        }
        XCTAssertEqual(
            try labels(),
            [
                CommitLabel("One", author: "importer"), CommitLabel("Two"), CommitLabel(author: "me"),
                Self.none,
            ])
    }

    func testALabelEndsWithItsTransaction() throws {
        struct Stop: Error {}
        try withRealm { realm in
            XCTAssertThrowsError(
                try realm.write(label: "Cancelled") {
                    realm.add(Dog())
                    throw Stop()
                })
            try realm.write { realm.add(Dog()) }
            // The block ends the transaction and begins another one, which has no label.
            try realm.write(label: "First") {
                realm.add(Dog())
                try realm.commitWrite()
                realm.beginWrite()
                realm.add(Dog())
            }
        }
        XCTAssertEqual(try labels(), [Self.none, CommitLabel("First"), Self.none])
    }

    func testAsynchronousWritesThatBecomeOneCommit() throws {
        try withRealm { realm in
            let done = expectation(description: "durable")
            done.expectedFulfillmentCount = 3
            for (label, author) in [("a", "x"), ("b", "x"), ("a", "y")] {
                realm.writeAsync {
                    realm.labelWrite(label, author: author)
                    realm.add(Dog())
                } onComplete: { _ in
                    done.fulfill()
                }
            }
            wait(for: [done], timeout: 60)
        }
        let found = try labels()
        // How many become one commit depends on the disk.
        let composed = CommitLabel(composing: found.compactMap { $0 })
        for part in ["a", "b"] { XCTAssertTrue(composed.label?.contains(part) ?? false, "\(found)") }
        for part in ["x", "y"] { XCTAssertTrue(composed.author?.contains(part) ?? false, "\(found)") }
        XCTAssertLessThanOrEqual(found.count, 3)
    }

    @MainActor
    func testWritesOfTasks() async throws {
        do {
            let realm = try await Realm.open(configuration: configuration)
            try await realm.asyncWrite {
                realm.labelWrite("Task", author: "t")
                realm.add(Dog())
            }
        }
        XCTAssertEqual(try labels(), [CommitLabel("Task", author: "t")])
    }

    /// Labels and times stay with commits that a compaction copies; the schema version of a program has a time as well.
    func testMigrationsAndCompaction() throws {
        try withRealm { realm in try realm.write(label: "Before") { realm.add(Dog()) } }
        try waitUntilClosed()
        let later = Realm.Configuration(fileURL: file, schemaVersion: 2, migrationBlock: { _, _ in })
        try withRealm(later) { realm in try realm.write(label: "After") { realm.add(Dog()) } }
        XCTAssertEqual(try labels(), [CommitLabel("Before"), Self.none, CommitLabel("After")])
        try waitUntilClosed()
        _ = try FileCompaction.run(file)
        try withRealm(later) { realm in try realm.write(label: "Compacted") { realm.add(Dog()) } }
        XCTAssertEqual(try labels().last, CommitLabel("Compacted"))
    }

    func testRealmsInMemoryTakeLabels() throws {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "CommitLabelTests"))
        try realm.write(label: "Nowhere") { realm.add(Dog()) }
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
    }

    /// Logs other than files store labels too, as they do not interpret the commits.
    func testAnotherLog() throws {
        let first = MemoryLog()
        var configuration = configuration
        configuration.commitLog = CommitLogSource(identifier: name) { MemoryLog(sharing: first) }
        try withRealm(configuration) { realm in try realm.write(label: "Logged") { realm.add(Dog()) } }
        var found: [UInt8] = []
        try first.commits(after: 0) { found += $0.commit.payload }
        XCTAssertTrue(String(decoding: found, as: UTF8.self).contains("Logged"))
        try withRealm(configuration) { realm in XCTAssertEqual(realm.objects(Dog.self).count, 1) }
    }
}
