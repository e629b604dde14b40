import Foundation
import Kivo
import XCTest

/// Classes that become embedded: their objects are deleted if nothing owns them, and copied for each further owner.
final class MigrationToEmbeddedTests: EitherWayMigrationTestCase {
    private typealias Old = EmbeddingClasses.Old
    private typealias New = EmbeddingClasses.New

    private func text(_ realm: Realm) -> [String] {
        realm.objects(New.House.self).map { house in
            let named = house.named.keys.sorted().map { "\($0)=\(house.named[$0]!!.text)" }.joined(
                separator: " ")
            return
                "\(house.id): \(house.main?.text ?? "-") [\(house.rooms.map(\.text).joined(separator: " "))] \(named)"
        }
    }

    func testObjectsWithoutAnOwnerAreDeleted() throws {
        try write(Old.all) { realm in
            realm.add(Old.House(value: ["id": 1, "main": ["name": "a", "lamp": [1], "walls": [[1]]]]))
            realm.add(Old.Room(value: ["name": "lost", "lamp": [2], "walls": [[2], [3]]]))
            realm.add(Old.Lamp(value: ["watts": 3]))
        }
        try migrate(New.all) { realm in
            XCTAssertEqual(text(realm), ["1: a/1/1 [] "])
            XCTAssertEqual(realm.dynamicObjects("Room").count, 1)
            XCTAssertEqual(realm.dynamicObjects("Lamp").map { $0["watts"] as? Int }, [1])
            XCTAssertEqual(realm.dynamicObjects("Wall").count, 1)
        }
    }

    func testObjectsWithSeveralOwnersAreCopied() throws {
        try write(Old.all) { realm in
            let room = Old.Room(value: [
                "name": "a", "lamp": [1], "walls": [[1], [2]], "city": ["X"], "notes": ["n", 2],
            ])
            let house = Old.House(value: ["id": 1])
            house.main = room
            house.rooms.append(objectsIn: [room, Old.Room(value: ["name": "b"]), room])
            house.named["k"] = room
            let other = Old.House(value: ["id": 2])
            other.named["l"] = room
            realm.add([house, other])
        }
        try migrate(New.all) { migration, _ in
            XCTAssertEqual(migration.newSchema.objectSchema.count, 5)
        } check: { realm in
            XCTAssertEqual(
                text(realm),
                ["1: a/1/12 [a/1/12 b// a/1/12] k=a/1/12", "2: - [] l=a/1/12"])
            XCTAssertEqual(realm.dynamicObjects("Room").count, 6)
            XCTAssertEqual(realm.dynamicObjects("Lamp").count, 5)
            XCTAssertEqual(realm.dynamicObjects("Wall").count, 10)
            XCTAssertEqual(realm.objects(New.City.self).count, 1, "what is not embedded is shared")
            for house in realm.objects(New.House.self) {
                XCTAssertTrue(house.rooms.where { $0.name == "a" }.allSatisfy { $0.city?.name == "X" })
                XCTAssertTrue(
                    house.rooms.where { $0.name == "a" }.allSatisfy {
                        Array($0.notes) == [.string("n"), .int(2)]
                    })
            }
        }
        try withRealm(configuration(New.all, version: 1)) { realm in
            try realm.write {
                realm.objects(New.House.self)[0].main?.lamp?.watts = 100
                realm.delete(realm.objects(New.House.self)[1])
            }
            XCTAssertEqual(text(realm), ["1: a/100/12 [a/1/12 b// a/1/12] k=a/1/12"])
            XCTAssertEqual(realm.dynamicObjects("Room").count, 5)
        }
    }

    /// An object that two others share which themselves are shared, and one that only a lost object has.
    func testSharedObjectsOfSharedObjects() throws {
        try write(Old.all) { realm in
            let lamp = Old.Lamp(value: ["watts": 7])
            let rooms = ["a", "b", "lost"].map { Old.Room(value: ["name": $0]) }
            for room in rooms { room.lamp = lamp }
            for id in 1...2 {
                let house = Old.House(value: ["id": id])
                house.rooms.append(objectsIn: rooms.prefix(2))
                realm.add(house)
            }
            realm.add(rooms[2])
        }
        try migrate(New.all) { realm in
            XCTAssertEqual(text(realm), ["1: - [a/7/ b/7/] ", "2: - [a/7/ b/7/] "])
            XCTAssertEqual(realm.dynamicObjects("Lamp").count, 4)
        }
    }

    func testABlockPutsThingsRightBefore() throws {
        try write(Old.all) { realm in
            let room = Old.Room(value: ["name": "a"])
            for id in 1...2 {
                let house = Old.House(value: ["id": id])
                house.main = room
                realm.add(house)
            }
        }
        try migrate(New.all) { migration, _ in
            migration.enumerateObjects(ofType: "House") { old, new in
                if old?["id"] as? Int == 1 { new?["main"] = nil }
            }
        } check: { realm in
            XCTAssertEqual(text(realm), ["1: - [] ", "2: a// [] "])
            XCTAssertEqual(realm.dynamicObjects("Room").count, 1)
        }
    }

    func testWhatCannotOwnObjects() throws {
        try write(Old.all + [Old.Box.self]) { realm in
            let lamp = Old.Lamp(value: ["watts": 1])
            realm.add(Old.House(value: ["id": 1, "main": ["name": "a", "lamp": lamp] as [String: Any]]))
            realm.add(Old.Box(value: ["thing": lamp]))
        }
        try assertRefused(
            .invalidInput, New.all + [Old.Box.self], version: 1,
            says: ["'Lamp' cannot become embedded", "values of any type link to its objects"])
    }
}

/// The classes of a file before and after some of them become embedded. `Wall` is embedded in both.
enum EmbeddingClasses {
    enum Old {
        static let all: [ObjectBase.Type] = [House.self, Room.self, Lamp.self, Wall.self, City.self]

        class House: Object {
            @Persisted var id = 0
            @Persisted var main: Room?
            @Persisted var rooms: List<Room>
            @Persisted var named: Map<String, Room?>
        }

        class Room: Object {
            @Persisted var name = ""
            @Persisted var lamp: Lamp?
            @Persisted var walls: List<Wall>
            @Persisted var city: City?
            @Persisted var notes: List<AnyRealmValue>
        }

        class Lamp: Object { @Persisted var watts = 0 }

        class Wall: EmbeddedObject { @Persisted var number = 0 }

        class City: Object { @Persisted var name = "" }

        class Box: Object { @Persisted var thing: AnyRealmValue }
    }

    enum New {
        static let all: [ObjectBase.Type] = [House.self, Room.self, Lamp.self, Wall.self, City.self]

        class House: Object {
            @Persisted var id = 0
            @Persisted var main: Room?
            @Persisted var rooms: List<Room>
            @Persisted var named: Map<String, Room?>
        }

        class Room: EmbeddedObject {
            @Persisted var name = ""
            @Persisted var lamp: Lamp?
            @Persisted var walls: List<Wall>
            @Persisted var city: City?
            @Persisted var notes: List<AnyRealmValue>

            var text: String {
                let numbers: String = Array(walls.map { "\($0.number)" }).joined()
                return "\(name)/\(lamp.map { "\($0.watts)" } ?? "")/\(numbers)"
            }
        }

        class Lamp: EmbeddedObject { @Persisted var watts = 0 }

        class Wall: EmbeddedObject { @Persisted var number = 0 }

        class City: Object { @Persisted var name = "" }
    }
}
