import Foundation
import Kivo
import XCTest

/// Dynamic objects as the values of links of declared classes.
final class DynamicLinkTests: RealmTestCase {
    private func fill() throws -> (Realm, DynamicObject) {
        let realm = try openRealm()
        try realm.write { realm.create(DynamicDog.self, value: ["tag": 1, "name": "Rex"] as [String: Any]) }
        return (realm, try XCTUnwrap(realm.dynamicObject(ofType: "DynamicDog", forPrimaryKey: 1)))
    }

    func testALinkByName() throws {
        let (realm, rex) = try fill()
        try realm.write {
            let ann = realm.create(DynamicPerson.self)
            ann.setValue(rex, forKey: "favourite")
            XCTAssertEqual(ann.favourite?.name, "Rex")
            ann.favourite = nil
            ann["favourite"] = rex
            XCTAssertEqual(ann.favourite?.tag, 1)
            let bob = realm.create(DynamicPerson.self, value: ["favourite": rex])
            XCTAssertTrue(bob.favourite!.isSameObject(as: ann.favourite))
            XCTAssertEqual(realm.objects(DynamicPerson.self).filter("favourite == %@", rex).count, 2)
            XCTAssertEqual(realm.objects(DynamicDog.self).count, 1)
        }
    }

    func testUnmanagedObjects() throws {
        let (realm, rex) = try fill()
        let ann = DynamicPerson(value: ["favourite": rex])
        XCTAssertEqual(ann.favourite?.name, "Rex")
        let bob = DynamicPerson()
        bob.setValue(rex, forKey: "favourite")
        XCTAssertEqual(bob.favourite?.name, "Rex")
        try realm.write { realm.add([ann, bob]) }
        XCTAssertEqual(realm.objects(DynamicDog.self).count, 1)
    }

    func testCollections() throws {
        let (realm, rex) = try fill()
        try realm.write {
            let max = realm.create(
                DynamicDog.self, value: ["tag": 2, "friends": [rex], "byName": ["r": rex]] as [String: Any])
            XCTAssertEqual(max.friends.map(\.tag), [1])
            max.setValue([rex, rex], forKey: "friends")
            max["pack"] = [rex]
            max.setValue(["a": rex], forKey: "byName")
            XCTAssertEqual(max.friends.map(\.name), ["Rex", "Rex"])
            XCTAssertEqual(max.pack.map(\.tag), [1])
            XCTAssertEqual(max.byName["a"]??.tag, 1)
            max.dynamicList("friends").append(rex)
            XCTAssertEqual(max.friends.count, 3)
        }
        XCTAssertEqual(realm.objects(DynamicDog.self).count, 2)
    }

    func testAnEmbeddedObjectIsCopied() throws {
        let (realm, rex) = try fill()
        try realm.write { rex["chip"] = ["number": 7] }
        let chip = try XCTUnwrap(rex["chip"] as? ObjectBase)
        let max = DynamicDog(value: ["tag": 2, "chip": chip] as [String: Any])
        XCTAssertEqual(max.chip?.number, 7)
        try realm.write { realm.add(max) }
        XCTAssertEqual(realm.object(ofType: DynamicDog.self, forPrimaryKey: 1)?.chip?.number, 7)
    }
}

#if compiler(>=6.2)
import Testing

/// Refused values are named by what they are.
struct RefusedValueTrapTests {
    @Test func aDynamicObjectOfAnotherClass() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "refused"))
            try realm.write {
                let person = realm.dynamicCreate("DynamicPerson", value: ["name": "secret"])
                realm.create(DynamicPerson.self).setValue(person, forKey: "favourite")
            }
        }
        try check(
            result,
            says: ["An object of class 'DynamicPerson' is no value of property 'DynamicPerson.favourite'"])
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(!text.contains("secret"))
    }

    @Test func valuesOfOtherTypes() async throws {
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = DynamicDog(value: ["tag": "2"])
        }
        try check(text, says: ["The String '2' is no value of property 'DynamicDog.tag' of type"])
        let array = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = DynamicDog(value: ["name": [1, 2, 3]])
        }
        try check(
            array,
            says: ["A value of type 'Array<Int>' with 3 elements is no value of property 'DynamicDog.name'"])
        let any = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            DynamicDog().setValue(AnyRealmValue.double(2.5), forKey: "tag")
        }
        try check(any, says: ["The Double '2.5' is no value of property 'DynamicDog.tag'"])
        let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "refused"))
            _ = realm.object(ofType: DynamicDog.self, forPrimaryKey: "x")
        }
        try check(key, says: ["The String 'x' is no value of the primary key 'DynamicDog.tag'"])
    }
}
#endif
