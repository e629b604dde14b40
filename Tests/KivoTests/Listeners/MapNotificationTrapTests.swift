#if compiler(>=6.2)
import Kivo
import Testing

/// Maps that cannot be observed say so.
struct MapNotificationTrapTests {
    @Test func anUnmanagedMap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bag().counts.observe { _ in }
        }
        try check(result, says: ["observe", "unmanaged map"])
    }

    @Test func aFrozenMap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try bagInRealm().counts.freeze().observe { _ in }
        }
        try check(result, says: ["'Bag.counts'", "frozen"])
    }

    @Test func aMapWhoseOwnerIsGone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bag = try bagInRealm()
            let counts = bag.counts
            try bag.realm?.write { bag.realm?.delete(bag) }
            _ = counts.observe { _ in }
        }
        try check(result, says: ["'Bag.counts'", "deleted"])
    }

    @Test func afterAChangeInAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bag = try bagInRealm()
            bag.realm?.beginWrite()
            bag.counts["a"] = 1
            _ = bag.counts.observe { _ in }
        }
        try check(result, says: ["'Bag.counts'", "write transaction that has made changes"])
    }

    @Test func aKeyPathThatLeadsNowhere() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try bagInRealm().dogsByName.observe(keyPaths: ["owner.weight"]) { _ in }
        }
        try check(result, says: ["'weight'", "'Person'"])
    }

    #if DEBUG
    @Test func aMapOfAnotherThread() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggled = Smuggled(try bagInRealm().counts)
            try onAnotherThread { _ = smuggled.value.observe { _ in } }
        }
        try check(result, says: ["thread"])
    }
    #endif
}

/// Returns the bag from which the tests above start, each in a process of its own.
private func bagInRealm() throws -> Bag {
    let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "trap"))
    let bag = Bag()
    try realm.write { realm.add(bag) }
    return bag
}
#endif
