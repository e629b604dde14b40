import Foundation
import Kivo
import XCTest

/// A write lasts from its beginning to its end, whatever retains the realm meanwhile.
final class OpenWriteTests: RealmTestCase {
    func testAWriteOfATemporaryRealmLasts() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog(value: ["age": 1])) }
        let configuration = configuration
        try onAnotherThread {
            try Realm(configuration: configuration).beginWrite()
            let open = Done()
            let other = DispatchSemaphore(value: 0)
            let thread = Thread {
                try? Realm(configuration: configuration).write { XCTAssertTrue(open.isSet) }
                other.signal()
            }
            thread.start()
            XCTAssertTrue(try Realm(configuration: configuration).isInWriteTransaction)
            try Realm(configuration: configuration).objects(Dog.self)[0].age = 2
            try Realm(configuration: configuration).add(Dog(value: ["age": 3]))
            open.set()
            try Realm(configuration: configuration).commitWrite()
            other.wait()
        }
        realm.refresh()
        XCTAssertEqual(realm.objects(Dog.self).map(\.age), [2, 3])
    }

    func testAWriteOfATemporaryRealmOfTheMainThreadIsCancelled() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: "\(name) alone")
        try Realm(configuration: configuration).beginWrite()
        try Realm(configuration: configuration).add(Dog())
        XCTAssertEqual(try Realm(configuration: configuration).objects(Dog.self).count, 1)
        try Realm(configuration: configuration).cancelWrite()
        XCTAssertTrue(try Realm(configuration: configuration).isEmpty, "with the write the realm ended")
    }

    func testAWriteOfATemporaryRealmOfAQueue() throws {
        let realm = try openRealm()
        let queue = DispatchQueue(label: "writes")
        let configuration = configuration
        try queue.sync { try Realm(configuration: configuration, queue: queue).beginWrite() }
        try queue.sync { try Realm(configuration: configuration, queue: queue).add(Dog()) }
        try queue.sync { try Realm(configuration: configuration, queue: queue).commitWrite() }
        realm.refresh()
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        XCTAssertEqual(realm.instanceCount, 1, "with the write its realm ended")
    }

    func testInvalidatingEndsTheWrite() throws {
        let realm = try openRealm()
        try elsewhere { realm in
            let configuration = realm.configuration
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).add(Dog())
            try Realm(configuration: configuration).invalidate()
        }
        try realm.write { XCTAssertTrue(realm.isEmpty) }
    }

    /// The write could not be ended any more, and all other writers would wait for ever.
    func testAThreadThatEndsGivesItsWriteUp() throws {
        let realm = try openRealm()
        let kept = Shared<[Handed]>([])
        for round in 0..<3 {
            let configuration = configuration
            let thread = Thread {
                do {
                    let mine = try Realm(configuration: configuration)
                    mine.beginWrite()
                    let dog = mine.create(Dog.self, value: ["age": round])
                    // The last round leaves nothing but the write that holds the realm.
                    if round < 2 { kept.update { [dog = Handed(dog)] in $0.append(dog) } }
                } catch { XCTFail("\(error)") }
            }
            thread.start()
            wait("the thread to end") { thread.isFinished }
            try realm.write { XCTAssertTrue(realm.isEmpty, "round \(round)") }
        }
        XCTAssertEqual(realm.instanceCount, 3)
        kept.update { $0 = [] }
        XCTAssertEqual(realm.instanceCount, 1)
    }
}

/// An object that is kept, and never looked into, on other threads than its own.
private final class Handed: @unchecked Sendable {
    let dog: Dog

    init(_ dog: Dog) { self.dog = dog }
}
