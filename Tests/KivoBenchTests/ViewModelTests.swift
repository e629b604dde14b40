import TestRandomness
import XCTest

@testable import KivoBench

/// The models that predict the notifications of views, compared with counting and sorting from scratch. `KIVO_TEST_SEED=n`
/// repeats a run.
final class ViewModelTests: XCTestCase {
    private let seed = RandomSource.seed(for: "ViewModelTests")

    func testRanksAreCounts() {
        var random = SplitMix64(state: seed)
        for _ in 0..<50 {
            var counts = (0..<(1 + random.below(70))).map { _ in random.below(3) }
            var tree = RankTree(counts)
            for _ in 0..<20 {
                let place = random.below(counts.count)
                counts[place] += 1
                tree.add(1, at: place)
                for place in 0...counts.count {
                    XCTAssertEqual(
                        tree.count(before: place), counts[..<place].reduce(0, +), "seed \(seed)")
                }
            }
        }
    }

    func testFilteredChangesTurnTheOldViewIntoTheNew() {
        forRandomChanges { old, new, changed in
            var model = FilteredModel(old)
            guard case .indices(let deletions, let insertions, let modifications) = model.assign(changed)
            else {
                return XCTFail("seed \(seed)")
            }
            let before = old.indices.filter { FilteredModel.isMatch(old[$0]) }
            var view = before
            let after = new.indices.filter { FilteredModel.isMatch(new[$0]) }
            for index in deletions.reversed() { view.remove(at: index) }
            for index in insertions { view.insert(after[index], at: index) }
            XCTAssertEqual(view, after, "seed \(seed)")
            let rows = Set(changed.map(\.row))
            XCTAssertEqual(
                modifications, before.indices.filter { rows.contains(before[$0]) && !deletions.contains($0) },
                "seed \(seed)")
        }
    }

    func testSortedPositionsAreThoseOfSortingAnew() {
        func order(_ values: [Int]) -> [Int] {
            values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
        }
        forRandomChanges { old, new, changed in
            var model = SortedModel(old)
            guard case .reordered(let before, let after) = model.assign(changed) else {
                return XCTFail("seed \(seed)")
            }
            let rows = Set(changed.map(\.row))
            let (was, now) = (order(old), order(new))
            XCTAssertEqual(before, was.indices.filter { rows.contains(was[$0]) }, "seed \(seed)")
            XCTAssertEqual(after, now.indices.filter { rows.contains(now[$0]) }, "seed \(seed)")
        }
    }

    /// Values of few kinds, so that many are equal, and some of them changed.
    private func forRandomChanges(_ body: ([Int], [Int], [(row: Int, value: Int)]) -> Void) {
        var random = SplitMix64(state: seed)
        for _ in 0..<20 {
            func value() -> Int { ItemData.median - 5 + random.below(10) }
            let old = (0..<(1 + random.below(60))).map { _ in value() }
            let rows = random.distinct(random.below(old.count + 1), below: old.count)
            let changed = rows.map { (row: $0, value: value()) }
            var new = old
            for (row, value) in changed { new[row] = value }
            body(old, new, changed)
        }
    }
}
