import XCTest

@testable import KivoEngine

/// What a chain keeps when a reader stays behind.
final class VersionChainTests: XCTestCase {
    func testAStalledReaderKeepsFewVersions() {
        let store = TestStore(TestRandom())
        var most = 0
        for _ in 0..<300 {
            store.transact(operations: 5, cancelling: 10)
            // The oldest stays, and the newest, as a writer has it.
            store.unpinAllBut(first: 1)
            most = max(most, store.chain.count)
            store.checkOne()
        }
        XCTAssertLessThan(most, 14, "versions that nobody reads are not merged")
        store.destroy()
    }

    func testChangesAreTheSameHoweverVersionsWereMerged() {
        var random = TestRandom()
        for _ in 0..<20 {
            let store = TestStore(random)
            var composed = ChangeSet()
            let first = store.chain.head
            for _ in 0..<40 {
                let before = store.chain.head
                store.transact(operations: 8, cancelling: 0)
                composed.append(store.lastChanges)
                XCTAssertEqual(store.chain.head, before + 1)
                store.unpinAllBut(first: 1)
            }
            let merged = store.chain.changes(from: first, to: store.chain.head)
            XCTAssertEqual(merged.sequences, composed.sequences)
            for table in TestCatalog.catalog.tables.indices {
                XCTAssertEqual(touched(merged.table(table)), touched(composed.table(table)))
                XCTAssertEqual(touched(merged.backlinks(table)), touched(composed.backlinks(table)))
            }
            random = store.random
            store.destroy()
        }
    }

    /// The changes of versions that are all pinned are handed out as they are, to be composed by whoever wants them.
    func testChangeSetsOfPinnedVersionsAreHandedOutOneByOne() {
        let store = TestStore(TestRandom())
        let first = store.chain.head
        var pinned: [UInt64] = []
        for _ in 0..<40 {
            store.transact(operations: 3, cancelling: 0)
            pinned.append(store.chain.head)
            store.pinHead()
        }
        let sets = store.chain.changeSets(from: first, to: store.chain.head)
        XCTAssertEqual(sets.count, 40)
        XCTAssertEqual(
            store.chain.changeSets(from: pinned[9], to: pinned[29]).map { $0.tables.map(\.table) },
            sets[10..<30].map { $0.tables.map(\.table) })
        XCTAssert(store.chain.changeSets(from: pinned[9], to: pinned[9]).isEmpty)
        store.destroy()
    }

    private func touched(_ change: TableChange?) -> [ObjectKey] {
        (change?.leaves ?? []).flatMap { leaf in
            var keys: [ObjectKey] = []
            leaf.touched.forEach { keys.append(leaf.block.key(at: $0)) }
            return keys
        }
    }
}
