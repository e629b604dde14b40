import TestRandomness
import XCTest

@testable import KivoEngine

/// The change of a window, from that of the whole result.
final class ResultWindowTests: XCTestCase {
    func testRanges() {
        let all = ResultWindow()
        XCTAssertEqual(all.range(of: 3), 0..<3)
        XCTAssertEqual(all.prefix(2).range(of: 3), 0..<2)
        XCTAssertEqual(all.prefix(2).dropping(1).range(of: 3), 1..<2)
        XCTAssertEqual(all.prefix(2).dropping(5).range(of: 9), 5..<5)
        XCTAssertEqual(all.dropping(1).prefix(5).range(of: 3), 1..<3)
        XCTAssertEqual(all.dropping(.max).dropping(.max).prefix(.max).range(of: 3), 3..<3)
        XCTAssertEqual(all.dropping(2).range(of: 1), 1..<1)
    }

    /// Applying the change to the elements of the window before gives those after it, and nothing else is reported.
    func testChangesLeadToTheNewElements() {
        var random = TestRandom("windows")
        for _ in 0..<TestEffort.count(2_000, full: 20_000) {
            let old = Array((0..<random.below(12)).shuffled(using: &random))
            var new = old.filter { _ in random.below(4) > 0 }
            for _ in 0..<random.below(4) {
                new.insert(100 + random.below(100_000), at: random.below(new.count + 1))
            }
            for _ in 0..<random.below(3) where new.count > 1 {
                let moved = new.remove(at: random.below(new.count))
                new.insert(moved, at: random.below(new.count + 1))
            }
            var window = ResultWindow()
            for _ in 0..<random.below(3) {
                window =
                    random.below(2) == 0 ? window.prefix(random.below(9)) : window.dropping(random.below(5))
            }
            let difference = SequenceDifference.between(old, new)
            var whole = difference
            whole.modifications = new.indices.filter {
                !difference.insertions.contains($0) && random.below(3) == 0
            }
            let change = window.change(whole, from: old.count, to: new.count)
            check(change, Array(old[window.range(of: old.count)]), Array(new[window.range(of: new.count)]))
            XCTAssertLessThanOrEqual(
                change.deletions.count + change.insertions.count,
                2 * (whole.deletions.count + whole.insertions.count))
            let (start, inserted) = (window.range(of: new.count).lowerBound, Set(change.insertions))
            XCTAssertEqual(
                change.modifications,
                whole.modifications.filter { window.range(of: new.count).contains($0) }.map { $0 - start }
                    .filter { !inserted.contains($0) })
        }
    }

    private func check(_ change: ViewChange, _ old: [Int], _ new: [Int]) {
        XCTAssertEqual(change.deletions, change.deletions.sorted())
        XCTAssertEqual(change.insertions, change.insertions.sorted())
        var elements = old
        for position in change.deletions.reversed() { elements.remove(at: position) }
        for position in change.insertions { elements.insert(new[position], at: position) }
        XCTAssertEqual(elements, new)
        for move in change.moves {
            XCTAssertEqual(old[move.from], new[move.to])
            XCTAssertTrue(change.deletions.contains(move.from) && change.insertions.contains(move.to))
        }
    }
}
