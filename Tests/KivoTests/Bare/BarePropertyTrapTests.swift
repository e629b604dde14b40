#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse of properties without a wrapper that are part of the model, told in words.
struct BarePropertyTrapTests {
    @Test func assigningABoxOutsideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try BareTrap.realm()
            let object = try realm.write { realm.create(BareTrap.self) }
            object.size.value = 5
        }
        try check(result, says: ["'BareTrap.size'", "outside of a write transaction"])
    }

    @Test func aBoxOfADeletedObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try BareTrap.realm()
            let object = try realm.write { realm.create(BareTrap.self) }
            try realm.write { realm.delete(object) }
            _ = object.size.value
        }
        try check(result, says: ["'BareTrap'", "has been deleted"])
    }

    @Test func aBoxOnAnotherThread() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try BareTrap.realm()
            let object = try realm.write { realm.create(BareTrap.self) }
            // The box is taken to where it must not be used.
            struct Unchecked: @unchecked Sendable { let object: BareTrap }
            let taken = Unchecked(object: object)
            try onAnotherThread { _ = taken.object.size.value }
        }
        try check(result, says: ["BareTrap", "thread"])
    }

    @Test func aValueThatDoesNotFit() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            BareTrap()["size"] = "abc"
        }
        try check(result, says: ["'abc'", "'BareTrap.size'", "Int"])
    }

    @Test func assigningLinkingObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = BareTrap(value: ["others": [[:]], "holders": []] as [String: Any])["holders"]
            BareTrap()["holders"] = [BareTrap]()
        }
        try check(result, says: ["'BareTrap.holders'"])
    }

    @Test func anOriginPropertyThatIsNone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try BareTrap.realm().objects(BareWrongOrigin.self)
        }
        try check(
            result, says: ["'BareWrongOrigin.holders'", "'nowhere'", "does not exist in class 'BareTrap'"])
    }
}

final class BareTrap: Object {
    let size = _BareValue<Int?>()
    let others = List<BareTrap>()
    let holders = LinkingObjects(fromType: BareTrap.self, property: "others")

    static func realm() throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: "\(UUID())"))
    }
}

class BareWrongOrigin: Object {
    @Persisted var name = ""
    let holders = LinkingObjects(fromType: BareTrap.self, property: "nowhere")
}
#endif
