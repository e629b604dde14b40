import TestRandomness
import XCTest

@testable import KivoEngine

/// The order in which the clock takes nodes, against a list of them.
final class PageCacheTests: XCTestCase {
    private func page(_ number: Int) -> PageReference { PageReference(file: 1, offset: 8 * (number + 1)) }

    private let expected = PageExpectation.value(isString: true)

    /// The nodes by their numbers, the first in the clock first, and those that were used since the clock passed over them.
    private struct Model {
        var nodes: [(number: Int, bytes: Int)] = []
        var used: Set<Int> = []
        var bytes: Int { nodes.reduce(0) { $0 + $1.bytes } }

        mutating func evict(to target: Int) -> [Int] {
            var (evicted, rest): ([Int], Int) = ([], 2 * nodes.count)
            while rest > 0, bytes > target, !nodes.isEmpty {
                rest -= 1
                let first = nodes.removeFirst()
                if used.remove(first.number) == nil {
                    evicted.append(first.number)
                } else {
                    nodes.append(first)
                }
            }
            return evicted
        }
    }

    func testTheClockTakesTheLongestUnusedFirst() {
        var random = RandomSource()
        for _ in TestEffort.rounds(200) {
            let limit = random.below(4_000)
            let cache = PageCache(limit: limit)
            var (model, next) = (Model(), 0)
            for _ in 0..<100 {
                for _ in 0..<random.below(4) {
                    let bytes = 1 + random.below(300)
                    cache.add(page(next), expected, byteCount: bytes)
                    model.nodes.append((next, bytes))
                    model.used.insert(next)
                    next += 1
                }
                for node in model.nodes where random.chance(20) { model.used.insert(node.number) }
                XCTAssertEqual(cache.byteCount, model.bytes)
                if model.bytes > limit, model.bytes > cache.limit + limit / 8 {
                    XCTAssertTrue(cache.isEvictionDue)
                }
                guard cache.isEvictionDue || random.chance(10) else { continue }
                XCTAssertTrue(!cache.isEvictionDue || model.bytes > limit - limit / 8)
                var (evicted, used) = ([Int](), model.used)
                cache.turn { entry in
                    let number = entry.page.offset / 8 - 1
                    if used.remove(number) != nil { return .kept }
                    evicted.append(number)
                    return .evicted(UnsafeMutableRawPointer(bitPattern: 8)!)
                }
                XCTAssertEqual(evicted, model.evict(to: limit - limit / 8 * 2))
                XCTAssertLessThanOrEqual(cache.byteCount, limit)
                XCTAssertFalse(cache.isEvictionDue)
            }
        }
    }

    func testReplacedNodesNoLongerCount() {
        let cache = PageCache(limit: 1_000)
        for number in 0..<20 { cache.add(page(number), expected, byteCount: 100) }
        XCTAssertTrue(cache.isEvictionDue)
        XCTAssertFalse(cache.hasRoom)
        var passed = 0
        cache.turn { _ in
            passed += 1
            return .gone
        }
        // Down to three quarters of the limit.
        XCTAssertEqual(passed, 13)
        XCTAssertEqual(cache.byteCount, 700)
        XCTAssertEqual(cache.evictions, 0)
        XCTAssertTrue(cache.hasRoom)
    }

    func testAnEvictionThatIsPutOffIsDueAgain() {
        let cache = PageCache(limit: 800)
        for number in 0..<8 { cache.add(page(number), expected, byteCount: 100) }
        XCTAssertTrue(cache.isEvictionDue)
        cache.postpone()
        XCTAssertFalse(cache.isEvictionDue)
        cache.add(page(8), expected, byteCount: 50)
        XCTAssertFalse(cache.isEvictionDue)
        cache.resume()
        XCTAssertTrue(cache.isEvictionDue)
        cache.postpone()
        cache.add(page(9), expected, byteCount: 150)
        XCTAssertTrue(cache.isEvictionDue)
    }

    func testWithoutALimitNothingIsCounted() {
        let cache = PageCache(limit: .max)
        cache.add(page(0), expected, byteCount: 1 << 40)
        XCTAssertEqual(cache.byteCount, 0)
        XCTAssertFalse(cache.isEvictionDue)
        XCTAssertFalse(cache.demandsCheckpoint(beside: 1 << 50))
    }

    func testWrittenNodesDemandACheckpoint() {
        let cache = PageCache(limit: 256 << 20)
        cache.noteDirty(byteCount: 60 << 20)
        XCTAssertFalse(cache.demandsCheckpoint(beside: 1 << 20))
        XCTAssertTrue(cache.demandsCheckpoint(beside: 8 << 20))
        XCTAssertFalse(cache.isBehind)
        cache.noteDirty(byteCount: 80 << 20)
        XCTAssertTrue(cache.isBehind)
        cache.noteCheckpoint()
        XCTAssertEqual(cache.dirtyByteCount, 0)
        XCTAssertFalse(cache.isBehind)
    }
}
