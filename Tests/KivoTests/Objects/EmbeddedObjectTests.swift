import Kivo
import XCTest

final class EmbeddedObjectTests: RealmTestCase {
    private func house(in realm: Realm) throws -> House {
        let house = House(value: [
            "name": "home",
            "address": [
                "street": "a", "city": ["name": "Bern"], "rooms": [["name": "hall"], ["name": "attic"]],
            ],
            "formerAddresses": [["street": "b"], ["street": "c"]],
        ])
        XCTAssertEqual(house.address?.rooms.map(\.name), ["hall", "attic"])
        try realm.write { realm.add(house) }
        return house
    }

    func testAParentBringsItsObjects() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        XCTAssertEqual(house.address?.street, "a")
        XCTAssertEqual(house.address?.city?.name, "Bern")
        XCTAssertEqual(house.address?.rooms.map(\.name), ["hall", "attic"])
        XCTAssertEqual(house.formerAddresses.map(\.street), ["b", "c"])
        XCTAssertEqual(house.address?.realm, realm)
    }

    func testDeletionCascadesToWhatIsOwned() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        let address = try XCTUnwrap(house.address)
        let (room, former) = (address.rooms[0], house.formerAddresses[1])
        try realm.write { realm.delete(house) }
        XCTAssertTrue(address.isInvalidated)
        XCTAssertTrue(room.isInvalidated)
        XCTAssertTrue(former.isInvalidated)
        XCTAssertEqual(realm.objects(City.self).count, 1, "what is only linked lives on")
    }

    func testReplacedObjectsDieAtOnce() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        let address = try XCTUnwrap(house.address)
        let room = address.rooms[0]
        let former = Array(house.formerAddresses)
        try realm.write {
            house.address = Address(value: ["street": "new"])
            XCTAssertTrue(address.isInvalidated)
            XCTAssertTrue(room.isInvalidated)
            house.formerAddresses[0] = Address(value: ["street": "d"])
            XCTAssertTrue(former[0].isInvalidated)
            house.formerAddresses.remove(at: 1)
            XCTAssertTrue(former[1].isInvalidated)
        }
        XCTAssertEqual(house.address?.street, "new")
        XCTAssertEqual(house.formerAddresses.map(\.street), ["d"])
        try realm.write { house.address = nil }
        XCTAssertNil(house.address)
        let last = house.formerAddresses[0]
        try realm.write { house.formerAddresses.removeAll() }
        XCTAssertTrue(last.isInvalidated)
    }

    func testACopyOfAnOwnedObjectCanBeGivenAway() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        let other = House()
        try realm.write {
            realm.add(other)
            other.address = Address(value: house.address!)
            other.formerAddresses.append(Address(value: house.address!))
            other.address?.street = "changed"
        }
        XCTAssertEqual(house.address?.street, "a")
        XCTAssertEqual(other.address?.street, "changed")
        XCTAssertEqual(other.address?.rooms.map(\.name), ["hall", "attic"])
        XCTAssertEqual(house.address?.rooms.map(\.name), ["hall", "attic"])
        XCTAssertEqual(other.formerAddresses[0].street, "a")
        XCTAssertTrue(other.address?.city?.isSameObject(as: house.address?.city) ?? false)
    }

    func testAssigningAPropertyToItselfKeepsTheValues() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        try realm.write {
            house.address = house.address
            house.formerAddresses = house.formerAddresses
        }
        XCTAssertEqual(house.address?.street, "a")
        XCTAssertEqual(house.address?.rooms.map(\.name), ["hall", "attic"])
        XCTAssertEqual(house.formerAddresses.map(\.street), ["b", "c"])
    }

    func testAnElementAssignedToItsOwnPlaceStays() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        let former = house.formerAddresses[1]
        try realm.write { house.formerAddresses[1] = house.formerAddresses[1] }
        XCTAssertEqual(house.formerAddresses.map(\.street), ["b", "c"])
        XCTAssertFalse(former.isInvalidated)
    }

    func testDeletingAnOwnerTogetherWithWhatItOwns() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        let address = try XCTUnwrap(house.address)
        try realm.write { realm.delete([address, house, house.formerAddresses[0]] as [ObjectBase]) }
        XCTAssertTrue(address.isInvalidated)
        XCTAssertTrue(house.isInvalidated)
        try realm.write { realm.deleteAll() }
        XCTAssertTrue(realm.isEmpty)
    }

    func testCancellingBringsOwnedObjectsBack() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        let address = try XCTUnwrap(house.address)
        realm.beginWrite()
        realm.delete(house)
        XCTAssertTrue(address.isInvalidated)
        realm.cancelWrite()
        XCTAssertFalse(address.isInvalidated)
        XCTAssertEqual(address.street, "a")
        XCTAssertEqual(address.rooms.map(\.name), ["hall", "attic"])
    }

    func testObservingAnOwnedObject() throws {
        let realm = try openRealm()
        let house = try house(in: realm)
        let address = try XCTUnwrap(house.address)
        var calls: [String] = []
        let token = address.observe { (change: ObjectChange<Address>) in
            switch change {
            case .change(let address, let properties):
                calls.append("\(properties.map(\.name)) \(address.street)")
            case .deleted: calls.append("deleted")
            case .error(let error): calls.append("\(error)")
            }
        }
        try realm.write { address.street = "z" }
        realm.refresh()
        try realm.write { house.address = nil }
        realm.refresh()
        XCTAssertEqual(calls, ["[\"street\"] z", "deleted"])
        token.invalidate()
    }
}
