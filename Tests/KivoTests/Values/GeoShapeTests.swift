import Foundation
import XCTest

@testable import Kivo

/// Which points shapes on the earth hold.
final class GeoShapeTests: XCTestCase {
    private func area(_ shape: any RLMGeospatial) throws -> GeoArea { try GeoArea(shape) }

    private func polygon(_ outer: [(Double, Double)], _ holes: [[(Double, Double)]]? = nil) throws -> GeoArea
    {
        try area(XCTUnwrap(GeoPolygon(outerRing: outer, holes: holes)))
    }

    private func check(
        _ area: GeoArea, inside: [(Double, Double)], outside: [(Double, Double)], line: UInt = #line
    ) {
        for (latitude, longitude) in inside {
            XCTAssertTrue(
                area.contains(latitude: latitude, longitude: longitude), "\(latitude) \(longitude)",
                line: line)
        }
        for (latitude, longitude) in outside {
            XCTAssertFalse(
                area.contains(latitude: latitude, longitude: longitude), "\(latitude) \(longitude)",
                line: line)
        }
    }

    // MARK: Values

    func testPointsAreOnTheEarth() {
        XCTAssertEqual(GeoPoint(90, -180)?.latitude, 90)
        XCTAssertEqual(GeoPoint(latitude: 1, longitude: 2, altitude: 3)?.altitude, 3)
        XCTAssertEqual(GeoPoint(1, 2), GeoPoint(latitude: 1, longitude: 2, altitude: 0))
        XCTAssertNotEqual(GeoPoint(1, 2, 3), GeoPoint(1, 2))
        XCTAssertNil(GeoPoint(90.1, 0))
        XCTAssertNil(GeoPoint(0, -180.1))
        XCTAssertNil(GeoPoint(0, 0, -1))
        XCTAssertNil(GeoPoint(.nan, 0))
        XCTAssertNil(GeoBox(bottomLeft: (0, 0), topRight: (0, 181)))
        XCTAssertNil(GeoCircle(center: (0, 0), radiusInRadians: -1))
        XCTAssertNil(GeoCircle(center: (91, 0), radius: Distance.degrees(1)!))
    }

