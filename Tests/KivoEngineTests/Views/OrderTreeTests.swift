import XCTest

@testable import KivoEngine

final class OrderTreeTests: XCTestCase {
    /// Ranges that begin and end anywhere in a tree of several levels, with entries that are ordered within a range only,
    /// as sections are.
    func testAPlaceIsFoundWithinARange() {
        var random = TestRandom()
        var tree = OrderTree()
        var entries: [OrderTree.Entry] = []
        var bounds = [0]
        while entries.count < 60_000 {
            let ranks = (0..<random.below(3_000)).map { _ in Int64(random.below(500)) }.sorted()
            entries += ranks.enumerated().map { .init(rank: $1, token: Int64(entries.count + $0)) }
            bounds.append(entries.count)
        }
        tree.fill(entries)
        for _ in 0..<5_000 {
            let section = random.below(bounds.count - 1)
            let range = bounds[section]..<bounds[section + 1]
            let rank = Int64(random.below(502) - 1)
            let found = tree.partitionPoint(in: range) { $0.rank < rank }
            let expected = range.lowerBound + entries[range].prefix { $0.rank < rank }.count
            XCTAssertEqual(found, expected, "rank \(rank) in \(range)")
        }
    }
}
