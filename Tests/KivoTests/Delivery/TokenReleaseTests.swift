import Dispatch
import Foundation
import Kivo
import XCTest

#if canImport(WinSDK)
import WinSDK
#endif

/// Blocks of observers are released where they are called, wherever their tokens end: what they captured belongs there.
final class TokenReleaseTests: RealmTestCase {
    /// Observes a realm in every way, each by a block that holds a witness.
    private static func observeAll(_ realm: Realm, _ witness: () -> ReleaseWitness) throws
        -> [NotificationToken]
    {
        let bag = realm.objects(Bag.self)[0]
        let dogs = realm.objects(Dog.self)
        let witnesses = (0..<8).map { _ in witness() }
        let key: (Dog) -> Int = { [held = witnesses[7]] dog in held.passing(dog.age) }
        return [
            dogs.observe { [held = witnesses[0]] _ in held.note() },
            dogs.where { $0.age > 3 }.observe { [held = witnesses[1]] _ in held.note() },
            bag.numbers.observe { [held = witnesses[2]] _ in held.note() },
            bag.counts.observe { [held = witnesses[3]] _ in held.note() },
            bag.numberSet.observe { [held = witnesses[4]] _ in held.note() },
            bag.observe { [held = witnesses[5]] (_: ObjectChange<Bag>) in held.note() },
            realm.observe { [held = witnesses[6]] _, _ in held.note() },
            dogs.sectioned(by: key, sortDescriptors: ["age"]).observe { _ in },
        ]
    }

    private static let waysToObserve = 8

    private func fill() throws -> Realm {
        let realm = try openRealm()
        try realm.write {
            realm.add(Bag())
            realm.add(Dog())
        }
        return realm
    }

    func testTokensEndElsewhereThanOnTheMainThread() throws {
        let realm = try fill()
        for isInvalidated in [true, false] {
            let log = ReleaseLog()
            for _ in 0..<40 {
                let tokens = Shared(try Self.observeAll(realm) { ReleaseWitness(log) })
                realm.refresh()
                try onAnotherThread {
                    if isInvalidated { for token in tokens.value { XCTAssertTrue(token.invalidate()) } }
                    tokens.update { $0 = [] }
                }
            }
            // Some were released by the refreshes of later rounds.
            serveRunLoop()
            realm.refresh()
            XCTAssertEqual(log.places, ["main": 40 * Self.waysToObserve])
        }
        XCTAssertEqual(realm.observerCount, 0)
    }

    /// A token that ends elsewhere asks for a turn. Nothing else happens in the realm that would release the block.
    func testATokenThatEndsElsewhereAsksForATurn() throws {
        let realm = try fill()
        for index in 0..<Self.waysToObserve {
            let log = ReleaseLog()
            let tokens = Shared(try Self.observeAll(realm) { ReleaseWitness(log) })
            serveRunLoop()
            try onAnotherThread { tokens.update { $0[index].invalidate() } }
            XCTAssertEqual(log.count, 0)
            serveRunLoop()
            XCTAssertEqual(log.places, ["main": 1], "\(index)")
        }
        let log = ReleaseLog()
        let observation = Carried<KeyValueObservation>()
        let dog = realm.objects(Dog.self)[0]
        observation.value = dog.observe(\.age) { [held = ReleaseWitness(log)] _, _ in held.note() }
        serveRunLoop()
        try onAnotherThread { observation.value = nil }
        XCTAssertEqual(log.count, 0)
        serveRunLoop()
        XCTAssertEqual(log.places, ["main": 1])
    }

    /// The observation is over at once all the same.
    func testNothingIsCalledBetween() throws {
        let realm = try fill()
        let log = ReleaseLog()
        let tokens = Shared(try Self.observeAll(realm) { ReleaseWitness(log) })
        realm.refresh()
        log.calls.update { $0 = 0 }
        try onAnotherThread { for token in tokens.value { token.invalidate() } }
        try realm.write {
            realm.objects(Dog.self)[0].age = 7
            realm.objects(Bag.self)[0].numbers.append(1)
        }
        realm.refresh()
        XCTAssertEqual(log.calls.value, 0)
        XCTAssertEqual(log.places, ["main": Self.waysToObserve], "the write let go of them")
    }

