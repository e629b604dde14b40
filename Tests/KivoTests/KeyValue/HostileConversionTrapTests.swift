#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Conversions of mapped types that leave nothing to change, told in words.
struct HostileConversionTrapTests {
    private static func owner() throws -> (Realm, HostileOwner) {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "hostile"))
        return (realm, try realm.write { realm.create(HostileOwner.self, value: ["list": [1, 2, 3]]) })
    }

    @Test func aListWhoseOwnerIsDeleted() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, owner) = try HostileConversionTrapTests.owner()
            try realm.write { Hostile.with({ realm.delete(owner) }) { owner.list.append(HostileValue(4)) } }
        }
        try check(result, says: ["'HostileOwner.list'"])
    }

    @Test func aListWhoseWriteIsCancelled() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, owner) = try HostileConversionTrapTests.owner()
            realm.beginWrite()
            Hostile.with({ realm.cancelWrite() }) { owner.list.append(HostileValue(4)) }
        }
        try check(result, says: ["'HostileOwner.list'", "outside of a write transaction"])
    }

    @Test func anIndexThatIsGone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, owner) = try HostileConversionTrapTests.owner()
            try realm.write {
                Hostile.with({ owner.list.removeAll() }) { owner.list[2] = HostileValue(4) }
            }
        }
        try check(result, says: ["Index 2", "'HostileOwner.list'", "0 elements"])
    }

    @Test func anObjectWhoseWriteIsCancelledWhileItIsAdded() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, _) = try HostileConversionTrapTests.owner()
            realm.beginWrite()
            let object = HostileOwner()
            object.id = 5
            object.list.append(HostileValue(1))
            Hostile.with({
                realm.cancelWrite()
                realm.beginWrite()
            }) { realm.add(object) }
        }
        try check(result, says: ["was ended", "converts a value"])
    }

    @Test func anObjectWhoseWriteIsCommittedBeforeItsListIsWritten() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, _) = try HostileConversionTrapTests.owner()
            realm.beginWrite()
            let object = HostileOwner()
            object.id = 5
            object.plain.append("a")
            object.list.append(HostileValue(1))
            // The conversions of the three properties before come first.
            var count = 0
            func next() {
                count += 1
                Thread.current.threadDictionary["kivo.hostile.storing"] =
                    {
                        if count < 3 { return next() }
                        try! realm.commitWrite()
                        realm.beginWrite()
                    } as () -> Void
            }
            next()
            realm.add(object)
        }
        try check(result, says: ["was ended"])
    }

    @Test func aPropertyOfAnObjectThatIsDeleted() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, owner) = try HostileConversionTrapTests.owner()
            try realm.write {
                owner.one = HostileValue(1)
                Hostile.with({ realm.delete(owner) }) { owner.one = HostileValue(2) }
            }
        }
        try check(result, says: ["deleted"])
    }
}
#endif
