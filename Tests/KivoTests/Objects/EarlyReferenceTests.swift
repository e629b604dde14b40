import Dispatch
import Foundation
import Kivo
import KivoEngine
import XCTest

/// References that are made behind an asynchronous commit which is not durable yet: other instances see what it did once it is.
final class EarlyReferenceTests: RealmTestCase {
    private let disk = SmallDisk()

    override var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/\(name).kivo"))
        configuration.makeDevice = { [disk] _, _ in disk }
        return configuration
    }

    /// A realm of another queue, opened before: opening asks the file, which is busy while it is flushed.
    private struct Held: @unchecked Sendable {
        let queue = DispatchQueue(label: "reader")
        let realm: Realm

        init(_ configuration: Realm.Configuration) throws {
            realm = try queue.sync { [queue] in
                HeldRealm(realm: try Realm(configuration: configuration, queue: queue))
            }.realm
        }

        private struct HeldRealm: @unchecked Sendable { let realm: Realm }

        func callAsFunction<Result: Sendable>(_ body: @Sendable (Realm) -> Result) -> Result {
            queue.sync { body(realm) }
        }
    }

    func testWhatIsNotDurableIsFoundOnceItIs() throws {
        let realm = try openRealm()
        let old = AsyncDog(value: ["age": 1])
        try realm.write { realm.add(old) }
        let held = try Held(configuration)
        disk.hold()
        realm.beginWrite()
        old.age = 2
        let new = realm.create(AsyncDog.self, value: ["age": 3])
        var isDone = false
        realm.commitAsyncWrite { _ in isDone = true }
        XCTAssertEqual(realm.objects(AsyncDog.self).count, 2)
        let references = (0..<3).map { _ in (ThreadSafeReference(to: old), ThreadSafeReference(to: new)) }
        // First for an instance that has read nothing yet, and then for one that has.
        for (first, second) in references[..<2] {
            let (age, isFound) = held { realm in
                (realm.resolve(first)?.age, realm.resolve(second) != nil)
            }
            XCTAssertEqual(age, 1)
            XCTAssertFalse(isFound)
        }
        // In the instance itself all is there.
        XCTAssertEqual(realm.resolve(ThreadSafeReference(to: new))?.age, 3)
        disk.release()
        wait("the completion") { isDone }
        let ages = held { realm in
            [realm.resolve(references[2].0)?.age, realm.resolve(references[2].1)?.age]
        }
        XCTAssertEqual(ages, [2, 3])
    }

    /// A reference whose version is durable by the time it is resolved begins at that version.
    func testTheVersionOfAReferenceIsKept() throws {
        let realm = try openRealm()
        let dog = AsyncDog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        let held = try Held(configuration)
        held { $0.autorefresh = false }
        realm.beginWrite()
        dog.age = 2
        var isDone = false
        realm.commitAsyncWrite { _ in isDone = true }
        let reference = ThreadSafeReference(to: dog)
        wait("the completion") { isDone }
        try realm.write { dog.age = 3 }
        let ages = held { realm in
            let dog = realm.resolve(reference)
            let before = dog?.age
            realm.refresh()
            return [before, dog?.age]
        }
        XCTAssertEqual(ages, [2, 3])
    }

    func testACommitThatIsUndoneIsNotFound() throws {
        let realm = try openRealm()
        let old = AsyncDog(value: ["age": 1])
        try realm.write { realm.add(old) }
        let held = try Held(configuration)
        disk.bytesLeft = 0
        realm.beginWrite()
        old.age = 2
        let new = realm.create(AsyncDog.self, value: ["age": 3])
        var error: (any Error)?
        realm.commitAsyncWrite { error = $0 }
        let (first, second) = (ThreadSafeReference(to: old), ThreadSafeReference(to: new))
        wait("the failure") { error != nil }
        disk.bytesLeft = .max
        let (age, isFound) = held { realm in (realm.resolve(first)?.age, realm.resolve(second) != nil) }
        XCTAssertEqual(age, 1)
        XCTAssertFalse(isFound)
        XCTAssertEqual(old.age, 1)
    }
}
