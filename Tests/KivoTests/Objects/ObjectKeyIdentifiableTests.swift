import Kivo
import XCTest

final class ObjectKeyIdentifiableTests: RealmTestCase {
    func testTheIdentityIsThatOfTheRow() throws {
        let realm = try openRealm()
        let parcel = CrossingParcel(value: ["number": 1, "stamp": ["value": 1]])
        let other = CrossingParcel(value: ["number": 2])
        XCTAssertEqual(parcel.id, parcel.id)
        XCTAssertNotEqual(parcel.id, other.id)
        let unmanaged = parcel.id
        try realm.write { realm.add([parcel, other]) }
        let id = parcel.id
        XCTAssertNotEqual(id, unmanaged)
        XCTAssertNotEqual(id, other.id)
        XCTAssertNotEqual(id, parcel.stamp?.id, "classes do not share numbers")
        XCTAssertEqual(realm.object(ofType: CrossingParcel.self, forPrimaryKey: 1)?.id, id)
        XCTAssertEqual(parcel.freeze().id, id)
        try realm.write { parcel.label = "changed" }
        XCTAssertEqual(parcel.id, id)
        try elsewhere { realm in
            XCTAssertEqual(realm.object(ofType: CrossingParcel.self, forPrimaryKey: 1)?.id, id)
            try realm.write { realm.delete(realm.objects(CrossingParcel.self).where { $0.number == 2 }) }
        }
        realm.refresh()
        XCTAssertTrue(other.isInvalidated)
        XCTAssertNotEqual(other.id, id)
        XCTAssertEqual(Set(realm.objects(CrossingParcel.self).map(\.id)), [id])
    }
}
