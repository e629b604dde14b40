import Dispatch
import Foundation
import Kivo
import XCTest

/// The realms of actors that were deallocated.
final class ActorEndTests: RealmTestCase {
    private static func leaveWrite(_ configuration: Realm.Configuration) async throws {
        try await ActorWriteLeaver().leaveWrite(configuration)
    }

    /// The actor's write could not be ended any more.
    func testAThreadThatWaitsIsGivenThePlaceOfAnActorThatIsGone() async throws {
        let configuration = configuration
        try await Self.leaveWrite(configuration)
        try await Task.detached {
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                XCTAssertEqual(realm.instanceCount, 2)
                try realm.write { XCTAssertTrue(realm.isEmpty, "what was not committed is gone") }
                let end = Date() + 120
                while realm.instanceCount > 1, Date() < end { Thread.sleep(forTimeInterval: 0.001) }
                XCTAssertEqual(realm.instanceCount, 1)
            }
        }.value
    }

    @MainActor
    func testARealmThatWritesAsynchronouslyIsGivenThePlaceOfAnActorThatIsGone() async throws {
        let realm = try openRealm()
        try await Self.leaveWrite(configuration)
        try await realm.asyncWrite {
            XCTAssertTrue(realm.isEmpty)
            realm.add(AsyncDog())
        }
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1)
        await eventually("the instance to go") { realm.instanceCount == 1 }
    }

    /// Its instance stays as long as an object of it is retained; the writer's place does not.
    @MainActor
    func testAnObjectOfAnActorThatIsGoneKeepsNobodyFromWriting() async throws {
        let realm = try openRealm()
        let kept = try await ActorWriteLeaver().leaveWrite(configuration, keeping: true)
        try await realm.asyncWrite { XCTAssertTrue(realm.isEmpty) }
        XCTAssertEqual(realm.instanceCount, 2)
        withExtendedLifetime(kept) {}
    }

    @MainActor
    func testAnActorThatIsThereKeepsThePlace() async throws {
        let realm = try openRealm()
        let leaver = ActorWriteLeaver()
        try await leaver.leaveWrite(configuration)
        let task = Task { @MainActor in try await realm.asyncWrite { realm.objects(AsyncDog.self).count } }
        try await Task.sleep(for: .milliseconds(1500))
        try await leaver.commit()
        let count = try await task.value
        XCTAssertEqual(count, 1)
    }

    #if !canImport(Darwin)
    /// The actions in an actor's deinitializer still belong to the actor.
    @MainActor
    func testAnActorCommitsAtItsEnd() async throws {
        let realm = try openRealm()
        func open() async throws { try await ActorWithLastWords().begin(configuration) }
        try await open()
        let count = try await realm.asyncWrite { realm.objects(AsyncDog.self).count }
        XCTAssertEqual(count, 1)
    }
    #endif

    /// The owner of an instance is recognised by the address of its actor, which a later actor may not get while the instance
    /// exists.
    func testAnInstanceThatOutlivesItsActorIsNobodysElse() async throws {
        let configuration = configuration
        let variable = try await Task.detached {
            try onAnotherThreadReturning {
                let realm = try Realm(configuration: configuration)
                let dog = try realm.write { realm.create(AsyncDog.self) }
                return ThreadSafe(wrappedValue: dog)
            }
        }.value
        var kept: [KeptElsewhere] = []
        for _ in 0..<100 {
            kept.append(try await ActorWriteLeaver().open(configuration))
            // They could be allocated at its address.
            for other in (0..<4).map({ _ in ActorWriteLeaver() }) {
                let isOfGone = try await other.reads(variable, ofRealmOf: kept)
                XCTAssertFalse(isOfGone)
            }
        }
    }

    func testAnActorOnTheSameExecutorReadsNoRealmOfOneThatIsGone() async throws {
        let configuration = configuration
        let executor = QueueExecutor()
        let kept = try await ActorOnSharedQueue(executor).open(configuration)
        let variable = try await Task.detached {
            try onAnotherThreadReturning {
                let realm = try Realm(configuration: configuration)
                let dog = try realm.write { realm.create(AsyncDog.self) }
                return ThreadSafe(wrappedValue: dog)
            }
        }.value
        let isOfGone = try await ActorOnSharedQueue(executor).reads(variable, ofRealmOf: [kept])
        XCTAssertFalse(isOfGone)
    }
}

/// A realm, or something of one, that is kept elsewhere than it may be used.
private struct KeptElsewhere: @unchecked Sendable {
    let realm: Realm
    var object: Object?
}

/// Runs `work` on a new thread and returns what it returns.
private func onAnotherThreadReturning<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
) throws -> Result {
    let result = Shared<Result?>(nil)
    try onAnotherThread {
        let value = try work()
        result.update { $0 = value }
    }
    return try XCTUnwrap(result.value)
}

private actor ActorWriteLeaver {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws -> KeptElsewhere {
        let realm = try await Realm.open(configuration: configuration)
        self.realm = realm
        return KeptElsewhere(realm: realm)
    }

    @discardableResult
    func leaveWrite(_ configuration: Realm.Configuration, keeping: Bool = false) async throws
        -> KeptElsewhere?
    {
        let realm = try await Realm.open(configuration: configuration)
        self.realm = realm
        realm.beginWrite()
        let dog = realm.create(AsyncDog.self)
        return keeping ? KeptElsewhere(realm: realm, object: dog) : nil
    }

    func commit() throws { try realm?.commitWrite() }

    func reads(_ variable: ThreadSafe<AsyncDog>, ofRealmOf kept: [KeptElsewhere]) throws -> Bool {
        let realm = try XCTUnwrap(variable.wrappedValue?.realm)
        return kept.contains { $0.realm == realm }
    }
}

#if !canImport(Darwin)
private actor ActorWithLastWords {
    private var realm: Realm?

    func begin(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        self.realm = realm
        realm.beginWrite()
        realm.add(AsyncDog())
    }

    isolated deinit {
        do { try realm?.commitWrite() } catch { XCTFail("\(error)") }
    }
}
#endif

private actor ActorOnSharedQueue {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: QueueExecutor) { self.executor = executor }

    func open(_ configuration: Realm.Configuration) async throws -> KeptElsewhere {
        KeptElsewhere(realm: try await Realm.open(configuration: configuration))
    }

    func reads(_ variable: ThreadSafe<AsyncDog>, ofRealmOf kept: [KeptElsewhere]) throws -> Bool {
        let realm = try XCTUnwrap(variable.wrappedValue?.realm)
        return kept.contains { $0.realm == realm }
    }
}
