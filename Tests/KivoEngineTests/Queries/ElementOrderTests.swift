import TestRandomness
import XCTest

@testable import KivoEngine

/// Sorting by columns of the elements and of linked rows, compared with a stable sort that compares values, and the first elements
/// of groups, compared with a set of their values.
final class ElementOrderTests: XCTestCase {
    private static let columns = [
        ColumnSpec(name: "a", kind: .word, isOptional: true),
        ColumnSpec(name: "b", kind: .string, isOptional: true),
        ColumnSpec(name: "c", kind: .wide, isOptional: true),
        ColumnSpec(name: "d", kind: .word, isOptional: true),
        ColumnSpec(name: "e", kind: .word, isOptional: true),
        ColumnSpec(name: "f", kind: .link, target: 0),
    ]
    private static let link = 5

    /// A string of one of the forms: in place, elsewhere, large, with bytes of 0 at its end, equal to others in many bytes.
    private func text(_ random: inout TestRandom) -> String {
        let common = [
            "", "a", "https://www.", "https://www.example.org/über/", String(repeating: "x", count: 70),
        ]
        let ends = ["", "\0", "\0\0", "0123456789abcdef"]
        let large =
            random.chance(1) ? String(repeating: "y", count: LargeValue.threshold + random.below(3)) : ""
        return large + common[random.below(common.count)] + "\(random.below(random.chance(50) ? 4 : 3_000))"
            + ends[random.below(ends.count)]
    }

    private func cell(_ column: Int, _ random: inout TestRandom) -> Cell {
        if random.chance(10) { return .null }
        switch column {
        case 0:
            let value = random.chance(5) ? Int64.min : Int64(random.below(600)) - 300
            return .word(UInt64(bitPattern: value))
        case 1: return random.chance(5) ? .string("") : .string(text(&random))
        case 4: return .word(random.chance(5) ? UInt64(Int64.max) : UInt64(random.below(2)))
        case 2: return .wide(UInt64(random.below(3)) << 62, UInt64(random.below(9)))
        default:
            let value = [Double(random.below(50)) - 25, .nan, -.nan, 0, -0.0, .infinity, -.infinity]
            return .word(value[random.chance(80) ? 0 : random.below(7)].bitPattern)
        }
    }

    private func order(_ column: Int) -> CellOrder { column == 3 ? .floatingPoint : .natural }

    func testRandomRowsAndKeys() {
        var random = TestRandom()
        for count in TestEffort.cases(
            [0, 1, 2, 20, 255, 257, 700, TestEffort.size(900, full: 3_000)], within: 0.2)
        {
            var catalog = Catalog()
            catalog.define(catalog.declare("Row", isEmbedded: false), columns: ElementOrderTests.columns)
            let heap = Heap()
            var chain = VersionChain(heap: heap)
            let reader = ReaderState.allocate()
            defer { reader.deallocate() }
            let transaction = WriteTransaction(
                id: 1, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            for _ in 0..<count {
                let key = transaction.insert(into: 0)
                for column in 0..<Self.link { transaction.set(cell(column, &random), 0, key, column) }
                // Chains of links, which deletions cut.
                let target = ObjectKey(1 + random.below(Int(key)))
                if random.chance(80), transaction.snapshot.table(0).contains(target) {
                    transaction.set(.link(target), 0, key, Self.link)
                }
                if random.chance(20) { transaction.delete([key], from: 0) }
            }
            _ = chain.append(transaction.commit(transaction.changeSet()))
            for _ in 0..<TestEffort.size(2, full: 12) { check(chain.headSnapshot, catalog, &random) }
            chain.destroy(catalog)
        }
    }

    private func check(_ snapshot: Snapshot, _ catalog: Catalog, _ random: inout TestRandom) {
        let keys = (0...random.below(4)).map { _ in
            let column = random.below(Self.columns.count)
            var path = ResolvedPath(from: 0)
            for _ in 0..<max(0, random.below(5) - 2) { path.append(Self.link, in: catalog) }
            path.append(column, in: catalog)
            return SortKey(path, order(column), isAscending: random.chance(50))
        }
        var tokens: [Int64] = []
        snapshot.table(0).forEachKey { tokens.append($0) }
        // Often not in the order of the source.
        let keepsTies = random.chance(50)
        if random.chance(50) { tokens.shuffle(using: &random) }
        let elements = Elements.rows(0)
        func compare(_ a: Int64, _ b: Int64) -> Int {
            for key in keys {
                let result = key.compare(key.cell(elements, a, snapshot), key.cell(elements, b, snapshot))
                if result != 0 { return result }
            }
            return keepsTies ? 0 : a < b ? -1 : 1
        }
        let expected = tokens.sorted { compare($0, $1) < 0 }
        let sorting = ElementOrder(keys)
        let sorted = sorting.sorted(tokens, keepsTies: keepsTies, elements, snapshot)
        XCTAssertEqual(sorted.map { $0.token }, expected)
        for entry in sorted {
            XCTAssertEqual(entry.rank, sorting.ranked(entry.token, elements, snapshot).rank)
        }
        var seen: Set<CellGroup> = []
        let firsts = tokens.filter { token in
            let cells = keys.map { $0.cell(elements, token, snapshot) }
            return cells.allSatisfy(SortKey.isReached) && seen.insert(CellGroup(cells, keys)).inserted
        }
        XCTAssertEqual(DistinctElements(keys, elements, snapshot).first(of: tokens), firsts, "\(keys)")
    }

    /// More groups than fit into a small table.
    func testManyGroups() {
        var random = TestRandom()
        var catalog = Catalog()
        catalog.define(catalog.declare("Row", isEmbedded: false), columns: [Self.columns[0]])
        let heap = Heap()
        var chain = VersionChain(heap: heap)
        let reader = ReaderState.allocate()
        defer { reader.deallocate() }
        let transaction = WriteTransaction(
            id: 1, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
        var (seen, firsts): (Set<UInt64?>, [Int64]) = ([], [])
        for _ in 0..<TestEffort.size(24_000, full: 60_000) {
            let key = transaction.insert(into: 0)
            let word = random.chance(1) ? nil : UInt64(bitPattern: Int64(random.below(80_000) - 10))
            transaction.set(word.map(Cell.word) ?? .null, 0, key, 0)
            if seen.insert(word).inserted { firsts.append(key) }
        }
        _ = chain.append(transaction.commit(transaction.changeSet()))
        var path = ResolvedPath(from: 0)
        path.append(0, in: catalog)
        let key = SortKey(path, .natural, isAscending: true)
        let query = RowQuery(.table(0)).followed(by: .distinct([key]))
        XCTAssertGreaterThan(firsts.count, 1 << 14)
        XCTAssertEqual(query.evaluate(chain.headSnapshot, catalog), firsts)
        chain.destroy(catalog)
    }
}
