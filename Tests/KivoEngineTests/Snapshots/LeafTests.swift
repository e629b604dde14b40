import XCTest

@testable import KivoEngine

/// Leaves that grow with their rows and are packed when these go, against a dictionary of keys.
final class LeafTests: XCTestCase {
    private struct Model {
        var rows: [ObjectKey: [UInt64?]] = [:]
    }

    /// Tables whose leaves cover 256, 64 and 16 keys.
    private static let widths = [1, 3, 9, 20, 70]

    func testRandomRowsOfAllWidths() {
        for width in LeafTests.widths {
            var random = TestRandom()
            run(width, &random)
        }
    }

    private func run(_ width: Int, _ random: inout TestRandom) {
        var catalog = Catalog()
        let columns = (0..<width).map { ColumnSpec(name: "c\($0)", kind: .word, isOptional: true) }
        catalog.define(catalog.declare("Row", isEmbedded: false), columns: columns)
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        let reader = ReaderState.allocate()
        defer { reader.deallocate() }
        var model = Model()
        for step in 1...60 {
            let transaction = WriteTransaction(
                id: UInt64(step), base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            let before = model
            for _ in 0..<random.below(40) { change(transaction, &model, width, &random) }
            check(transaction.snapshot, model, width)
            if random.chance(20) {
                _ = transaction.cancel()
                model = before
            } else {
                let changes = transaction.changeSet()
                check(changes, before, model)
                _ = chain.append(transaction.commit(changes))
            }
            chain.headSnapshot.checkInvariants(catalog)
            check(chain.headSnapshot, model, width)
        }
        chain.destroy(catalog)
    }

    private func change(
        _ transaction: WriteTransaction, _ model: inout Model, _ width: Int, _ random: inout TestRandom
    ) {
        let keys = model.rows.keys.sorted()
        if keys.isEmpty || random.chance(55) {
            // In the middle as well, as the backlinks of objects come.
            let key = ObjectKey(1 + random.below(random.chance(50) ? 600 : 40))
            if model.rows[key] != nil { return }
            transaction.insert(into: 0, at: key)
            model.rows[key] = Array(repeating: nil, count: width)
        } else if random.chance(40) {
            let start = random.below(keys.count)
            let gone = keys[start..<min(start + random.below(60), keys.count)]
            transaction.delete(Array(gone), from: 0)
            for key in gone { model.rows[key] = nil }
        }
        for key in model.rows.keys.sorted().suffix(4) {
            let column = random.below(width)
            let value = random.chance(30) ? nil : UInt64(random.below(1_000))
            transaction.set(value.map(Cell.word) ?? .null, 0, key, column)
            model.rows[key]![column] = value
        }
    }

    private func check(_ snapshot: Snapshot, _ model: Model, _ width: Int) {
        let table = snapshot.table(0)
        let keys = model.rows.keys.sorted()
        var found: [ObjectKey] = []
        table.forEachKey { found.append($0) }
        XCTAssertEqual(found, keys)
        for (position, key) in keys.enumerated() {
            XCTAssertEqual(table.key(at: position), key)
            XCTAssertEqual(table.position(of: key), position)
            for column in 0..<width {
                XCTAssertEqual(
                    table.cell(key, column, .word), model.rows[key]![column].map(Cell.word) ?? .null)
            }
        }
        for key in 1...ObjectKey(40) where model.rows[key] == nil { XCTAssertFalse(table.contains(key)) }
    }

    /// Checks that each key is reported as inserted, deleted or kept.
    private func check(_ changes: RowChangeSet, _ before: Model, _ after: Model) {
        let change = changes.table(0)
        for key in Set(before.rows.keys).union(after.rows.keys) {
            let state = change?.state(of: key) ?? .untouched
            switch (before.rows[key], after.rows[key]) {
            case (nil, _): XCTAssertEqual(state, .inserted)
            case (_, nil): XCTAssertEqual(state, .deleted)
            case (let old?, let new?):
                if old != new { XCTAssert(state == .modified || state == .inserted, "\(state)") }
            }
        }
    }

    func testSlotsAreShifted() {
        var random = TestRandom()
        for _ in 0..<2_000 {
            let low = random.below(256)
            let bits = Bits256(low..<low + random.below(257 - low))
            let distance = random.below(513) - 256
            var expected = Bits256()
            bits.forEach { if (0..<256).contains($0 + distance) { expected.insert($0 + distance) } }
            XCTAssertEqual(bits.shifted(by: distance), expected)
        }
    }
}
