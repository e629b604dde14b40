import Foundation
import Kivo
import TestRandomness
import XCTest

final class GroveLocation: EmbeddedObject {
    @Persisted private var type = "Point"
    @Persisted private var coordinates: List<Double>

    convenience init(_ latitude: Double, _ longitude: Double, type: String = "Point") {
        self.init()
        self.type = type
        coordinates.append(objectsIn: [longitude, latitude])
    }

    func move(_ latitude: Double, _ longitude: Double) {
        coordinates[0] = longitude
        coordinates[1] = latitude
    }

    func forget() { coordinates.removeAll() }
}

final class GrovePlace: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var location: GroveLocation?
    @Persisted var others: List<GroveLocation>
    @Persisted var next: GrovePlace?
}

/// Conditions on places.
final class GeoQueryTests: RealmTestCase {
    private func places() throws -> Results<GrovePlace> {
        let realm = try openRealm()
        try realm.write {
            for (name, latitude, longitude) in [
                ("London", 51.5074, -0.1278), ("Paris", 48.8566, 2.3522), ("Berlin", 52.52, 13.405),
                ("Suva", -18.1416, 178.4419), ("Apia", -13.8506, -171.7513),
            ] {
                let place = realm.create(GrovePlace.self, value: ["name": name])
                place.location = GroveLocation(latitude, longitude)
            }
            realm.create(GrovePlace.self, value: ["name": "Nowhere"])
            let moved = realm.create(GrovePlace.self, value: ["name": "Line"])
            moved.location = GroveLocation(51.5074, -0.1278, type: "LineString")
            let empty = realm.create(GrovePlace.self, value: ["name": "Empty"])
            empty.location = GroveLocation(51.5074, -0.1278)
            empty.location?.forget()
            let small = realm.create(GrovePlace.self, value: ["name": "small"])
            small.location = GroveLocation(48.8, 2.3, type: "point")
        }
        return realm.objects(GrovePlace.self)
    }

    private func names(_ places: Results<GrovePlace>) -> [String] { places.map(\.name) }

    func testTypedShapes() throws {
        let places = try places()
        let london = try XCTUnwrap(GeoPoint(51.5, 0))
        let circle = GeoCircle(center: london, radius: try XCTUnwrap(Distance.kilometers(400)))
        XCTAssertEqual(names(places.where { $0.location.geoWithin(circle) }), ["London", "Paris", "small"])
        let box = try XCTUnwrap(GeoBox(bottomLeft: (-20, 170), topRight: (-10, -170)))
        XCTAssertEqual(names(places.where { $0.location.geoWithin(box) }), ["Suva", "Apia"])
        let ring = [(45.0, -5.0), (45, 15), (55, 15), (55, -5), (45, -5)]
        let hole = [(51.0, -1.0), (51, 1), (52, 1), (52, -1), (51, -1)]
        let polygon = try XCTUnwrap(GeoPolygon(outerRing: ring, holes: [hole]))
        XCTAssertEqual(names(places.where { $0.location.geoWithin(polygon) }), ["Paris", "Berlin", "small"])
        XCTAssertEqual(
            names(places.where { !$0.location.geoWithin(polygon) && $0.location != nil }),
            ["London", "Suva", "Apia", "Line", "Empty"])
    }

    func testShapesInStrings() throws {
        let places = try places()
        func found(_ format: String) -> [String] { names(places.filter(format)) }
        XCTAssertEqual(
            found("location geoWithin geoCircle([0, 51.5], 0.0627)"), ["London", "Paris", "small"])
        XCTAssertEqual(found("location GEOWITHIN GEOBOX([170, -20], [-170, -10])"), ["Suva", "Apia"])
        XCTAssertEqual(
            found(
                """
                location geoWithin geoPolygon({[-5, 45], [15, 45], [15, 55.0], [-5, 55], [-5, 45]}, \
                {[-1, 51], [1, 51], [1, 52], [-1, 52], [-1, 51]})
                """), ["Paris", "Berlin", "small"])
        XCTAssertEqual(
            found("NONE location geoWithin geoCircle([0, 51.5], 4)"), ["Nowhere", "Line", "Empty"])
        let box = try XCTUnwrap(GeoBox(bottomLeft: (50, -1), topRight: (53, 14)))
        XCTAssertEqual(names(places.filter("location geoWithin %@", box)), ["London", "Berlin"])
        XCTAssertEqual(names(places.filter("location IN %@ AND name != 'London'", box)), ["Berlin"])
        XCTAssertEqual(
            names(places.filter("location geoWithin $0 OR name == 'Apia'", box)),
            ["London", "Berlin", "Apia"])
        let circle = try XCTUnwrap(GeoCircle(center: (51.5, 0), radiusInRadians: 0.01))
        XCTAssertEqual(places.index(matching: "location geoWithin %@", circle), 0)
        XCTAssertEqual(
            places.index(matching: "location geoWithin geoCircle([%@, %@], %@)", 13.4, 52.5, 0.01), 2)
    }

