import Foundation
import Kivo
import XCTest

/// Objects and collections that are observed on actors, and realms of actors.
final class ActorObservingTests: RealmTestCase {
    /// The example "React to Changes on a Different Actor" of realm-swift's page.
    @MainActor
    func testTheExampleOfTheReferencePage() async throws {
        let actor = ActorTaskKeeper()
        let realm = try await Realm(configuration: configuration)
        try await realm.asyncWrite {
            _ = realm.create(ActorTask.self, value: ["name": "Arrive safely in Bree"])
        }
        let tasks = realm.objects(ActorTask.self)
        let token = await tasks.observe(on: actor) { actor, change in actor.note(words(change), change) }
        await eventually("the first call") { await actor.told == ["initial"] }
        let task = tasks.where { $0.name == "Arrive safely in Bree" }.first!
        try await actor.delete(ThreadSafeReference(to: task), configuration)
        await eventually("the deletion") { await actor.told == ["initial", "-[0] +[] ~[]"] }
        XCTAssertTrue(token.invalidate())
        XCTAssertFalse(token.invalidate())
    }

    @MainActor
    func testAllKindsOfCollections() async throws {
        let realm = try await Realm(configuration: configuration)
        let bag = Bag(), person = Person(value: ["name": "Ann"])
        try realm.write {
            realm.add(bag)
            realm.add(person)
        }
        let actor = ActorTaskKeeper()
        let list = bag.numbers, set = bag.numberSet, map = bag.counts
        let tokens = [
            await list.observe(on: actor) { actor, change in actor.note("list " + words(change)) },
            await set.observe(on: actor) { actor, change in actor.note("set " + words(change)) },
            await person.befriendedBy.observe(on: actor) { actor, change in
                actor.note("linking " + words(change))
            },
            await map.observe(on: actor) { actor, change in
                if case .update(_, _, let insertions, _) = change { return actor.note("map \(insertions)") }
                actor.note("map initial")
            },
        ]
        await eventually("the first calls") { await actor.told.count == 4 }
        await actor.forget()
        try realm.write {
            list.append(1)
            set.insert(2)
            map["a"] = 3
            realm.add(Person(value: ["name": "Bob", "friend": person]))
        }
        await eventually("all updates") { await actor.told.count == 4 }
        let told = await actor.told
        XCTAssertEqual(
            told, ["list -[] +[0] ~[]", "set -[] +[0] ~[]", "linking -[] +[0] ~[]", "map [\"a\"]"])
        for token in tokens { token.invalidate() }
    }

    @MainActor
    func testAnObjectWithKeyPaths() async throws {
        let realm = try await Realm(configuration: configuration)
        let task = ActorTask(value: ["name": "a", "count": 0])
        try realm.write { realm.add(task) }
        let actor = ActorTaskKeeper()
        let all = await task.observe(on: actor) { (actor, change: ObjectChange<ActorTask>) in
            actor.note("all \(Self.text(change))")
        }
        let named = await task.observe(keyPaths: ["name"], on: actor) {
            (actor, change: ObjectChange<ActorTask>) in actor.note("named \(Self.text(change))")
        }
        let typed = await task.observe(keyPaths: [\ActorTask.count], on: actor) { actor, change in
            actor.note("typed \(Self.text(change))")
        }
        try realm.write { task.name = "b" }
        await eventually("two calls") { await actor.told.count == 2 }
        try realm.write { task.count = 1 }
        await eventually("two more") { await actor.told.count == 4 }
        try realm.write { realm.delete(task) }
        await eventually("the deletion") { await actor.told.count == 7 }
        let told = await actor.told
        XCTAssertEqual(
            told,
            [
                "all name: a -> b", "named name: a -> b", "all count: 0 -> 1", "typed count: 0 -> 1",
                "all deleted", "named deleted", "typed deleted",
            ])
        for token in [all, named, typed] { token.invalidate() }
    }

    @MainActor
    func testAnEmbeddedObject() async throws {
        let realm = try await Realm(configuration: configuration)
        let house = House(value: ["address": ["street": "Main"]])
        try realm.write { realm.add(house) }
        let actor = ActorTaskKeeper()
        let token = await house.address!.observe(on: actor) { (actor, change: ObjectChange<Address>) in
            guard case .change(let address, _) = change else { return actor.note("deleted") }
            actor.note(address.street)
        }
        try realm.write { house.address!.street = "Side" }
        await eventually("the change") { await actor.told == ["Side"] }
        try realm.write { house.address = nil }
        await eventually("the deletion") { await actor.told == ["Side", "deleted"] }
        token.invalidate()
    }

