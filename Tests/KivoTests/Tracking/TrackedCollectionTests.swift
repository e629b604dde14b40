import Foundation
import Observation
import XCTest

@testable import Kivo

/// Linking objects and sections that are read inside of `withObservationTracking`, and what that costs.
final class TrackedCollectionTests: RealmTestCase {
    func testLinkingObjects() throws {
        let realm = try openRealm()
        let (keeper, other) = (TrackedKeeper(), TrackedKeeper())
        try realm.write { realm.add([keeper, other]) }
        let leashes = keeper.leashes
        let read: [() -> Void] = [
            { _ = keeper.leashes.count }, { for _ in leashes {} }, { _ = keeper.leashes.isEmpty },
            { _ = leashes.first }, { _ = keeper.leashes.map { $0 }.count },
        ]
        var counts = read.map { track($0) }
        XCTAssertEqual(realm.instance.listeners.count, 1, "all wait for one and the same")
        try realm.write { realm.create(TrackedLeash.self, value: ["keeper": other]) }
        try realm.write { other.dogs.append(TrackedDog()) }
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [0, 0, 0, 0, 0])
        try realm.write { realm.create(TrackedLeash.self, value: ["keeper": keeper]) }
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 1])
        XCTAssertEqual(realm.instance.listeners.count, 0)
        counts = read.map { track($0) }
        try writeElsewhere { $0.objects(TrackedLeash.self)[1].keeper = nil }
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 1])
        counts = read.map { track($0) }
        try realm.write { realm.delete(keeper) }
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 1])
        XCTAssertEqual(leashes.count, 0)
    }

    func testLinkingObjectsOfOtherClassesAndOutsideOfTracking() throws {
        let realm = try openRealm()
        let (person, keeper) = (Person(), TrackedKeeper())
        try realm.write {
            realm.add(person)
            realm.add(keeper)
        }
        _ = track { _ = person.befriendedBy.count }
        XCTAssertEqual(keeper.leashes.count, 0)
        XCTAssertEqual(track { _ = keeper.freeze().leashes.count }.value, 0)
        XCTAssertEqual(realm.instance.listeners.count, 0)
    }

    /// A read of many rows is noted as one thing.
    func testSectionsAreNotedOnce() throws {
        let realm = try openRealm()
        try realm.write {
            for id in 0..<200 {
                realm.create(TrackedDog.self, value: ["id": id, "name": "dog \(id % 7)", "age": id % 3])
            }
        }
        let byName = realm.objects(TrackedDog.self).sectioned(by: \.name)
        let byAge = realm.objects(TrackedDog.self).sectioned(
            by: { $0.age ?? 0 }, sortDescriptors: [SortDescriptor(keyPath: "id")])
        let counts = [track { _ = byName.count }, track { _ = byAge.allKeys }]
        XCTAssertEqual(realm.observerCount, 2, "no row is waited for")
        XCTAssertEqual(realm.instance.listeners.count, 2)
        try realm.write { realm.objects(TrackedDog.self)[5].age = 7 }
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [1, 1])
        XCTAssertEqual(byAge.allKeys, [0, 1, 2, 7])
        // In a write sections are found without a listener, and note nothing either.
        try realm.write {
            realm.objects(TrackedDog.self)[6].age = 8
            _ = track { _ = byAge.allKeys }
        }
        XCTAssertEqual(realm.observerCount, 0)
        // A read of an element itself is noted for that element.
        let name = track { _ = byName[0][0].weight }
        try realm.write { byName[0][0].weight = 5 }
        XCTAssertEqual(name.value, 1)
    }
}
