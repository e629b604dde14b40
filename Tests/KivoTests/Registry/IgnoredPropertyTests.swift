import Foundation
import Kivo
import XCTest

/// A stored property without `@Persisted` belongs to one instance and is seen on no other.
final class IgnoredPropertyTests: RealmTestCase {
    private func lamps(_ realm: Realm) throws -> Results<Lamp> {
        try realm.write { for number in 0..<4 { realm.create(Lamp.self, value: ["number": number]) } }
        return realm.objects(Lamp.self).sorted(byKeyPath: "number")
    }

    func testIteratingResults() throws {
        let realm = try openRealm()
        let lamps = try lamps(realm)
        for lamp in lamps {
            XCTAssertFalse(lamp.isLit, "\(lamp.number)")
            XCTAssertEqual(lamp.colours, [], "\(lamp.number)")
            lamp.isLit = true
            lamp.colours.append("red")
        }
        for lamp in realm.objects(Lamp.self) {
            XCTAssertFalse(lamp.isLit && lamp.number != 0, "\(lamp.number)")
            if lamp.number == 0 { lamp.isLit = true }
        }
    }

    func testIndexing() throws {
        let realm = try openRealm()
        let lamps = try lamps(realm)
        lamps[0].isLit = true
        XCTAssertFalse(lamps[1].isLit)
        for index in lamps.indices {
            let lamp = lamps[index]
            XCTAssertEqual(lamp.number, index)
            XCTAssertFalse(lamp.isLit && index > 0, "\(index)")
            lamp.isLit = index == 0
        }
        XCTAssertEqual(lamps.last?.isLit, false)
    }

    func testListsAndLinks() throws {
        let realm = try openRealm()
        let room = LampRoom()
        let lamps = try lamps(realm)
        try realm.write {
            realm.add(room)
            room.lamps.append(objectsIn: lamps)
            room.main = lamps[1]
            room.spare = lamps[2]
        }
        for lamp in room.lamps {
            XCTAssertFalse(lamp.isLit, "\(lamp.number)")
            lamp.isLit = true
        }
        room.lamps[0].isLit = true
        XCTAssertFalse(room.lamps[3].isLit)
        room.main?.isLit = true
        XCTAssertEqual(room.spare?.isLit, false)
    }

    func testOneInstanceKeepsIt() throws {
        let realm = try openRealm()
        let lamps = try lamps(realm)
        let lamp = lamps[2]
        lamp.isLit = true
        for other in lamps where other.number != 2 { XCTAssertFalse(other.isLit) }
        try realm.write { lamp.number = 20 }
        XCTAssertTrue(lamp.isLit)
    }
}

class Lamp: Object {
    @Persisted var number = 0
    var isLit = false
    var colours: [String] = []
}

class LampRoom: Object {
    @Persisted var lamps: List<Lamp>
    @Persisted var main: Lamp?
    @Persisted var spare: Lamp?
}
