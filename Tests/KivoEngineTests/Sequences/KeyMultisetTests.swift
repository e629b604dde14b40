import TestRandomness
import XCTest

@testable import KivoEngine

/// Multisets of keys, compared with sorted arrays, in several versions.
final class KeyMultisetTests: XCTestCase {
    private func check(_ set: KeyMultiset, _ model: [ObjectKey], line: UInt = #line) {
        XCTAssertEqual(set.count, model.count, line: line)
        XCTAssertEqual(set.isEmpty, model.isEmpty, line: line)
        XCTAssertEqual(set.first, model.first, line: line)
        var seen: [ObjectKey] = []
        set.forEach { seen.append($0) }
        XCTAssertEqual(seen, model, line: line)
        for position in model.indices where set.key(at: position) != model[position] {
            XCTFail("the key at \(position) is wrong", line: line)
        }
    }

    /// `universe` is how many different keys there are: few give many duplicates.
    private func run(universe: Int, transactions: Int, edits: Int, _ random: inout TestRandom) {
        var kept = VersionedModel(KeyMultiset(), [ObjectKey]())
        for step in 0..<transactions {
            let insertions = step / 20 % 2 == 0 ? 70 : 30
            kept.transact { set, model, memory in
                for _ in 0..<random.below(edits) {
                    let key = ObjectKey(1 + random.below(universe))
                    if random.chance(insertions) {
                        set.insert(key, memory)
                        model.insert(key, at: model.firstIndex { $0 > key } ?? model.count)
                    } else {
                        set.remove(key, memory)
                        if let position = model.firstIndex(of: key) { model.remove(at: position) }
                    }
                }
                if random.chance(3) {
                    set.retire(memory)
                    (set, model) = (KeyMultiset(), [])
                }
                check(set, model)
                return random.chance(75)
            }
            while kept.versions.count > 1 + random.below(5) { kept.dropOldest() }
            for version in kept.versions { check(version.value, version.model) }
        }
        kept.destroy { [heap = kept.heap] in $0.forEachBlock { heap.free($0) } }
    }

    func testFewKeys() {
        var random = TestRandom()
        for _ in 0..<8 { run(universe: 3, transactions: 400, edits: 12, &random) }
    }

    func testManyKeys() {
        var random = TestRandom()
        for _ in 0..<TestEffort.count(1, full: 3) {
            run(universe: 1_000, transactions: 400, edits: 80, &random)
        }
    }

    func testLargestKey() {
        var kept = VersionedModel(KeyMultiset(), [ObjectKey]())
        let keys: [ObjectKey] = [1, 1 << 40, ObjectKey.max >> 1]
        for key in keys {
            kept.transact { set, model, memory in
                set.insert(key, memory)
                model.append(key)
                return true
            }
            check(kept.newest.value, kept.newest.model)
        }
        kept.destroy { [heap = kept.heap] in $0.forEachBlock { heap.free($0) } }
    }
}
