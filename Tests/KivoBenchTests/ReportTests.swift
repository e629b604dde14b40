import Foundation
import XCTest

@testable import KivoBench

final class ReportTests: XCTestCase {
    private func row(_ target: Target?, floor: FloorReference? = nil, _ values: [Double] = [1, 2, 3, 4, 5])
        -> Row
    {
        Row("a.row", .files, .us, target, floor: floor, usesDisk: true) { _ in Samples(values) }
    }

    private func json(_ measurement: RowMeasurement, _ row: Row) throws -> [String: Any] {
        var report = JSONReport()
        report.add(measurement, of: row)
        let objects = try JSONSerialization.jsonObject(with: Data(report.text.utf8)) as? [[String: Any]]
        return try XCTUnwrap(objects?.first)
    }

    func testFiguresAreInTheRowsUnit() throws {
        let row = row(.atMost(3))
        let measurement = RowMeasurement(row, Samples([5_000, 1_000, 2_000, 4_000, 3_000]))
        XCTAssertEqual(measurement.median, 3)
        XCTAssertEqual(measurement.min, 1)
        XCTAssertEqual(measurement.reachesTarget(of: row), true)
        let fields = try json(measurement, row)
        XCTAssertEqual(Set(fields.keys), ["name", "median", "min", "unit"])
        XCTAssertEqual(fields["unit"] as? String, "us")
    }

    func testSingleStepsHaveAPercentile() throws {
        let row = row(nil)
        let fields = try json(RowMeasurement(row, Samples(steps: (1...200).map { Double($0) * 1_000 })), row)
        XCTAssertEqual(fields["p99"] as? Double, 198)
    }

    func testARatioIsTheMedianOfTheRounds() throws {
        let row = row(.timesFloor(2), floor: FloorReference(.fsync))
        let measurement = RowMeasurement(row, Samples([1, 1, 1, 1, 1]), ratios: [9, 2, 1])
        XCTAssertEqual(measurement.ratio, 2)
        XCTAssertEqual(measurement.reachesTarget(of: row), true)
        let fields = try json(measurement, row)
        XCTAssertEqual(fields["floor"] as? String, "floor.fsync")
        XCTAssertEqual(fields["ratio"] as? Double, 2)
        XCTAssertNil(fields["void"])
    }

    func testARowIsVoidWhenItsFloorWasDisturbed() throws {
        XCTAssertNil(Floor.fsync.disturbance([]))
        XCTAssertNil(Floor.fsync.disturbance([100_000, 200_000, 9_000_000]))
        XCTAssertNil(Floor.get.disturbance([1_000_000]))
        let disturbance = try XCTUnwrap(Floor.fsync.disturbance([100_000, 312_000, 900_000]))
        XCTAssertEqual(disturbance, "floor.fsync took 312 us, more than 200")

        let row = row(.timesFloor(2), floor: FloorReference(.fsync))
        let measurement = RowMeasurement(
            row, Samples([1, 1, 1, 1, 1]), ratios: [1, 1, 1], disturbance: disturbance)
        XCTAssertNil(measurement.ratio)
        XCTAssertNil(measurement.reachesTarget(of: row))
        let fields = try json(measurement, row)
        XCTAssertEqual(fields["void"] as? String, disturbance)
        XCTAssertTrue(fields["ratio"] is NSNull)
        XCTAssertEqual(fields["floor"] as? String, "floor.fsync")
        XCTAssertNotNil(fields["median"])
    }

    func testNothingMeasuredIsAnEmptyArray() {
        XCTAssertEqual(JSONReport().text, "[]")
    }

    func testNumbersForPeopleHaveThreeDigits() {
        XCTAssertEqual(Figure.text(0.000641), "0.000641")
        XCTAssertEqual(Figure.text(1.5), "1.5")
        XCTAssertEqual(Figure.text(123.4), "123")
        XCTAssertEqual(Figure.text(1_234_567), "1,234,567")
        XCTAssertEqual(Figure.rounded(1_234.567), 1_235)
    }
}
