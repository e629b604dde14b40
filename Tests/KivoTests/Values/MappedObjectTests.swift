import Foundation
import Kivo
import XCTest

private final class MappedPlaces: Object {
    @Persisted var plain: MappedCoordinate
    @Persisted var byName: Map<String, MappedCoordinate>
}

/// Mapped types that are stored as embedded objects.
final class MappedObjectTests: RealmTestCase {
    private func trip(_ realm: Realm) throws -> MappedTrip {
        let trip = MappedTrip()
        trip.end = MappedCoordinate(3, 4)
        trip.stops.append(objectsIn: [MappedCoordinate(5, 6), MappedCoordinate(7, 8)])
        trip.named["home"] = MappedCoordinate(9, 10)
        trip.named["none"] = .some(nil)
        try realm.write { realm.add(trip) }
        return trip
    }

    func testUnmanagedValues() {
        let trip = MappedTrip()
        XCTAssertEqual(trip.start, MappedCoordinate(1, 2))
        XCTAssertEqual(trip.plain, MappedCoordinate(0, 0))
        XCTAssertNil(trip.end)
        trip.start.latitude = 5
        XCTAssertEqual(trip.start, MappedCoordinate(5, 2))
        trip.stops.append(MappedCoordinate(1, 1))
        XCTAssertEqual(trip.stops.index(of: MappedCoordinate(1, 1)), 0)
    }

    func testManagedValues() throws {
        let realm = try openRealm()
        let trip = try trip(realm)
        XCTAssertEqual(trip.start, MappedCoordinate(1, 2))
        XCTAssertEqual(trip.plain, MappedCoordinate(0, 0))
        XCTAssertEqual(trip.end, MappedCoordinate(3, 4))
        XCTAssertEqual(Array(trip.stops), [MappedCoordinate(5, 6), MappedCoordinate(7, 8)])
        XCTAssertEqual(trip.stops.map(\.latitude), [5, 7])
        XCTAssertTrue(trip.stops.contains(MappedCoordinate(7, 8)))
        XCTAssertEqual(trip.named["home"], MappedCoordinate(9, 10))
        XCTAssertEqual(trip.named["none"], .some(nil))
        try realm.write {
            trip.start.latitude = 20
            trip.end = nil
            trip.stops[1] = MappedCoordinate(0, 1)
            trip.stops.append(MappedCoordinate(0, 2))
            trip.named["home"] = MappedCoordinate(0, 3)
        }
        XCTAssertEqual(trip.start, MappedCoordinate(20, 2))
        XCTAssertNil(trip.end)
        XCTAssertEqual(trip.stops.map(\.longitude), [6, 1, 2])
        XCTAssertEqual(trip.named["home"], MappedCoordinate(0, 3))
    }

    func testNilIsTheDefaultWhereAValueCannotBeNil() throws {
        let realm = try openRealm()
        let values: [String: Any] = ["plain": NSNull(), "byName": ["a": NSNull()]]
        let created = try realm.write { realm.create(MappedPlaces.self, value: values) }
        for places in [MappedPlaces(value: values), created] {
            XCTAssertEqual(places.plain, MappedCoordinate(0, 0))
            XCTAssertEqual(places.byName["a"], MappedCoordinate(0, 0))
        }
        try realm.write {
            created.plain = MappedCoordinate(1, 1)
            created["plain"] = nil
        }
        XCTAssertEqual(created.plain, MappedCoordinate(0, 0))
    }

    func testEitherFormByName() throws {
        let realm = try openRealm()
        let trip = try realm.write {
            realm.create(
                MappedTrip.self,
                value: [
                    "start": ["latitude": 1.5, "longitude": 2.5], "end": MappedCoordinate(3, 3),
                    "stops": [[1.0, 1.0], MappedCoordinate(2, 2), MappedPlace(value: [3.0, 3.0])],
                    "named": ["a": MappedCoordinate(4, 4)],
                ])
        }
        XCTAssertEqual(trip.start, MappedCoordinate(1.5, 2.5))
        XCTAssertEqual(trip.end, MappedCoordinate(3, 3))
        XCTAssertEqual(trip.stops.map(\.latitude), [1, 2, 3])
        XCTAssertEqual(trip.named["a"], MappedCoordinate(4, 4))
        let copy = MappedTrip(value: trip)
        XCTAssertEqual(copy.start, trip.start)
        XCTAssertEqual(copy.stops.map(\.latitude), [1, 2, 3])
        try realm.write {
            trip["start"] = [7.0, 8.0]
            trip.setValue(MappedCoordinate(9, 9), forKey: "end")
        }
        XCTAssertEqual(trip.start, MappedCoordinate(7, 8))
        XCTAssertEqual(trip.end, MappedCoordinate(9, 9))
        let end = try XCTUnwrap(trip["end"] as? MappedPlace, "by name it is what is stored")
        XCTAssertEqual([end.latitude, end.longitude], [9, 9])
        try realm.write { end.latitude = 10 }
        XCTAssertEqual(trip.end, MappedCoordinate(10, 9))
        XCTAssertEqual((trip.value(forKey: "start") as? MappedPlace)?.longitude, 8)
        XCTAssertEqual((copy["start"] as? MappedPlace)?.latitude, 1.5)
    }

