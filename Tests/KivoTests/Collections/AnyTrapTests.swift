#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse of values of any type traps with a message.
struct AnyTrapTests {
    @Test func aSetHoldsNoListsAndDictionaries() async throws {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            MutableSet<AnyRealmValue>().insert(.fromArray([]))
        }
        try check(unmanaged, says: ["A set of 'AnyRealmValue' holds no lists and dictionaries"])
        let managed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "any"))
            try realm.write { realm.create(AnyNote.self).set.insert(.fromDictionary([:])) }
        }
        try check(managed, says: ["A set of 'AnyRealmValue' holds no lists and dictionaries"])
    }

    @Test func assigningOutsideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "any"))
            let note = AnyNote()
            try realm.write { realm.add(note) }
            note.content = .int(1)
        }
        try check(result, says: ["AnyNote.content"])
    }

    @Test func comparingWithWhatIsNoValue() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "any"))
            _ = realm.objects(AnyNote.self).filter("content == %@", AnyNote.self)
        }
        try check(result, says: ["AnyRealmValue"])
    }

    @Test func aSetIsNoValue() async throws {
        let initial = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = AnyNote(value: ["content": Set([1])])
        }
        try check(initial, says: ["is no value of property 'AnyNote.content'"])
        let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "any"))
            try realm.write {
                _ = realm.create(AnyNote.self, value: ["content": ["in a list", Set([1])] as [Any]])
            }
        }
        try check(created, says: ["is no value of property 'AnyNote.content'"])
        let byKey = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AnyNote().setValue(NSSet(object: 1), forKey: "content")
        }
        try check(byKey, says: ["AnyNote.content"])
        let bySubscript = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AnyNote()["content"] = MutableSet<Int>()
        }
        try check(bySubscript, says: ["is no value of property 'AnyNote.content'"])
    }

    @Test func askingForTypesThatThereAreNot() async throws {
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "any"))
            _ = realm.objects(AnyNote.self).filter("content.@type == 'text'").count
        }
        try check(unknown, says: ["'text' names no type that 'content.@type' could be"])
        let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "any"))
            _ = realm.objects(AnyNote.self).filter("number.@type == 'int'").count
        }
        try check(plain, says: ["'@type' asks for the types of values of any type"])
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "any"))
            _ = realm.objects(AnyNote.self).filter("content.@type > 'int'").count
        }
        try check(other, says: ["is compared by ==, != or IN with the names of types"])
    }
}
#endif
