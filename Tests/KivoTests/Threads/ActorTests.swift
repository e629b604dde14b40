import Foundation
import Kivo
import XCTest

/// Realms in actors, as the page on Swift concurrency has it.
final class ActorTests: RealmTestCase {
    /// An actor whose executor is a serial queue keeps its realm across every await, on whichever threads.
    func testAnActorOnAQueueKeepsItsRealm() async throws {
        let keeper = RealmKeeper(configuration)
        var names: [String] = []
        for round in 0..<20 { names.append(try await keeper.rename("\(round)")) }
        XCTAssertEqual(names, (0..<20).map { "new \($0)" })
        let count = try await keeper.count
        XCTAssertEqual(count, 1)
    }

    func testAnActorOnAQueueIsToldOfForeignCommits() async throws {
        let keeper = RealmKeeper(configuration)
        _ = try await keeper.rename("first")
        try await keeper.observe()
        let configuration = configuration
        try await Task.detached {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.objects(Dog.self)[0].age = 9 }
        }.value
        let deadline = Date(timeIntervalSinceNow: 120)
        while await keeper.ages.last != 9, Date() < deadline { try await Task.sleep(nanoseconds: 1_000_000) }
        let ages = await keeper.ages
        XCTAssertEqual(ages.last, 9)
    }

    /// Any actor can open a realm for each stretch without an await.
    func testAnActorThatOpensItsRealmInTurns() async throws {
        let configuration = configuration
        let visitor = RealmVisitor(configuration)
        let instanceOwner = RealmKeeper(configuration)
        _ = try await instanceOwner.rename("kept open")
        for age in 0..<20 { try await visitor.add(age) }
        let ages = try await visitor.ages()
        XCTAssertEqual(ages, [0] + Array(0..<20))
    }
}

private actor RealmKeeper {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let configuration: Realm.Configuration
    private var opened: Realm?
    private var dog: Dog?
    private var token: NotificationToken?
    private(set) var ages: [Int] = []

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    private func realm() throws -> Realm {
        if let opened { return opened }
        let realm = try Realm(configuration: configuration, queue: executor.queue)
        opened = realm
        return realm
    }

    var count: Int { get throws { try realm().objects(Dog.self).count } }

    func rename(_ name: String) async throws -> String {
        let realm = try realm()
        if dog == nil {
            let new = Dog()
            try realm.write { realm.add(new) }
            dog = new
        }
        // Here the queue gets another turn, and perhaps another thread.
        try await Task.sleep(nanoseconds: 1000)
        try realm.write { dog?.name = "new \(name)" }
        await Task.yield()
        return dog?.name ?? ""
    }

    func observe() throws {
        token = try realm().objects(Dog.self).observe { [weak self] change in
            // The closure is called where the actor runs.
            self?.assumeIsolated { keeper in keeper.note() }
        }
    }

    private func note() { ages.append(dog?.age ?? -1) }
}

private actor RealmVisitor {
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func add(_ age: Int) async throws {
        try store(age)
        await Task.yield()
    }

    private func store(_ age: Int) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(Dog(value: ["age": age])) }
    }

    func ages() throws -> [Int] { try Realm(configuration: configuration).objects(Dog.self).map(\.age) }
}
