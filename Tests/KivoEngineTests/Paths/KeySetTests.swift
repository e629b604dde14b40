import TestRandomness
import XCTest

@testable import KivoEngine

/// Sets of keys against the sets of the standard library.
final class KeySetTests: XCTestCase {
    private func check(_ keys: Set<ObjectKey>, _ others: [ObjectKey], line: UInt = #line) {
        let set = KeySet(ascending: keys.sorted())
        XCTAssertEqual(set.count, keys.count, line: line)
        for key in Array(keys) + others {
            XCTAssertEqual(set.contains(key), keys.contains(key), "\(key)", line: line)
        }
    }

    func testNothing() { check([], [0, 1, -1, .max, .min]) }

    func testEnds() {
        let ends: [ObjectKey] = [.min, .min + 1, -65, -64, -1, 0, 1, 63, 64, 65, .max - 1, .max]
        for end in ends { check([end], ends) }
        check(Set(ends), [2, -2, 62, 66])
        check([.max - 3, .max], ends)
        check([.min, .min + 3], ends)
    }

    func testKeysNextToEachOtherAndFarApart() {
        var random = TestRandom("key sets")
        for spread in [1, 2, 60, 130, 100_000] as [ObjectKey] {
            for _ in 0..<20 {
                let first = ObjectKey(random.below(1_000)) - 500
                let keys = (0..<random.below(200) + 1).map { first + ObjectKey($0) * spread }
                let kept = Set(keys.filter { _ in random.below(3) > 0 })
                var others: [ObjectKey] = keys.map { $0 + 1 } + keys
                others += [first - 1, ObjectKey.max, ObjectKey.min]
                check(kept, others)
            }
        }
    }
}
