import TestRandomness
import XCTest

@testable import KivoEngine

/// The memory of rows and replaced values: those that a reader can still see, and no more. Sizes are counted in debug builds.
#if DEBUG
final class MemoryTests: XCTestCase {
    /// A store with one table, and readers that stay behind.
    private final class Rows {
        let heap = Heap()
        var chain: VersionChain
        let catalog: Catalog
        private let reader = ReaderState.allocate()
        private var transactions: UInt64 = 0

        init(_ columns: [ColumnSpec]) {
            var catalog = Catalog()
            catalog.define(catalog.declare("Row", isEmbedded: false), columns: columns)
            self.catalog = catalog
            chain = VersionChain(heap: heap)
        }

        deinit { reader.deallocate() }

        /// Commits a transaction, or cancels it.
        func write(isCommitted: Bool = true, _ body: (WriteTransaction) -> Void) {
            transactions += 1
            let transaction = WriteTransaction(
                id: transactions, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            body(transaction)
            if isCommitted {
                _ = chain.append(transaction.commit(transaction.changeSet()))
            } else {
                _ = transaction.cancel()
            }
            chain.headSnapshot.checkInvariants(catalog)
        }

        var keys: [ObjectKey] {
            var keys: [ObjectKey] = []
            chain.headSnapshot.table(0).forEachKey { keys.append($0) }
            return keys
        }

        func destroy() { chain.destroy(catalog) }
    }

    private static let words = (0..<9).map { ColumnSpec(name: "c\($0)", kind: .word) }

    func testFewRowsOfManyTakeWhatTheyHold() {
        let rows = Rows(MemoryTests.words)
        rows.write { transaction in for _ in 0..<25_600 { _ = transaction.insert(into: 0) } }
        let full = rows.heap.liveByteCount
        rows.write { transaction in
            let keys = rows.keys.filter { $0 % 256 != 77 }
            for key in keys { transaction.set(.word(UInt64(key)), 0, key, 4) }
            transaction.delete(keys, from: 0)
        }
        XCTAssertEqual(rows.keys.count, 100)
        XCTAssertLessThan(rows.heap.liveByteCount / 100, 600)
        XCTAssertLessThan(rows.heap.liveByteCount * 20, full)
        rows.destroy()
    }

    func testRowsThatGoOneByOneLeaveNoMoreBehind() {
        let rows = Rows(MemoryTests.words)
        rows.write { transaction in for _ in 0..<1_024 { _ = transaction.insert(into: 0) } }
        for key in rows.keys where key % 256 != 200 { rows.write { $0.delete([key], from: 0) } }
        XCTAssertEqual(rows.keys, [200, 456, 712, 968])
        XCTAssertLessThan(rows.heap.liveByteCount / 4, 1_200)
        rows.destroy()
    }

    func testOneRowOfManyColumnsTakesWhatItHolds() {
        let rows = Rows((0..<100).map { ColumnSpec(name: "c\($0)", kind: .string, isOptional: true) })
        rows.write { _ = $0.insert(into: 0) }
        XCTAssertLessThan(rows.heap.liveByteCount, 8_000)
        rows.destroy()
    }

    func testInsertingARowOfManyColumnsCopiesFewOthers() {
        let rows = Rows((0..<100).map { ColumnSpec(name: "c\($0)", kind: .word) })
        for count in [1_000, 4_000] {
            rows.write { transaction in
                while transaction.table(0).count < count { _ = transaction.insert(into: 0) }
            }
            let reader = rows.chain.head
            _ = rows.chain.pin(reader)
            let before = rows.heap.liveByteCount
            rows.write { _ = $0.insert(into: 0) }
            XCTAssertLessThan(rows.heap.liveByteCount - before, 25_000, "\(count) rows")
            rows.chain.unpin(reader)
        }
        rows.destroy()
    }

    /// Byte arrays that are stored. `countHeldElsewhere()` copies those that are shared, so a test can call it only once.
    private final class Values {
        private var made: [[UInt8]] = []