    func testTokensEndElsewhereThanOnTheirQueue() throws {
        let realm = try fill()
        defer { withExtendedLifetime(realm) {} }
        let (queue, log) = (QueueExecutor(place: "queue"), ReleaseLog())
        let configuration = configuration
        let tokens = Shared<[NotificationToken]>([])
        try queue.queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue.queue)
            let made = try Self.observeAll(realm) { ReleaseWitness(log) }
            tokens.update { $0 = made }
        }
        tokens.update { $0 = [] }
        queue.queue.sync {}
        queue.queue.sync {}
        XCTAssertEqual(log.places, ["queue": Self.waysToObserve])
    }

    func testTokensEndElsewhereThanOnTheirActor() async throws {
        let realm = try fill()
        defer { withExtendedLifetime(realm) {} }
        let log = ReleaseLog()
        let keeper = ReleaseKeeper(QueueExecutor(place: "actor"))
        let tokens = Shared(try await keeper.observe(configuration, log))
        XCTAssertEqual(log.places, [:])
        tokens.update { $0 = [] }
        await eventually("the blocks to go") { log.places == ["actor": Self.waysToObserve] }
        await keeper.done()
    }

    /// The turn in which the blocks are released keeps the actor until then.
    func testTokensEndAsTheirActorGoes() async throws {
        let realm = try fill()
        defer { withExtendedLifetime(realm) {} }
        for _ in 0..<20 {
            let log = ReleaseLog()
            var keeper: ReleaseKeeper? = ReleaseKeeper(QueueExecutor(place: "actor"))
            let tokens = Shared(try await keeper!.observe(configuration, log))
            tokens.update { $0 = [] }
            keeper = nil
            await eventually("the blocks to go") { log.places == ["actor": Self.waysToObserve] }
        }
    }

    func testTokensEndAfterTheirActorIsGone() async throws {
        let realm = try fill()
        defer { withExtendedLifetime(realm) {} }
        let log = ReleaseLog()
        var tokens: [NotificationToken] = []
        weak var gone: ReleaseKeeper?
        do {
            let keeper = ReleaseKeeper(QueueExecutor(place: "actor"))
            gone = keeper
            tokens = try await keeper.observe(configuration, log)
        }
        await eventually("the actor to go") { gone == nil }
        XCTAssertEqual([log.count, tokens.count], [0, Self.waysToObserve])
        tokens = []
        XCTAssertEqual(log.count, Self.waysToObserve)
    }

    /// A thread that gives its run loop no turns: the realm's own next refresh, or else the end of the thread.
    func testTokensEndElsewhereThanOnAThread() throws {
        for refreshes in [true, false] {
            let realm = try fill()
            defer { withExtendedLifetime(realm) {} }
            let log = ReleaseLog()
            let tokens = Shared<[NotificationToken]>([])
            let (isReady, goOn, isDone) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            let configuration = configuration
            let mayEnd = DispatchSemaphore(value: 0)
            let thread = Thread {
                Place.name("thread")
                do {
                    let realm = try Realm(configuration: configuration)
                    do {
                        let made = try Self.observeAll(realm) { ReleaseWitness(log) }
                        tokens.update { $0 = made }
                    }
                    isReady.signal()
                    goOn.wait()
                    if refreshes { realm.refresh() }
                } catch { XCTFail("\(error)") }
                isDone.signal()
                mayEnd.wait()
            }
            thread.start()
            isReady.wait()
            tokens.update { $0 = [] }
            XCTAssertEqual(log.count, 0)
            goOn.signal()
            isDone.wait()
            XCTAssertEqual(log.places, refreshes ? ["thread": Self.waysToObserve] : [:])
            mayEnd.signal()
            wait("the end of the thread") { log.count == Self.waysToObserve }
            XCTAssertEqual(log.places, ["thread": Self.waysToObserve])
        }
    }

    /// If the thread that should release a closure has ended, the thread that ends the observation releases it, and nothing
    /// leaks.
    func testTokensEndAfterTheirThread() throws {
        let realm = try fill()
        let log = ReleaseLog()
        let instances = realm.instanceCount
        for isRefreshRequested in [true, false] {
            let tokens = Shared<[NotificationToken]>([])
            let entry = Shared("")
            let configuration = configuration
            let thread = Thread {
                Place.name("thread")
                #if os(Linux)
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
                if let link { entry.update { $0 = "/proc/" + link } }
                #endif
                do {
                    let realm = try Realm(configuration: configuration)
                    let made = try Self.observeAll(realm) { ReleaseWitness(log) }
                    tokens.update { $0 = made }
                } catch { XCTFail("\(error)") }
            }
            thread.start()
            wait("the end of the thread") { thread.isFinished && !tokens.value.isEmpty }
            // Foundation says so before the system has cleared what belongs to the thread.
            #if os(Linux)
            wait("the system's end of the thread") { !FileManager.default.fileExists(atPath: entry.value) }
            #else
            Thread.sleep(forTimeInterval: 0.2)
            #endif
            if isRefreshRequested { try realm.write { realm.add(Dog()) } }
            let before = log.count
            tokens.update { $0 = [] }
            XCTAssertEqual(log.count, before + Self.waysToObserve)
        }
        XCTAssertEqual(log.places, ["main": 2 * Self.waysToObserve])
        XCTAssertEqual(realm.instanceCount, instances)
    }

    func testATokenEndsElsewhereWhileItsBlockRuns() throws {
        let realm = try fill()
        let log = ReleaseLog()
        let token = Shared<NotificationToken?>(nil)
        let made = realm.objects(Dog.self).observe { [held = ReleaseWitness(log)] _ in
            self.expectSuccess { try onAnotherThread { token.update { $0 = nil } } }
            XCTAssertEqual(log.count, 0)
            held.note()
        }
        token.update { $0 = made }
        _ = consume made
        realm.refresh()
        serveRunLoop()
        XCTAssertEqual(log.places, ["main": 1])
        XCTAssertEqual(log.calls.value, 1)
    }

    /// A token alone held the realm, which goes with it.
    func testTheRealmIsGone() throws {
        let log = ReleaseLog()
        let token = Shared<NotificationToken?>(nil)
        do {
            let realm = try openRealm()
            let made = realm.observe { [held = ReleaseWitness(log)] _, _ in held.note() }
            token.update { $0 = made }
        }
        try onAnotherThread { token.update { $0 = nil } }
        XCTAssertEqual(log.count, 0)
        serveRunLoop()
        XCTAssertEqual(log.places, ["main": 1])
    }

    func testKeyValueObservationsEndElsewhere() throws {
        for keepsRealm in [true, false] {
            let log = ReleaseLog()
            let token = Carried<KeyValueObservation>()
            let object = Carried<Dog>()
            var kept: Realm?
            do {
                let realm = try openRealm()
                let dog = Dog()
                try realm.write { realm.add(dog) }
                token.value = dog.observe(\.age) { [held = ReleaseWitness(log)] _, _ in held.note() }
                object.value = dog
                if keepsRealm { kept = realm }
            }
            try onAnotherThread {
                object.value = nil
                token.value = nil
            }
            serveRunLoop()
            XCTAssertEqual(log.places, ["main": 1], "\(keepsRealm)")
            withExtendedLifetime(kept) {}
        }
    }
}

