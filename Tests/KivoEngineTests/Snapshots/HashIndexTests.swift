import TestRandomness
import XCTest

@testable import KivoEngine

/// Hash tries, compared with dictionaries, in several versions.
final class HashIndexTests: XCTestCase {
    private typealias Model = [UInt64: [ObjectKey]]

    private func check(_ index: HashIndex, _ model: Model, line: UInt = #line) {
        XCTAssertEqual(index.count, model.values.reduce(0) { $0 + $1.count }, line: line)
        for (hash, keys) in model { check(index, hash, keys, line: line) }
    }

    private func check(_ index: HashIndex, _ hash: UInt64, _ keys: [ObjectKey], line: UInt = #line) {
        XCTAssertEqual(index.firstKey(hash), keys.first, line: line)
        var seen: [ObjectKey] = []
        index.forEach(hash) { seen.append($0) }
        XCTAssertEqual(seen, keys, line: line)
    }

    private func insert(_ hash: UInt64, _ key: ObjectKey, _ model: inout Model) {
        let keys = model[hash] ?? []
        model[hash, default: []].insert(key, at: keys.firstIndex { $0 > key } ?? keys.count)
    }

    private func remove(_ hash: UInt64, _ key: ObjectKey, _ model: inout Model) {
        guard let position = model[hash]?.firstIndex(of: key) else { return }
        model[hash]!.remove(at: position)
        if model[hash]!.isEmpty { model[hash] = nil }
    }

    private func run(
        transactions: Int, edits: Int, _ random: inout TestRandom, _ hash: (inout TestRandom) -> UInt64
    ) {
        var kept = VersionedModel(HashIndex(root: nil), Model())
        for step in 0..<transactions {
            let insertions = step / 12 % 2 == 0 ? 80 : 20
            kept.transact { index, model, memory in
                for _ in 0..<random.below(edits) {
                    let (some, key) = (hash(&random), ObjectKey(1 + random.below(8)))
                    if random.chance(30) {
                        let known = model[some]
                        XCTAssertEqual(index.insert(some, ifAbsent: key, memory)?.keys, known)
                        if known == nil { insert(some, key, &model) }
                    } else if random.chance(insertions) {
                        index.insert(some, key, memory)
                        insert(some, key, &model)
                    } else if random.chance(20) {
                        // Often not there.
                        index.remove(some, key, memory)
                        remove(some, key, &model)
                    } else if let present = model.keys.sorted().randomElement(using: &random) {
                        let known = model[present]!.randomElement(using: &random)!
                        index.remove(present, known, memory)
                        remove(present, known, &model)
                    }
                    check(index, some, model[some] ?? [])
                }
                check(index, model)
                return random.chance(75)
            }
            while kept.versions.count > 1 + random.below(4) { kept.dropOldest() }
            for version in kept.versions { check(version.value, version.model) }
        }
        emptyAndCheck(&kept)
    }

    private func emptyAndCheck(_ kept: inout VersionedModel<HashIndex, Model>) {
        kept.transact { index, model, memory in
            for (hash, keys) in model { for key in keys { index.remove(hash, key, memory) } }
            XCTAssertNil(index.root)
            return false
        }
        check(kept.newest.value, kept.newest.model)
        kept.destroy { [heap = kept.heap] in $0.forEachBlock { heap.free($0) } }
    }

    func testFewHashes() {
        var random = TestRandom()
        run(transactions: 120, edits: 20, &random) { Cell.word(UInt64($0.below(20))).indexHash(seed: 1) }
    }

    func testSpreadHashes() {
        var random = TestRandom()
        run(transactions: 60, edits: 120, &random) { Cell.word(UInt64($0.below(2_000))).indexHash(seed: 1) }
    }

    /// Hashes that agree in many bits from the top make the trie deep, down to where no bits are left.
    func testHashesWithCommonPrefixes() {
        var random = TestRandom()
        run(transactions: TestEffort.count(20, full: 60), edits: 150, &random) { random in
            let common = random.below(65)
            let low = random.next()
            return common == 64 ? ~0 : common == 0 ? low : ~(~0 >> UInt64(common)) | low >> UInt64(common)
        }
    }

    func testHashesThatDifferInTheLastBits() {
        var random = TestRandom()
        run(transactions: TestEffort.size(20, full: 60), edits: 150, &random) {
            0xABCD_EF01_2345_6700 | UInt64($0.below(256))
        }
    }
}
