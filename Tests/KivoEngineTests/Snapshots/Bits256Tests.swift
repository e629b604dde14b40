import XCTest

@testable import KivoEngine

/// Sets of slots, compared with sets of integers.
final class Bits256Tests: XCTestCase {
    private func bits(_ slots: Set<Int>) -> Bits256 {
        slots.reduce(into: Bits256()) { $0.insert($1) }
    }

    private func check(_ bits: Bits256, _ model: Set<Int>, line: UInt = #line) {
        let sorted = model.sorted()
        XCTAssertEqual(bits.count, sorted.count, line: line)
        XCTAssertEqual(bits.isEmpty, sorted.isEmpty, line: line)
        var seen: [Int] = []
        bits.forEach { seen.append($0) }
        XCTAssertEqual(seen, sorted, line: line)
        for (rank, slot) in sorted.enumerated() where bits.select(rank) != slot {
            XCTFail("select(\(rank)) is not \(slot)", line: line)
        }
        // Going down, the model's answers to rank and next follow from those for the slot above.
        var (rank, next) = (sorted.count, Int?.none)
        for slot in (0...256).reversed() {
            if model.contains(slot) { (rank, next) = (rank - 1, slot) }
            guard bits.rank(slot) == rank, bits.next(from: slot) == next else {
                return XCTFail("rank or next of \(slot) is wrong", line: line)
            }
            if slot < 256, bits.contains(slot) != model.contains(slot) {
                XCTFail("contains(\(slot)) is wrong", line: line)
            }
        }
    }

    func testInsertionsAndRemovals() {
        var random = TestRandom()
        for round in 0..<20 {
            var (bits, model) = (Bits256(), Set<Int>())
            let insertions = [10, 50, 90][round % 3]
            for _ in 0..<60 {
                for _ in 0..<random.below(8) {
                    let slot = random.below(256)
                    if random.chance(insertions) {
                        bits.insert(slot)
                        model.insert(slot)
                    } else {
                        bits.remove(slot)
                        model.remove(slot)
                    }
                }
                check(bits, model)
            }
        }
    }

    func testSetOperations() {
        var random = TestRandom()
        for _ in 0..<300 {
            let a = Set((0..<random.below(200)).map { _ in random.below(256) })
            let b = Set((0..<random.below(200)).map { _ in random.below(256) })
            XCTAssertEqual(bits(a) | bits(b), bits(a.union(b)))
            XCTAssertEqual(bits(a) & bits(b), bits(a.intersection(b)))
            XCTAssertEqual(bits(a).subtracting(bits(b)), bits(a.subtracting(b)))
            XCTAssertEqual(bits(a) == bits(b), a == b)
        }
    }

    func testBoundaries() {
        check(Bits256(), [])
        check(Bits256(~0, ~0, ~0, ~0), Set(0..<256))
        for slot in [0, 1, 63, 64, 127, 128, 191, 192, 254, 255] {
            check(bits([slot]), [slot])
            check(bits(Set(0..<256).subtracting([slot])), Set(0..<256).subtracting([slot]))
        }
    }
}
