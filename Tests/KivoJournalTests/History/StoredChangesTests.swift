import KivoEngine
import KivoLog
import TestRandomness
import XCTest

@testable import KivoJournal

/// Rows of Kivo itself, and the rule that a file must have what is demanded of its past.
final class StoredChangesTests: XCTestCase {
    private var contents = CommitHistory()

    override func tearDown() { contents.discard() }

    private func write(_ body: (WriteTransaction) -> Void) throws {
        try contents.defineTables {
            try StoredConsumer.defineTable(in: &$0)
            try StoredChanges.defineTable(in: &$0)
        }
        try contents.commit { body($0) }
    }

    private func row(
        _ start: UInt64, _ end: UInt64, count: UInt64 = 1, label: CommitLabel = CommitLabel(),
        isMigration: Bool = false, _ bytes: [UInt8] = []
    ) -> StoredChanges {
        StoredChanges(
            start, end, count: count, microseconds: 5, label: label, isMigration: isMigration, bytes)
    }

    private func stored(_ lineage: UInt64 = 1) -> [StoredChanges] {
        StoredChanges.all(in: contents.snapshot, contents.catalog, lineage: lineage)
    }

    private func keeps(_ version: UInt64) -> Bool {
        StoreContents(
            contents.snapshot, contents.catalog, TableNumbers(), version: version, schemaVersion: 0
        ).keepsHistory(lineage: 1)
    }

    func testRowsAreReadAsTheyWereWritten() throws {
        let label = CommitLabel("é", author: "me")
        try write { transaction in
            StoredChanges.replaceAll(
                with: [
                    row(3, 4, count: 0), row(1, 3, count: 9, label: label, [1, 2, 3]),
                    row(4, 5, isMigration: true),
                ], in: transaction, lineage: 1)
        }
        let found = stored()
        XCTAssertEqual(found.map(\.start), [1, 3, 4])
        XCTAssertEqual(found.map(\.end), [3, 4, 5])
        XCTAssertEqual(found.map(\.count), [9, 0, 1])
        XCTAssertEqual(found.map(\.isMigration), [false, false, true])
        XCTAssertEqual(found.map(\.isEmpty), [false, true, false])
        XCTAssertEqual(found[0].label, label)
        XCTAssertEqual(found[0].microseconds, 5)
        XCTAssertEqual(found[0].bytes(in: contents.snapshot, contents.catalog), [1, 2, 3])
        XCTAssertEqual(stored(2).count, 0)
        // Those that stay are not written again.
        let before = contents.snapshot
        try write {
            StoredChanges.replaceAll(with: Array(found.dropFirst()) + [row(5, 6)], in: $0, lineage: 1)
        }
        XCTAssertFalse(contents.snapshot === before)
        XCTAssertEqual(stored().map(\.end), [4, 5, 6])
        XCTAssertEqual(
            StoredChanges.end(in: contents.snapshot, contents.catalog, lineage: 1), 6)
        XCTAssertNil(StoredChanges.end(in: contents.snapshot, contents.catalog, lineage: 2))
    }

    func testAFileIsCompactedIfItHasWhatIsDemanded() throws {
        XCTAssertTrue(keeps(10))
        let slow = StoredConsumer(.consumer, name: "slow", number: 4, lineage: 1)
        try write { slow.write(to: $0) }
        XCTAssertFalse(keeps(10))
        XCTAssertTrue(keeps(4))
        try write { StoredChanges.replaceAll(with: [row(4, 10)], in: $0, lineage: 1) }
        XCTAssertTrue(keeps(10))
        XCTAssertFalse(keeps(11))
        // One that belongs to other data demands nothing.
        try write { transaction in
            slow.remove(from: transaction)
            StoredConsumer(.consumer, name: "slow", number: 4, lineage: 2).write(to: transaction)
        }
        XCTAssertTrue(keeps(11))
        for (kind, isKept) in [(StoredConsumer.Kind.commits, false), (.days, false), (.nothing, true)] {
            try write { StoredConsumer(kind, number: 3, lineage: 1).write(to: $0) }
            XCTAssertEqual(keeps(11), isKept, "\(kind)")
        }
        let all = StoredConsumer.all(in: contents.snapshot, contents.catalog)
        XCTAssertEqual(all.map(\.kind), [.consumer, .commits, .days, .nothing])
        // Of each kind and name there is one.
        try write { StoredConsumer(.days, number: 4, lineage: 1).write(to: $0) }
        let next = StoredConsumer.all(in: contents.snapshot, contents.catalog)
        XCTAssertEqual(next.map(\.number), [4, 3, 4, 3])
    }

    func testATableOfALaterVersionIsLeftAlone() throws {
        try contents.defineTables { catalog in
            let table = catalog.declare("$Consumer", isEmbedded: false)
            catalog.define(table, columns: [ColumnSpec(name: "other", kind: .word, typeCode: 5)])
        }
        var catalog = contents.catalog
        XCTAssertThrowsError(try StoredConsumer.defineTable(in: &catalog))
        XCTAssertEqual(catalog.tables.count, contents.catalog.tables.count)
        XCTAssertEqual(StoredConsumer.all(in: contents.snapshot, contents.catalog), [])
        XCTAssertTrue(contents.catalog.tables.allSatisfy { !$0.isClass && $0.isInternal })
    }
}
