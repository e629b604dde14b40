import Foundation
import Kivo
import XCTest

class StreamItem: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var value = 0
    @Persisted var name = ""
    @Persisted var link: StreamItem?
    @Persisted(originProperty: "link") var linkers: LinkingObjects<StreamItem>
}

class StreamHolder: Object {
    @Persisted var items: List<StreamItem>
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var map: Map<String, Int>
}

/// `for await` over the changes of collections, objects and realms.
final class ChangeStreamTests: RealmTestCase {
    @MainActor private func add(_ count: Int, to realm: Realm) throws {
        try realm.write { for id in 0..<count { realm.add(StreamItem(value: ["id": id, "value": id])) } }
    }

    @MainActor private func next<Change>(_ iterator: inout ChangeStream<Change>.Iterator) async -> Change? {
        await iterator.next(isolation: MainActor.shared)
    }

    /// Returns the description of the next element of a collection's stream.
    @MainActor private func nextText<C>(
        _ iterator: inout ChangeStream<RealmCollectionChange<C>>.Iterator
    ) async -> String? {
        await next(&iterator).map { text($0) }
    }

    @MainActor func testTheFirstElementIsInitialAndTheNextIsTheChange() async throws {
        let realm = try openRealm()
        try add(3, to: realm)
        let items = realm.objects(StreamItem.self)
        var told: [String] = []
        for await change in items.changes {
            told.append(text(change))
            if told.count == 1 { try realm.write { items[1].value = 7 } }
            if told.count == 2 { try realm.write { realm.delete(items[0]) } }
            if told.count == 3 { break }
        }
        XCTAssertEqual(told, ["initial", "-[] +[] ~[1]", "-[0] +[] ~[]"])
    }

    @MainActor func testWhatComesWhileTheConsumerIsBusyIsOneComposedChange() async throws {
        let realm = try openRealm()
        try add(3, to: realm)
        var iterator = realm.objects(StreamItem.self).changes.makeAsyncIterator()
        _ = await next(&iterator)
        try writeElsewhere { $0.objects(StreamItem.self)[2].value = 9 }
        realm.refresh()
        try realm.write { realm.add(StreamItem(value: ["id": 10])) }
        try realm.write { realm.delete(realm.objects(StreamItem.self)[0]) }
        try realm.write { realm.delete(realm.create(StreamItem.self, value: ["id": 11])) }
        let told = await nextText(&iterator)
        XCTAssertEqual(told, "-[0] +[2] ~[2]")
    }

