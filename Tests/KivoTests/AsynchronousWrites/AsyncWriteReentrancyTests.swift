import Foundation
import Kivo
import KivoEngine
import XCTest

/// Code that runs in the middle of asynchronous writes: it may write, invalidate, iterate over a stream, or leave a write open
/// while a task waits for its turn.
class AsyncWriteReentrancyTests: RealmTestCase {
    func testAnObserverOfAnAsynchronousCommitWrites() throws {
        let realm = try openRealm()
        var ends: [() throws -> Void] = [
            { try realm.commitWrite() }, { realm.cancelWrite() }, { realm.commitAsyncWrite() },
        ]
        let token = realm.observe { _, realm in
            guard let end = ends.popLast() else { return }
            realm.beginWrite()
            realm.add(AsyncDog(value: ["age": 10 + ends.count]))
            do { try end() } catch { XCTFail("\(error)") }
        }
        var completions: [Int] = []
        for age in 0..<3 {
            realm.beginWrite()
            realm.add(AsyncDog(value: ["age": age]))
            realm.commitAsyncWrite { error in
                XCTAssertNil(error)
                completions.append(age)
            }
            try writeElsewhere { $0.add(AsyncDog(value: ["age": 20 + age])) }
        }
        wait("the completions") { completions.count == 3 && !realm.isPerformingAsynchronousWriteOperations }
        XCTAssertEqual(completions, [0, 1, 2])
        realm.refresh()
        XCTAssertEqual(Set(realm.objects(AsyncDog.self).map(\.age)), [0, 1, 2, 10, 12, 20, 21, 22])
        token.invalidate()
    }

    func testInvalidatingBehindAnAsynchronousCommit() throws {
        let realm = try openRealm()
        var isDone = false
        realm.beginAsyncWrite {
            realm.add(AsyncDog())
            realm.commitAsyncWrite { error in
                XCTAssertNil(error)
                isDone = true
            }
            realm.invalidate()
        }
        wait("the completion") { isDone }
        XCTAssertFalse(realm.isPerformingAsynchronousWriteOperations)
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 1)
    }

    @MainActor
    func testAWriteIsOpenWhenTheTurnOfATaskComes() async throws {
        let realm = try await Realm(configuration: configuration)
        for pause in 0..<30 {
            let task = Task { @MainActor in try await realm.asyncWrite { realm.add(AsyncDog()) } }
            for _ in 0..<pause { await Task.yield() }
            realm.beginWrite()
            let dog = AsyncDog()
            realm.add(dog)
            for _ in 0..<10 { await Task.yield() }
            XCTAssertTrue(realm.isInWriteTransaction)
            dog.age = 1
            try realm.commitWrite()
            try await task.value
        }
        XCTAssertEqual(realm.objects(AsyncDog.self).filter { $0.age == 1 }.count, 30)
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 60)
    }

    @MainActor
    func testTheMainThreadWaitsForAnotherWriterWhenTheTurnOfATaskComes() async throws {
        let realm = try await Realm(configuration: configuration)
        let queue = DispatchQueue(label: "writer")
        let configuration = configuration
        for pause in 0..<12 {
            let task = Task { @MainActor in try await realm.asyncWrite { realm.add(AsyncDog()) } }
            for _ in 0..<pause { await Task.yield() }
            try queue.sync {
                let mine = try Realm(configuration: configuration, queue: queue)
                try mine.write { mine.add(AsyncDog()) }
            }
            try await task.value
        }
        realm.refresh()
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 24)
    }

    /// If a thread has two realms that write asynchronously, the second one writes at once too, and is still notified when its
    /// thread ends.
    func testAThreadOfTwoRealmsEnds() throws {
        let realm = try openRealm()
        let configuration = configuration
        let (open, close) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try onAnotherThread {
            RunLoop.current.add(
                Timer(timeInterval: 0, repeats: false) { _ in
                    do {
                        let other = try Realm(
                            configuration: Realm.Configuration(inMemoryIdentifier: "async other"))
                        other.writeAsync {}
                        let mine = try Realm(configuration: configuration)
                        mine.writeAsync { XCTFail("the thread has ended") }
                        try mine.write { mine.add(AsyncDog()) }
                        // Another one has the writer's place until the thread has ended.
                        Thread {
                            do {
                                let holder = try Realm(configuration: configuration)
                                try holder.write {
                                    open.signal()
                                    close.wait()
                                }
                            } catch { XCTFail("\(error)") }
                        }.start()
                        open.wait()
                    } catch { XCTFail("\(error)") }
                }, forMode: .default)
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5))
        }
        wait("its realm to go") { realm.instanceCount == 2 }
        close.signal()
        var isDone = false
        realm.writeAsync {
        } onComplete: { _ in
            isDone = true
        }
        wait("the writer's place") { isDone }
    }
}

/// Reentrant asynchronous writes to a file, whose commits become durable later.
final class AsyncFileWriteReentrancyTests: AsyncWriteReentrancyTests {
    private let disk = SmallDisk()

    override var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/\(name).kivo"))
        configuration.makeDevice = { [disk] _, _ in disk }
        return configuration
    }

    @MainActor
    func testAStreamLeadsToCommitsThatAreNotDurableAndBack() async throws {
        let realm = try await Realm(configuration: configuration)
        let dog = AsyncDog()
        try realm.write { realm.add(dog) }
        var iterator = realm.objects(AsyncDog.self).changes.makeAsyncIterator()
        func next() async -> String? { await iterator.next(isolation: MainActor.shared).map { text($0) } }
        let initial = await next()
        XCTAssertEqual(initial, "initial")
        disk.bytesLeft = 0
        disk.hold()
        var isDone = false
        realm.beginWrite()
        realm.add(AsyncDog())
        realm.commitAsyncWrite { error in
            XCTAssertNotNil(error)
            isDone = true
        }
        let there = await next()
        XCTAssertEqual(there, "-[] +[1] ~[]")
        disk.release()
        await eventually("the end") { isDone }
        let back = await next()
        XCTAssertEqual(back, "-[1] +[] ~[]")
        disk.bytesLeft = .max
        disk.hold()
        realm.beginWrite()
        dog.age = 1
        realm.commitAsyncWrite { _ in isDone = false }
        let again = await next()
        XCTAssertEqual(again, "-[] +[] ~[0]")
        disk.release()
        await eventually("the completion") { !isDone }
    }
}
