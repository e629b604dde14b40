import XCTest

@testable import KivoEngine

/// Conditions over to-one links, which are followed for a leaf at a time, compared with following them row by row.
final class LinkPathTests: XCTestCase {
    private static let tables = 3

    private func catalog() -> Catalog {
        var catalog = Catalog()
        let tables = (0..<LinkPathTests.tables).map { catalog.declare("T\($0)", isEmbedded: false) }
        for table in tables {
            let columns = [
                ColumnSpec(name: "a", kind: .word, isOptional: true),
                ColumnSpec(name: "b", kind: .string, isOptional: true),
                ColumnSpec(name: "c", kind: .link, target: tables[(table + 1) % tables.count]),
            ]
            catalog.define(table, columns: columns)
        }
        return catalog
    }

    private func cell(_ column: Int, _ random: inout TestRandom) -> Cell {
        if random.chance(20) { return column == 2 ? .link(0) : .null }
        let value = random.below(column == 2 ? 300 : 4)
        switch column {
        case 0: return .word(UInt64(value))
        case 1: return .string(String(repeating: "text", count: value * 2))
        default: return .link(ObjectKey(value + 1))
        }
    }

    private func fill(_ transaction: WriteTransaction, _ random: inout TestRandom) {
        for table in 0..<LinkPathTests.tables { for _ in 0..<300 { _ = transaction.insert(into: table) } }
        for table in 0..<LinkPathTests.tables {
            for key in ObjectKey(1)...300 {
                for column in 0..<3 where random.chance(80) {
                    transaction.set(cell(column, &random), table, key, column)
                }
                // Neighbours that lead to neighbours.
                if random.chance(30) { transaction.set(.link(key), table, key, 2) }
            }
        }
        for table in 0..<LinkPathTests.tables {
            transaction.delete((0..<40).map { _ in ObjectKey(1 + random.below(300)) }, from: table)
        }
    }

    func testRandomLinks() {
        var random = TestRandom()
        let catalog = catalog()
        for round in 1...4 {
            let heap = Heap()
            var chain = VersionChain(heap: heap)
            let reader = ReaderState.allocate()
            defer { reader.deallocate() }
            let transaction = WriteTransaction(
                id: UInt64(round), base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            fill(transaction, &random)
            _ = chain.append(transaction.commit(transaction.changeSet()))
            for _ in 0..<60 { check(chain.headSnapshot, catalog, &random) }
            chain.destroy(catalog)
        }
    }

    private func check(_ snapshot: Snapshot, _ catalog: Catalog, _ random: inout TestRandom) {
        let table = random.below(LinkPathTests.tables)
        var path = ResolvedPath(from: table)
        for _ in 0...random.below(3) { path.append(2, in: catalog) }
        let column = random.below(3)
        path.append(column, in: catalog)
        XCTAssertNotNil(LinkPath(path, snapshot))
        let comparison = [ComparisonOperator.equal, .notEqual, .less, .greaterOrEqual][random.below(4)]
        let tests: [ValueTest] = [
            .compare(comparison, cell(column, &random), .natural),
            .oneOf(CellSet((0..<random.below(4)).map { _ in cell(column, &random) }, .natural)),
            .always(random.chance(50)),
        ]
        let quantifier = [Quantifier.any, .all, .none][random.below(3)]
        let predicate = RowPredicate.test(quantifier, .path(path), tests[random.below(tests.count)])
        let scan = predicate.scan(snapshot)
        snapshot.table(table).forEachLeaf { leaf in
            var candidates = leaf.occupied
            if random.chance(50) { leaf.occupied.forEach { if random.chance(50) { candidates.remove($0) } } }
            var expected = Bits256()
            leaf.forEachRow(in: candidates) { slot, key in
                if predicate.holds(snapshot, Row(leaf, slot, key)) { expected.insert(slot) }
            }
            XCTAssertEqual(scan(leaf, candidates), expected, "\(predicate)")
            return true
        }
    }
}