        func next() -> Cell {
            made.append(Array(repeating: UInt8(truncatingIfNeeded: made.count), count: 64))
            return .bytes(made[made.count - 1])
        }

        /// Returns the number of arrays that are also referenced elsewhere.
        func countHeldElsewhere() -> Int {
            let count = made.indices.reduce(0) { count, index in
                let before = made[index].withUnsafeBufferPointer { $0.baseAddress }
                let after = made[index].withUnsafeMutableBufferPointer { UnsafePointer($0.baseAddress) }
                return count + (before == after ? 0 : 1)
            }
            made = []
            return count
        }
    }

    private static let values = [
        ColumnSpec(name: "photo", kind: .bytes),
        ColumnSpec(name: "photos", kind: .sequence, element: .bytes),
    ]

    /// Overwrites values behind a reader; returns how many are held at the end.
    private func held(afterOverwriting rounds: Int, isReaderGone: Bool) -> Int {
        let rows = Rows(MemoryTests.values)
        let values = Values()
        var keys: [ObjectKey] = []
        rows.write { transaction in
            for _ in 0..<4 {
                let key = transaction.insert(into: 0)
                keys.append(key)
                transaction.set(values.next(), 0, key, 0)
                let list = CollectionID(table: 0, column: 1, key: key)
                for position in 0..<4 { transaction.insertElement(values.next(), at: position, into: list) }
            }
        }
        let reader = rows.chain.head
        _ = rows.chain.pin(reader)
        for round in 0..<rounds {
            rows.write { transaction in
                // Several in turn, so that the commit that stored a value is not the last that copied its node.
                let key = keys[round % 4]
                transaction.set(values.next(), 0, key, 0)
                let list = CollectionID(table: 0, column: 1, key: key)
                transaction.replaceElement(values.next(), at: round / 4 % 4, in: list)
            }
        }
        if isReaderGone { rows.chain.unpin(reader) }
        let held = values.countHeldElsewhere()
        if !isReaderGone { rows.chain.unpin(reader) }
        rows.destroy()
        return held
    }

    func testAReaderWhoStaysBehindKeepsOnlyTheValuesThatItSees() {
        // Each version that is kept sees 20 of them, and there are few versions.
        withEvery("rounds", in: [400, 1_600]) { rounds in
            XCTAssertLessThan(held(afterOverwriting: rounds, isReaderGone: false), 20 * 14)
            XCTAssertEqual(held(afterOverwriting: rounds, isReaderGone: true), 20)
        }
    }

    func testWhatAWriteReplacesOfItsOwnGoesAtOnce() {
        withEvery("isCommitted", in: [true, false]) { isCommitted in
            withEvery("isRemoved", in: [true, false]) { isRemoved in
                let rows = Rows(MemoryTests.values)
                let (inside, after) = (Values(), Values())
                rows.write(isCommitted: isCommitted) { transaction in
                    for values in [inside, after] {
                        let key = transaction.insert(into: 0)
                        let list = CollectionID(table: 0, column: 1, key: key)
                        transaction.insertElement(values.next(), at: 0, into: list)
                        for _ in 0..<100 {
                            transaction.set(values.next(), 0, key, 0)
                            transaction.replaceElement(values.next(), at: 0, in: list)
                        }
                        if isRemoved { transaction.removeElement(at: 0, from: list) }
                    }
                    XCTAssertEqual(inside.countHeldElsewhere(), isRemoved ? 1 : 2)
                }
                XCTAssertEqual(after.countHeldElsewhere(), !isCommitted ? 0 : isRemoved ? 1 : 2)
                rows.destroy()
            }
        }
    }

    func testNothingIsHeldWhenAllIsGone() {
        let rows = Rows(MemoryTests.values)
        let values = Values()
        rows.write { transaction in
            let key = transaction.insert(into: 0)
            transaction.set(values.next(), 0, key, 0)
            transaction.insertElement(values.next(), at: 0, into: CollectionID(table: 0, column: 1, key: key))
        }
        rows.destroy()
        XCTAssertEqual(values.countHeldElsewhere(), 0)
    }
}
#endif