    func testQueriesThroughCollections() throws {
        let realm = try openRealm()
        let trip = try trip(realm)
        try realm.write {
            realm.create(MappedTour.self, value: ["trips": [trip], "byName": ["a": trip, "b": NSNull()]])
            let other = realm.create(MappedTrip.self, value: ["start": [1.0, 6.0]])
            realm.create(MappedTour.self, value: ["trips": [other]])
        }
        let tours = realm.objects(MappedTour.self)
        let place = trip.start
        XCTAssertEqual(tours.where { $0.trips.start == place }.count, 1)
        XCTAssertEqual(tours.where { $0.trips.start != place }.count, 1)
        XCTAssertEqual(tours.where { $0.trips.start == MappedCoordinate(place.latitude, 6) }.count, 1)
        XCTAssertEqual(tours.where { $0.trips.stops == MappedCoordinate(7, 8) }.count, 1)
        XCTAssertEqual(tours.where { $0.byName.values.start == place }.count, 1)
        XCTAssertEqual(tours.where { $0.byName.values.start == MappedCoordinate(0, 0) }.count, 0)
        XCTAssertEqual(tours.filter("ANY trips.start == %@", place).count, 1)
    }

    func testUnmanagedCollectionsAreSearchedAlike() throws {
        let realm = try openRealm()
        let managed = try trip(realm)
        let trips = List<MappedTrip>()
        trips.append(MappedTrip())
        let copy = MappedTrip()
        copy.end = managed.end
        copy.stops.append(objectsIn: managed.stops)
        copy.named["home"] = managed.named["home"]
        trips.append(copy)
        XCTAssertEqual(trips.index(matching: { $0.end == MappedCoordinate(3, 4) }), 1)
        XCTAssertEqual(trips.index(matching: { $0.end != MappedCoordinate(3, 4) }), 0)
        XCTAssertEqual(trips.index(matching: { $0.end == nil }), 0)
        XCTAssertNil(trips.index(matching: { $0.start == MappedCoordinate(1, 3) }))
        XCTAssertEqual(trips.index(matching: { $0.stops.contains(MappedCoordinate(7, 8)) }), 1)
        XCTAssertNil(trips.index(matching: { $0.stops.contains(MappedCoordinate(7, 6)) }))
        XCTAssertEqual(trips.index(matching: { $0.stops.persistableValue.latitude == 7 }), 1)
        XCTAssertEqual(trips.index(matching: { $0.named["home"] == MappedCoordinate(9, 10) }), 1)
        XCTAssertEqual(trips.index(matching: "end.longitude == 4 AND ANY stops.longitude == 6"), 1)
        XCTAssertNil(trips.index(matching: "end == start"), "each value is an object of its own")
    }

    func testQueriesOfTheStoredForm() throws {
        let realm = try openRealm()
        let trip = try trip(realm)
        let trips = realm.objects(MappedTrip.self)
        XCTAssertEqual(trips.where { $0.start.persistableValue.latitude == 1 }.count, 1)
        XCTAssertEqual(trips.where { $0.end.persistableValue.longitude > 4 }.count, 0)
        XCTAssertEqual(trips.where { $0.stops.persistableValue.latitude == 7 }.count, 1)
        XCTAssertEqual(trips.filter("start.latitude == 1 AND ANY stops.longitude == 6").count, 1)
        XCTAssertEqual(trips.where { $0.end == nil }.count, 0)
        XCTAssertEqual(trips.where { $0.start == MappedCoordinate(1, 2) }.count, 1)
        XCTAssertEqual(trips.where { $0.start == MappedCoordinate(1, 3) }.count, 0)
        XCTAssertEqual(trips.where { $0.start != MappedCoordinate(1, 3) }.count, 1)
        XCTAssertEqual(trips.where { $0.end == MappedCoordinate(3, 4) }.count, 1)
        XCTAssertEqual(trips.where { $0.stops.contains(MappedCoordinate(7, 8)) }.count, 1)
        XCTAssertEqual(trips.where { $0.stops.contains(MappedCoordinate(7, 6)) }.count, 0)
        XCTAssertEqual(trips.filter("start == %@", MappedCoordinate(1, 2)).count, 1)
        try realm.write { trip.end = nil }
        XCTAssertEqual(trips.where { $0.end == nil }.count, 1)
        XCTAssertEqual(trips.where { $0.end == MappedCoordinate(3, 4) }.count, 0)
        XCTAssertEqual(trips.where { $0.end != MappedCoordinate(3, 4) }.count, 1)
    }
}
