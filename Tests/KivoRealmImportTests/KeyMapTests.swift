import TestRandomness
import XCTest

@testable import KivoRealmImport

final class KeyMapTests: XCTestCase {
    func testAgainstADictionary() {
        let seed = RandomSource.seed()
        var random = RandomSource(seed: seed)
        for _ in 0..<200 {
            var map = KeyMap()
            var model: [Int64: KeyMap.Entry] = [:]
            var (key, target) = (Int64(0), Int64(1))
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                // Runs, gaps of both, and entries of several kinds.
                key += Bool.random(using: &random) ? 1 : Int64.random(in: 1...1 << 40, using: &random)
                target +=
                    Int.random(in: 0..<4, using: &random) > 0 ? 1 : Int64.random(in: -5...9, using: &random)
                let isWritten = Int.random(in: 0..<8, using: &random) > 0
                let entry = KeyMap.Entry(key: target, isWritten: isWritten, isNew: isWritten)
                map.append(key, entry)
                model[key] = entry
            }
            let known = Array(model.keys)
            for _ in 0..<200 {
                let key =
                    known.isEmpty || Bool.random(using: &random)
                    ? Int64.random(in: 0...max(1, key + 2), using: &random)
                    : known[Int.random(in: 0..<known.count, using: &random)]
                        + Int64.random(in: -1...1, using: &random)
                let (found, expected) = (map.find(key), model[key])
                XCTAssertEqual(found?.key, expected?.key, "seed \(seed)")
                XCTAssertEqual(found?.isWritten, expected?.isWritten, "seed \(seed)")
            }
            for key in known.sorted() { XCTAssertEqual(map.find(key)?.key, model[key]?.key, "seed \(seed)") }
        }
    }
}
