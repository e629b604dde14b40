import Kivo
import XCTest

/// `create(_:value:)` makes copies of what it is given.
final class CreateCopyTests: RealmTestCase {
    func testNestedUnmanagedObjectsStayUnmanaged() throws {
        let realm = try openRealm()
        let source = Stop(value: ["number": 1])
        let others = (2..<6).map { Stop(value: ["number": $0]) }
        source.next = others[0]
        source.list.append(others[1])
        source.set.insert(others[2])
        source.map["a"] = others[3]
        let copy = try realm.write { realm.create(Stop.self, value: source) }
        XCTAssertEqual(([source] + others).filter { $0.realm != nil }.count, 0)
        XCTAssertNil(source.list.realm)
        XCTAssertTrue(source.next === others[0])
        XCTAssertEqual(copy.next?.number, 2)
        XCTAssertEqual(copy.list.map(\.number), [3])
        XCTAssertEqual(copy.set.map(\.number), [4])
        XCTAssertEqual(copy.map["a"]??.number, 5)
        XCTAssertEqual(
            realm.objects(Stop.self).map(\.number), [1, 2, 3, 4, 5], "in the order of the properties")
    }

    func testObjectsInDictionariesAreCopied() throws {
        let realm = try openRealm()
        let nested = Stop(value: ["number": 2])
        let values: [String: Any] = [
            "number": 1, "next": nested, "list": [nested, ["number": 3]] as [Any], "map": ["b": nested],
        ]
        let created = try realm.write { realm.create(Stop.self, value: values) }
        XCTAssertNil(nested.realm)
        XCTAssertEqual(created.next?.number, 2)
        XCTAssertEqual(created.list.map(\.number), [2, 3])
        XCTAssertTrue(created.next!.isSameObject(as: created.list[0]), "one object, one copy")
        XCTAssertTrue(created.next!.isSameObject(as: created.map["b"]!))
        XCTAssertEqual(realm.objects(Stop.self).count, 3)
    }

    func testACycleIsCopiedAsOne() throws {
        let realm = try openRealm()
        let (a, b) = (Stop(value: ["number": 1]), Stop(value: ["number": 2]))
        (a.next, b.next) = (b, a)
        a.list.append(objectsIn: [a, b])
        let copy = try realm.write { realm.create(Stop.self, value: a) }
        XCTAssertEqual(copy.next?.number, 2)
        XCTAssertTrue(copy.next!.next!.isSameObject(as: copy))
        XCTAssertTrue(copy.list[0].isSameObject(as: copy))
        XCTAssertEqual(realm.objects(Stop.self).count, 2)
        XCTAssertNil(b.realm)
        b.next = nil
        a.list.removeAll()
    }

    func testObjectsOfThisRealmAreLinkedTo() throws {
        let realm = try openRealm()
        try realm.write {
            let known = realm.create(Stop.self, value: ["number": 7])
            let source = Stop(value: ["number": 1])
            source.next = known
            source.list.append(known)
            let copy = realm.create(Stop.self, value: source)
            XCTAssertTrue(copy.next!.isSameObject(as: known))
            XCTAssertTrue(copy.list[0].isSameObject(as: known))
            let second = realm.create(Stop.self, value: copy)
            XCTAssertFalse(second.isSameObject(as: copy), "a copy of its own")
            XCTAssertTrue(second.next!.isSameObject(as: known))
        }
        XCTAssertEqual(realm.objects(Stop.self).count, 3)
    }

