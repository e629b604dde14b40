import TestRandomness
import XCTest

@testable import KivoEngine

/// Conditions on collections, which are prepared once for many rows, compared with testing row by row.
final class CollectionScanTests: XCTestCase {
    /// The columns of both tables: an owner's links lead to rows of the other table, and theirs back.
    private enum Column {
        static let numbers = 0
        static let maybeNumbers = 1
        static let doubles = 2
        static let maybeDoubles = 3
        static let names = 4
        static let friends = 5
        static let entryKeys = 6
        static let link = 7
        static let number = 8
        static let double = 9
        static let name = 10
        static let entries = 11
    }

    private let catalog: Catalog = {
        var catalog = Catalog()
        let tables = (0..<2).map { catalog.declare("T\($0)", isEmbedded: false) }
        for table in tables {
            let other = tables[1 - table]
            catalog.define(
                table,
                columns: [
                    ColumnSpec(name: "a", kind: .sequence, element: .word),
                    ColumnSpec(name: "b", kind: .sequence, isOptional: true, element: .optionalWord),
                    ColumnSpec(name: "c", kind: .sequence, element: .word),
                    ColumnSpec(name: "d", kind: .sequence, isOptional: true, element: .optionalWord),
                    ColumnSpec(name: "e", kind: .sequence, isOptional: true, element: .string),
                    ColumnSpec(name: "f", kind: .sequence, element: .link, target: other),
                    ColumnSpec(name: "g", kind: .sequence, element: .string, order: .sorted),
                    ColumnSpec(name: "h", kind: .link, target: other),
                    ColumnSpec(name: "i", kind: .word, isOptional: true),
                    ColumnSpec(name: "j", kind: .word, isOptional: true),
                    ColumnSpec(name: "k", kind: .string, isOptional: true),
                    ColumnSpec(name: "l", kind: .sequence, element: .link, order: .values, target: other),
                ])
        }
        return catalog
    }()

    private let heap = Heap()
    private let reader = ReaderState.allocate()
    private let rows = 330

    deinit { reader.deallocate() }

    // MARK: Data

