import XCTest

@testable import KivoBench

final class StatisticsTests: XCTestCase {
    func testTheMedianIsInTheMiddle() {
        XCTAssertEqual([3.0].median, 3)
        XCTAssertEqual([9.0, 1, 5].median, 5)
        XCTAssertEqual([9.0, 1, 5, 7].median, 6)
    }

    func testAPercentileIsTheSmallestSampleThatSoManyDoNotExceed() {
        let hundred = (1...100).map(Double.init).shuffled()
        XCTAssertEqual(hundred.percentile(99), 99)
        XCTAssertEqual(hundred.percentile(100), 100)
        XCTAssertEqual(hundred.percentile(1), 1)
        XCTAssertEqual((1...101).map(Double.init).percentile(99), 100)
        XCTAssertEqual((1...1_000).map(Double.init).percentile(99), 990)
        XCTAssertEqual([4.0].percentile(99), 4)
    }

    func testOnlyManySingleStepsHaveAPercentile() {
        let values = (1...100).map(Double.init)
        XCTAssertEqual(Samples(steps: values).percentile99, 99)
        XCTAssertNil(Samples(values).percentile99)
        XCTAssertNil(Samples(steps: Array(values.dropLast())).percentile99)
        let rounds = [Samples(steps: Array(values[..<50])), Samples(steps: Array(values[50...]))]
        XCTAssertEqual(Samples(joining: rounds).percentile99, 99)
    }

    func testStepsAreAtMostSoManyAndAtLeastFive() {
        var taken = 0
        let samples = Sampling.steps(atMost: 40) {
            taken += 1
            return Double(taken)
        }
        XCTAssertEqual(samples.values.count, 40)
        XCTAssertGreaterThan(samples.values[0], 1, "no step was thrown away")
        XCTAssertEqual(Sampling.steps(atMost: 40, seconds: 0) { 1 }.values.count, 5)
    }
}
