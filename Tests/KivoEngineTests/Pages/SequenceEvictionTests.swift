import XCTest

@testable import KivoEngine

/// Sequences that are evicted while others read them.
final class SequenceEvictionTests: XCTestCase {
    /// A reader that brings a node in again must not find a child in memory that is evicted next: the child's address would stay in
    /// the new node, of which the eviction knows nothing.
    func testWhatReadersFindMeanwhileIsNotEvicted() throws {
        try XCTSkipUnless(PageReference.fitsAddress && NodeSlot.isPublishing, "here addresses stay in slots")
        var catalog = Catalog()
        let table = catalog.declare("List", isEmbedded: false)
        catalog.define(table, columns: [ColumnSpec(name: "numbers", kind: .sequence, element: .word)])
        let numbers = (0..<1_000).map { Cell.word(UInt64($0)) }
        let (pages, roots, key) = try write(numbers, table, catalog)

        let heap = Heap(cacheLimit: 0)
        var made: MemoryPageFile?
        var number = 0
        PageFiles.add {
            number = $0
            let file = MemoryPageFile(pages, $0, catalog, heap)
            made = file
            return file
        }
        defer { PageFiles.remove(number) }
        var chain = VersionChain(heap: heap, restoring: roots, of: number, catalog)
        let snapshot = chain.headSnapshot
        func list() -> PersistentSequence { snapshot.table(table).sequence(key, 0, .word) }
        XCTAssertTrue(list().consists(of: numbers))
        let count = Lock(0)
        made!.reader.withLock { reader in
            reader = {
                count.withLock { $0 += 1 }
                snapshot.table(table).sequence(key, 0, .word).forEach { _ in }
            }
        }
        var eviction = Eviction(snapshot, catalog, heap, id: 7)
        let commit = try XCTUnwrap(eviction.commit())
        made!.reader.withLock { $0 = nil }
        XCTAssertGreaterThan(count.withLock { $0 }, 8)
        XCTAssertGreaterThan(commit.retired.blocks.count, 8)
        var inUse: Set<UnsafeMutableRawPointer> = []
        list().forEachBlock { inUse.insert($0) }
        XCTAssertTrue(inUse.isDisjoint(with: commit.retired.blocks))
        XCTAssertEqual(Set(commit.retired.blocks).count, commit.retired.blocks.count)
        // What was evicted is freed.
        chain.append(eviction: commit)
        XCTAssertTrue(list().consists(of: numbers))
        chain.destroy(catalog)
    }

    private func write(
        _ cells: [Cell], _ table: TableID, _ catalog: Catalog
    ) throws -> (pages: MemoryPages, roots: [TableRoot], key: ObjectKey) {
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        var key: ObjectKey = 0
        let commit = WriteTransaction.perform(id: 1, on: chain.headSnapshot, catalog, heap) { transaction in
            key = transaction.insert(into: table)
            transaction.insertElements(cells, at: 0, into: CollectionID(table: table, column: 0, key: key))
            return transaction.changeSet()
        }
        _ = chain.append(commit)
        defer { chain.destroy(catalog) }
        var writer = PageWriter(MemoryPages(), isCopy: true)
        let roots = try writer.write(chain.headSnapshot, catalog)
        return (writer.destination, roots, key)
    }
}
