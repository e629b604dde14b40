#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse of references, variables and frozen values ends in a sentence.
struct CrossingTrapTests {
    @Test func resolvingTwice() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, parcel in
                let reference = ThreadSafeReference(to: parcel)
                _ = realm.resolve(reference)
                _ = realm.resolve(reference)
            }
        }
        try check(result, says: ["'CrossingParcel'", "resolved", "once"])
    }

    @Test func aReferenceToSomethingUnmanaged() async throws {
        let object = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ThreadSafeReference(to: CrossingParcel())
        }
        try check(object, says: ["'CrossingParcel'", "unmanaged"])
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ThreadSafeReference(to: List<Int>())
        }
        try check(list, says: ["'List<Int>'", "unmanaged"])
        let variable = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @ThreadSafe var parcel = CrossingParcel()
            print(parcel as Any)
        }
        try check(variable, says: ["'CrossingParcel'", "unmanaged"])
    }

    @Test func aReferenceToSomethingInvalidated() async throws {
        let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, parcel in
                try realm.write { realm.delete(parcel) }
                _ = ThreadSafeReference(to: parcel)
            }
        }
        try check(deleted, says: ["'CrossingParcel'", "deleted"])
        let ofRealm = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, parcel in
                realm.invalidate()
                _ = ThreadSafeReference(to: parcel)
            }
        }
        try check(ofRealm, says: ["'CrossingParcel'", "invalidated"])
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, parcel in
                let codes = parcel.codes
                try realm.write { realm.delete(parcel) }
                _ = ThreadSafeReference(to: codes)
            }
        }
        try check(list, says: ["'List<Int>'", "invalidated"])
    }

    @Test func aReferenceMadeOrResolvedElsewhere() async throws {
        let made = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, parcel in
                let elsewhere = Crossing.Carried(value: realm.objects(CrossingParcel.self))
                try onAnotherThread { _ = ThreadSafeReference(to: elsewhere.value) }
            }
        }
        try check(made, says: ["does not belong"])
        let resolved = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, parcel in
                let reference = ThreadSafeReference(to: parcel)
                let elsewhere = Crossing.Carried(value: realm)
                try onAnotherThread { _ = elsewhere.value.resolve(reference) }
            }
        }
        try check(resolved, says: ["does not belong"])
    }

    @Test func freezingWhatWasCreatedInTheTransaction() async throws {
        let object = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, _ in
                realm.beginWrite()
                _ = realm.create(CrossingParcel.self, value: ["number": 2]).freeze()
            }
        }
        try check(object, says: ["'CrossingParcel'", "created in this transaction"])
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, _ in
                realm.beginWrite()
                _ = realm.create(CrossingParcel.self, value: ["number": 2]).codes.freeze()
            }
        }
        try check(list, says: ["'CrossingParcel.codes'", "created in this transaction"])
        let ofNewClass = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, _ in
                realm.beginWrite()
                _ = realm.create(CrossingLatecomer.self).codes.freeze()
            }
        }
        try check(ofNewClass, says: ["'CrossingLatecomer.codes'", "created in this transaction"])
    }

    @Test func freezingAndThawingWhatIsUnmanagedOrGone() async throws {
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = List<Int>().freeze()
        }
        try check(list, says: ["freeze", "unmanaged"])
        let map = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Map<String, Int>().thaw()
        }
        try check(map, says: ["thaw", "unmanaged"])
        let gone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { realm, parcel in
                let tags = parcel.tags
                try realm.write { realm.delete(parcel) }
                _ = tags.freeze()
            }
        }
        try check(gone, says: ["'CrossingParcel.tags'", "deleted"])
    }

    @Test func writingAFrozenObjectByItsBase() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Crossing.withParcel { _, parcel in parcel.frozenSnapshot().base.label = "new" }
        }
        try check(result, says: ["'CrossingParcel.label'", "frozen", "thaw()"])
    }
}

/// The realms from which the tests above start, each in a process of its own.
private enum Crossing {
    static func withParcel(_ body: (Realm, CrossingParcel) throws -> Void) throws {
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "crossing"))
        let parcel = CrossingParcel(value: ["number": 1])
        try realm.write { realm.add(parcel) }
        try body(realm, parcel)
    }

    /// A value that is taken to another thread although it does not belong there.
    struct Carried<Value>: @unchecked Sendable {
        let value: Value
    }
}
#endif
