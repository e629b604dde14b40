import XCTest

@testable import KivoEngine
@testable import KivoFaults
@testable import KivoJournal

#if !os(Windows)

/// Sequences whose pages were moved to another file, and that are evicted while others read them.
final class MovedSequenceTests: FolderTestCase {
    /// Together they have a page of their own, and none has one for itself.
    private let words = (0..<4).map { Cell.string(String(repeating: "\($0)", count: 2_000)) }

    /// An eviction finds a page of the old file in a slot, and then a reader finds the node in the new file.
    func testANodeThatAReaderFindsInTheNewFileIsForgottenThere() throws {
        try XCTSkipUnless(PageReference.fitsAddress && NodeSlot.isPublishing, "here addresses stay in slots")
        let process = try LogProcess(path)
        let (table, key) = try addRow(process)
        try compact(process)
        var chain = process.store.chain
        let snapshot = chain.headSnapshot
        func list() -> PersistentSequence { snapshot.table(table).sequence(key, 0, .string) }
        let (leaf, row) = try XCTUnwrap(snapshot.table(table).locate(key))
        let slot = leaf.column(0).data + row * 8
        let column = process.store.catalog.tables[table].columns[0]
        let memory = WriteMemory(id: 1 << 40, heap: process.store.heap)
        func evict(_ page: PageReference) throws {
            let node = PageFiles.file(of: page)
                .takeNode(at: page.offset, slot, .sequence(ExpectedSequenceNode(column))) { _ in }
            try SequenceNode(base: XCTUnwrap(node)).evict(.string, memory)
        }
        let page = try XCTUnwrap(PageReference(ofNode: XCTUnwrap(NodeSlot.address(slot))))
        try evict(page)
        try compact(process)
        XCTAssertEqual(NodeSlot.page(slot), page)
        XCTAssertTrue(list().consists(of: words))
        XCTAssertNotEqual(try XCTUnwrap(PageReference(ofNode: XCTUnwrap(NodeSlot.address(slot)))), page)
        try evict(page)
        XCTAssertNil(NodeSlot.loadedNode(slot))
        // What was evicted is freed.
        chain.append(
            eviction: Commit(
                id: memory.id, snapshot: snapshot, changes: RowChangeSet(), retired: memory.commit()))
        XCTAssertTrue(list().consists(of: words))
        process.log.close()
        chain.destroy(process.store.catalog)
    }

    private func addRow(_ process: LogProcess) throws -> (TableID, ObjectKey) {
        try process.log.beginExclusive(into: &process.store)
        defer { process.log.endExclusive() }
        var row: (TableID, ObjectKey) = (0, 0)
        try process.store.defineTables { catalog in
            row.0 = catalog.declare("List", isEmbedded: false)
            catalog.define(row.0, columns: [ColumnSpec(name: "words", kind: .sequence, element: .string)])
        }
        try process.store.commit { transaction in
            row.1 = transaction.insert(into: row.0)
            transaction.insertElements(
                words, at: 0, into: CollectionID(table: row.0, column: 0, key: row.1))
            try process.log.append(transaction, transaction.changeSet(), label: CommitLabel())
        }
        return row
    }

    private func compact(_ process: LogProcess) throws {
        let checkpoint = process.log.checkpoint(process.snapshot, process.store.catalog)
        XCTAssertTrue(try process.journal.rewrite(checkpoint))
    }
}

#endif
