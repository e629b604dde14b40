import Foundation
import Kivo
import KivoEngine
import KivoJournal
import XCTest

/// Asynchronous writes: their order, their ends, and the notifications that they cause.
class AsyncWriteTests: RealmTestCase {
    /// The example "Perform Writes Inside of Notifications" of realm-swift's page.
    func testTheExampleOfTheReferencePage() throws {
        let realm = try openRealm()
        let dog = AsyncDog(value: ["age": 5])
        try realm.write { realm.add(dog) }
        var told: [String] = []
        let token = dog.observe(keyPaths: [\AsyncDog.age]) { change in
            guard case .change(let dog, _) = change else { return }
            dog.realm!.writeAsync { dog.isPuppy = dog.age < 2 }
        }
        let all = dog.observe { (change: ObjectChange<AsyncDog>) in
            if case .change(_, let properties) = change { told += properties.map(\.name) }
        }
        try realm.write { dog.age = 1 }
        XCTAssertFalse(dog.isPuppy)
        wait("the write in answer") { dog.isPuppy && told.count == 2 }
        XCTAssertEqual(told, ["age", "isPuppy"])
        // A notification that is delivered inside of a write.
        realm.beginWrite()
        dog.age = 7
        try realm.commitWrite()
        realm.beginWrite()
        XCTAssertTrue(realm.isInWriteTransaction)
        try realm.commitWrite()
        wait("the second write in answer") { !dog.isPuppy }
        for token in [token, all] { token.invalidate() }
    }

    func testWritesRunInOrderLater() throws {
        let realm = try openRealm()
        var steps: [String] = []
        for number in 0..<3 {
            realm.writeAsync {
                XCTAssertTrue(realm.isInWriteTransaction)
                realm.add(AsyncDog(value: ["age": number]))
                steps.append("write \(number)")
            } onComplete: { error in
                XCTAssertNil(error)
                XCTAssertFalse(realm.isInWriteTransaction)
                steps.append("done \(number)")
            }
        }
        XCTAssertEqual(steps, [])
        XCTAssertTrue(realm.isPerformingAsynchronousWriteOperations)
        wait("all writes") { steps.count == 6 }
        XCTAssertEqual(steps.filter { $0.hasPrefix("write") }, ["write 0", "write 1", "write 2"])
        XCTAssertEqual(steps.filter { $0.hasPrefix("done") }, ["done 0", "done 1", "done 2"])
        XCTAssertFalse(realm.isPerformingAsynchronousWriteOperations)
        XCTAssertEqual(realm.objects(AsyncDog.self).map(\.age), [0, 1, 2])
    }

    func testAWriteAtOnceOvertakesTheQueue() throws {
        let realm = try openRealm()
        var order: [String] = []
        realm.writeAsync { order.append("queued") }
        try realm.write { order.append("at once") }
        wait("the queued write") { order.count == 2 }
        XCTAssertEqual(order, ["at once", "queued"])
    }

    func testABlockThatDoesNotCommitIsRolledBack() throws {
        let realm = try openRealm()
        let dog = AsyncDog()
        try realm.write { realm.add(dog) }
        var ran = 0
        realm.beginAsyncWrite {
            dog.age = 1
            ran += 1
        }
        realm.writeAsync { ran += 1 }
        wait("both") { ran == 2 && !realm.isPerformingAsynchronousWriteOperations }
        XCTAssertEqual(dog.age, 0)
        try realm.write { XCTAssertEqual(dog.age, 0) }
    }

    func testQueueingInsideOfAWriteAndOfACompletion() throws {
        let realm = try openRealm()
        var order: [Int] = []
        realm.beginAsyncWrite {
            order.append(1)
            realm.beginAsyncWrite {
                order.append(3)
                realm.commitAsyncWrite { _ in realm.writeAsync { order.append(4) } }
            }
            order.append(2)
            realm.commitAsyncWrite()
        }
        try realm.write { realm.writeAsync { order.append(5) } }
        wait("all") { order.count == 5 }
        XCTAssertEqual(order.filter { $0 != 5 }, [1, 2, 3, 4])
    }

    func testABlockMayEndItsWriteByItself() throws {
        let realm = try openRealm()
        var completions = 0
        realm.writeAsync {
            realm.add(AsyncDog(value: ["age": 1]))
            try? realm.commitWrite()
            realm.beginWrite()
            realm.add(AsyncDog(value: ["age": 2]))
        } onComplete: { _ in
            completions += 1
        }
        realm.writeAsync {
            realm.add(AsyncDog(value: ["age": 3]))
            realm.cancelWrite()
        } onComplete: { _ in
            completions += 1
        }
        wait("the queue") { !realm.isPerformingAsynchronousWriteOperations }
        XCTAssertEqual(realm.objects(AsyncDog.self).map(\.age), [1, 2])
        XCTAssertEqual(completions, 1, "what was cancelled is not committed, and nothing completes")
    }