/// The place at which code runs, by the names that places were given.
private enum Place {
    fileprivate static let key = DispatchSpecificKey<String>()
    private static let threads = Shared<[String: String]>([:])

    /// Names the thread that runs this code. Not by Foundation's object, which is gone when the thread ends.
    static func name(_ name: String) {
        let thread = thread
        threads.update { $0[thread] = name }
    }

    static var current: String {
        if let queue = DispatchQueue.getSpecific(key: key) { return queue }
        return Thread.isMainThread ? "main" : threads.value[thread] ?? "nowhere"
    }

    private static var thread: String {
        #if canImport(WinSDK)
        "\(GetCurrentThreadId())"
        #else
        "\(pthread_self())"
        #endif
    }
}

/// How many witnesses were released, by place.
private final class ReleaseLog: Sendable {
    private let released = Shared<[String: Int]>([:])
    let calls = Shared(0)

    var places: [String: Int] { released.value }
    var count: Int { places.values.reduce(0, +) }

    func release() {
        let place = Place.current
        released.update { $0[place, default: 0] += 1 }
    }
}

/// Held by the block of an observer: notes where it is released.
private final class ReleaseWitness {
    private let log: ReleaseLog

    init(_ log: ReleaseLog) { self.log = log }

    deinit { log.release() }

    func note() { log.calls.update { $0 += 1 } }

    func passing<Value>(_ value: Value) -> Value { value }
}

/// A value that one thread passes to another against the compiler's rules.
private final class Carried<Value>: @unchecked Sendable {
    var value: Value?
}

extension QueueExecutor {
    /// Creates an executor whose queue has a place's name.
    fileprivate convenience init(place name: String) {
        self.init(name)
        queue.setSpecific(key: Place.key, value: name)
    }
}

/// An actor that observes, on a queue with a known name.
private actor ReleaseKeeper {
    private let executor: QueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: QueueExecutor) { self.executor = executor }

    func observe(_ configuration: Realm.Configuration, _ log: ReleaseLog) async throws -> [NotificationToken]
    {
        let realm = try await Realm.open(configuration: configuration)
        let bag = realm.objects(Bag.self)[0]
        let dogs = realm.objects(Dog.self)
        var tokens: [NotificationToken] = []
        for _ in 0..<4 {
            let (first, second) = (ReleaseWitness(log), ReleaseWitness(log))
            tokens.append(dogs.observe { _ in first.note() })
            tokens.append(bag.observe { (_: ObjectChange<Bag>) in second.note() })
        }
        return tokens
    }

    func done() {}
}
