import TestRandomness
import XCTest

@testable import KivoEngine

/// Conditions on rows in a file, which are scanned in their pages, compared with the same rows in memory.
final class PageScanTests: XCTestCase {
    private enum Column {
        static let number = 0
        static let size = 1
        static let name = 2
        static let nick = 3
        static let id = 4
        static let next = 5
        static let photo = 6
        static let weight = 7
        /// The first column whose length is known only after decoding.
        static let marks = 8
        static let last = 9
    }

    private let catalog: Catalog = {
        var catalog = Catalog()
        let table = catalog.declare("Thing", isEmbedded: false)
        catalog.define(
            table,
            columns: [
                ColumnSpec(name: "number", kind: .word),
                ColumnSpec(name: "size", kind: .word, isOptional: true),
                ColumnSpec(name: "name", kind: .string),
                ColumnSpec(name: "nick", kind: .string, isOptional: true),
                ColumnSpec(name: "id", kind: .wide, isOptional: true),
                ColumnSpec(name: "next", kind: .link, target: table),
                ColumnSpec(name: "photo", kind: .bytes, isOptional: true),
                ColumnSpec(name: "weight", kind: .word, isOptional: true),
                ColumnSpec(name: "marks", kind: .sequence, element: .word),
                ColumnSpec(name: "last", kind: .word),
            ])
        return catalog
    }()

    private let heap = Heap()
    private let reader = ReaderState.allocate()
    private let count = 1_500

    deinit { reader.deallocate() }

    /// How many of the strings are long.
    private enum Strings { case short, some, large }

    private func cell(_ column: Int, _ strings: Strings, _ random: inout TestRandom) -> Cell {
        let isOptional = catalog.tables[0].columns[column].isOptional
        if isOptional, random.chance(20) { return .null }
        switch column {
        case Column.number: return .word(UInt64(bitPattern: Int64(random.below(20) - 10)))
        // Words of all widths when they are packed, by the range of a block of rows.
        case Column.size: return .word(UInt64(random.below(1 << random.below(40))))
        case Column.weight, Column.last: return .word(Double(random.below(9)).bitPattern)
        case Column.id: return .wide(UInt64(random.below(4)), 7)
        case Column.next: return .link(ObjectKey(random.below(4)))
        case Column.photo: return .bytes(Array(repeating: 1, count: random.below(300)))
        default: break
        }
        let short = ["", "a", "ab", "b\u{e9}", "exactly fifteen"]
        if strings == .short || random.chance(80) { return .string(short[random.below(short.count)]) }
        if strings == .large, random.chance(10) { return .string(String(repeating: "l", count: 5_000)) }
        return .string("a string of more than fifteen bytes, \(random.below(5))")
    }

