import Foundation
import Kivo
import XCTest

/// Asynchronous sequences of the values of models' key paths.
final class KeyValueStreamTests: RealmTestCase {
    @MainActor private func next<Element>(_ iterator: inout KeyValueStream<Element>.Iterator) async
        -> Element?
    {
        await iterator.next(isolation: MainActor.shared)
    }

    @MainActor func testValuesOfAManagedObjectArriveWithRefreshes() async throws {
        let realm = try openRealm()
        let dog = Dog(value: ["name": "Rex", "age": 1])
        try realm.write { realm.add(dog) }
        var ages = dog.values(of: \.age).makeAsyncIterator()
        var changes = dog.changes(of: \.age).makeAsyncIterator()
        var age = await next(&ages)
        XCTAssertEqual(age, 1)
        for age in 2...4 { try writeElsewhere { $0.objects(Dog.self)[0].age = age } }
        realm.refresh()
        age = await next(&ages)
        XCTAssertEqual(age, 4)
        let change = await next(&changes)
        XCTAssertEqual(change?.oldValue, 1)
        XCTAssertEqual(change?.newValue, 4)
    }

    @MainActor func testAListIsDeliveredWhole() async throws {
        let bag = Bag()
        var numbers = bag.values(of: \.numbers).makeAsyncIterator()
        _ = await next(&numbers)
        bag.numbers.append(objectsIn: [1, 2])
        bag.numbers.append(3)
        let value = await next(&numbers)
        XCTAssertEqual(value.map { Array($0) }, [1, 2, 3])
    }

    @MainActor func testADeletionEndsTheStreams() async throws {
        let realm = try openRealm()
        let dog = Dog(value: ["name": "Rex", "age": 1])
        try realm.write { realm.add(dog) }
        var ages = dog.values(of: \.age).makeAsyncIterator()
        _ = await next(&ages)
        try realm.write {
            dog.age = 2
            realm.delete(dog)
        }
        var age = await next(&ages)
        XCTAssertEqual(age, 2)
        age = await next(&ages)
        XCTAssertNil(age)
    }

    @MainActor func testTheEndOfTheRealmEndsAStreamThatWaits() async throws {
        let realm = try openRealm()
        let dog = Dog(value: ["name": "Rex", "age": 1])
        try realm.write { realm.add(dog) }
        let ages = Task { @MainActor in
            var received: [Int] = []
            for await age in dog.values(of: \.age) { received.append(age) }
            return received
        }
        await Task.yield()
        realm.invalidate()
        let received = await ages.value
        XCTAssertLessThanOrEqual(received.count, 1)
    }
}