    func testASynchronousWriteThatEndsAsynchronously() throws {
        let realm = try openRealm()
        realm.beginWrite()
        realm.add(AsyncDog())
        var isDone = false
        realm.commitAsyncWrite { error in
            XCTAssertNil(error)
            isDone = true
        }
        XCTAssertFalse(realm.isInWriteTransaction)
        XCTAssertFalse(isDone)
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1, "seen here at once")
        wait("the completion") { isDone }
        try writeElsewhere { XCTAssertEqual($0.objects(AsyncDog.self).count, 1) }
    }

    func testCancelling() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let first = realm.writeAsync { calls.append("first") }
        let second = realm.writeAsync {
            calls.append("second")
        } onComplete: { _ in
            calls.append("done")
        }
        XCTAssertNotEqual(first, second)
        try realm.cancelAsyncWrite(first)
        wait("the second") { calls.count == 2 }
        XCTAssertEqual(calls, ["second", "done"])
        realm.beginWrite()
        realm.add(AsyncDog())
        let commit = realm.commitAsyncWrite { _ in calls.append("completion") }
        try realm.cancelAsyncWrite(commit)
        wait("the commit") { !realm.isPerformingAsynchronousWriteOperations }
        try realm.cancelAsyncWrite(commit)
        XCTAssertEqual(calls, ["second", "done"])
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1, "only its completion is dropped")
        // A queue that is empty again releases its place as the writer.
        try realm.cancelAsyncWrite(realm.writeAsync { XCTFail("was cancelled") })
        XCTAssertFalse(realm.isPerformingAsynchronousWriteOperations)
        try writeElsewhere { $0.deleteAll() }
        serveRunLoop()
    }

    func testADuplicateKeyIsTheErrorOfItsWriteAlone() throws {
        let realm = try openRealm()
        try realm.write { realm.add(AsyncChip(value: ["code": 1])) }
        var errors: [Int: String] = [:]
        for code in 0..<3 {
            realm.writeAsync {
                realm.add(AsyncChip(value: ["code": code]))
            } onComplete: {
                errors[code] = $0.map { "\(($0 as? Realm.Error)?.code ?? .fail)" } ?? "none"
            }
        }
        wait("all") { errors.count == 3 }
        XCTAssertEqual(errors, [0: "none", 1: "invalidInput", 2: "none"])
        XCTAssertEqual(realm.objects(AsyncChip.self).map(\.code).sorted(), [0, 1, 2])
    }

    func testOthersWriteMeanwhile() throws {
        let realm = try openRealm()
        var counts: [Int] = []
        for _ in 0..<20 { realm.writeAsync { counts.append(realm.objects(AsyncDog.self).count) } }
        // This thread does not serve its queue while it waits here: the other passes by.
        try writeElsewhere { $0.add(AsyncDog()) }
        wait("all") { counts.count == 20 }
        XCTAssertEqual(counts, Array(repeating: 1, count: 20), "each begins at the newest version")
    }

    func testInvalidatingLeavesTheQueue() throws {
        let realm = try openRealm()
        var isDone = false
        realm.writeAsync {
            realm.add(AsyncDog())
        } onComplete: { _ in
            isDone = true
        }
        realm.invalidate()
        wait("the write") { isDone }
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1)
    }

    func testQueuedWritesKeepTheirRealm() throws {
        let other = try openRealm()
        let queue = DispatchQueue(label: "async writes")
        let done = Done()
        let configuration = configuration
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            realm.writeAsync {
                realm.add(AsyncDog())
            } onComplete: { _ in
                done.set()
            }
        }
        wait("the write of a queue") { done.isSet }
        wait("its realm to go") { other.instanceCount == 1 }
        other.refresh()
        XCTAssertEqual(other.objects(AsyncDog.self).count, 1)
    }

    func testAThreadThatEndsDropsItsQueue() throws {
        let realm = try openRealm()
        let configuration = configuration
        realm.beginWrite()
        try onAnotherThread {
            RunLoop.current.add(
                Timer(timeInterval: 0, repeats: false) { _ in
                    do {
                        let mine = try Realm(configuration: configuration)
                        mine.writeAsync { XCTFail("the thread has ended") }
                    } catch { XCTFail("\(error)") }
                }, forMode: .default)
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5))
        }
        wait("its realm to go") { realm.instanceCount == 1 }
        try realm.commitWrite()
        try realm.write { realm.add(AsyncDog()) }
        try writeElsewhere { XCTAssertEqual($0.objects(AsyncDog.self).count, 1) }
    }

    // MARK: Tasks

    @MainActor
    func testAsyncWrite() async throws {
        let realm = try await Realm(configuration: configuration)
        let age = try await realm.asyncWrite {
            XCTAssertTrue(realm.isInWriteTransaction)
            return realm.create(AsyncDog.self, value: ["age": 4]).age
        }
        XCTAssertEqual(age, 4)
        XCTAssertFalse(realm.isInWriteTransaction)
        try writeElsewhere { XCTAssertEqual($0.objects(AsyncDog.self).count, 1) }
        do {
            try await realm.asyncWrite {
                realm.deleteAll()
                throw AsyncFailure()
            }
            XCTFail("nothing was thrown")
        } catch is AsyncFailure {}
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1)
        do {
            _ = try await realm.asyncWrite {
                realm.add(AsyncChip(value: ["code": 1]))
                realm.add(AsyncChip(value: ["code": 1]))
            }
            XCTFail("nothing was thrown")
        } catch Realm.Error.invalidInput {}
        XCTAssertEqual(realm.objects(AsyncChip.self).count, 0)
        XCTAssertFalse(realm.isPerformingAsynchronousWriteOperations)
    }

    /// After `cancelWrite()` the closing commit is skipped; a write that is begun in its place is committed by it.
    @MainActor
    func testCancellingInsideOfAsyncWrite() async throws {
        let realm = try await Realm(configuration: configuration)
        try await realm.asyncWrite {
            realm.add(AsyncDog(value: ["age": 1]))
            realm.cancelWrite()
        }
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 0)
        try await realm.asyncWrite {
            realm.add(AsyncDog(value: ["age": 2]))
            realm.cancelWrite()
            realm.beginWrite()
            realm.add(AsyncDog(value: ["age": 3]))
        }
        XCTAssertEqual(realm.objects(AsyncDog.self).map(\.age), [3])
        try realm.write {
            realm.add(AsyncDog(value: ["age": 4]))
            realm.cancelWrite()
            realm.beginWrite()
            realm.add(AsyncDog(value: ["age": 5]))
        }
        XCTAssertEqual(realm.objects(AsyncDog.self).map(\.age), [3, 5])
        try await realm.asyncWrite {}
    }

    @MainActor
    func testACancelledTaskDoesNotWrite() async throws {
        let realm = try await Realm(configuration: configuration)
        let task = Task { @MainActor in try await realm.asyncWrite { XCTFail("was cancelled") } }
        task.cancel()
        do {
            try await task.value
            XCTFail("nothing was thrown")
        } catch is CancellationError {}
        // While another writes, so that the task waits.
        let (open, close) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let configuration = configuration
        Thread {
            let realm = try! Realm(configuration: configuration)
            try! realm.write {
                open.signal()
                close.wait()
            }
        }.start()
        await Task.detached { open.waitHere() }.value
        let waiting = Task { @MainActor in try await realm.asyncWrite { XCTFail("was cancelled") } }
        while !realm.isPerformingAsynchronousWriteOperations { await Task.yield() }
        waiting.cancel()
        do {
            try await waiting.value
            XCTFail("nothing was thrown")
        } catch is CancellationError {}
        close.signal()
        try await realm.asyncWrite { realm.add(AsyncDog()) }
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1)
    }

    func testTasksOfAnActor() async throws {
        let actor = AsyncWriter()
        let sum = try await actor.addAll(configuration, 50)
        XCTAssertEqual(sum, (0..<50).reduce(0, +))
    }

    @MainActor
    func testAsyncRefresh() async throws {
        let realm = try await Realm(configuration: configuration)
        realm.autorefresh = false
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 0)
        let isNewer = await realm.asyncRefresh()
        XCTAssertFalse(isNewer)
        var told = 0
        let token = realm.objects(AsyncDog.self).observe { _ in told += 1 }
        await eventually("the first call") { told == 1 }
        try writeElsewhere { $0.add(AsyncDog()) }
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 0)
        let hasMoved = await realm.asyncRefresh()
        XCTAssertTrue(hasMoved)
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1)
        XCTAssertEqual(told, 2)
        realm.beginWrite()
        let inside = await realm.asyncRefresh()
        XCTAssertFalse(inside)
        realm.cancelWrite()
        token.invalidate()
    }
}

struct AsyncFailure: Error {}

extension DispatchSemaphore {
    /// Waits on a thread that may.
    fileprivate func waitHere() { wait() }
}

class AsyncDog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var isPuppy = false
}

class AsyncChip: Object {
    @Persisted(primaryKey: true) var code = 0
}

private actor AsyncWriter {
    func addAll(_ configuration: Realm.Configuration, _ count: Int) async throws -> Int {
        let realm = try await Realm.open(configuration: configuration)
        var open = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { try await self.add(configuration, number) }
                open += 1
            }
            try await group.waitForAll()
        }
        return realm.objects(AsyncDog.self).reduce(0) { $0 + $1.age }
    }

    private func add(_ configuration: Realm.Configuration, _ number: Int) async throws {
        let realm = try await Realm.open(configuration: configuration)
        if number % 2 == 0 {
            try await realm.asyncWrite { realm.add(AsyncDog(value: ["age": number])) }
        } else {
            try realm.write { realm.add(AsyncDog(value: ["age": number])) }
        }
    }
}