    func testRingsAreClosed() {
        let corners = [(0.0, 0.0), (0, 1), (1, 1)]
        XCTAssertNil(GeoPolygon(outerRing: corners))
        XCTAssertNil(GeoPolygon(outerRing: corners + [(1, 0)]))
        XCTAssertNil(GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 0)]))
        let ring = corners + [(0, 0)]
        XCTAssertEqual(GeoPolygon(outerRing: ring)?.outerRing.count, 4)
        XCTAssertNil(GeoPolygon(outerRing: ring)?.holes)
        XCTAssertNil(GeoPolygon(outerRing: ring, holes: [corners]))
        XCTAssertNil(GeoPolygon(outerRing: ring, holes: [ring, [(0, 0), (0, 200), (1, 1), (0, 0)]]))
        XCTAssertEqual(GeoPolygon(outerRing: ring, holes: ring, ring)?.holes?.count, 2)
    }

    func testDistances() throws {
        XCTAssertEqual(try XCTUnwrap(Distance.kilometers(6378.1)).radians, 1, accuracy: 1e-12)
        XCTAssertEqual(try XCTUnwrap(Distance.miles(1)).asKilometers(), 1.609344, accuracy: 1e-9)
        XCTAssertEqual(try XCTUnwrap(Distance.kilometers(1.609344)).asMiles(), 1, accuracy: 1e-9)
        XCTAssertEqual(try XCTUnwrap(Distance.degrees(180)).radians, .pi, accuracy: 1e-12)
        XCTAssertEqual(try XCTUnwrap(Distance.radians(.pi / 2)).asDegrees(), 90, accuracy: 1e-9)
        XCTAssertNil(Distance.kilometers(-1))
        XCTAssertNil(Distance.miles(-1))
        XCTAssertNil(Distance.degrees(-1))
        XCTAssertNil(Distance.radians(.nan))
    }

    // MARK: Boxes

    func testBoxes() throws {
        let box = try area(XCTUnwrap(GeoBox(bottomLeft: (-10, 20), topRight: (30, 50))))
        check(
            box, inside: [(0, 30), (-10, 20), (30, 50), (30, 20), (29.9, 35)],
            outside: [(0, 19), (0, 51), (-11, 30), (31, 30), (0, -150)])
    }

    func testABoxOverTheAntimeridian() throws {
        let box = try area(XCTUnwrap(GeoBox(bottomLeft: (-10, 170), topRight: (10, -160))))
        check(
            box, inside: [(0, 175), (0, 180), (0, -180), (0, -170), (0, 170), (0, -160)],
            outside: [(0, 169), (0, -159), (0, 0), (11, 180)])
        let fromIt = try area(XCTUnwrap(GeoBox(bottomLeft: (0, -180), topRight: (10, -170))))
        check(fromIt, inside: [(5, -175), (5, 180), (5, -180)], outside: [(5, 179), (5, -169)])
        let toIt = try area(XCTUnwrap(GeoBox(bottomLeft: (0, 170), topRight: (10, -180))))
        check(toIt, inside: [(5, 175), (5, 180), (5, -180)], outside: [(5, 169), (5, -179)])
        let all = try area(XCTUnwrap(GeoBox(bottomLeft: (-90, -180), topRight: (90, 180))))
        check(all, inside: [(90, 0), (-90, 77), (0, 180), (12, 34)], outside: [])
    }

    func testABoxUpsideDownMakesNoSense() throws {
        let box = try XCTUnwrap(GeoBox(bottomLeft: (10, 0), topRight: (0, 10)))
        XCTAssertThrowsError(try area(box)) {
            XCTAssertEqual(($0 as? GeoProblem)?.words, "the bottom of the box is above its top")
        }
    }

    func testCoordinatesOutOfRangeGoOnAroundTheEarth() throws {
        let box = try area(XCTUnwrap(GeoBox(bottomLeft: (80, 170), topRight: (90, 180))))
        check(box, inside: [(95, -5), (85, -185)], outside: [(95, 175), (.nan, 175), (.infinity, 175)])
        let circle = try area(XCTUnwrap(GeoCircle(center: (0, 10), radius: Distance.degrees(1)!)))
        check(circle, inside: [(0, 370), (180, -170)], outside: [(.nan, 10)])
    }

    // MARK: Circles

    func testCircles() throws {
        let circle = try area(XCTUnwrap(GeoCircle(center: (0, 0), radius: Distance.degrees(10)!)))
        check(
            circle, inside: [(0, 0), (9.99, 0), (0, -9.99), (7, 7)],
            outside: [(10.01, 0), (0, 10.01), (7.2, 7.2), (0, 180)])
        // A degree of longitude is half as long at 60° north.
        let north = try area(XCTUnwrap(GeoCircle(center: (60, 0), radius: Distance.degrees(1)!)))
        check(north, inside: [(60, 1.9), (60.99, 0)], outside: [(60, 2.1), (61.01, 0)])
        // From London it is 344 km to Paris and 931 km to Berlin.
        let london = try XCTUnwrap(GeoPoint(51.5074, -0.1278))
        check(
            try area(GeoCircle(center: london, radius: Distance.kilometers(345)!)),
            inside: [(48.8566, 2.3522)],
            outside: [(52.52, 13.405)])
        check(
            try area(GeoCircle(center: london, radius: Distance.kilometers(343)!)), inside: [],
            outside: [(48.8566, 2.3522)])
    }

    func testCirclesAroundPolesAndOverTheAntimeridian() throws {
        let pole = try area(XCTUnwrap(GeoCircle(center: (90, 0), radius: Distance.degrees(5)!)))
        check(
            pole, inside: [(90, 123), (85.01, 0), (85.01, 180), (86, -90)], outside: [(84.99, 45), (-90, 0)])
        let date = try area(XCTUnwrap(GeoCircle(center: (0, 179), radius: Distance.degrees(3)!)))
        check(date, inside: [(0, -179), (0, 176.1), (2, 180)], outside: [(0, -177.9), (0, 175.9)])
    }

    func testSmallestAndLargestCircles() throws {
        let point = try area(XCTUnwrap(GeoCircle(center: (12.3, 45.6), radiusInRadians: 0)))
        check(point, inside: [(12.3, 45.6)], outside: [(12.3, 45.600001)])
        let all = try area(XCTUnwrap(GeoCircle(center: (12.3, 45.6), radiusInRadians: 4)))
        check(all, inside: [(-12.3, -134.4), (90, 0)], outside: [])
        let most = try area(XCTUnwrap(GeoCircle(center: (0, 0), radius: Distance.degrees(179)!)))
        check(most, inside: [(0, 178.9), (90, 0)], outside: [(0, 180), (0, 179.5)])
    }

    // MARK: Polygons

    func testSidesArePartsOfGreatCircles() throws {
        // Between two points of the 60th parallel the shortest way goes farther north: to atan(√3 / cos 45°) in its middle.
        let band = try polygon([(60, -45), (60, 45), (50, 0), (60, -45)])
        let top = atan(3.0.squareRoot() / cos(.pi / 4)) * 180 / .pi
        XCTAssertEqual(top, 67.79, accuracy: 0.01)
        check(
            band, inside: [(60, 0), (top - 0.01, 0), (55, 0), (60, 44)], outside: [(top + 0.01, 0), (49, 0)])
        // The ring in the opposite direction.
        let turned = try polygon([(60, -45), (50, 0), (60, 45), (60, -45)])
        check(turned, inside: [(60, 0), (top - 0.01, 0)], outside: [(top + 0.01, 0), (-60, 180)])
    }

    func testBordersBelongToPolygons() throws {
        let square = try polygon([(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)])
        check(
            square, inside: [(0, 5), (0, 0), (10, 10), (5, 0), (5, 10), (5, 5), (10.03, 5)],
            outside: [(-1e-9, 5), (5, -1e-9), (0, 10.000001), (-5, 5), (0, -170), (0, -175)])
    }

    func testHoles() throws {
        let outer = [(0.0, 0.0), (0, 10), (10, 10), (10, 0), (0, 0)]
        let first = [(2.0, 2.0), (2, 4), (4, 4), (4, 2), (2, 2)]
        let second = [(6.0, 6.0), (8, 6), (8, 8), (6, 6)]
        let area = try polygon(outer, [first, second])
        check(
            area, inside: [(1, 1), (5, 5), (2, 2), (2, 3), (9, 9), (6.5, 7.5)],
            outside: [(3, 3), (7.5, 6.5), (-1, 3), (11, 3)])
    }

    func testPolygonsAroundPolesAndOverTheAntimeridian() throws {
        let cap = try polygon([(70, 0), (70, 120), (70, -120), (70, 0)])
        check(
            cap, inside: [(90, 0), (89, 33), (75, 0), (70, 0), (80.1, 60)],
            outside: [(69, 0), (79, 60), (-90, 0), (0, 0)])
        let south = try polygon([(-70, 0), (-70, 120), (-70, -120), (-70, 0)])
        check(south, inside: [(-90, 0), (-80, 0)], outside: [(90, 0), (-69, 0)])
        let date = try polygon([(-10, 170), (-10, -170), (10, -170), (10, 170), (-10, 170)])
        check(
            date, inside: [(0, 180), (0, -180), (0, 171), (9, -171)],
            outside: [(0, 169), (0, -169), (0, 0), (11, 180)])
    }

    func testTheSmallerSideCounts() throws {
        // Three points around the earth, 1° south of the equator: what is south of them is smaller.
        let area = try polygon([(-1, 0), (-1, 120), (-1, -120), (-1, 0)])
        check(area, inside: [(-90, 0), (-30, 60)], outside: [(90, 0), (30, 60), (0, 0)])
        // A slice from pole to pole, in which both of two opposite points lie.
        let slice = try polygon([(89, 90), (0, 5), (-89, 90), (-89, -90), (0, -5), (89, -90), (89, 90)])
        check(
            slice, inside: [(90, 0), (-90, 0), (0, 0), (45, 1)],
            outside: [(0, 6), (0, 180), (0, 90), (45, -90)])
    }

    func testPolygonsThatMakeNoSense() throws {
        func problem(_ outer: [(Double, Double)], _ holes: [[(Double, Double)]]? = nil) throws -> String? {
            let shape = try XCTUnwrap(GeoPolygon(outerRing: outer, holes: holes))
            let result = Result { () throws(GeoProblem) in try GeoArea(shape) }
            if case .failure(let problem) = result { return problem.words }
            return nil
        }
        let square = [(0.0, 0.0), (0, 10), (10, 10), (10, 0), (0, 0)]
        XCTAssertEqual(
            try problem([(0, 0), (0, 0), (1, 1), (0, 0)]), "a ring has fewer than three different points")
        XCTAssertEqual(try problem([(0, 0), (10, 10), (0, 10), (10, 0), (0, 0)]), "a ring crosses itself")
        XCTAssertEqual(
            try problem([(0, 0), (5, 5), (10, 0), (5, 5), (0, 10), (0, 0)]),
            "a ring passes through a point twice")
        XCTAssert(try problem([(0, 0), (0, 180), (10, 10), (0, 0)])?.contains("opposite sides") == true)
        let far = [(20.0, 20.0), (20, 22), (22, 22), (20, 20)]
        XCTAssertEqual(try problem(square, [far]), "a hole is not in the outer ring of the polygon")
        let half = [(5.0, 5.0), (5, 15), (7, 15), (5, 5)]
        XCTAssertEqual(try problem(square, [half]), "a hole is not in the outer ring of the polygon")
        let hole = [(2.0, 2.0), (2, 8), (8, 8), (8, 2), (2, 2)]
        let inner = [(4.0, 4.0), (4, 6), (6, 6), (4, 4)]
        XCTAssertEqual(try problem(square, [hole, inner]), "two holes of the polygon overlap")
        XCTAssertEqual(try problem(square, [inner, hole]), "two holes of the polygon overlap")
        XCTAssertNil(try problem(square, [inner, [(6, 6), (6, 8), (8, 8), (6, 6)]]))
        struct Square: RLMGeospatial {}
        XCTAssertThrowsError(try area(Square()))
    }

    /// On the plane that touches the sphere, seen from the centre, parts of great circles are straight lines.
    func testPolygonsAgreeWithTheirPicturesOnAPlane() throws {
        var random = RandomSource()
        var (inside, outside) = (0, 0)
        for _ in 0..<200 {
            let unit = { (random: inout RandomSource) in Double(random.below(1_000_000)) / 1_000_000 }
            let center = SpherePoint(
                latitude: random.chance(10) ? 90 : unit(&random) * 180 - 90,
                longitude: random.chance(10) ? 180 : unit(&random) * 360 - 180
            ).vector
            let side = center.cross(abs(center.z) < 0.9 ? [0, 0, 1] : [1, 0, 0])
            let right = side / side.length
            let up = center.cross(right)
            let count = 3 + random.below(12)
            let size = pow(10, -4 * unit(&random)) * 1.5
            // Around the centre, so that it does not cross itself.
            let corners = (0..<count).map { index -> SIMD2<Double> in
                let angle = (Double(index) + unit(&random) * 0.6) * 2 * .pi / Double(count)
                return SIMD2(cos(angle), sin(angle)) * size * (0.2 + 0.8 * unit(&random))
            }
            let earthly = { (place: SIMD2<Double>) -> (Double, Double) in
                let point = SpherePoint(direction: center + right * place.x + up * place.y).degrees
                return (point.latitude, point.longitude)
            }
            var ring = corners.map(earthly)
            if random.chance(50) { ring.reverse() }
            let area = try polygon(ring + [ring[0]])
            for _ in 0..<50 {
                let place = SIMD2(unit(&random) - 0.5, unit(&random) - 0.5) * size * 2.2
                var isInside = false
                var isNear = false
                for (index, corner) in corners.enumerated() {
                    let next = corners[(index + 1) % count]
                    let (along, from) = (next - corner, place - corner)
                    let turn = along.x * from.y - along.y * from.x
                    if abs(turn) < 1e-9 * size * size { isNear = true }
                    if (corner.y > place.y) != (next.y > place.y), (turn > 0) == (next.y > corner.y) {
                        isInside.toggle()
                    }
                }
                if isNear { continue }
                let (latitude, longitude) = earthly(place)
                XCTAssertEqual(
                    area.contains(latitude: latitude, longitude: longitude), isInside,
                    "\(place) in \(corners) around \(center)")
                let opposite = SpherePoint(direction: -(center + right * place.x + up * place.y)).degrees
                XCTAssertFalse(area.contains(latitude: opposite.latitude, longitude: opposite.longitude))
                if isInside { inside += 1 } else { outside += 1 }
            }
        }
        XCTAssertGreaterThan(inside, 1000)
        XCTAssertGreaterThan(outside, 1000)
    }
}