    private static let integers: [Int64] = [.min, .min + 1, -7, -1, 0, 1, 2, 7, 1 << 53, .max - 1, .max]
    private static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1.5, -.leastNonzeroMagnitude, -0.0, 0, .leastNonzeroMagnitude,
        0.1, 1.5, 1e16, .greatestFiniteMagnitude, .infinity, .nan, -.nan,
    ]
    private static let texts = ["", "a", "A", "ab", "b\u{e9}", "a text of more than fifteen bytes"]

    private func integer(_ random: inout TestRandom) -> Cell {
        let small = Int64(random.below(9) - 4)
        return .word(
            UInt64(
                bitPattern: random.chance(70) ? small : Self.integers[random.below(Self.integers.count)]))
    }

    private func double(_ random: inout TestRandom) -> Cell {
        let small = Double(random.below(9) - 4)
        return .word((random.chance(70) ? small : Self.doubles[random.below(Self.doubles.count)]).bitPattern)
    }

    private func text(_ random: inout TestRandom) -> Cell {
        .string(Self.texts[random.below(Self.texts.count)])
    }

    /// An element of a collection, or the value of a column.
    private func cell(_ column: Int, _ random: inout TestRandom) -> Cell {
        switch column {
        case Column.numbers: return integer(&random)
        case Column.maybeNumbers, Column.number: return random.chance(20) ? .null : integer(&random)
        case Column.doubles: return double(&random)
        case Column.maybeDoubles, Column.double: return random.chance(20) ? .null : double(&random)
        case Column.names, Column.name: return random.chance(20) ? .null : text(&random)
        case Column.friends: return .link(ObjectKey(1 + random.below(rows)))
        default: return .link(random.chance(20) ? 0 : ObjectKey(1 + random.below(rows)))
        }
    }

    private func count(_ random: inout TestRandom) -> Int {
        if random.chance(25) { return 0 }
        return random.chance(2) ? 120 + random.below(200) : 1 + random.below(6)
    }

    private func makeStore(_ random: inout TestRandom) -> VersionChain {
        var chain = VersionChain(heap: heap)
        let transaction = WriteTransaction(
            id: 1, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
        for table in 0..<2 { for _ in 0..<rows { _ = transaction.insert(into: table) } }
        for table in 0..<2 {
            for key in 1...ObjectKey(rows) {
                for column in [Column.link, Column.number, Column.double, Column.name] {
                    transaction.set(cell(column, &random), table, key, column)
                }
                for column in [
                    Column.numbers, Column.maybeNumbers, Column.doubles, Column.maybeDoubles, Column.names,
                    Column.friends,
                ] {
                    let cells = (0..<count(&random)).map { _ in cell(column, &random) }
                    transaction.insertElements(
                        cells, at: 0, into: CollectionID(table: table, column: column, key: key))
                }
                // A map, which keeps the keys of deleted objects.
                let links = (0..<random.below(4)).map { _ in cell(Column.entries, &random) }
                let keys = links.indices.map { Cell.string("key\($0)") }
                transaction.insertElements(
                    keys, at: 0, into: CollectionID(table: table, column: Column.entryKeys, key: key))
                transaction.insertElements(
                    links, at: 0, into: CollectionID(table: table, column: Column.entries, key: key))
            }
        }
        for table in 0..<2 {
            transaction.delete((0..<60).map { _ in ObjectKey(1 + random.below(rows)) }, from: table)
        }
        _ = chain.append(transaction.commit(transaction.changeSet()))
        return chain
    }

    // MARK: Conditions

    private func isDouble(_ column: Int) -> Bool {
        [Column.doubles, Column.maybeDoubles, Column.double].contains(column)
    }

    private static let comparisons: [ComparisonOperator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    /// A test of the values of a column, or of the elements in it.
    private func test(_ column: Int, _ random: inout TestRandom) -> ValueTest {
        let isLink = cell(column, &random).linkKey != 0 || column == Column.link || column == Column.entries
        let isText = column == Column.names || column == Column.name
        let order = isDouble(column) ? CellOrder.floatingPoint : .natural
        func compared() -> ValueTest {
            let value = !isLink && random.chance(15) ? .null : cell(column, &random)
            let comparison = Self.comparisons[random.below(isLink ? 2 : 6)]
            return .compare(comparison, value, order)
        }
        switch random.below(10) {
        case 0: return .always(random.chance(50))
        case 1: return .oneOf(CellSet((0..<random.below(4)).map { _ in cell(column, &random) }, order))
        case 2: return .both(compared(), compared())
        case 3: return .either([compared(), compared()])
        case 4 where isText:
            let folding = TextTest.Folding(ascii: .lowercase) { $0.lowercased() }
            return .text(TextTest(.begins, "A", folding: random.chance(50) ? folding : nil))
        default: return compared()
        }
    }

    private func path(_ table: TableID, _ columns: [Int]) -> ResolvedPath {
        var path = ResolvedPath(from: table)
        for column in columns {
            path.append(column, order: isDouble(column) ? .floatingPoint : .natural, in: catalog)
        }
        return path
    }

    /// Up to two links, which lead to other owners.
    private func links(_ random: inout TestRandom) -> [Int] {
        (0..<max(0, random.below(5) - 2)).map { _ in Column.link }
    }

    private static let collections = [
        Column.numbers, Column.maybeNumbers, Column.doubles, Column.maybeDoubles, Column.names,
        Column.friends, Column.entries,
    ]
    private static let linked = [Column.friends, Column.entries]

    private func operand(_ table: TableID, _ random: inout TestRandom) -> (RowOperand, ValueTest) {
        let before = links(&random)
        let target = before.count % 2 == 0 ? table : 1 - table
        let linked = Self.linked[random.below(2)]
        switch random.below(6) {
        case 0:
            let column = Self.collections[random.below(Self.collections.count)]
            return (.path(path(table, before + [column])), test(column, &random))
        case 1:
            let behind = [
                Column.number, Column.double, Column.name, Column.link, Column.numbers, Column.names,
            ]
            let column = behind[random.below(behind.count)]
            let more = random.chance(30) ? [Self.linked[random.below(2)]] : links(&random)
            return (.path(path(table, before + [linked] + more + [column])), test(column, &random))
        case 2:
            let column = Self.collections[random.below(Self.collections.count)]
            let aggregate = Aggregate(.count, path(table, before + [column]))
            let limit = Cell.word(UInt64(random.below(5)))
            return (.aggregate(aggregate), .compare(Self.comparisons[random.below(6)], limit, .natural))
        case 3:
            let column = [
                Column.numbers, Column.maybeNumbers, Column.doubles, Column.maybeDoubles,
            ][random.below(4)]
            return aggregate(path(table, before + [column]), nil, isDouble(column), &random)
        case 4:
            let column = [Column.number, Column.double][random.below(2)]
            let value = path(1 - target, (random.chance(20) ? [Column.link] : []) + [column])
            return aggregate(path(table, before + [linked]), value, isDouble(column), &random)
        default:
            let predicate = predicate(1 - target, depth: 1, &random)
            let limit = Cell.word(UInt64(random.below(4)))
            return (
                .matching(path(table, before + [linked]), predicate),
                .compare(Self.comparisons[random.below(6)], limit, .natural)
            )
        }
    }

    private func aggregate(
        _ collection: ResolvedPath, _ value: ResolvedPath?, _ isDouble: Bool, _ random: inout TestRandom
    ) -> (RowOperand, ValueTest) {
        let function = [Aggregate.Function.min, .max, .sum, .average][random.below(4)]
        // The sum of all integers that a test adds is an integer of 128 bits, which is compared exactly.
        let exact = Aggregate.Arithmetic.integer {
            .wide(UInt64(truncatingIfNeeded: $0 >> 64), UInt64(truncatingIfNeeded: $0))
        }
        let isExact = !isDouble && function == .sum && random.chance(20)
        let aggregate = Aggregate(
            function, collection, value: value, order: isDouble ? .floatingPoint : .natural,
            arithmetic: isDouble ? .floatingPoint : isExact ? exact : .saturating)
        if isExact {
            return (.aggregate(aggregate), .compare(.equal, .wide(0, UInt64(random.below(4))), .natural))
        }
        let isFraction = isDouble || function == .average
        return (.aggregate(aggregate), test(isFraction ? Column.maybeDoubles : Column.maybeNumbers, &random))
    }

    private func predicate(_ table: TableID, depth: Int, _ random: inout TestRandom) -> RowPredicate {
        if depth > 0, random.chance(40) {
            let column = [Column.number, Column.double, Column.name][random.below(3)]
            return .test(.any, .path(path(table, [column])), test(column, &random))
        }
        if depth > 2 { return .constant(random.chance(50)) }
        if random.chance(20) {
            let parts = (0..<2).map { _ in predicate(table, depth: depth + 1, &random) }
            return random.chance(50) ? .and(parts) : .or(parts)
        }
        let (operand, test) = operand(table, &random)
        return .test([Quantifier.any, .all, .none][random.below(3)], operand, test)
    }

    // MARK: Tests

    func testRandomConditions() {
        var random = TestRandom()
        for _ in TestEffort.rounds(4, within: 0.5) {
            var chain = makeStore(&random)
            let snapshot = chain.headSnapshot
            for _ in TestEffort.rounds(400, within: 1, atLeast: 60) {
                let table = random.below(2)
                let predicate = predicate(table, depth: 0, &random)
                let scan = predicate.scan(snapshot)
                snapshot.table(table).forEachLeaf { leaf in
                    var candidates = leaf.occupied
                    if random.chance(50) {
                        leaf.occupied.forEach { if random.chance(50) { candidates.remove($0) } }
                    }
                    var expected = Bits256()
                    leaf.forEachRow(in: candidates) { slot, key in
                        if predicate.holds(snapshot, Row(leaf, slot, key)) { expected.insert(slot) }
                    }
                    XCTAssertEqual(scan(leaf, candidates), expected, "\(predicate)")
                    return true
                }
            }
            chain.destroy(catalog)
        }
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    /// Collections, and the rows to which they link, of which nothing is in memory yet.
    func testCollectionsInFiles() throws {
        var random = TestRandom()
        var chain = makeStore(&random)
        var writer = PageWriter(MemoryPages(), chunkSize: 1 << 14, isCopy: true)
        let roots = try writer.write(chain.headSnapshot, catalog)
        for _ in TestEffort.rounds(60, within: 0.5, atLeast: 10) {
            let table = random.below(2)
            let query = RowQuery(.table(table), predicate(table, depth: 0, &random))
            let expected = query.evaluate(chain.headSnapshot, catalog)
            let heap = Heap()
            var number = 0
            PageFiles.add {
                number = $0
                return MemoryPageFile(writer.destination, $0, catalog, heap)
            }
            var restored = VersionChain(heap: heap, restoring: roots, of: number, catalog)
            XCTAssertEqual(query.evaluate(restored.headSnapshot, catalog), expected, "\(query)")
            restored.destroy(catalog)
            PageFiles.remove(number)
            XCTAssertEqual(heap.liveBlockCount, 0)
        }
        chain.destroy(catalog)
    }

    /// All comparisons of words, with their limits and with null.
    func testWords() {
        var random = TestRandom()
        let integers = Self.integers.map { UInt64(bitPattern: $0) }
        let doubles = Self.doubles.map { $0.bitPattern }
        for (words, order) in [(integers, CellOrder.natural), (doubles, .floatingPoint)] {
            let cells = words.map { Cell.word($0) } + [.null]
            var tests: [ValueTest] = cells.flatMap { cell in
                Self.comparisons.map { .compare($0, cell, order) }
            }
            for _ in 0..<100 {
                tests.append(
                    .both(tests[random.below(60)], random.chance(5) ? .always(true) : tests[random.below(60)])
                )
            }
            for test in tests {
                let prepared = WordTest(test)
                for word in words {
                    XCTAssertEqual(prepared.holds(word), test.holds(.word(word)), "\(test) \(word)")
                }
                for wanted in [true, false] {
                    let expected = words.contains { test.holds(.word($0)) == wanted }
                    XCTAssertEqual(prepared.finds(wanted, in: words, count: words.count), expected)
                }
            }
        }
    }
}
