import TestRandomness
import XCTest

@testable import KivoEngine

/// Adding a column of words at once, compared with adding its values one by one.
final class AggregateFoldTests: XCTestCase {
    func testExtremesOfDoubles() {
        var random = TestRandom()
        let special: [Double] = [.nan, -.nan, 0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude]
        let heap = Heap()
        let memory = WriteMemory(id: 1, heap: heap)
        let buffer = ColumnBuffer.make(.word, capacity: 256, memory)
        for round in TestEffort.rounds(200, within: 0.2, atLeast: 40) {
            let sign = [1.0, -1, 0][round % 3]
            let rare = [0, 1, 30, 100][random.below(4)]
            let (first, second) = (special[random.below(special.count)], special[random.below(special.count)])
            for slot in 0..<256 {
                var value = sign * Double(random.below(1_000))
                if random.chance(rare) { value = random.chance(50) ? first : second }
                buffer.setWord(slot, value.bitPattern)
                buffer.setNull(slot, random.below(2_000) == 0)
            }
            for function in [Aggregate.Function.min, .max] {
                var fold = AggregateFold(function, .floatingPoint, .floatingPoint)
                var expected = fold
                fold.add(buffer, .all)
                for slot in 0..<256 { expected.add(buffer.cell(slot, .word)) }
                XCTAssertEqual(fold.result, expected.result, "\(function) in round \(round)")
            }
        }
        memory.cancel()
    }
}