    func testThroughLinksAndLists() throws {
        let places = try places()
        try openRealm().write {
            places[0].next = places[2]
            places[1].next = places[0]
            places[3].others.append(GroveLocation(0, 0))
            places[3].others.append(GroveLocation(52, 13))
            places[4].others.append(GroveLocation(52, 13))
        }
        let box = try XCTUnwrap(GeoBox(bottomLeft: (50, 10), topRight: (53, 14)))
        XCTAssertEqual(names(places.where { $0.next.location.geoWithin(box) }), ["London"])
        XCTAssertEqual(names(places.filter("ANY others geoWithin %@", box)), ["Suva", "Apia"])
        XCTAssertEqual(names(places.filter("ALL others geoWithin %@ AND others.@count > 0", box)), ["Apia"])
    }

    func testUnmanagedPlaces() throws {
        let copies = List<GrovePlace>()
        copies.append(objectsIn: try places().map { GrovePlace(value: $0) })
        let box = try XCTUnwrap(GeoBox(bottomLeft: (50, 10), topRight: (53, 14)))
        XCTAssertEqual(copies.index(matching: { $0.location.geoWithin(box) }), 2)
        XCTAssertEqual(copies.index(matching: "location geoWithin geoBox([170, -20], [-170, -10])"), 3)
        XCTAssertNil(copies.index(matching: "location geoWithin geoCircle([90, 0], 0.1)"))
    }

    func testUnmanagedPlacesAreQuantifiedAlike() throws {
        let places = try places()
        try openRealm().write {
            places[0].next = places[2]
            places[1].next = places[5]
            places[1].others.append(objectsIn: [GroveLocation(52, 12), GroveLocation(0, 0)])
            places[2].others.append(GroveLocation(52, 12))
        }
        let copies = places.map { GrovePlace(value: $0) }
        let box = try XCTUnwrap(GeoBox(bottomLeft: (50, 10), topRight: (53, 14)))
        withEvery("path", in: ["location", "next.location", "others"]) { path in
            withEvery("quantifier", in: ["", "ANY ", "ALL ", "NONE "]) { quantifier in
                let format = "\(quantifier)\(path) GEOWITHIN %@"
                let matches = copies.filter { copy in
                    let list = List<GrovePlace>()
                    list.append(copy)
                    return list.index(matching: format, box) == 0
                }
                XCTAssertEqual(matches.map(\.name), names(places.filter(format, box)))
            }
        }
    }

    func testObserversFollowWhatMoves() throws {
        let places = try places()
        let box = try XCTUnwrap(GeoBox(bottomLeft: (50, -1), topRight: (53, 14)))
        let found = places.where { $0.location.geoWithin(box) }
        let told = Box<[String]>([])
        let token = found.observe { told.value.append(self.text($0)) }
        let realm = try openRealm()
        realm.refresh()
        XCTAssertEqual(told.value, ["initial"])
        try realm.write { places[1].location?.move(51, 2) }
        realm.refresh()
        try realm.write { places[0].location = nil }
        realm.refresh()
        try realm.write { places[2].location?.forget() }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial", "-[] +[1] ~[]", "-[0] +[] ~[]", "-[1] +[] ~[]"])
        XCTAssertEqual(names(found), ["Paris"])
        token.invalidate()
    }
}
