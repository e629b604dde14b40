#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse of realms of actors, and of asynchronous writes, ends in a sentence.
struct ActorTrapTests {
    @Test func aRealmOfAnActorElsewhere() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try await ActorTrapKeeper().open().realm
            print(realm.isEmpty)
        }
        try check(result, says: ["outside of the actor it belongs to", "open the realm there"])
    }

    /// A task without an actor continues on any thread after an `await`.
    @Test func aRealmAcrossAnAwait() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let held = try await ActorTrapHeld.ofMainActor()
            await Task.detached { print(held.realm.isEmpty) }.value
        }
        try check(
            result,
            says: [
                "on a thread or queue it does not belong to", "After an 'await' a task without an actor",
                "'try await Realm.open(configuration:)'",
            ])
    }

    @Test func aRealmOfAnActorOnAnotherActor() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let keeper = ActorTrapKeeper()
            let held = try await keeper.open()
            await ActorTrapKeeper().use(held)
        }
        try check(result, says: ["outside of the actor it belongs to"])
    }

    @Test func aRealmOfAnActorWithAQueueElsewhere() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let held = try await ActorTrapQueueKeeper().open()
            print(held.realm.isEmpty)
        }
        try check(result, says: ["actor"])
    }

    /// Code of the queue that an actor runs on is as good as code of the actor.
    @Test func aRealmOfAnActorWithAQueueOnThatQueue() async {
        await #expect(processExitsWith: .success) {
            let keeper = ActorTrapQueueKeeper()
            let held = try await keeper.open()
            let isEmpty = keeper.queue.sync { held.realm.isEmpty }
            try #require(isEmpty)
        }
    }

    @Test func observingWhatIsUnmanaged() async throws {
        let ofAnObject = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = await Dog().observe(on: ActorTrapKeeper()) { (_, _: ObjectChange<Dog>) in }
        }
        try check(ofAnObject, says: ["Only managed objects", "'Dog'"])
        let ofAList = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = await Person().dogs.observe(on: ActorTrapKeeper()) { _, _ in }
        }
        try check(ofAList, says: ["unmanaged", "List<Dog>"])
    }

    @Test func observingAnUnknownKeyPathOnAnActor() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor func run() async throws {
                let realm = try await Realm(configuration: .init(inMemoryIdentifier: "trap"))
                _ = await realm.objects(Dog.self).observe(keyPaths: ["agee"], on: ActorTrapKeeper()) { _, _ in
                }
            }
            try await run()
        }
        try check(result, says: ["'agee'", "'Dog'"])
    }

    // MARK: Asynchronous writes

    @Test func writingAsynchronouslyOnABareThread() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try onAnotherThread {
                let realm = try Realm(configuration: .init(inMemoryIdentifier: "trap"))
                realm.writeAsync {}
            }
        }
        try check(result, says: ["write asynchronously", "run loop", "serial queue or an actor"])
    }

    @Test func committingAsynchronouslyOutsideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor func run() async throws {
                let realm = try await Realm(configuration: .init(inMemoryIdentifier: "trap"))
                realm.commitAsyncWrite()
            }
            try await run()
        }
        try check(result, says: ["outside of a write transaction"])
    }

    @Test func asyncWriteOnAQueue() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let keeper = ActorTrapQueueKeeper()
            try await keeper.writeInRealmOfQueue()
        }
        try check(result, says: ["asyncWrite", "Realm.open()", "writeAsync"])
    }

    @Test func writingAFrozenRealmAsynchronously() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor func run() async throws {
                let realm = try await Realm(configuration: .init(inMemoryIdentifier: "trap"))
                realm.freeze().writeAsync {}
            }
            try await run()
        }
        try check(result, says: ["frozen", "thaw()"])
    }
}

/// Carries a realm where it may not be used.
private final class ActorTrapHeld: @unchecked Sendable {
    let realm: Realm

    init(_ realm: Realm) { self.realm = realm }

    @MainActor static func ofMainActor() throws -> ActorTrapHeld {
        ActorTrapHeld(try Realm(configuration: .init(inMemoryIdentifier: "actor traps, main")))
    }
}

private actor ActorTrapKeeper {
    func open() async throws -> ActorTrapHeld {
        ActorTrapHeld(try await Realm.open(configuration: .init(inMemoryIdentifier: "trap")))
    }

    func use(_ held: ActorTrapHeld) { print(held.realm.isEmpty) }
}

private actor ActorTrapQueueKeeper {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    nonisolated var queue: DispatchQueue { executor.queue }

    func open() async throws -> ActorTrapHeld {
        ActorTrapHeld(try await Realm.open(configuration: .init(inMemoryIdentifier: "trap")))
    }

    func writeInRealmOfQueue() async throws {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "trap"), queue: executor.queue)
        try await realm.asyncWrite {}
    }
}
#endif
