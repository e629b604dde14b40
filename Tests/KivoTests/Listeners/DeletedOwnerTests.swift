import Dispatch
import Foundation
import Kivo
import XCTest

/// Observers of empty collections whose owner is deleted, and of objects that are deleted before the observation begins.
final class DeletedOwnerTests: RealmTestCase {
    private func add<T: Object>(_ object: T, to realm: Realm) throws -> T {
        try realm.write { realm.add(object) }
        return object
    }

    func testTheDeletionOfTheOwnerOfEmptyCollections() throws {
        let realm = try openRealm()
        let bag = try add(Bag(), to: realm)
        let dog = try add(Dog(), to: realm)
        var told: [String] = []
        let tokens = [
            bag.numbers.observe { told.append("numbers " + self.text($0)) },
            bag.dogs.observe { told.append("dogs " + self.text($0)) },
            bag.dogSet.observe { told.append("set " + self.text($0)) },
            bag.counts.observe { if case .update = $0 { told.append("map") } },
            bag.dogs.where { $0.age > 0 }.observe { told.append("dogs that " + self.text($0)) },
            bag.numbers.where { $0 > 0 }.observe { told.append("numbers that " + self.text($0)) },
            bag.numbers.sectioned { $0 }.observe { if case .update = $0 { told.append("sections") } },
            dog.holders.observe { told.append("holders " + self.text($0)) },
        ]
        realm.refresh()
        told = []
        try realm.write { realm.delete([bag, dog]) }
        realm.refresh()
        try realm.write { realm.add(Bag(value: ["numbers": [1]])) }
        realm.refresh()
        XCTAssertEqual(told, [])
        for token in tokens { token.invalidate() }
    }

    @MainActor
    func testStreamsOfEmptyCollectionsEnd() async throws {
        let realm = try openRealm()
        let bag = try add(Bag(), to: realm)
        var (numbers, set) = (
            bag.numbers.changes.makeAsyncIterator(), bag.wordSet.changes.makeAsyncIterator()
        )
        _ = await (numbers.next(), set.next())
        try realm.write { realm.delete(bag) }
        let rest = await (numbers.next(), set.next())
        XCTAssertTrue(rest.0 == nil && rest.1 == nil)
    }

    // MARK: Observations that begin elsewhere

    private func deletedBeforeQueueRuns<Told>(
        _ observe: (Bag, Dog, DispatchQueue, Shared<[Told]>) -> NotificationToken
    ) throws -> [Told] {
        let realm = try openRealm()
        let (bag, dog) = (try add(Bag(value: ["numbers": [1]]), to: realm), try add(Dog(), to: realm))
        let (queue, told) = (DispatchQueue(label: "observers"), Shared<[Told]>([]))
        queue.suspend()
        let token = observe(bag, dog, queue, told)
        try realm.write { realm.delete([bag, dog]) }
        queue.resume()
        queue.sync {}
        queue.sync {}
        token.invalidate()
        return told.value
    }

    func testAnObjectIsDeletedBeforeItsQueueRuns() throws {
        let told = try deletedBeforeQueueRuns { (_, dog, queue, told: Shared<[String]>) in
            dog.observe(on: queue) { (change: ObjectChange<Dog>) in
                if case .deleted = change { told.update { $0.append("deleted") } }
            }
        }
        XCTAssertEqual(told, ["deleted"])
    }

    func testAProjectionIsDeletedBeforeItsQueueRuns() throws {
        let told = try deletedBeforeQueueRuns { (_, dog, queue, told: Shared<[String]>) in
            OwnedDogName(projecting: dog).observe(on: queue) { (change: ObjectChange<OwnedDogName>) in
                if case .deleted = change { told.update { $0.append("deleted") } }
            }
        }
        XCTAssertEqual(told, ["deleted"])
    }

    func testOwnersAreDeletedBeforeTheirQueueRuns() throws {
        for kind in 0..<5 {
            let told = try deletedBeforeQueueRuns { (bag, dog, queue, told: Shared<[Int]>) in
                switch kind {
                case 0:
                    bag.numbers.observe(on: queue) { change in
                        if case .initial(let list) = change, list.isInvalidated {
                            told.update { $0.append(0) }
                        }
                    }
                case 1:
                    bag.dogSet.observe(on: queue) { change in
                        if case .initial(let set) = change, set.isInvalidated { told.update { $0.append(1) } }
                    }
                case 2:
                    bag.counts.observe(on: queue) { change in
                        if case .initial(let map) = change, map.isInvalidated { told.update { $0.append(2) } }
                    }
                case 3:
                    bag.numbers.where { $0 > 0 }.observe(on: queue) { change in
                        if case .initial = change { told.update { $0.append(3) } }
                    }
                default:
                    dog.holders.observe(on: queue) { change in
                        if case .initial(let holders) = change, holders.isEmpty {
                            told.update { $0.append(4) }
                        }
                    }
                }
            }
            XCTAssertEqual(told, [kind])
        }
    }

    /// An actor that is busy until the object is deleted.
    private actor Listener {
        var told: [String] = []

        func append(_ text: String) { told.append(text) }
    }

    @MainActor
    func testAnObjectIsDeletedBeforeItsActorRuns() async throws {
        let realm = try openRealm()
        realm.autorefresh = false
        let (dog, listener) = (try add(Dog(), to: realm), Listener())
        // The registration refreshes the actor's realm, in which the object does not exist any more.
        try writeElsewhere { $0.delete($0.objects(Dog.self)) }
        let token = await dog.observe(on: listener) { (listener, change: ObjectChange<Dog>) in
            if case .deleted = change { listener.told.append("deleted") }
        }
        let projected = await OwnedDogName(projecting: dog).observe(on: listener) {
            (listener, change: ObjectChange<OwnedDogName>) in
            if case .deleted = change { listener.told.append("projection deleted") }
        }
        let told = await listener.told
        XCTAssertEqual(told, ["deleted", "projection deleted"])
        XCTAssertFalse(token.invalidate() || projected.invalidate(), "there was nothing to observe")
    }
}

/// A projection of a dog, with those that refer to it.
final class OwnedDogName: Projection<Dog> {
    @Projected(\Dog.name) var name
    @Projected(\Dog.holders.count) var holderCount
}
