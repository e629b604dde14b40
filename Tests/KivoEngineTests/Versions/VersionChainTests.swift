import TestRandomness
import XCTest

@testable import KivoEngine

/// The versions that a chain keeps for a slow reader.
final class VersionChainTests: XCTestCase {
    func testAStalledReaderKeepsFewVersions() {
        let store = TestStore(TestRandom())
        var most = 0
        for _ in TestEffort.rounds(300, within: 0.3, atLeast: 40) {
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
        for _ in TestEffort.rounds(20, within: 0.3) {
            let store = TestStore(random)
            var composed = RowChangeSet()
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

    /// The nodes that one of several merged commits created and a later one replaced are freed, although an older version stays
    /// pinned. The commits write to different leaves in turn, so that neighbours replace nothing of each other.
    func testNodesBetweenMergedVersionsAreFreed() {
        func blockCount(commits: Int) -> Int {
            let heap = Heap()
            var chain = VersionChain(heap: heap)
            let reader = ReaderState.allocate()
            defer { reader.deallocate() }
            var transactions: UInt64 = 0
            func commit(_ body: (WriteTransaction) -> Void) {
                transactions += 1
                let transaction = WriteTransaction(
                    id: transactions, base: chain.headSnapshot, catalog: ViewModel.catalog, heap: heap,
                    reader: reader)
                body(transaction)
                _ = chain.append(transaction.commit(transaction.changeSet()))
            }
            let keys = [ObjectKey(1), 10_001, 20_001]
            commit { for key in keys { $0.insert(into: ViewModel.itemTable, at: key) } }
            let pinned = chain.head
            _ = chain.pin(pinned)
            for number in 0..<commits {
                commit {
                    $0.set(
                        .word(UInt64(number)), ViewModel.itemTable, keys[number % 3], ViewModel.Column.weight)
                }
            }
            let count = heap.liveBlockCount
            chain.unpin(pinned)
            chain.destroy(ViewModel.catalog)
            return count
        }
        XCTAssertLessThan(blockCount(commits: 512), 2 * blockCount(commits: 64))
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
            store.chain.changeSets(from: pinned[9], to: pinned[29]).map { $0.tables.map { $0.table } },
            sets[10..<30].map { $0.tables.map { $0.table } })
        XCTAssert(store.chain.changeSets(from: pinned[9], to: pinned[9]).isEmpty)
        store.destroy()
    }

    /// O(log n) versions are left between two pinned ones, in whatever order the others were unpinned, and reads as before.
    func testVersionsAreMergedInWhateverOrderTheyAreUnpinned() {
        var random = TestRandom()
        for order in Order.allCases {
            let store = TestStore(random)
            for _ in 0..<TestEffort.count(40, full: 100) {
                store.transact(operations: 3, cancelling: 5)
                store.pinHead()
            }
            let (first, last) = (store.pins[0].number, store.pins[store.pins.count - 1].number)
            while store.pins.count > 2 {
                switch order {
                case .oldestFirst: store.unpin(at: 1)
                case .newestFirst: store.unpin(at: store.pins.count - 2)
                case .random: store.unpin(at: 1 + store.random.below(store.pins.count - 2))
                }
            }
            XCTAssertLessThan(store.chain.count, 14, "\(order)")
            XCTAssertEqual(store.pins.map { $0.number }, [first, last])
            store.pins[0].snapshot.check(store.pins[0].model)
            random = store.random
            store.destroy()
        }
    }

    /// Four times as many versions cost about four times the work, the commits after them included.
    func testUnpinningVersionsIsAboutLinear() {
        for order in Order.allCases {
            let (few, many) = (work(1_000, order), work(4_000, order))
            XCTAssertLessThan(many, 6 * few, "\(order)")
            XCTAssertLessThan(few, 1_000 * 40, "\(order)")
        }
    }

    private enum Order: CaseIterable { case oldestFirst, newestFirst, random }

    /// The work of unpinning so many versions, and of as many commits after that.
    private func work(_ count: Int, _ order: Order) -> Int {
        var random = TestRandom()
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        var id: UInt64 = 0
        func append() {
            id += 1
            _ = chain.append(
                Commit(id: id, snapshot: chain.headSnapshot, changes: RowChangeSet(), retired: RetireList()))
        }
        // The oldest stays, as a frozen one does.
        _ = chain.pin(chain.head)
        var numbers: [UInt64] = []
        for _ in 0..<count {
            append()
            _ = chain.pin(chain.head)
            numbers.append(chain.head)
        }
        switch order {
        case .oldestFirst: break
        case .newestFirst: numbers.reverse()
        case .random: for index in numbers.indices { numbers.swapAt(index, random.below(count)) }
        }
        for number in numbers { chain.unpin(number) }
        for _ in 0..<count { append() }
        chain.checkInvariants()
        let work = chain.work
        chain.unpin(1)
        XCTAssertEqual(chain.count, 1)
        chain.destroy(Catalog())
        return work
    }

    private func touched(_ change: TableChange?) -> [ObjectKey] {
        (change?.leaves ?? []).flatMap { leaf in
            var keys: [ObjectKey] = []
            leaf.touched.forEach { keys.append(leaf.block.key(at: $0)) }
            return keys
        }
    }
}