    /// Creates a store with rows of random values.
    private func store(_ strings: Strings, _ random: inout TestRandom) -> VersionChain {
        var chain = VersionChain(heap: heap)
        let transaction = WriteTransaction(
            id: 1, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
        for _ in 0..<count { _ = transaction.insert(into: 0) }
        for key in 1...ObjectKey(count) {
            for column in 0...Column.last where column != Column.marks {
                transaction.set(cell(column, strings, &random), 0, key, column)
            }
            let marks = CollectionID(table: 0, column: Column.marks, key: key)
            for _ in 0..<random.below(3) { transaction.insertElement(.word(1), at: 0, into: marks) }
        }
        // Blocks of rows that are full, have gaps, and have few rows.
        transaction.delete((0..<200).map { _ in ObjectKey(1 + random.below(count / 2)) }, from: 0)
        transaction.delete((1_030..<1_270).map { ObjectKey($0) }, from: 0)
        _ = chain.append(transaction.commit(transaction.changeSet()))
        return chain
    }

    private func pages(_ snapshot: Snapshot) throws -> (pages: MemoryPages, roots: [TableRoot]) {
        var writer = PageWriter(MemoryPages(), chunkSize: 1 << 14, isCopy: true)
        let roots = try writer.write(snapshot, catalog)
        return (writer.destination, roots)
    }

    /// Calls a closure with a store of which nothing is in memory yet.
    private func withRestored(
        _ written: (pages: MemoryPages, roots: [TableRoot]), _ body: (Snapshot, MemoryPageFile) -> Void
    ) {
        let heap = Heap()
        var (made, number) = (MemoryPageFile?.none, 0)
        PageFiles.add {
            number = $0
            let file = MemoryPageFile(written.pages, $0, catalog, heap)
            made = file
            return file
        }
        var chain = VersionChain(heap: heap, restoring: written.roots, of: number, catalog)
        body(chain.headSnapshot, made!)
        chain.destroy(catalog)
        PageFiles.remove(number)
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    private func test(_ column: Int, _ strings: Strings, _ random: inout TestRandom) -> RowPredicate {
        var path = ResolvedPath(from: 0)
        path.append(column, in: catalog)
        var value = cell(column, strings, &random)
        let isText = column == Column.name || column == Column.nick
        if isText, value == .null || random.chance(50) { value = .string("a") }
        let comparisons: [ComparisonOperator] =
            column == Column.id || column == Column.next || column == Column.photo
            ? [.equal, .notEqual] : [.equal, .notEqual, .less, .greaterOrEqual]
        let comparison = comparisons[random.below(comparisons.count)]
        var test = ValueTest.compare(comparison, value, .natural)
        if isText, random.chance(60), case .string(let text) = value {
            let operators: [TextTest.Operator] = [.begins, .ends, .contains, .like]
            test = .text(TextTest(operators[random.below(4)], text))
        } else if random.chance(20) {
            test = .oneOf(CellSet([value, cell(column, strings, &random)], .natural))
        }
        let predicate = RowPredicate.test(random.chance(80) ? .any : .none, .path(path), test)
        switch random.below(5) {
        case 0: return .not(predicate)
        case 1: return .and([predicate, self.test(random.below(Column.photo), strings, &random)])
        case 2: return .or([predicate, self.test(random.below(Column.photo), strings, &random)])
        default: return predicate
        }
    }

    private func sum(_ column: Int, _ predicate: RowPredicate?, _ snapshot: Snapshot) -> Cell {
        var path = ResolvedPath(from: 0)
        path.append(column, in: catalog)
        var fold = AggregateFold(.sum, .natural, .saturating)
        RowQuery(.table(0), predicate).fold(path, &fold, snapshot, catalog)
        return fold.result
    }

    func testTheSameRowsAreFoundInPagesAsInMemory() throws {
        var random = TestRandom()
        for strings in [Strings.short, .some, .large] {
            var chain = store(strings, &random)
            let snapshot = chain.headSnapshot
            let written = try pages(snapshot)
            var scanned = 0
            for round in TestEffort.rounds(60, within: 0.12, atLeast: 9) {
                let column = [0, 1, 2, 3, 4, 5, 6, 7, 9][round % 9]
                let predicate = test(column, strings, &random)
                let query = RowQuery(.table(0), predicate)
                withRestored(written) { restored, file in
                    for _ in 0..<2 {
                        switch random.below(3) {
                        case 0: XCTAssertEqual(query.count(restored, catalog), query.count(snapshot, catalog))
                        case 1:
                            XCTAssertEqual(
                                query.evaluate(restored, catalog), query.evaluate(snapshot, catalog),
                                "\(predicate)")
                        default:
                            XCTAssertEqual(
                                sum(Column.size, predicate, restored), sum(Column.size, predicate, snapshot))
                        }
                        scanned += file.scannedCount
                    }
                }
            }
            XCTAssertGreaterThan(scanned, TestEffort.isExhaustive ? 100 : 20, "the pages were not scanned")
            chain.destroy(catalog)
        }
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    func testTheFirstScanLoadsNoLeavesAndTheSecondDoes() throws {
        try XCTSkipUnless(PageReference.fitsAddress, "pages are loaded with those that lead to them")
        var random = TestRandom()
        var chain = store(.some, &random)
        let written = try pages(chain.headSnapshot)
        let expected = sum(Column.weight, nil, chain.headSnapshot)
        withRestored(written) { restored, file in
            XCTAssertEqual(sum(Column.weight, nil, restored), expected)
            // The node above the leaves, and the leaf that is packed.
            XCTAssertEqual(file.nodeCount, 2)
            XCTAssertEqual(sum(Column.weight, nil, restored), expected)
            XCTAssertEqual(file.nodeCount, 7)
        }
        // Behind a list, a column is found only by decoding the list.
        withRestored(written) { restored, file in
            _ = sum(Column.last, nil, restored)
            XCTAssertEqual(file.nodeCount, 7)
        }
        chain.destroy(catalog)
    }
}