    @MainActor func testAWaitingConsumerIsWokenByAnotherThread() async throws {
        let realm = try openRealm()
        try add(3, to: realm)
        let evens = realm.objects(StreamItem.self).where { $0.value > 0 }
        var iterator = evens.changes.makeAsyncIterator()
        _ = await next(&iterator)
        let configuration = configuration
        Task.detached {
            try await Task.sleep(nanoseconds: 20_000_000)
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.objects(StreamItem.self)[0].value = 5 }
            }
        }
        let told = await nextText(&iterator)
        XCTAssertEqual(told, "-[] +[0] ~[]")
        XCTAssertEqual(evens.count, 3)
    }

    /// The change is computed where the consumer runs, not where it was woken.
    @MainActor func testAChangeLeadsToWhatIsThereThoughTheRealmMovedSinceTheConsumerWasWoken() async throws {
        let realm = try openRealm()
        try add(3, to: realm)
        let items = realm.objects(StreamItem.self).where { $0.value < 100 }
        let isWaiting = Done()
        let seen = Task { @MainActor in
            var iterator = items.changes.makeAsyncIterator()
            _ = await iterator.next(isolation: MainActor.shared)
            isWaiting.set()
            let change = await iterator.next(isolation: MainActor.shared)
            return (change.map { self.text($0) }, Array(items.map(\.id)))
        }
        while !isWaiting.isSet { await Task.yield() }
        await Task.yield()
        try realm.write { items[0].value = 500 }
        realm.refresh()
        // By now the consumer was resumed, but could not run.
        try realm.write { realm.add(StreamItem(value: ["id": 7, "value": 7])) }
        let (told, ids) = await seen.value
        XCTAssertEqual(told, "-[0] +[2] ~[]")
        XCTAssertEqual(ids, [1, 2, 7])
    }

    @MainActor func testAStalledConsumerHoldsFewVersions() async throws {
        let realm = try openRealm()
        try add(10, to: realm)
        let items = realm.objects(StreamItem.self)
        var iterator = items.changes.makeAsyncIterator()
        _ = await next(&iterator)
        for value in 0..<3_000 { try realm.write { items[value % 10].value = -value } }
        XCTAssertLessThan(realm.versionCount, 40)
        // The iterator is not registered for it either.
        XCTAssertEqual(realm.observerCount, 0)
        let told = await nextText(&iterator)
        XCTAssertEqual(told, "-[] +[] ~\(Array(0..<10))")
    }

    @MainActor func testAWaitingConsumerHoldsNoVersion() async throws {
        let realm = try openRealm()
        try add(1, to: realm)
        let waiting = Task { @MainActor in
            var iterator = realm.objects(StreamItem.self).changes(keyPaths: ["value"]).makeAsyncIterator()
            _ = await iterator.next(isolation: MainActor.shared)
            return await iterator.next(isolation: MainActor.shared) == nil
        }
        while realm.observerCount == 0 { await Task.yield() }
        for round in 0..<100 {
            try realm.write { realm.objects(StreamItem.self)[0].name = "\(round)" }
            realm.refresh()
        }
        XCTAssertLessThan(realm.versionCount, 4)
        waiting.cancel()
        let ended = await waiting.value
        XCTAssertTrue(ended)
        XCTAssertEqual(realm.observerCount, 0)
    }

    @MainActor func testLettingGoOfTheIteratorEndsTheObservation() async throws {
        let realm = try openRealm()
        try add(2, to: realm)
        do {
            var iterator = realm.objects(StreamItem.self).changes.makeAsyncIterator()
            _ = await next(&iterator)
            try realm.write { realm.objects(StreamItem.self)[0].value = 5 }
            XCTAssertGreaterThan(realm.versionCount, 1)
        }
        XCTAssertEqual(realm.observerCount, 0)
        try realm.write { realm.objects(StreamItem.self)[0].value = 6 }
        XCTAssertLessThanOrEqual(realm.versionCount, 2)
    }

    @MainActor func testCancellingTheTaskEndsTheStream() async throws {
        let realm = try openRealm()
        let task = Task { @MainActor in
            var count = 0
            for await _ in realm.objects(StreamItem.self).changes { count += 1 }
            return count
        }
        while realm.observerCount == 0 { await Task.yield() }
        task.cancel()
        let count = await task.value
        XCTAssertEqual(count, 1)
        XCTAssertEqual(realm.observerCount, 0)
    }

    @MainActor func testInvalidatingTheRealmEndsItsStreams() async throws {
        let realm = try openRealm()
        try add(1, to: realm)
        let item = realm.objects(StreamItem.self)[0]
        let started = Shared(0)
        @MainActor func consume<Change>(_ stream: ChangeStream<Change>) -> Task<Bool, Never> {
            let iterator = stream.makeAsyncIterator()
            return Task { @MainActor in
                var iterator = iterator
                started.update { $0 += 1 }
                while await iterator.next(isolation: MainActor.shared) != nil {}
                return true
            }
        }
        let tasks = [
            consume(realm.objects(StreamItem.self).changes), consume(item.changes), consume(realm.changes),
        ]
        while started.value < 3 || realm.observerCount < 3 { await Task.yield() }
        realm.invalidate()
        for task in tasks {
            let ended = await task.value
            XCTAssertTrue(ended)
        }
    }

    // MARK: Kinds

    @MainActor func testAnObjectTellsItsChangesAndItsEnd() async throws {
        let realm = try openRealm()
        try add(2, to: realm)
        let item = realm.objects(StreamItem.self)[0]
        var iterator = item.changes.makeAsyncIterator()
        try realm.write { item.value = 5 }
        try realm.write { (item.value, item.name) = (6, "six") }
        guard case .change(let object, let properties)? = await next(&iterator) else { return XCTFail() }
        XCTAssertTrue(object === item)
        XCTAssertEqual(properties.map(\.name), ["value", "name"])
        XCTAssertEqual(properties.map { $0.newValue as? AnyHashable }, [6, "six"])
        // The old values are those that the consumer saw last, even if other writers made the change.
        XCTAssertEqual(properties.map { $0.oldValue as? AnyHashable }, [0, ""])
        try realm.write { realm.delete(item) }
        guard case .deleted? = await next(&iterator) else { return XCTFail() }
        let end = await next(&iterator)
        XCTAssertNil(end)
    }

    @MainActor func testKeyPathsOfAnObject() async throws {
        let realm = try openRealm()
        try add(2, to: realm)
        let items = realm.objects(StreamItem.self)
        var iterator = items[0].changes(keyPaths: [\.value, \.link?.name]).makeAsyncIterator()
        try realm.write { items[0].name = "unheard" }
        try realm.write { items[0].link = items[1] }
        guard case .change(_, let first)? = await next(&iterator) else { return XCTFail() }
        XCTAssertEqual(first.map(\.name), ["link"])
        try realm.write { items[1].name = "linked" }
        guard case .change(_, let second)? = await next(&iterator) else { return XCTFail() }
        XCTAssertEqual(second.map(\.name), ["link"])
    }

    @MainActor func testListsSetsMapsAndLinkingObjects() async throws {
        let realm = try openRealm()
        try add(3, to: realm)
        let holder = StreamHolder()
        try realm.write {
            realm.add(holder)
            holder.items.append(objectsIn: realm.objects(StreamItem.self))
            holder.numbers.append(objectsIn: [1, 2, 3])
            holder.tags.insert("a")
            holder.map["a"] = 1
        }
        let target = holder.items[0]
        var items = holder.items.changes.makeAsyncIterator()
        var names = holder.items.changes(keyPaths: [\.name]).makeAsyncIterator()
        var numbers = holder.numbers.changes.makeAsyncIterator()
        var tags = holder.tags.changes.makeAsyncIterator()
        var map = holder.map.changes.makeAsyncIterator()
        var linkers = target.linkers.changes.makeAsyncIterator()
        for told in [
            await nextText(&items), await nextText(&names), await nextText(&numbers), await nextText(&tags),
            await nextText(&linkers),
        ] { XCTAssertEqual(told, "initial") }
        guard case .initial? = await next(&map) else { return XCTFail() }
        try realm.write {
            holder.items[2].value = 8
            holder.items[1].name = "one"
            holder.items.remove(at: 0)
            holder.numbers.insert(0, at: 0)
            holder.tags.insert("b")
            holder.map["b"] = 2
            holder.map["a"] = 3
            holder.items[0].link = target
        }
        var told = await nextText(&items)
        XCTAssertEqual(told, "-[0] +[] ~[1, 2]")
        told = await nextText(&names)
        XCTAssertEqual(told, "-[0] +[] ~[1]")
        told = await nextText(&numbers)
        XCTAssertEqual(told, "-[] +[0] ~[]")
        told = await nextText(&tags)
        XCTAssertEqual(told, "-[] +[1] ~[]")
        told = await nextText(&linkers)
        XCTAssertEqual(told, "-[] +[0] ~[]")
        guard case .update(_, let deletions, let insertions, let modifications)? = await next(&map) else {
            return XCTFail()
        }
        XCTAssertEqual([deletions, insertions, modifications], [[], ["b"], ["a"]])
        try realm.write {
            realm.delete(target)
            realm.delete(holder)
        }
        told = await nextText(&items)
        XCTAssertEqual(told, "-[0, 1] +[] ~[]")
        told = await nextText(&items)
        XCTAssertNil(told)
        told = await nextText(&linkers)
        XCTAssertEqual(told, "-[0] +[] ~[]")
        told = await nextText(&linkers)
        XCTAssertNil(told)
    }

    @MainActor func testTheStreamOfLinkingObjectsEndsWithTheirTargetThoughNobodyLinks() async throws {
        let realm = try openRealm()
        try add(1, to: realm)
        let item = realm.objects(StreamItem.self)[0]
        let linkers = item.linkers
        let task = Task { @MainActor in
            var count = 0
            for await _ in linkers.changes { count += 1 }
            return count
        }
        while realm.observerCount == 0 { await Task.yield() }
        try realm.write { realm.delete(item) }
        let count = await task.value
        XCTAssertEqual(count, 1)
    }

    @MainActor func testARealmTellsThatItMovedAndThatARefreshIsRequired() async throws {
        let realm = try openRealm()
        try add(1, to: realm)
        var iterator = realm.changes.makeAsyncIterator()
        try realm.write { realm.objects(StreamItem.self)[0].value = 1 }
        try realm.write { realm.objects(StreamItem.self)[0].value = 2 }
        var told = await next(&iterator)
        XCTAssertEqual(told, .didChange)
        realm.autorefresh = false
        try writeElsewhere { $0.objects(StreamItem.self)[0].value = 3 }
        told = await next(&iterator)
        XCTAssertEqual(told, .refreshRequired)
        realm.refresh()
        told = await next(&iterator)
        XCTAssertEqual(told, .didChange)
        let configuration = configuration
        Task.detached {
            try await Task.sleep(nanoseconds: 10_000_000)
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.objects(StreamItem.self)[0].value = 4 }
            }
        }
        told = await next(&iterator)
        XCTAssertEqual(told, .refreshRequired)
    }

    /// The changes of an open write are not visible yet.
    @MainActor func testChangesOfAnOpenWriteAreToldAfterItsCommit() async throws {
        let realm = try openRealm()
        try add(2, to: realm)
        let items = realm.objects(StreamItem.self)
        let consumer = Task { @MainActor in
            var told: [(String, Bool)] = []
            for await change in items.changes {
                told.append((self.text(change), realm.isInWriteTransaction))
                if told.count == 2 { break }
            }
            return told
        }
        while realm.observerCount == 0 { await Task.yield() }
        try realm.write { items[0].value = 1 }
        realm.refresh()
        realm.beginWrite()
        items[1].value = 2
        for _ in 0..<5 { await Task.yield() }
        try realm.commitWrite()
        let told = await consumer.value
        XCTAssertEqual(told.map(\.0), ["initial", "-[] +[] ~[0, 1]"])
        XCTAssertEqual(told.map(\.1), [false, false])
    }

    @MainActor func testReadingResultsInTheLoopTakesTheStreamsView() async throws {
        let realm = try openRealm()
        try add(5, to: realm)
        let sorted = realm.objects(StreamItem.self).sorted(byKeyPath: "value", ascending: false)
        var iterator = sorted.changes.makeAsyncIterator()
        _ = await next(&iterator)
        for value in [10, 3, -4, 2] {
            try realm.write { sorted[2].value = value }
            _ = await next(&iterator)
            XCTAssertEqual(sorted.map(\.value), sorted.map(\.value).sorted(by: >))
            XCTAssertEqual(sorted.first?.value, sorted.map(\.value).max())
        }
    }
}
