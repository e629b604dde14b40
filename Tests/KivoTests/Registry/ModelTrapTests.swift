#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Models and values that cannot be, told in words.
struct ModelTrapTests {
    // MARK: Owners of embedded objects

    @Test func elementsOfADynamicListOfPlainValues() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "plain dynamic list"))
            let bag = try realm.write { realm.create(Bag.self, value: ["numbers": [1]]) }
            _ = bag.dynamicList("numbers")[0]
        }
        try check(result, says: ["plain values, no objects"])
    }

    @Test func aSecondOwnerByAssignment() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (house, other) = (House(), House())
            house.address = Address()
            let realm = try ModelTrap.realm()
            try realm.write {
                realm.add([house, other])
                other.address = house.address
            }
        }
        try check(result, says: ["'Address'", "managed already", "'House.address'", "Give a copy"])
    }

    @Test func aSecondPlaceInTheSameList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let house = House(value: ["formerAddresses": [["a"], ["b"]]])
            let realm = try ModelTrap.realm()
            try realm.write {
                realm.add(house)
                house.formerAddresses.append(house.formerAddresses[0])
            }
        }
        try check(result, says: ["'Address'", "managed already"])
    }

    @Test func anotherPlaceInAList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let house = House(value: ["formerAddresses": [["a"], ["b"]]])
            let realm = try ModelTrap.realm()
            try realm.write {
                realm.add(house)
                house.formerAddresses[1] = house.formerAddresses[0]
            }
        }
        try check(result, says: ["'Address'", "managed already", "'House.formerAddresses'"])
    }

    @Test func anotherKeyOfAMap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let station = Station(value: ["tracks": ["x": [1]]])
            let realm = try ModelTrap.realm()
            try realm.write {
                realm.add(station)
                station.tracks["y"] = station.tracks["x"]
            }
        }
        try check(result, says: ["'Platform'", "managed already", "'Station.tracks'"])
    }

    @Test func anUnmanagedObjectThatHoldsAnOwnedOne() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let house = House(value: ["address": ["a"]])
            let realm = try ModelTrap.realm()
            let other = House()
            try realm.write {
                realm.add(house)
                other.address = house.address
                realm.add(other)
            }
        }
        try check(result, says: ["'Address'", "managed already", "'House.address'"])
    }

    @Test func anEmbeddedObjectWithTwoUnmanagedOwners() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let address = Address()
            let houses = [House(), House()]
            for house in houses { house.address = address }
            let realm = try ModelTrap.realm()
            try realm.write { realm.add(houses) }
        }
        try check(result, says: ["'Address'", "managed already", "'House.address'"])
    }

    @Test func anEmbeddedObjectInItself() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let platform = Platform(1)
            platform.parts.append(platform)
            let realm = try ModelTrap.realm()
            try realm.write {
                realm.create(Station.self, value: ["name": "a", "platform": platform] as [String: Any])
            }
        }
        try check(result, says: ["'Platform'", "contains itself"])
    }

    // MARK: Values that do not fit

    @Test func textForAList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Bag()["words"] = "abc"
        }
        try check(result, says: ["'abc'", "'Bag.words'", "List<String>"])
    }

    @Test func aDictionaryForAList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Bag()["words"] = [String: String]()
        }
        try check(result, says: ["no value of property 'Bag.words'", "List<String>"])
    }

    @Test func anElementThatDoesNotFit() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bag(value: ["dogs": [Dog(), 5] as [Any]])
        }
        try check(result, says: ["no value of property 'Bag.dogs'", "List<Dog>"])
    }

    @Test func theNullMarkerWhereNilIsNot() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try ModelTrap.realm()
            try realm.write { realm.create(Dog.self, value: ["name": NSNull()]) }
        }
        try check(result, says: ["no value of property 'Dog.name'", "String"])
    }

    @Test func anUnknownRawValueWhereNilIsNot() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AllTypes()["mood"] = "furious"
        }
        try check(result, says: ["'furious'", "no value of property 'AllTypes.mood'"])
    }

    @Test func aNumberThatIsTooLarge() async throws {
        let float = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AllTypes()["float"] = 1e39
        }
        try check(float, says: ["'1e+39'", "no value of property 'AllTypes.float'"])
        let int8 = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AllTypes()["int8"] = 128
        }
        try check(int8, says: ["'128'", "no value of property 'AllTypes.int8'"])
    }

    // MARK: Declarations

    @Test func nestedClassesOfOneName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try ModelTrap.realm()
            _ = realm.objects(Kitchen.Tool.self)
            _ = realm.objects(Garage.Tool.self)
        }
        try check(result, says: ["KivoTests.Kitchen.Tool", "KivoTests.Garage.Tool", "both called 'Tool'"])
    }

    @Test func twoPrimaryKeysByWrapperAndFunction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try ModelTrap.realm()
            _ = realm.objects(TwofoldKey.self)
        }
        try check(result, says: ["'TwofoldKey'", "'a'", "'primaryKey()' says 'b'", "at most one"])
    }

    @Test func aPrimaryKeyThatIsNone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try ModelTrap.realm()
            _ = realm.objects(MissingKey.self)
        }
        try check(result, says: ["'primaryKey()'", "'MissingKey'", "'code'", "no persisted property"])
    }

    @Test func anIndexOfAType() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try ModelTrap.realm()
            _ = realm.objects(IndexedDouble.self)
        }
        try check(result, says: ["'indexedProperties()'", "'IndexedDouble'", "'size'", "Double"])
    }
}

class TwofoldKey: Object {
    @Persisted(primaryKey: true) var a = 0
    @Persisted var b = 0
    override class func primaryKey() -> String? { "b" }
}

class MissingKey: Object {
    @Persisted var name = ""
    override class func primaryKey() -> String? { "code" }
}

class IndexedDouble: Object {
    @Persisted var size = 0.0
    override class func indexedProperties() -> [String] { ["size"] }
}

private enum ModelTrap {
    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "model trap"))
    }
}
#endif
