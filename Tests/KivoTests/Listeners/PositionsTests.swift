import XCTest

@testable import Kivo

/// Positions of changed elements, which take no room where they are a range.
final class PositionsTests: XCTestCase {
    func testBothFormsNameTheSameElements() {
        var random = RandomSource()
        for _ in 0..<200 {
            let elements = (0..<random.below(12)).map { _ in random.below(100) }
            let start = random.below(elements.count + 1)
            let range = start..<start + random.below(elements.count - start + 1)
            let scattered = elements.indices.filter { _ in random.chance(40) }
            for (positions, listed) in [
                (Positions.range(range), Array(range)), (.scattered(scattered), scattered),
                (Positions(ascending: scattered), scattered),
                (Positions(ascending: Array(range)), Array(range)),
            ] {
                XCTAssertEqual(positions.array, listed)
                XCTAssertEqual(positions.indexSet, IndexSet(listed))
                XCTAssertEqual(positions.isEmpty, listed.isEmpty)
                if listed.isEmpty { continue }
                var (kept, model) = (elements, elements)
                kept.remove(at: positions)
                for position in listed.reversed() { model.remove(at: position) }
                XCTAssertEqual(kept, model)
            }
        }
    }

    func testPositionsWithoutAGapAreARange() {
        guard case .range(3..<6) = Positions(ascending: [3, 4, 5]) else { return XCTFail("no range") }
        guard case .scattered([3, 5]) = Positions(ascending: [3, 5]) else { return XCTFail("a gap was lost") }
    }

    /// A range of any length is reported without listing it: this one is too long to be listed.
    func testARangeIsNotListed() {
        let kind = CollectionChangeKind.replacement(.range(0..<Int.max / 2))
        XCTAssertEqual(kind.indexes?.rangeView.map { $0 }, [0..<Int.max / 2])
    }
}
