#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

class NilOptionalList: Object { @Persisted var parts: List<NilPart?> }
class NilOptionalRooms: Object { @Persisted var rooms: List<NilRoom?> }
class NilOptionalSet: Object { @Persisted var parts: MutableSet<NilPart?> }
class NilRequiredMap: Object { @Persisted var parts: Map<String, NilPart> }
class NilRequiredRooms: Object { @Persisted var rooms: Map<String, NilRoom> }
class NilMappedList: Object { @Persisted var places: List<MappedCoordinate?> }

/// Nil among objects, told in words: where it is given, and where it is declared.
struct NilElementTrapTests {
    private static func realm() throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: "nil elements"))
    }

    @Test func aDictionaryWithTheNullMarker() async throws {
        let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(
                    NilOwner.self, value: ["id": 1, "parts": [["x": 1], NSNull()] as [Any]] as [String: Any])
            }
        }
        try check(created, says: ["nil is no element of 'NilOwner.parts'", "leave it out"])
        let updated = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(NilOwner.self, value: ["id": 1, "parts": [["x": 1]], "rooms": [["name": "a"]]])
                realm.create(
                    NilOwner.self,
                    value: ["id": 1, "parts": [["x": 1], NSNull()] as [Any]] as [String: Any],
                    update: .modified)
            }
        }
        try check(updated, says: ["nil is no element of 'NilOwner.parts'"])
    }

    @Test func anOptionalAmongValues() async throws {
        let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(
                    NilOwner.self, value: ["id": 1, "parts": [["x": 1], nil] as [Any?]] as [String: Any])
            }
        }
        try check(created, says: ["nil is no element of 'NilOwner.parts'", "leave it out"])
        let updated = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(NilOwner.self, value: ["id": 1, "parts": [["x": 1]], "rooms": [["name": "a"]]])
                realm.create(
                    NilOwner.self, value: ["id": 1, "parts": [["x": 1], nil] as [Any?]] as [String: Any],
                    update: .modified)
            }
        }
        try check(updated, says: ["nil is no element of 'NilOwner.parts'"])
    }

    @Test func aSetOfNil() async throws {
        let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(NilOwner.self, value: ["id": 1, "set": [NSNull()]] as [String: Any])
            }
        }
        try check(created, says: ["nil is no element of 'NilOwner.set'", "leave it out"])
        let updated = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(NilOwner.self, value: ["id": 1, "parts": [["x": 1]], "rooms": [["name": "a"]]])
                realm.create(
                    NilOwner.self, value: ["id": 1, "set": [NSNull()]] as [String: Any],
                    update: .modified)
            }
        }
        try check(updated, says: ["nil is no element of 'NilOwner.set'"])
    }

    @Test func embeddedObjects() async throws {
        let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(
                    NilOwner.self,
                    value: ["id": 1, "rooms": [["name": "a"], NSNull()] as [Any]] as [String: Any])
            }
        }
        try check(created, says: ["nil is no element of 'NilOwner.rooms'", "leave it out"])
        let updated = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(NilOwner.self, value: ["id": 1, "parts": [["x": 1]], "rooms": [["name": "a"]]])
                realm.create(
                    NilOwner.self,
                    value: ["id": 1, "rooms": [["name": "a"], NSNull()] as [Any]] as [String: Any],
                    update: .modified)
            }
        }
        try check(updated, says: ["nil is no element of 'NilOwner.rooms'"])
    }

    @Test func valuesInOrder() async throws {
        let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(NilOwner.self, value: [1, [], [Optional<NilPart>.none as Any]] as [Any])
            }
        }
        try check(created, says: ["nil is no element of 'NilOwner.set'", "leave it out"])
        let updated = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                realm.create(NilOwner.self, value: ["id": 1, "parts": [["x": 1]], "rooms": [["name": "a"]]])
                realm.create(
                    NilOwner.self, value: [1, [], [Optional<NilPart>.none as Any]] as [Any],
                    update: .modified)
            }
        }
        try check(updated, says: ["nil is no element of 'NilOwner.set'"])
    }

    @Test func dynamicObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try NilElementTrapTests.realm()
            try realm.write {
                let owner = realm.dynamicCreate("NilOwner", value: ["id": 1])
                owner["parts"] = [["x": 1], NSNull()] as [Any]
            }
        }
        try check(result, says: ["nil is no element of 'NilOwner.parts'"])
    }

    @Test func unmanagedObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NilOwner(value: ["id": 1, "parts": [["x": 1], NSNull()] as [Any]] as [String: Any])
        }
        try check(result, says: ["no value of property 'NilOwner.parts'"])
    }

    // MARK: Proxies

    private static func owner() throws -> NilOwner {
        let realm = try realm()
        realm.beginWrite()
        return realm.create(
            NilOwner.self, value: ["id": 1, "parts": [["x": 1]], "rooms": [["name": "a"]]] as [String: Any])
    }

    @Test func anElementThatIsAdded() async throws {
        let marker = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try NilElementTrapTests.owner().mutableArrayValue(forKey: "parts").add(NSNull())
        }
        try check(marker, says: ["no element", "of a list of 'NilPart'"])
        let optional = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try NilElementTrapTests.owner().mutableArrayValue(forKey: "rooms").add(NilRoom?.none as Any)
        }
        try check(optional, says: ["no element", "of a list of 'NilRoom'"])
        let member = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try NilElementTrapTests.owner().mutableSetValue(forKey: "set").add(NSNull())
        }
        try check(member, says: ["cannot be a member of a set"])
    }

    @Test func anElementThatIsReplaced() async throws {
        let one = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try NilElementTrapTests.owner().mutableArrayValue(forKey: "parts").replaceObject(
                at: 0, with: NSNull())
        }
        try check(one, says: ["no element", "of a list of 'NilPart'"])
        let all = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try NilElementTrapTests.owner().mutableArrayValue(forKey: "parts").setArray([NSNull()])
        }
        try check(all, says: ["no element", "of a list of 'NilPart'"])
    }

    @Test func anElementOfAnAssignedProperty() async throws {
        let byKey = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try NilElementTrapTests.owner().setValue([NilPart(), NSNull()] as [Any], forKey: "parts")
        }
        try check(byKey, says: ["no value of property 'NilOwner.parts'"])
        let byName = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try NilElementTrapTests.owner()["set"] = [NilPart?.none as Any]
        }
        try check(byName, says: ["no value of property 'NilOwner.set'"])
    }

    // MARK: Declarations

    @Test func aListOfOptionalObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try NilElementTrapTests.realm().objects(NilOptionalList.self)
        }
        try check(result, says: ["'NilOptionalList.parts'", "holds no nil", "'List<NilPart>'"])
    }

    @Test func aListOfOptionalEmbeddedObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try NilElementTrapTests.realm().objects(NilOptionalRooms.self)
        }
        try check(result, says: ["'NilOptionalRooms.rooms'", "'List<NilRoom>'"])
    }

    @Test func aListOfOptionalValuesThatAreStoredAsObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try NilElementTrapTests.realm().objects(NilMappedList.self)
        }
        try check(result, says: ["'NilMappedList.places'", "holds no nil"])
    }

    @Test func aSetOfOptionalObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try NilElementTrapTests.realm().objects(NilOptionalSet.self)
        }
        try check(result, says: ["'NilOptionalSet.parts'", "'MutableSet<NilPart>'"])
    }

    @Test func mapsOfObjectsThatAreNotOptional() async throws {
        let parts = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try NilElementTrapTests.realm().objects(NilRequiredMap.self)
        }
        try check(parts, says: ["'NilRequiredMap.parts'", "'Map<String, NilPart?>'"])
        let rooms = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try NilElementTrapTests.realm().objects(NilRequiredRooms.self)
        }
        try check(rooms, says: ["'NilRequiredRooms.rooms'", "'Map<String, NilRoom?>'"])
    }
}
#endif