    @MainActor
    func testTypedKeyPathsOfElements() async throws {
        let realm = try await Realm(configuration: configuration)
        let dogs = realm.objects(Dog.self)
        try realm.write { realm.add(Dog()) }
        let actor = ActorTaskKeeper()
        let token = await dogs.observe(keyPaths: [\Dog.age], on: actor) { actor, change in
            actor.note(words(change))
        }
        await eventually("the first call") { await actor.told == ["initial"] }
        try realm.write { dogs[0].name = "a" }
        try realm.write { dogs[0].age = 1 }
        await eventually("the age") { await actor.told == ["initial", "-[] +[] ~[0]"] }
        token.invalidate()
    }

    /// The block is given what belongs to the actor, and may keep it there.
    func testWhatIsDeliveredBelongsToTheActor() async throws {
        let actor = ActorTaskKeeper()
        try await actor.observeItself(configuration)
        try writeElsewhere { _ = $0.create(ActorTask.self, value: ["name": "first"]) }
        await eventually("the insertion") { await actor.told.last == "kept first" }
        try writeElsewhere { $0.objects(ActorTask.self)[0].name = "second" }
        await eventually("the change") { await actor.told.last == "kept second" }
        await actor.stop()
    }

    func testAGlobalActorAndOneWithAnExecutor() async throws {
        let configuration = configuration
        let keeper = ActorWithQueue()
        let token = try await ActorTestGlobal.observeDogs(configuration, on: keeper)
        try writeElsewhere { $0.add(Dog(value: ["age": 4])) }
        await eventually("the actor with a queue") { await keeper.ages == [4] }
        let back = try await keeper.observeDogs(configuration, on: ActorTestGlobal.shared)
        try writeElsewhere { $0.objects(Dog.self)[0].age = 5 }
        await eventually("the global actor") { await ActorTestGlobal.ages.last == 5 }
        for token in [token, back] { token.invalidate() }
    }

    @MainActor
    func testOnTheMainActorFromAnother() async throws {
        let actor = ActorTaskKeeper()
        let told = MainRecord()
        let token = try await actor.observeTasks(configuration, on: MainActor.shared) { count in
            told.counts.append(count)
        }
        try writeElsewhere { _ = $0.create(ActorTask.self) }
        await eventually("a call on the main actor") { told.counts.last == 1 }
        let main = try Realm(configuration: configuration, queue: .main)
        XCTAssertEqual(main.objects(ActorTask.self).count, 1)
        token.invalidate()
    }

    // MARK: Realms of actors

    func testARealmOfAnActorIsOneInstance() async throws {
        let actor = ActorTaskKeeper()
        let areEqual = try await actor.opensTwice(configuration)
        XCTAssertTrue(areEqual)
        let count = try await actor.renameAcrossAwaits(configuration)
        XCTAssertEqual(count, 20)
    }

    @MainActor
    func testARealmOfTheMainActorIsThatOfTheMainThread() async throws {
        let realm = try await Realm(configuration: configuration)
        XCTAssertEqual(realm, try Realm(configuration: configuration, queue: .main))
        let open = try await Realm.open(configuration: configuration, downloadBeforeOpen: .once)
        XCTAssertEqual(realm, open)
        let named = try await Realm(configuration: configuration, actor: MainActor.shared)
        XCTAssertEqual(realm, named)
    }

    @MainActor
    func testARealmDoesNotKeepItsActor() async throws {
        let realm = try openRealm()
        let gone = try await Self.letGo(configuration)
        await eventually("the actor to go") { gone.actor == nil }
        await eventually("its instance to go") { realm.instanceCount == 1 }
        try realm.write { realm.add(Dog()) }
    }

    private final class Weak: @unchecked Sendable {
        weak var actor: ActorTaskKeeper?

        init(_ actor: ActorTaskKeeper) { self.actor = actor }
    }

    private static func letGo(_ configuration: Realm.Configuration) async throws -> Weak {
        let actor = ActorTaskKeeper()
        _ = try await actor.opensTwice(configuration)
        try await actor.observeItself(configuration)
        await actor.stop()
        return Weak(actor)
    }

    func testATokenOfACancelledTaskIsInvalid() async throws {
        let actor = ActorTaskKeeper()
        let configuration = configuration
        let isValid = try await Task { @MainActor in
            let realm = try await Realm(configuration: configuration)
            withUnsafeCurrentTask { $0?.cancel() }
            let token = await realm.objects(ActorTask.self).observe(on: actor) { actor, change in
                actor.note(words(change))
            }
            try realm.write { _ = realm.create(ActorTask.self) }
            return token.invalidate()
        }.value
        XCTAssertFalse(isValid)
        try await Task.sleep(nanoseconds: 20_000_000)
        let told = await actor.told
        XCTAssertEqual(told, [])
    }

    /// `thaw()` on an actor finds the realm of the actor.
    func testThawingOnAnActor() async throws {
        let actor = ActorTaskKeeper()
        let isActors = try await actor.thaws(configuration)
        XCTAssertTrue(isActors)
    }

