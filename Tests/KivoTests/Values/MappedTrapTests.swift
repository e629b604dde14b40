#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

class MappedTrapTag: Object {
    @Persisted var tag = MappedTag("a")
    @Persisted var bare: MappedTag
}

class MappedTrapName: Object {
    @Persisted var name = ""
    override class func propertiesMapping() -> [String: String] { ["nmae": "stored"] }
}

class MappedTrapTwice: Object {
    @Persisted var name = ""
    @Persisted var title = ""
    override class func propertiesMapping() -> [String: String] { ["title": "name"] }
}

/// Mapped types, stored names and dynamic objects used wrongly, told in words.
struct MappedTrapTests {
    @Test func aStoredValueThatMeansNone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try MappedTrap.realm()
            try realm.write {
                realm.add(MappedTrapTag())
                realm.dynamicObjects("MappedTrapTag")[0].tag = "no brackets"
            }
            _ = realm.objects(MappedTrapTag.self)[0].tag
        }
        try check(result, says: ["'no brackets'", "'MappedTag'", "optional"])
    }

    @Test func aDefaultThatMeansNone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = MappedTrapTag().bare
        }
        try check(result, says: ["'MappedTag'", "'String'", "default"])
    }

    @Test func aValueByNameThatMeansNone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            MappedTrapTag()["tag"] = "none"
        }
        try check(result, says: ["'none'", "'MappedTrapTag.tag'"])
    }

    @Test func aClassThatNobodyKnows() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try MappedTrap.realm().dynamicObjects("MappedTrapUnheardOf")
        }
        try check(result, says: ["'MappedTrapUnheardOf'", "'objectTypes'"])
    }

    @Test func aPropertyThatADynamicObjectDoesNotHave() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try MappedTrap.realm()
            try realm.write { realm.create(DynamicPerson.self) }
            _ = realm.dynamicObjects("DynamicPerson")[0].nmae
        }
        try check(result, says: ["'DynamicPerson'", "'nmae'"])
    }

    @Test func aDynamicAssignmentOutsideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try MappedTrap.realm()
            try realm.write { realm.create(DynamicDog.self) }
            realm.dynamicObjects("DynamicDog")[0].owner = nil
        }
        try check(result, says: ["'DynamicDog.owner'", "write"])
    }

    @Test func anObjectOfAnotherClass() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try MappedTrap.realm()
            try realm.write {
                realm.create(DynamicDog.self)
                realm.create(DynamicPerson.self)
                let dog = realm.dynamicObjects("DynamicDog")[0]
                realm.dynamicObjects("DynamicPerson")[0].favourite = dog
                dog.owner = dog
            }
        }
        try check(result, says: ["'DynamicDog'", "'DynamicDog.owner'", "'DynamicPerson'"])
    }

    @Test func dynamicObjectsAsAClass() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try MappedTrap.realm().objects(DynamicObject.self)
        }
        try check(result, says: ["'DynamicObject'", "'dynamicCreate'"])
    }

    @Test func aStoredNameForNoProperty() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = MappedTrapName().objectSchema
        }
        try check(result, says: ["'propertiesMapping()'", "'MappedTrapName'", "'nmae'"])
    }

    @Test func twoPropertiesOfOneStoredName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = MappedTrapTwice().objectSchema
        }
        try check(result, says: ["'name'", "'title'", "'MappedTrapTwice'"])
    }

    @Test func aClassThatRealmsHaveToBeToldOf() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try MappedTrap.realm().objects(DynamicExcluded.self)
        }
        try check(result, says: ["'DynamicExcluded'", "'objectTypes'"])
    }

    private func check(_ result: ExitTest.Result?, says words: [String]) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        for word in words { #expect(text.contains(word), "\(text)") }
    }
}

private enum MappedTrap {
    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    }
}
#endif
