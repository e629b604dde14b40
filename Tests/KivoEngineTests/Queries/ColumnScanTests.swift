import TestRandomness
import XCTest

@testable import KivoEngine

/// Kernels, which scan a column, against the meaning of each test, value by value.
final class ColumnScanTests: XCTestCase {
    /// A leaf with one column, filled with given cells.
    private func withLeaf(_ cells: [Cell], _ kind: ColumnKind, _ body: (Leaf) -> Void) {
        let heap = Heap()
        let memory = WriteMemory(id: 1, heap: heap)
        let buffer = ColumnBuffer.make(kind, capacity: cells.count, memory)
        for (slot, cell) in cells.enumerated() {
            switch (kind, cell) {
            case (.word, .word(let word)): buffer.setWord(slot, word)
            case (.wide, .wide(let high, let low)): ColumnValues.setWide(buffer.data, slot, (high, low))
            case (.wide, _): buffer.setNull(slot, true)
            case (.word, _): buffer.setNull(slot, true)
            case (.link, _): buffer.setWord(slot, UInt64(bitPattern: cell.linkKey))
            default: buffer.initialize(slot, cell, kind)
            }
        }
        let base = UnsafeMutableRawPointer.allocate(byteCount: Leaf.headerBytes + 8, alignment: 8)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: Leaf.headerBytes + 8)
        base.storeBytes(of: UInt16(cells.count), toByteOffset: 146, as: UInt16.self)
        let leaf = Leaf(base: base)
        leaf.columns[0] = buffer.data
        body(leaf)
        base.deallocate()
        if kind == .string { for slot in cells.indices { buffer.ownedBits(slot, kind)!.release() } }
        memory.cancel()
        XCTAssertEqual(heap.liveBlockCount, 0)
    }

    /// Checks that a test's scan finds what the test holds for, among all rows and among some.
    private func check(
        _ test: ValueTest, _ cells: [Cell], _ kind: ColumnKind, _ leaf: Leaf, _ random: inout TestRandom,
        _ message: @autoclosure () -> String, line: UInt = #line
    ) {
        guard let scan = test.scan(0, kind) else { return XCTFail("no scan: \(message())", line: line) }
        var some = Bits256()
        for slot in cells.indices where random.chance(25) { some.insert(slot) }
        for candidates in [Bits256(cells.indices), some] {
            var expected = Bits256()
            candidates.forEach { if test.holds(cells[$0]) { expected.insert($0) } }
            let found = scan(leaf, candidates)
            if found == expected { continue }
            let wrong = cells.indices.filter { found.contains($0) != expected.contains($0) }
            XCTFail("\(message()): \(wrong.map { "\(cells[$0])" }.prefix(5))", line: line)
        }
    }

    private static let letters: [String] = [
        "a", "b", "A", "B", "ab", "z", "@", "[", "`", "\0", "é", "e\u{301}", "\u{212A}", "k", "K", "日", "😀",
        "İ", "ß",
    ]

    private func text(_ random: inout TestRandom) -> String {
        let count = [0, 1, 2, 3, 7, 8, 9, 14, 15, 16, 17, 30, 300, 1400][
            random.below(random.chance(5) ? 14 : 12)]
        // Few different letters, and mostly of ASCII, so that parts are found in others.
        let known = random.chance(60) ? 9 : Self.letters.count
        return (0..<random.below(count + 1)).map { _ in Self.letters[random.below(known)] }.joined()
    }

    func testStrings() {
        var random = TestRandom()
        let foldings: [TextTest.Folding?] = [
            nil, TextTest.Folding(ascii: .lowercase) { $0.lowercased() },
            TextTest.Folding(ascii: .unchanged) { text in
                String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{301}" }))
            },
        ]
        let operators: [TextTest.Operator] = [
            .order(.equal), .order(.notEqual), .order(.less), .order(.lessOrEqual), .order(.greater),
            .order(.greaterOrEqual), .begins, .ends, .contains, .like,
        ]
        for round in TestEffort.rounds(60, within: 0.3, atLeast: 6) {
            var cells: [Cell] = (0..<[16, 64, 256][round % 3]).map { _ in
                random.chance(5) ? .null : .string(text(&random))
            }
            if random.chance(30) {
                cells[random.below(cells.count)] = .string(String(repeating: "ab", count: 2050))
            }
            withLeaf(cells, .string) { leaf in
                for sign in operators {
                    for folding in foldings {
                        let needle = needle(sign, cells, &random)
                        check(
                            .text(TextTest(sign, needle, folding: folding)), cells, .string, leaf, &random,
                            "\(sign) '\(needle)' \(String(describing: folding?.ascii))")
                    }
                }
                for comparison: ComparisonOperator in [.equal, .notEqual, .less, .greaterOrEqual] {
                    let needle = needle(.order(comparison), cells, &random)
                    check(
                        .compare(comparison, .string(needle), .natural), cells, .string, leaf, &random,
                        "\(comparison) '\(needle)'")
                }
                let members: [Cell] = (0..<random.below(30)).map { _ in
                    random.chance(10) ? .null : .string(needle(.order(.equal), cells, &random))
                }
                check(.oneOf(CellSet(members, .natural)), cells, .string, leaf, &random, "in \(members)")
                let either = members.prefix(3).compactMap { cell -> ValueTest? in
                    guard case .string(let text) = cell else { return nil }
                    return .text(TextTest(.order(.equal), text, folding: foldings[1]))
                }
                check(.either(either), cells, .string, leaf, &random, "in[c] \(members)")
            }
        }
    }

    /// Strings in place in which the bytes of the needle do not occur before they are folded.
    func testStringsThatAreFoundWhenTheyAreFolded() {
        var random = TestRandom()
        let folding = TextTest.Folding(ascii: .unchanged) { text in
            String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{301}" }))
        }
        let cells = (0..<64).map { Cell.string($0.isMultiple(of: 2) ? "we\u{301}z\($0)" : "wez\($0)") }
        withLeaf(cells, .string) { leaf in
            for (sign, needle) in [(TextTest.Operator.contains, "ez"), (.like, "*ez*"), (.like, "w*e*z*")] {
                let test = ValueTest.text(TextTest(sign, needle, folding: folding))
                XCTAssertTrue(cells.allSatisfy(test.holds), needle)
                check(test, cells, .string, leaf, &random, needle)
            }
        }
    }

    /// A needle that is made from one of the values, so that it is found.
    private func needle(_ sign: TextTest.Operator, _ cells: [Cell], _ random: inout TestRandom) -> String {
        guard random.chance(80), case .string(let whole) = cells[random.below(cells.count)] else {
            return text(&random)
        }
        var scalars = Array(whole.unicodeScalars)
        if sign == .ends || sign == .contains || random.chance(10) {
            scalars.removeFirst(random.below(scalars.count + 1))
        }
        if sign == .begins || sign == .contains || random.chance(10) {
            scalars.removeLast(random.below(scalars.count + 1))
        }
        if sign == .like {
            // Patterns with no other wildcard than `*` have a kernel of their own.
            let kinds = random.chance(50) ? 1 : 3
            for index in scalars.indices where random.chance(30) {
                scalars[index] = ["*", "?", "\\"][random.below(kinds)]
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return random.chance(20) ? String(text).uppercased() : String(text)
    }

    func testWords() {
        var random = TestRandom()
        for round in 0..<60 {
            let numbers: [Int64] = [.min, -3, -1, 0, 1, 2, 3, 500, 1 << 40, .max - 1, .max]
            let bound = 1 + random.below(numbers.count)
            let cells: [Cell] = (0..<[16, 64, 256][round % 3]).map { _ in
                random.chance(10) ? .null : .word(UInt64(bitPattern: numbers[random.below(bound)]))
            }
            withLeaf(cells, .word) { leaf in
                let members: [Cell] = (0..<random.below(12)).map { _ in
                    random.chance(10)
                        ? .null : .word(UInt64(bitPattern: numbers[random.below(numbers.count)]))
                }
                check(.oneOf(CellSet(members, .natural)), cells, .word, leaf, &random, "in \(members)")
                let tests = members.map { ValueTest.compare(.equal, $0, .natural) }
                check(.either(tests), cells, .word, leaf, &random, "either \(members)")
            }
            let links: [Cell] = cells.map { .link($0 == .null ? 0 : ObjectKey(random.below(20))) }
            withLeaf(links, .link) { leaf in
                let members: [Cell] = (0..<random.below(8)).map { _ in .link(ObjectKey(random.below(20))) }
                check(.oneOf(CellSet(members, .natural)), links, .link, leaf, &random, "in \(members)")
            }
        }
    }

    private static let comparisons: [ComparisonOperator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    /// All comparisons of words and pairs, with each other and with null, alone and two at a time.
    func testComparisons() {
        var random = TestRandom()
        let numbers: [Cell] = [.min, -3, -1, 0, 1, 2, 500, 1 << 40, .max].map {
            .word(UInt64(bitPattern: $0 as Int64))
        }
        let doubles = [-1.5, -0.0, 0, 0.1, 2, .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude].map
        {
            Cell.word($0.bitPattern)
        }
        let pairs = (0..<3).flatMap { high in (0..<3).map { Cell.wide(UInt64(high), UInt64($0)) } }
        let links = (0..<6).map { Cell.link(ObjectKey($0)) }
        let kinds: [(ColumnKind, CellOrder, [Cell], hasNull: Bool)] = [
            (.word, .natural, numbers, true), (.word, .floatingPoint, doubles, true),
            (.wide, .natural, pairs, true), (.link, .natural, links, false),
        ]
        for round in 0..<40 {
            for (kind, order, values, hasNull) in kinds {
                let cells: [Cell] = (0..<[16, 64, 256][round % 3]).map { _ in
                    hasNull && random.chance(15) ? .null : values[random.below(values.count)]
                }
                withLeaf(cells, kind) { leaf in
                    // Links have no order, and pairs none that is compared as a column.
                    let comparisons = kind == .word ? Self.comparisons : [.equal, .notEqual]
                    for comparison in comparisons {
                        let constant =
                            hasNull && random.chance(20) ? .null : values[random.below(values.count)]
                        let test = ValueTest.compare(comparison, constant, order)
                        check(test, cells, kind, leaf, &random, "\(kind) \(comparison) \(constant)")
                        let other = ValueTest.compare(
                            comparisons[random.below(comparisons.count)], values[random.below(values.count)],
                            order)
                        check(.both(test, other), cells, kind, leaf, &random, "\(test) and \(other)")
                        check(.either([test, other]), cells, kind, leaf, &random, "\(test) or \(other)")
                    }
                }
            }
        }
    }

    func testStringsAreComparedWithNull() {
        var random = TestRandom()
        for size in [16, 64, 256] {
            let cells: [Cell] = (0..<size).map { _ in random.chance(30) ? .null : .string(text(&random)) }
            withLeaf(cells, .string) { leaf in
                for comparison in Self.comparisons {
                    check(
                        .compare(comparison, .null, .natural), cells, .string, leaf, &random,
                        "\(comparison) null")
                }
            }
        }
    }

    func testSetsOfDoublesAndPairs() {
        var random = TestRandom()
        let doubles = [-1.5, -0.0, 0, 0.1, 2, .infinity, -.infinity, .nan, -.nan].map {
            Cell.word($0.bitPattern)
        }
        let pairs = (0..<3).flatMap { high in (0..<3).map { Cell.wide(UInt64(high), UInt64($0 + 1)) } }
        for round in 0..<60 {
            let size = [16, 64, 256][round % 3]
            func some(_ cells: [Cell], _ count: Int) -> [Cell] {
                (0..<count).map { _ in random.chance(10) ? .null : cells[random.below(cells.count)] }
            }
            let words = some(doubles, size)
            withLeaf(words, .word) { leaf in
                let members = some(doubles, random.below(6))
                check(.oneOf(CellSet(members, .floatingPoint)), words, .word, leaf, &random, "in \(members)")
            }
            let values = some(pairs + [.wide(0, 0), .wide(1, 0)], size)
            withLeaf(values, .wide) { leaf in
                let members = some(pairs, random.below(6))
                check(.oneOf(CellSet(members, .natural)), values, .wide, leaf, &random, "in \(members)")
            }
        }
    }

    /// Many members, so that places of the set are shared.
    func testLargeSets() {
        let words = (0..<5000).map { UInt64($0) &* 0x1_0000_0001 }
        let set = WordPairSet(words.map { ($0, 1) })
        XCTAssertTrue(words.allSatisfy { set.contains(($0, 1)) })
        XCTAssertFalse(words.contains { set.contains(($0 + 1, 1)) || set.contains(($0, 2)) })
    }
}