    private static func text(_ change: ObjectChange<ActorTask>) -> String {
        switch change {
        case .error(let error): "\(error)"
        case .deleted: "deleted"
        case .change(_, let properties):
            properties.map { "\($0.name): \($0.oldValue ?? "nil") -> \($0.newValue ?? "nil")" }
                .joined(separator: ", ")
        }
    }
}

/// Returns the description of one collection notification.
private func words<C>(_ change: RealmCollectionChange<C>) -> String {
    switch change {
    case .initial: "initial"
    case .update(_, let deletions, let insertions, let modifications):
        "-\(deletions) +\(insertions) ~\(modifications)"
    case .error(let error): "\(error)"
    }
}

/// Returns the collection that an observer received, in its first call or a later one: a write before the first call is part of
/// it.
private func shown<C>(_ change: RealmCollectionChange<C>) -> C? {
    switch change {
    case .initial(let collection), .update(let collection, _, _, _): collection
    case .error: nil
    }
}

/// Waits until a condition holds; fails the test if it does not within ten seconds.
func eventually(
    _ what: String, file: StaticString = #filePath, line: UInt = #line,
    _ isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool
) async {
    let deadline = Date(timeIntervalSinceNow: 120)
    while await !condition() {
        guard Date() < deadline else { return XCTFail("waited for \(what)", file: file, line: line) }
        try? await Task.sleep(nanoseconds: 500_000)
    }
}

class ActorTask: Object {
    @Persisted var name = ""
    @Persisted var count = 0
}

@MainActor private final class MainRecord {
    var counts: [Int] = []
}

private actor ActorTaskKeeper {
    private(set) var told: [String] = []
    private var realm: Realm?
    private var kept: Results<ActorTask>?
    private var token: NotificationToken?

    func note(_ text: String) { told.append(text) }

    func note(_ text: String, _ change: RealmCollectionChange<Results<ActorTask>>) { told.append(text) }

    func forget() { told = [] }

    func stop() {
        token?.invalidate()
        token = nil
        kept = nil
    }

    func delete(_ reference: ThreadSafeReference<ActorTask>, _ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.delete(realm.resolve(reference)!) }
    }

    func observeItself(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        kept = realm.objects(ActorTask.self)
        token = await kept!.observe(on: self) { actor, change in
            guard let tasks = shown(change) else { return }
            actor.kept = tasks
            actor.noteKept()
        }
    }

    private func noteKept() { told.append("kept \(kept?.first?.name ?? "none")") }

    func observeTasks(
        _ configuration: Realm.Configuration, on actor: MainActor,
        _ told: @escaping @MainActor @Sendable (Int) -> Void
    ) async throws -> NotificationToken {
        let realm = try await Realm.open(configuration: configuration)
        return await realm.objects(ActorTask.self).observe(on: actor) { _, change in
            guard let tasks = shown(change) else { return }
            let count = tasks.count
            MainActor.assumeIsolated { told(count) }
        }
    }

    func opensTwice(_ configuration: Realm.Configuration) async throws -> Bool {
        let first = try await Realm.open(configuration: configuration)
        realm = first
        await Task.yield()
        let second = try await Realm(configuration: configuration, actor: self)
        return first == second
    }

    func renameAcrossAwaits(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm.open(configuration: configuration)
        let task = ActorTask()
        try realm.write { realm.add(task) }
        for _ in 0..<20 {
            try await Task.sleep(nanoseconds: 1000)
            try realm.write { task.count += 1 }
        }
        return task.count
    }

    func thaws(_ configuration: Realm.Configuration) async throws -> Bool {
        let realm = try await Realm.open(configuration: configuration)
        return realm.freeze().thaw() == realm
    }
}

private actor ActorWithQueue {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var ages: [Int] = []

    func note(_ age: Int) {
        dispatchPrecondition(condition: .onQueue(executor.queue))
        ages.append(age)
    }

    func observeDogs(_ configuration: Realm.Configuration, on actor: ActorTestGlobal) async throws
        -> NotificationToken
    {
        let realm = try await Realm.open(configuration: configuration)
        // A block of the queue is as good as a job of the actor.
        try realm.write { realm.objects(Dog.self).first?.name = "seen" }
        return await realm.objects(Dog.self).observe(on: actor) { actor, change in
            if let dogs = shown(change), let first = dogs.first { actor.note(first.age) }
        }
    }
}

@globalActor private actor ActorTestGlobal {
    static let shared = ActorTestGlobal()
    private var noted: [Int] = []
    static var ages: [Int] { get async { await shared.noted } }

    func note(_ age: Int) { noted.append(age) }

    @ActorTestGlobal
    static func observeDogs(_ configuration: Realm.Configuration, on actor: ActorWithQueue) async throws
        -> NotificationToken
    {
        let realm = try await Realm.open(configuration: configuration)
        return await realm.objects(Dog.self).observe(on: actor) { actor, change in
            if let dogs = shown(change), let first = dogs.first { actor.note(first.age) }
        }
    }
}
