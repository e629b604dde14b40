import XCTest

@testable import Kivo

/// Embedded objects under the update policies, and in maps.
final class EmbeddedUpdateTests: RealmTestCase {
    private func station(in realm: Realm) throws -> Station {
        try realm.write {
            realm.create(
                Station.self,
                value: [
                    "name": "a", "platform": [1, "one", [2], [[3], [4]]], "platforms": [[5], [6], [7]],
                    "tracks": ["x": [8, "eight"], "y": [9]],
                ] as [String: Any])
        }
    }

    private func platforms(in realm: Realm) -> [Platform] {
        realm.instance.ensureRead()
        var keys: [Int64] = []
        let context = realm.instance.classes.context(of: Platform.self)
        realm.instance.table(context.table).forEachKey { keys.append($0) }
        return keys.map { unsafeDowncast(context.accessor($0), to: Platform.self) }
    }

    private let values: [String: Any] = [
        "name": "a",
        "platform": ["number": 10, "inner": ["label": "in"], "parts": [[30]]] as [String: Any],
        "platforms": [["number": 5], ["number": 60]],
        "tracks": ["x": ["number": 80], "z": ["number": 81]],
    ]

    func testModifiedChangesThemInPlace() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        let (platform, inner) = (station.platform!, station.platform!.inner!)
        let (parts, slots) = (Array(platform.parts), Array(station.platforms))
        let (x, y) = (station.tracks["x"]!!, station.tracks["y"]!!)
        try realm.write { realm.create(Station.self, value: values, update: .modified) }
        XCTAssertEqual([platform.number, inner.number, parts[0].number], [10, 2, 30])
        XCTAssertEqual([platform.label, inner.label], ["one", "in"], "what is not given stays")
        XCTAssertTrue(parts[1].isInvalidated)
        XCTAssertEqual([slots[0].number, slots[1].number], [5, 60])
        XCTAssertTrue(slots[2].isInvalidated)
        XCTAssertEqual([x.number, x.label.count], [80, 5])
        XCTAssertFalse(y.isInvalidated, "maps are united")
        XCTAssertEqual(station.tracks.keys, ["x", "y", "z"])
        XCTAssertEqual(platforms(in: realm).count, 8)
    }

    func testAllReplacesThem() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        let old = platforms(in: realm)
        XCTAssertEqual(old.count, 9)
        try realm.write { realm.create(Station.self, value: values, update: .all) }
        XCTAssertEqual(old.filter { !$0.isInvalidated }.count, 0)
        XCTAssertEqual(station.platform?.number, 10)
        XCTAssertEqual(station.platform?.label, "")
        XCTAssertEqual(station.platforms.map(\.number), [5, 60])
        XCTAssertEqual(station.tracks["x"]??.number, 80)
        XCTAssertEqual(platforms(in: realm).count, 7)
    }

    func testAddedOnesTakeThePlacesOfThoseThatAreThere() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        let (old, count) = (station.platform!, platforms(in: realm).count)
        let update = Station(value: ["name": "a", "size": 3])
        let platform = Platform(10)
        platform.parts.append(objectsIn: [Platform(31), Platform(41), Platform(51)])
        update.platform = platform
        update.platforms.append(objectsIn: [Platform(5), Platform(6), Platform(7)])
        update.tracks["x"] = Platform(8)
        try realm.write { realm.add(update, update: .modified) }
        XCTAssertTrue(old.isSameObject(as: platform))
        XCTAssertEqual(old.number, 10)
        XCTAssertEqual(old.label, "", "an object that is added has all its values")
        XCTAssertNil(old.inner)
        XCTAssertEqual(station.platform?.parts.map(\.number), [31, 41, 51])
        XCTAssertEqual(station.platforms.map(\.number), [5, 6, 7])
        XCTAssertEqual(station.tracks.keys, ["x", "y"])
        XCTAssertEqual(platforms(in: realm).count, count - 1 + 1)
    }

    func testOnlyWhatDiffersCountsAsChanged() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        var changes: [String] = []
        func observe(_ object: Platform, _ name: String) -> NotificationToken {
            object.observe { (change: ObjectChange<Platform>) in
                if case .change(_, let properties) = change {
                    changes.append("\(name) \(properties.map(\.name))")
                }
            }
        }
        let tokens = [
            observe(station.platform!, "platform"), observe(station.platforms[0], "5"),
            observe(station.platforms[1], "6"), observe(station.tracks["x"]!!, "x"),
            station.observe { (change: ObjectChange<Station>) in
                if case .change(_, let properties) = change {
                    changes.append("station \(properties.map(\.name))")
                }
            },
        ]
        try realm.write {
            realm.create(
                Station.self,
                value: [
                    "name": "a", "platform": ["number": 1, "label": "uno"] as [String: Any],
                    "platforms": [[5], [66], [7]], "tracks": ["x": [8, "eight"], "y": [9]],
                ] as [String: Any], update: .modified)
        }
        realm.refresh()
        XCTAssertEqual(changes.sorted(), ["6 [\"number\"]", "platform [\"label\"]"])
        tokens.forEach { $0.invalidate() }
    }

    // MARK: Maps

    func testWhatIsReplacedInOrRemovedFromAMapDies() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        let map = station.tracks
        let (x, y) = (map["x"]!!, map["y"]!!)
        var told: [String] = []
        let observations = [("x", x), ("y", y)].map { name, platform in
            platform.observe(\.isInvalidated) { platform, _ in
                told.append("\(name) \(platform.isInvalidated)")
            }
        }
        try realm.write {
            map["x"] = Platform(10)
            XCTAssertTrue(x.isInvalidated)
            XCTAssertEqual(told, ["x true"])
            map.removeObject(for: "y")
            XCTAssertTrue(y.isInvalidated)
            XCTAssertEqual(told, ["x true", "y true"])
        }
        observations.forEach { $0.invalidate() }
        XCTAssertEqual(map.keys, ["x"])
        let second = map["x"]!!
        try realm.write {
            map["x"] = map["x"]
            XCTAssertFalse(second.isInvalidated, "assigned to its own place it stays")
            map["x"] = .some(nil)
            XCTAssertTrue(second.isInvalidated)
            map["x"] = Platform(11)
            map["z"] = Platform(12)
        }
        let rest = map.values.compactMap { $0 }
        try realm.write { map.merge([(key: "z", value: Platform(13))]) { $1 } }
        XCTAssertTrue(rest[1].isInvalidated)
        try realm.write { map.removeAll() }
        XCTAssertTrue(rest[0].isInvalidated)
        XCTAssertEqual(platforms(in: realm).filter { $0.number > 7 }.count, 0)
    }

    func testWholeAssignmentOfAMapEndsWhatItHeld() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        let old = station.tracks.values.compactMap { $0 }
        let map = Map<String, Platform?>()
        map["n"] = Platform(20)
        try realm.write { station.tracks = map }
        XCTAssertEqual(old.filter { !$0.isInvalidated }.count, 0)
        XCTAssertEqual(station.tracks["n"]??.number, 20)
    }

    func testDeletingTheOwnerDeletesWhatItsMapHolds() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        let x = station.tracks["x"]!!
        try realm.write { realm.delete(station) }
        XCTAssertTrue(x.isInvalidated)
        XCTAssertEqual(platforms(in: realm).count, 0)
    }

    func testDeletingAValueLeavesItsKey() throws {
        let realm = try openRealm()
        let station = try station(in: realm)
        try realm.write { realm.delete(station.tracks["x"]!!) }
        XCTAssertEqual(station.tracks.keys, ["x", "y"])
        XCTAssertEqual(station.tracks["x"], .some(nil))
    }
}
