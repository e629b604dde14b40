#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// What cannot be observed together traps with a message.
struct JointObservingTrapTests {
    @Test func aCollectionOfAnotherRealm() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (one, other) = (try openJointRealm("one"), try openJointRealm("other"))
            _ = one.observe([one.objects(FuzzItem.self), other.objects(FuzzItem.self)]) { _ in }
        }
        try check(result, says: ["belongs to another one"])
    }

    @Test func anUnmanagedList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try openJointRealm("one").observe([FuzzHolder().items]) { _ in }
        }
        try check(result, says: ["belongs to none"])
    }

    @Test func oneSection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try openJointRealm("one")
            try realm.write { realm.create(FuzzItem.self) }
            let sections = realm.objects(FuzzItem.self).sectioned(by: \.value, ascending: true)
            _ = realm.observe([sections[0]]) { _ in }
        }
        try check(result, says: ["ResultsSection", "together with others"])
    }

    @Test func insideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try openJointRealm("one")
            realm.beginWrite()
            realm.create(FuzzItem.self)
            _ = realm.observe([realm.objects(FuzzItem.self)]) { _ in }
        }
        try check(result, says: ["inside of a write transaction that has made changes"])
    }

    @Test func aFrozenRealm() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try openJointRealm("one").freeze()
            _ = realm.observe([realm.objects(FuzzItem.self)]) { _ in }
        }
        try check(result, says: ["frozen"])
    }
}

private func openJointRealm(_ name: String) throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: "joint \(name)", objectTypes: [FuzzItem.self, FuzzHolder.self]))
}
#endif
