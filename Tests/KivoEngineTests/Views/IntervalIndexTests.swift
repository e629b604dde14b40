import KivoEngine
import XCTest

/// Intervals that are inserted and removed, compared with a linear search.
final class IntervalIndexTests: XCTestCase {
    func testFindsWhatAListFinds() {
        var random = TestRandom()
        for _ in 0..<20 {
            var index = IntervalIndex<Int>()
            var list: [(lower: Int64, upper: Int64, value: Int)] = []
            for value in 0..<random.below(200) {
                let number = Int64(random.below(100))
                let lower = random.below(10) == 0 ? Int64.min : number
                let upper = random.below(10) == 0 ? Int64.max : number + Int64(random.below(30)) - 2
                index.insert((lower, upper), value)
                list.append((lower, upper, value))
                if random.below(60) == 0 {
                    let kept = random.below(4)
                    index.removeAll { $0 % 4 != kept }
                    list.removeAll { $0.value % 4 != kept }
                }
                XCTAssertEqual(index.count, list.count)
                for number in [Int64.min, Int64.max, Int64(random.below(130))] {
                    var found: [Int] = []
                    index.forEach(containing: number) { found.append($0) }
                    let expected = list.filter { $0.lower <= number && number <= $0.upper }.map { $0.value }
                    XCTAssertEqual(found.sorted(), expected)
                }
            }
            var all: [Int] = []
            index.forEach { all.append($0) }
            XCTAssertEqual(all.sorted(), list.map { $0.value })
        }
    }
}
