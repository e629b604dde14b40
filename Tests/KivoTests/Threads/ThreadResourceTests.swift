import Foundation
import Kivo
import XCTest

/// Instances that were deallocated leave nothing behind: no descriptor, no instance, no version.
final class ThreadResourceTests: RealmTestCase {
    func testThreadsLeaveNothingBehind() throws {
        try checkNothingIsLeft { _ in nil }
    }

    func testThreadsThatObserveLeaveNothingBehind() throws {
        try checkNothingIsLeft { realm in realm.objects(Dog.self).observe { _ in } }
    }

    func testThreadsThatObserveTheRealmLeaveNothingBehind() throws {
        try checkNothingIsLeft { realm in realm.observe { _, _ in } }
    }

    func testThreadsThatObserveByKeyPathLeaveNothingBehind() throws {
        try checkNothingIsLeft { realm in
            let dog = realm.objects(Dog.self)[0]
            return (dog, dog.observe(\.age) { _, _ in })
        }
    }

    func testThreadsThatAskForRefreshesLeaveNothingBehind() throws {
        try checkNothingIsLeft { realm in
            realm.autorefresh = true
            return nil
        }
    }

    /// 200 threads, each with a realm that others commit to while it is there.
    private func checkNothingIsLeft(_ use: @escaping @Sendable (Realm) -> Any?) throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        // The first thread makes the system open descriptors that stay open.
        try meet(realm, use)
        let (descriptors, instances, versions) = (
            try descriptorCount(), realm.instanceCount, realm.versionCount
        )
        for _ in 0..<200 { try meet(realm, use) }
        wait("the descriptors to go") { (try? descriptorCount()) ?? 0 <= descriptors }
        XCTAssertEqual(realm.instanceCount, instances)
        XCTAssertLessThanOrEqual(realm.versionCount, versions)
    }

    /// A thread opens the realm and uses it, the realm is written to here, and the thread ends.
    private func meet(_ realm: Realm, _ use: @escaping @Sendable (Realm) -> Any?) throws {
        let (isOpen, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let configuration = configuration
        let thread = Thread {
            do {
                let realm = try Realm(configuration: configuration)
                let held = use(realm)
                isOpen.signal()
                mayGo.wait()
                withExtendedLifetime((realm, held)) {}
            } catch {
                XCTFail("\(error)")
                isOpen.signal()
            }
        }
        thread.start()
        isOpen.wait()
        try realm.write { realm.objects(Dog.self)[0].age += 1 }
        mayGo.signal()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.0001) }
    }

    /// Threads that wait in a pool keep nothing of the realms that were opened on them.
    func testWorkerPoolsKeepNothing() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        let configuration = configuration
        let work = { @Sendable (count: Int) in
            DispatchQueue.concurrentPerform(iterations: count) { _ in
                do {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.objects(Dog.self)[0].age += 1 }
                } catch { XCTFail("\(error)") }
            }
        }
        work(50)
        let descriptors = try descriptorCount()
        work(200)
        let left = try descriptorCount()
        XCTAssertLessThanOrEqual(left, descriptors)
        XCTAssertEqual(realm.instanceCount, 1)
        realm.refresh()
        XCTAssertEqual(realm.objects(Dog.self)[0].age, 250)
    }

    func testActorsKeepNothing() async throws {
        let clerk = Clerk(configuration)
        try await clerk.add()
        let descriptors = try descriptorCount()
        for _ in 0..<50 { try await clerk.add() }
        let after = try descriptorCount()
        XCTAssertLessThanOrEqual(after, descriptors)
        let left = try await clerk.finish()
        XCTAssertEqual(left.dogs, 51)
        XCTAssertEqual(left.instances, 1, "the one that counts")
    }

    #if canImport(Glibc)
    /// A thread that observes leaves no memory behind, not even in Foundation.
    func testShortLivedThreadsThatObserveLeaveNoMemory() throws {
        if Sanitizer.isPresent { throw XCTSkip("The sanitizer has an allocator of its own.") }
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        let configuration = configuration
        func run(_ count: Int) throws {
            for _ in 0..<count {
                try onAnotherThread {
                    let realm = try Realm(configuration: configuration)
                    let token = realm.objects(Dog.self).observe { _ in }
                    withExtendedLifetime((realm, token)) {}
                }
            }
        }
        try run(200)
        var stayed = Int.max
        // Other threads allocate too, but not in each round.
        for _ in 0..<4 where stayed >= 400 * 64 {
            let before = try allocatedBytes()
            try run(400)
            stayed = try allocatedBytes() - before
        }
        XCTAssertLessThan(stayed, 400 * 64, "\(stayed / 400) bytes of each thread")
    }

    /// How many bytes are allocated in the process.
    private func allocatedBytes() throws -> Int {
        typealias Info = @convention(c) (CInt, OpaquePointer) -> CInt
        guard let address = dlsym(nil, "malloc_info") else { throw XCTSkip("The allocator says nothing.") }
        var (text, count) = (nil as UnsafeMutablePointer<CChar>?, 0)
        let file = try XCTUnwrap(open_memstream(&text, &count))
        _ = unsafeBitCast(address, to: Info.self)(0, OpaquePointer(file))
        fclose(file)
        let said = String(cString: try XCTUnwrap(text))
        free(text)
        // Behind all arenas: what is free in them, and what they have of the system.
        let totals = try XCTUnwrap(said.components(separatedBy: "</heap>").last)
        func size(_ name: String) throws -> Int {
            // Newer versions of the library have no fast bins.
            guard let behind = totals.components(separatedBy: name).dropFirst().first else { return 0 }
            let size = try XCTUnwrap(behind.components(separatedBy: "size=\"").dropFirst().first)
            return try XCTUnwrap(Int(size.prefix { $0 != "\"" }))
        }
        return try size("system type=\"current\"") + size("type=\"mmap\"") - size("type=\"fast\"")
            - size("type=\"rest\"")
    }
    #endif

    // MARK: Run loops

    func testAnObserverIsToldOnTheRunLoopOfItsThread() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        let age = Shared(0)
        let thread = try RunLoopThread(configuration) { realm in
            let dog = realm.objects(Dog.self)[0]
            let token = dog.observe(\.age, options: .new) { _, change in
                let new = change.newValue ?? 0
                age.update { $0 = new }
            }
            return (dog, token)
        }
        try realm.write { realm.objects(Dog.self)[0].age = 7 }
        wait("the observer on the other thread") { age.value == 7 }
        thread.end()
    }

    func testAThreadRefreshesOnItsRunLoopIfItAsksTo() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        let age = Shared(0)
        let thread = try RunLoopThread(configuration) { realm in
            realm.autorefresh = true
            return realm.objects(Dog.self)[0]
        } betweenTurns: { realm in
            let seen = realm.objects(Dog.self)[0].age
            age.update { $0 = seen }
        }
        try realm.write { realm.objects(Dog.self)[0].age = 7 }
        wait("the refresh on the other thread") { age.value == 7 }
        thread.end()
    }
}

