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

    /// Orders that are frozen between edits stay as they were, whichever of them are released, here or after the tree; in the end no
    /// node is left.
    func testFrozenOrdersStayAsTheyWere() {
        var random = TestRandom()
        for _ in 0..<4 {
            let heap: Heap
            var frozen: [(order: FrozenOrder, tokens: [Int64])] = []
            do {
                var tree = OrderTree()
                heap = tree.heap
                var tokens = (0..<random.below(5_000)).map { Int64($0) }
                tree.fill(tokens.map { .init(rank: 0, token: $0) })
                for step in 0..<300 {
                    for _ in 0..<random.below(20) {
                        if random.below(2) == 0, !tokens.isEmpty {
                            let position = random.below(tokens.count)
                            tree.remove(at: position)
                            tokens.remove(at: position)
                        } else {
                            let position = random.below(tokens.count + 1)
                            tree.insert(.init(rank: 0, token: Int64(10_000 + step)), at: position)
                            tokens.insert(Int64(10_000 + step), at: position)
                        }
                    }
                    tree.endEdits()
                    if random.below(3) == 0 { frozen.append((tree.frozen(), tokens)) }
                    while frozen.count > random.below(12) { frozen.remove(at: random.below(frozen.count)) }
                    for (order, tokens) in frozen where random.below(4) == 0 { check(order, tokens, &random) }
                    tree.checkInvariants()
                }
            }
            for (order, tokens) in frozen { check(order, tokens, &random) }
            frozen.removeAll()
            XCTAssertEqual(heap.liveBlockCount, 0)
        }
    }

    private func check(_ order: FrozenOrder, _ tokens: [Int64], _ random: inout TestRandom) {
        XCTAssertEqual(order.count, tokens.count)
        XCTAssertEqual(order.keys, tokens)
        if tokens.isEmpty { return }
        let position = random.below(tokens.count)
        XCTAssertEqual(order.key(at: position), tokens[position])
    }

    #if DEBUG
    /// A frozen order that is kept, beside others that come and go, keeps its own nodes and no others.
    func testNodesOfReleasedOrdersAreFreed() {
        var tree = OrderTree()
        tree.fill((0..<10_000).map { .init(rank: 0, token: $0) })
        let kept = tree.frozen()
        let before = tree.heap.liveBlockCount
        for step in 0..<2_000 {
            let position = step * 7 % 10_000
            let entry = tree[position]
            tree.remove(at: position)
            tree.insert(entry, at: position)
            tree.endEdits()
            withExtendedLifetime(tree.frozen()) {}
        }
        XCTAssertLessThanOrEqual(tree.heap.liveBlockCount, 3 * before)
        XCTAssertEqual(kept.keys, Array(0..<10_000))
    }
    #endif
}
