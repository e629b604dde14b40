import XCTest

@testable import KivoEngine

/// Edit scripts of views, compared with a longest common subsequence found the slow way.
final class EditScriptTests: XCTestCase {
    /// Takes some elements out of an order and puts some of them, and others, in again.
    private func check(_ random: inout TestRandom, count: Int, touched: Int) {
        let old = (0..<count).map { ObjectKey($0 + 1) }.shuffled(using: &random)
        let leaving = Set(old.shuffled(using: &random).prefix(touched))
        var new = old.filter { !leaving.contains($0) }
        let coming =
            leaving.filter { _ in random.chance(70) } + (0..<random.below(3)).map { ObjectKey(1_000 + $0) }
        for key in coming {
            let position = random.chance(40) ? old.firstIndex(of: key) ?? 0 : random.below(new.count + 1)
            new.insert(key, at: min(position, new.count))
        }
        let script = EditScript(
            removed: old.indices.filter { leaving.contains(old[$0]) }
                .map { PositionedKey(position: $0, key: old[$0]) },
            inserted: new.indices.filter { coming.contains(new[$0]) }
                .map { PositionedKey(position: $0, key: new[$0]) },
            oldCount: old.count)
        let change = script.change()
        var result = old
        for index in change.deletions.reversed() { result.remove(at: index) }
        for index in change.insertions { result.insert(new[index], at: index) }
        XCTAssertEqual(result, new)
        XCTAssertEqual(change.deletions, change.deletions.sorted())
        XCTAssertEqual(change.insertions, change.insertions.sorted())
        let common = longestCommonSubsequence(old, new)
        XCTAssertEqual(change.deletions.count, old.count - common, "\(old) -> \(new)")
        XCTAssertEqual(change.insertions.count, new.count - common)
    }

    private func longestCommonSubsequence(_ a: [ObjectKey], _ b: [ObjectKey]) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for x in a {
            var diagonal = 0
            for (index, y) in b.enumerated() {
                let above = row[index + 1]
                row[index + 1] = x == y ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[b.count]
    }

    func testScriptsAreAsShortAsCanBe() {
        var random = TestRandom()
        for _ in 0..<3_000 {
            let count = 1 + random.below(25)
            check(&random, count: count, touched: random.below(count + 1))
        }
        for _ in 0..<100 { check(&random, count: 120, touched: random.below(60)) }
    }

    /// If two scripts have the same length, the one that moves the touched element is chosen.
    func testWhatWasTouchedIsWhatMoved() {
        let script = EditScript(
            removed: [PositionedKey(position: 0, key: 1)],
            inserted: [PositionedKey(position: 1, key: 1)], oldCount: 2)
        XCTAssertEqual(script.change().deletions, [0])
        XCTAssertEqual(script.change().insertions, [1])
    }

    func testDifferencesAreAsShortAsCanBe() {
        var random = TestRandom()
        for _ in 0..<2_000 {
            let old = (0..<random.below(15)).map { ObjectKey($0) }.shuffled(using: &random)
            let new = (0..<random.below(15)).map { ObjectKey($0 + random.below(3)) }
            let distinct = Array(Set(new)).shuffled(using: &random)
            let change = SequenceDifference.between(old, distinct)
            let common = longestCommonSubsequence(old, distinct)
            XCTAssertEqual(change.deletions.count, old.count - common)
            XCTAssertEqual(change.insertions.count, distinct.count - common)
        }
    }
}