/// An actor that opens a realm whenever it is asked to do something.
private actor Clerk {
    private let configuration: Realm.Configuration
    /// Keeps the data in memory alive, and is never looked into.
    private let frozen: Realm?

    init(_ configuration: Realm.Configuration) {
        self.configuration = configuration
        frozen = try? Realm(configuration: configuration).freeze()
    }

    func add() throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(Dog()) }
    }

    func finish() throws -> (dogs: Int, instances: Int) {
        let realm = try Realm(configuration: configuration)
        return (realm.objects(Dog.self).count, realm.instanceCount)
    }
}

/// A thread that opens a realm and runs its run loop until the test ends it.
private final class RunLoopThread: Sendable {
    private let isEnding = Done()

    init(
        _ configuration: Realm.Configuration, _ use: @escaping @Sendable (Realm) throws -> Any,
        betweenTurns: @escaping @Sendable (Realm) -> Void = { _ in }
    ) throws {
        let isReady = DispatchSemaphore(value: 0)
        let failure = Shared<String?>(nil)
        let isEnding = isEnding
        Thread {
            do {
                let realm = try Realm(configuration: configuration)
                let held = try use(realm)
                isReady.signal()
                while !isEnding.isSet {
                    if !RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) {
                        Thread.sleep(forTimeInterval: 0.001)
                    }
                    betweenTurns(realm)
                }
                withExtendedLifetime((realm, held)) {}
            } catch {
                failure.update { $0 = "\(error)" }
                isReady.signal()
            }
        }.start()
        isReady.wait()
        XCTAssertNil(failure.value)
    }

    func end() { isEnding.set() }
}
