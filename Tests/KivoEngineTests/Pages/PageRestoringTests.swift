import TestRandomness
import XCTest

@testable import KivoEngine

/// Checkpoints that are written and brought in again, compared with the model of what was written.
final class PageRestoringTests: XCTestCase {
    /// Columns take null: random elements are null anywhere.
    private let catalog = TestCatalog.catalog(takingNull: true)
    private let heap = Heap()
    private let reader = ReaderState.allocate()

    deinit { reader.deallocate() }

    func testWhatIsBroughtInIsWhatWasWritten() {
        for round in TestEffort.cases(0..<6) {
            let store = TestStore(TestRandom("restoring \(round)"))
            for _ in 0..<10 + 5 * round { store.transact(operations: 60, cancelling: 10) }
            if let (pages, roots) = write(store.chain.headSnapshot) { check(pages, roots, store.model) }
            store.destroy()
        }
    }

    private func check(_ pages: MemoryPages, _ roots: [TableRoot], _ model: StoreModel) {
        var (made, number) = (MemoryPageFile?.none, 0)
        PageFiles.add {
            number = $0
            let file = MemoryPageFile(pages, $0, catalog, heap)
            made = file
            return file
        }
        defer { PageFiles.remove(number) }
        var chain = VersionChain(heap: heap, restoring: roots, of: number, TestCatalog.catalog)
        if PageReference.fitsAddress { XCTAssertEqual(made!.nodeCount, 0) }
        // Pages that are not in memory are carried over.
        checkCounts(write(chain.headSnapshot)?.roots, model)
        chain.headSnapshot.check(model)
        let isEmpty = TestCatalog.tables.allSatisfy { model.keys($0).isEmpty }
        XCTAssertEqual(made!.nodeCount == 0, isEmpty)

        // Rows that were loaded are copied when they change, and older versions keep them.
        let first = chain.head
        let before = chain.pin(first)
        let transaction = WriteTransaction(
            id: 1, base: before, catalog: TestCatalog.catalog, heap: heap, reader: reader)
        var halved = model
        for table in TestCatalog.tables {
            let keys = model.keys(table).filter { $0 & 1 == 0 }
            transaction.delete(keys, from: table)
            halved.delete(keys, from: table)
        }
        _ = chain.append(transaction.commit(transaction.changeSet()))
        chain.headSnapshot.check(halved)
        before.check(model)
        checkCounts(write(chain.headSnapshot)?.roots, halved)
        chain.unpin(first)
        chain.destroy(TestCatalog.catalog)
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    private func checkCounts(_ roots: [TableRoot]?, _ model: StoreModel) {
        for root in roots ?? [] where TestCatalog.tables.contains(root.table) {
            XCTAssertEqual(root.count, model.keys(root.table).count)
        }
    }

    private func write(_ snapshot: Snapshot) -> (pages: MemoryPages, roots: [TableRoot])? {
        var writer = PageWriter(MemoryPages(), chunkSize: 1 << 14, isCopy: true)
        do throws(PageFlaw) {
            let roots = try writer.write(snapshot, TestCatalog.catalog)
            return (writer.destination, roots)
        } catch {
            XCTFail(error.description)
            return nil
        }
    }
}
