import XCTest

@testable import KivoEngine

/// Rows that are found or inserted by primary key, compared with a dictionary, in several versions.
final class PrimaryKeyTests: XCTestCase {
    private func run(_ kind: ColumnKind, isOptional: Bool, _ value: (inout TestRandom) -> Cell) {
        var random = TestRandom()
        var catalog = Catalog()
        let columns = [
            ColumnSpec(name: "a", kind: .word),
            ColumnSpec(name: "key", kind: kind, isOptional: isOptional, isPrimaryKey: true),
            ColumnSpec(name: "z", kind: .string, isIndexed: true),
        ]
        catalog.define(catalog.declare("Row", isEmbedded: false), columns: columns)
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        let reader = ReaderState.allocate()
        defer { reader.deallocate() }
        var model: [CellGroup: ObjectKey] = [:]
        for step in 1...80 {
            let before = model
            let transaction = WriteTransaction(
                id: UInt64(step), base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            for _ in 0..<random.below(60) {
                let cell = value(&random)
                if random.chance(15) {
                    if let key = model.removeValue(forKey: CellGroup(cell)) {
                        transaction.delete([key], from: 0)
                    }
                    continue
                }
                let next = transaction.table(0).nextKey
                let (row, isNew) = transaction.findOrInsert(primaryKey: cell, into: 0)
                XCTAssertEqual(isNew, model[CellGroup(cell)] == nil)
                XCTAssertEqual(row.key, model[CellGroup(cell)] ?? next)
                XCTAssertEqual(row.leaf.column(1).cell(row.slot, kind), cell)
                if isNew { XCTAssertEqual(row.leaf.column(2).cell(row.slot, .string), .string("")) }
                model[CellGroup(cell)] = row.key
                if random.chance(50) { transaction.set(.string("\(row.key % 3)"), 0, row.key, 2) }
            }
            if random.chance(20) {
                _ = transaction.cancel()
                model = before
            } else {
                let changes = transaction.changeSet()
                _ = chain.append(transaction.commit(changes))
            }
            chain.headSnapshot.checkInvariants(catalog)
            check(chain.headSnapshot, model, catalog.tables[0])
        }
        chain.destroy(catalog)
    }

    private func check(_ snapshot: Snapshot, _ model: [CellGroup: ObjectKey], _ spec: TableSpec) {
        let table = snapshot.table(0)
        XCTAssertEqual(table.count, model.count)
        for (group, key) in model {
            let cell = group.cells[0]
            XCTAssertEqual(table.keys(where: 1, equals: cell, spec), [key])
            XCTAssertEqual(table.cell(key, 1, spec.columns[1].kind), cell)
        }
    }

    func testWords() { run(.word, isOptional: false) { .word(UInt64($0.below(400))) } }

    func testOptionalWords() {
        run(.word, isOptional: true) { $0.chance(5) ? .null : .word(UInt64($0.below(100))) }
    }

    func testWideValues() { run(.wide, isOptional: true) { .wide(UInt64($0.below(9)), UInt64($0.below(9))) } }

    func testStrings() {
        run(.string, isOptional: true) { random in
            let text = String(repeating: "é", count: random.below(12)) + "\(random.below(20))"
            return random.chance(5) ? .null : .string(text)
        }
    }
}
