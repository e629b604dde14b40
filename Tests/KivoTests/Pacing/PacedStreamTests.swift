import Foundation
import XCTest

@testable import Kivo

/// Streams whose changes come at a pace, with frozen collections.
final class PacedStreamTests: RealmTestCase {
    @MainActor private func add(_ ages: Int...) throws {
        let realm = try openRealm()
        try realm.write { for age in ages { realm.create(Dog.self, value: ["age": age]) } }
    }

    @MainActor func testPositionsLeadToTheFrozenCollectionAfterAnAwait() async throws {
        let realm = try openRealm()
        try add(1, 2, 3)
        let dogs = realm.objects(Dog.self).sorted(byKeyPath: "age")
        var iterator = dogs.changes(pacing: .every(.milliseconds(1))).makeAsyncIterator()
        guard case .initial(let first)? = await iterator.next(isolation: MainActor.shared) else {
            return XCTFail("there is no first change")
        }
        try add(0)
        XCTAssertEqual(first.map(\.age), [1, 2, 3])
        guard case .update(let second, [], [0], [])? = await iterator.next(isolation: MainActor.shared) else {
            return XCTFail("there is no second change")
        }
        try realm.write { realm.delete(dogs) }
        try await Task.sleep(for: .milliseconds(1))
        XCTAssertEqual(second.map(\.age), [0, 1, 2, 3])
        guard
            case .update(let third, [0, 1, 2, 3], [], [])? = await iterator.next(isolation: MainActor.shared)
        else { return XCTFail("there is no third change") }
        XCTAssertEqual(third.count, 0)
    }

    @MainActor func testAnIntervalPassesBetweenTwoElements() async throws {
        let realm = try openRealm()
        let interval = Duration.milliseconds(30)
        var iterator = realm.objects(Dog.self).changes(pacing: .every(interval)).makeAsyncIterator()
        // An element is taken after it was asked for, and the next one at least an interval after that.
        var asked = ContinuousClock.now
        _ = await iterator.next(isolation: MainActor.shared)
        for count in 1...3 {
            try add(count)
            let askedBefore = asked
            asked = .now
            guard case .update(let dogs, _, _, _)? = await iterator.next(isolation: MainActor.shared) else {
                return XCTFail("there is no change \(count)")
            }
            XCTAssertGreaterThanOrEqual(ContinuousClock.now - askedBefore, interval)
            XCTAssertEqual(dogs.count, count)
        }
    }

    @MainActor func testAtRest() async throws {
        let realm = try openRealm()
        var iterator = realm.objects(Dog.self).changes(pacing: .whenIdle(for: .milliseconds(5)))
            .makeAsyncIterator()
        _ = await iterator.next(isolation: MainActor.shared)
        try add(1)
        try add(2)
        guard case .update(let dogs, _, [0, 1], _)? = await iterator.next(isolation: MainActor.shared) else {
            return XCTFail("there is no change")
        }
        XCTAssertEqual(dogs.count, 2)
    }

    @MainActor func testAPauseEndsWithTheTask() async throws {
        let realm = try openRealm()
        let task = Task { @MainActor in
            var iterator = realm.objects(Dog.self).changes(pacing: .every(.seconds(100_000)))
                .makeAsyncIterator()
            _ = await iterator.next(isolation: MainActor.shared)
            return await iterator.next(isolation: MainActor.shared) == nil
        }
        await Task.yield()
        try add(1)
        try await Task.sleep(for: .milliseconds(5))
        task.cancel()
        let hasEnded = await task.value
        XCTAssertTrue(hasEnded)
        XCTAssertEqual(realm.observerCount, 0)
    }

    @MainActor func testAllKindsAreFrozen() async throws {
        let realm = try openRealm()
        let (bag, person) = (Bag(), Person())
        try realm.write {
            realm.add(bag)
            realm.add(person)
        }
        try add(1)
        let sections = realm.objects(Dog.self).sectioned(by: \.age, ascending: true)
        let pacing = Realm.Pacing.manual
        func first<Change>(_ stream: ChangeStream<Change>) async -> Change? {
            var iterator = stream.makeAsyncIterator()
            return await iterator.next(isolation: MainActor.shared)
        }
        guard case .initial(let list)? = await first(bag.numbers.changes(pacing: pacing)),
            case .initial(let set)? = await first(bag.numberSet.changes(pacing: pacing)),
            case .initial(let map)? = await first(bag.counts.changes(pacing: pacing)),
            case .initial(let linking)? = await first(person.owned.changes(pacing: pacing)),
            case .initial(let any)? = await first(AnyRealmCollection(bag.words).changes(pacing: pacing)),
            case .initial(let grouped)? = await first(sections.changes(pacing: pacing)),
            case .initial(let section)? = await first(sections[0].changes(pacing: pacing))
        else { return XCTFail("a stream has no first change") }
        XCTAssertEqual(
            [
                list.isFrozen, set.isFrozen, map.isFrozen, linking.isFrozen, any.isFrozen, grouped.isFrozen,
                section.isFrozen,
            ], Array(repeating: true, count: 7))
        var iterator = bag.changes(keyPaths: ["name"], pacing: pacing).makeAsyncIterator()
        try realm.write { bag.name = "first" }
        try realm.write { bag.name = "second" }
        guard case .change(let changed, let properties)? = await iterator.next(isolation: MainActor.shared)
        else {
            return XCTFail("the object did not change")
        }
        XCTAssertEqual(properties.map { $0.newValue as? String }, ["second"])
        XCTAssertFalse(changed.isFrozen)
    }
}