    func testObjectsOfAnotherRealmAreCopiedDeeply() throws {
        let realm = try openRealm()
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + "other"))
        let source = Stop(value: ["number": 1, "next": ["number": 2, "next": ["number": 3]]])
        source.next!.list.append(source)
        source.map["a"] = source.next
        try other.write { other.add(source) }
        let copy = try realm.write { realm.create(Stop.self, value: source) }
        XCTAssertEqual(copy.realm, realm)
        XCTAssertEqual(copy.next?.realm, realm)
        XCTAssertEqual(copy.next?.next?.number, 3)
        XCTAssertTrue(copy.next!.list[0].isSameObject(as: copy))
        XCTAssertTrue(copy.map["a"]!!.isSameObject(as: copy.next))
        XCTAssertEqual(realm.objects(Stop.self).count, 3)
        XCTAssertEqual(other.objects(Stop.self).count, 3)
        let frozen = try realm.write { realm.create(Stop.self, value: source.freeze()) }
        XCTAssertEqual(frozen.next?.next?.number, 3)
        XCTAssertEqual(realm.objects(Stop.self).count, 6)
    }

    func testCopiesUpdateByPrimaryKeyWhereAsked() throws {
        let realm = try openRealm()
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + "other"))
        let source = Station(value: ["name": "a", "size": 1, "next": ["name": "b", "size": 2]])
        source.list.append(Station(value: ["name": "c", "size": 3]))
        source.set.insert(Station(value: ["name": "d", "size": 4]))
        source.map["x"] = Station(value: ["name": "e", "size": 5])
        try other.write { other.add(source) }
        for policy in [Realm.UpdatePolicy.modified, .all] {
            try realm.write {
                realm.deleteAll()
                for name in ["a", "b", "c", "d", "e"] { realm.create(Station.self, value: ["name": name]) }
            }
            let copy = try realm.write { realm.create(Station.self, value: source, update: policy) }
            XCTAssertEqual(realm.objects(Station.self).count, 5)
            XCTAssertEqual(realm.objects(Station.self).map(\.size), [1, 2, 3, 4, 5])
            XCTAssertEqual(copy.list.map(\.name), ["c"])
            XCTAssertEqual(copy.set.map(\.name), ["d"])
            XCTAssertEqual(copy.map["x"]??.name, "e")
        }
        XCTAssertThrowsError(try realm.write { realm.create(Station.self, value: source) }) { error in
            XCTAssertEqual((error as? Realm.Error)?.code, .invalidInput)
        }
    }

    func testAddingWithAPolicyReachesIntoSetsAndMaps() throws {
        let realm = try openRealm()
        try realm.write {
            for name in ["c", "d", "e"] { realm.create(Station.self, value: ["name": name]) }
        }
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let station = Station(value: [
                "name": "a", "list": [["c", 3]], "set": [["d", 4]], "map": ["x": ["e", 5]],
            ])
            try realm.write { realm.add(station, update: policy) }
            XCTAssertEqual(realm.objects(Station.self).map(\.size), [3, 4, 5, 0])
        }
    }

    func testUpdatingFromAnObjectOfThisRealmIsNothing() throws {
        let realm = try openRealm()
        let station = try realm.write { realm.create(Station.self, value: ["name": "a", "size": 1]) }
        try realm.write {
            for policy in [Realm.UpdatePolicy.modified, .all] {
                XCTAssertTrue(
                    realm.create(Station.self, value: station, update: policy).isSameObject(as: station))
            }
        }
        XCTAssertEqual(realm.objects(Station.self).count, 1)
    }

    func testEmbeddedObjectsAreCopiedFromWherever() throws {
        let realm = try openRealm()
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + "other"))
        let source = Station(
            value: [
                "name": "a", "platform": [1, "one", [2], [[3], [4]]], "platforms": [[5], [6]],
                "tracks": ["x": [7]],
            ] as [String: Any])
        func check(_ station: Station, _ line: UInt = #line) {
            XCTAssertEqual(station.platform?.label, "one", line: line)
            XCTAssertEqual(station.platform?.inner?.number, 2, line: line)
            XCTAssertEqual(station.platform?.parts.map(\.number), [3, 4], line: line)
            XCTAssertEqual(station.platforms.map(\.number), [5, 6], line: line)
            XCTAssertEqual(station.tracks["x"]??.number, 7, line: line)
        }
        let unmanaged = try realm.write { realm.create(Station.self, value: source) }
        XCTAssertNil(source.realm)
        XCTAssertNil(source.platform?.inner?.realm)
        check(unmanaged)
        try other.write { other.add(source) }
        try realm.write { realm.deleteAll() }
        let foreign = try realm.write { realm.create(Station.self, value: source) }
        check(foreign)
        check(source)
        let values: [String: Any] = [
            "name": "b", "platform": foreign.platform!, "platforms": foreign.platforms,
        ]
        let own = try realm.write { realm.create(Station.self, value: values) }
        XCTAssertEqual(own.platform?.parts.map(\.number), [3, 4])
        XCTAssertEqual(own.platforms.map(\.number), [5, 6])
        check(foreign)
    }

    func testAnUnmanagedCopyHasEmbeddedObjectsOfItsOwn() throws {
        let realm = try openRealm()
        let station = Station(
            value: [
                "name": "a", "platform": [1, "one", [2]], "platforms": [[5], [6]], "tracks": ["x": [7]],
            ] as [String: Any])
        try realm.write { realm.add(station) }
        let copy = Station(value: station)
        XCTAssertNil(copy.platform?.inner?.realm)
        copy.platform?.label = "two"
        copy.platforms[1].number = 66
        copy.tracks["x"]??.number = 77
        let inner = station.platform!.inner!
        try realm.write { realm.add(copy, update: .modified) }
        XCTAssertEqual(station.platform?.label, "two")
        XCTAssertEqual(station.platforms.map(\.number), [5, 66])
        XCTAssertEqual(station.tracks["x"]??.number, 77)
        XCTAssertFalse(inner.isInvalidated, "changed in place")
    }
}
