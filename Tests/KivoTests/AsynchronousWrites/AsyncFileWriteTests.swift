import Foundation
import Kivo
import KivoEngine
import KivoJournal
import XCTest

/// Asynchronous writes to a file, whose commits become durable later.
final class AsyncFileWriteTests: AsyncWriteTests {
    private let disk = SmallDisk()

    override var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/\(name).kivo"))
        configuration.makeDevice = { [disk] _, _ in disk }
        return configuration
    }

    func testManyWritesAreOneRecord() throws {
        let realm = try openRealm()
        let dog = AsyncDog()
        try realm.write { realm.add(dog) }
        let flushes = disk.flushes
        var done = 0
        for age in 1...100 {
            realm.writeAsync {
                dog.age = age
            } onComplete: { _ in
                done += 1
            }
        }
        wait("all") { done == 100 }
        XCTAssertEqual(dog.age, 100)
        XCTAssertLessThan(disk.flushes - flushes, 20, "a flush for each write")
    }

    func testACommitIsSeenByOthersWhenItIsDurable() throws {
        let realm = try openRealm()
        let dog = AsyncDog()
        try realm.write { realm.add(dog) }
        // Opened before: opening asks the file, which is busy while it is flushed.
        let queue = DispatchQueue(label: "reader")
        let configuration = configuration
        let held = try queue.sync {
            AsyncHeldRealm(realm: try Realm(configuration: configuration, queue: queue))
        }
        realm.beginWrite()
        dog.age = 1
        disk.hold()
        var isDone = false
        realm.commitAsyncWrite { _ in isDone = true }
        XCTAssertEqual(dog.age, 1)
        XCTAssertFalse(realm.refresh())
        XCTAssertEqual(dog.age, 1)
        queue.sync {
            held.realm.refresh()
            XCTAssertEqual(held.realm.objects(AsyncDog.self)[0].age, 0)
        }
        XCTAssertFalse(isDone)
        disk.release()
        wait("the completion") { isDone }
        try elsewhere { XCTAssertEqual($0.objects(AsyncDog.self)[0].age, 1) }
    }

    /// After an error the data is unchanged, and observers have received changes that cancel out.
    func testAFullDiskUndoesTheCommits() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1, 2, 3], "words": ["a long word that is kept on the heap"]])
        let dog = AsyncDog(value: ["age": 1])
        try realm.write {
            realm.add(bag)
            realm.add(dog)
        }
        let dogs = realm.objects(AsyncDog.self)
        var shown: [Int] = [], list: [Int] = [], ages: [Int] = []
        let tokens = [
            dogs.observe { change in
                change.apply(to: &shown, \.age)
                XCTAssertEqual(shown, dogs.map(\.age))
            },
            bag.numbers.observe { change in
                change.apply(to: &list) { $0 }
                XCTAssertEqual(list, Array(bag.numbers))
            },
        ]
        let observation = dog.observe(\.age, options: [.new]) { _, change in
            ages.append(change.newValue ?? -1)
        }
        serveRunLoop()
        disk.bytesLeft = 0
        var errors: [Realm.Error.Code?] = []
        let frozen = Frozen()
        for round in 0..<3 {
            realm.writeAsync {
                dog.age = 10 + round
                realm.add(
                    AsyncDog(value: ["age": 20 + round, "name": "a name that is kept on the heap \(round)"]))
                bag.numbers.remove(at: 0)
                bag.numbers.append(round)
                bag.words.append("another long word that is kept on the heap \(round)")
                if round == 2 { realm.delete(dogs[0]) }
            } onComplete: {
                errors.append(($0 as? Realm.Error)?.code)
                XCTAssertEqual(dogs.map(\.age), [1])
                XCTAssertEqual(Array(bag.numbers), [1, 2, 3])
            }
        }
        realm.writeAsync { frozen.realm = realm.freeze() }
        wait("three errors") { errors.count == 3 }
        XCTAssertEqual(errors, [.outOfDiskSpace, .outOfDiskSpace, .outOfDiskSpace])
        wait("the queue") { !realm.isPerformingAsynchronousWriteOperations }
        serveRunLoop()
        XCTAssertEqual(shown, [1])
        XCTAssertEqual(list, [1, 2, 3])
        XCTAssertEqual(Array(bag.words), ["a long word that is kept on the heap"])
        if let kept = frozen.realm { XCTAssertGreaterThan(kept.objects(AsyncDog.self).count, 0) }
        frozen.realm = nil
        disk.bytesLeft = .max
        try realm.write { realm.add(AsyncDog(value: ["age": 30])) }
        serveRunLoop()
        XCTAssertEqual(shown, [1, 30])
        try elsewhere { XCTAssertEqual($0.objects(AsyncDog.self).map(\.age), [1, 30]) }
        for token in tokens { token.invalidate() }
        observation.invalidate()
    }

    /// An object that was added by a failed commit stays invalid: no later object gets its key.
    func testAnObjectOfAFailedCommitStaysInvalid() throws {
        let realm = try openRealm()
        try realm.write { realm.add(AsyncDog(value: ["age": 1])) }
        disk.bytesLeft = 0
        var lost: [AsyncDog] = []
        var errors = 0
        for age in 10..<13 {
            realm.writeAsync {
                lost.append(realm.create(AsyncDog.self, value: ["age": age]))
            } onComplete: { error in
                XCTAssertEqual((error as? Realm.Error)?.code, .outOfDiskSpace)
                errors += 1
            }
        }
        wait("three errors") { errors == 3 && !realm.isPerformingAsynchronousWriteOperations }
        disk.bytesLeft = .max
        XCTAssertEqual(lost.map(\.isInvalidated), [true, true, true])
        for round in 0..<3 {
            try realm.write { realm.add(AsyncDog(value: ["age": 20 + round])) }
            XCTAssertEqual(lost.map(\.isInvalidated), [true, true, true], "\(round)")
        }
        try writeElsewhere { $0.add(AsyncDog(value: ["age": 30])) }
        realm.refresh()
        XCTAssertEqual(lost.map(\.isInvalidated), [true, true, true])
        XCTAssertEqual(realm.objects(AsyncDog.self).map(\.age), [1, 20, 21, 22, 30])
    }

    private final class Frozen { var realm: Realm? }

    /// A commit whose completion was called is there when the file is opened again.
    func testWhatWasCompletedIsThere() throws {
        try fill()
        let realm = try openRealm()
        XCTAssertEqual(realm.objects(AsyncDog.self).map(\.age), Array(0..<300))
    }

    private func fill() throws {
        let realm = try openRealm()
        var done = 0
        for age in 0..<300 {
            realm.writeAsync {
                realm.add(AsyncDog(value: ["age": age, "name": "dog \(age)"]))
            } onComplete: { _ in
                done += 1
            }
        }
        wait("all") { done == 300 }
        wait("the realm to be let go of") { !realm.isPerformingAsynchronousWriteOperations }
        serveRunLoop()
    }
}

/// Carries a realm between blocks of its queue, where alone it is used.
private struct AsyncHeldRealm: @unchecked Sendable { let realm: Realm }
