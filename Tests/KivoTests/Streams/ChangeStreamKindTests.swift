import Foundation
import Kivo
import XCTest

class StreamKindOwner: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<StreamKindDog>
}

class StreamKindDog: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var age = 0
}

class StreamKindView: Projection<StreamKindDog> {
    @Projected(\StreamKindDog.name) var title
}

/// The streams of what is made of collections: sections, projections, type-erased collections; and their ends.
final class ChangeStreamKindTests: RealmTestCase {
    /// A realm with an owner of three dogs.
    @MainActor private func openKennel() throws -> (realm: Realm, owner: StreamKindOwner) {
        let realm = try openRealm()
        let owner = StreamKindOwner()
        try realm.write {
            realm.add(owner)
            for (id, name) in ["Ida", "Rex", "Ida"].enumerated() {
                owner.dogs.append(realm.create(StreamKindDog.self, value: ["id": id, "name": name]))
            }
        }
        return (realm, owner)
    }

    private func words<C>(_ change: SectionedResultsChange<C>?) -> String? {
        switch change {
        case nil: return nil
        case .initial: return "initial"
        case .update(_, let deletions, let insertions, let modifications, let added, let removed):
            let paths = { (paths: [IndexPath]) in paths.map { "\($0[0]).\($0[1])" }.joined(separator: " ") }
            return """
                -[\(paths(deletions))] +[\(paths(insertions))] ~[\(paths(modifications))] \
                -\(Array(removed)) +\(Array(added))
                """
        }
    }

    private func words<C>(_ change: RealmCollectionChange<C>?) -> String? { change.map { text($0) } }

    // MARK: Sections

    @MainActor func testSectionsTellWhatCameWhileTheConsumerWasBusyAsOneChange() async throws {
        let (realm, owner) = try openKennel()
        let sections = owner.dogs.sectioned(by: \.name)
        var iterator = sections.changes.makeAsyncIterator()
        var told = words(await iterator.next())
        XCTAssertEqual(told, "initial")
        try writeElsewhere { realm in
            realm.create(StreamKindDog.self, value: ["id": 9, "name": "Zoe"])
            realm.objects(StreamKindOwner.self)[0].dogs.append(realm.objects(StreamKindDog.self)[3])
        }
        realm.refresh()
        try realm.write { owner.dogs[1].name = "Zoe" }
        try realm.write { owner.dogs[0].age = 4 }
        told = words(await iterator.next())
        XCTAssertEqual(told, "-[] +[1.0 1.1] ~[0.0] -[1] +[1]")
        XCTAssertEqual(sections.allKeys, ["Ida", "Zoe"])
        try realm.write { owner.dogs.removeAll() }
        told = words(await iterator.next())
        XCTAssertEqual(told, "-[] +[] ~[] -[0, 1] +[]")
    }

    @MainActor func testASectionTellsItsOwnChanges() async throws {
        let (realm, owner) = try openKennel()
        var iterator = owner.dogs.sectioned(by: \.name)[0].changes(keyPaths: [\.age]).makeAsyncIterator()
        var told = words(await iterator.next())
        XCTAssertEqual(told, "initial")
        try realm.write { owner.dogs[1].age = 4 }
        try realm.write { owner.dogs[2].age = 5 }
        told = words(await iterator.next())
        XCTAssertEqual(told, "-[] +[] ~[0.1] -[] +[]")
    }

    @MainActor func testStreamsOfSectionsEndWithTheOwnerOfTheirCollection() async throws {
        let (realm, owner) = try openKennel()
        let sections = owner.dogs.sectioned(by: \.name)
        var all = sections.changes.makeAsyncIterator()
        var one = sections[0].changes.makeAsyncIterator()
        _ = await all.next()
        _ = await one.next()
        try realm.write { realm.delete(owner) }
        let (told, ofOne) = (words(await all.next()), words(await one.next()))
        XCTAssertEqual(told, "-[] +[] ~[] -[0, 1] +[]")
        XCTAssertEqual(ofOne, "-[] +[] ~[] -[0] +[]")
        let isOver = await ends { await all.next() == nil }
        XCTAssertTrue(isOver, "the stream of sections goes on")
        let isOneOver = await ends { await one.next() == nil }
        XCTAssertTrue(isOneOver, "the stream of a section goes on")
    }

    // MARK: What is gone before

    @MainActor func testAStreamThatBeginsAfterItsOwnerIsGoneEndsAfterInitial() async throws {
        let (realm, owner) = try openKennel()
        let dogs = owner.dogs
        let sorted = dogs.sorted(byKeyPath: "id")
        let (list, any) = (dogs.changes, AnyRealmCollection(dogs).changes)
        let sections = dogs.sectioned(by: \.name)
        try realm.write { realm.delete(owner) }
        await assertEndsAfterInitial(list, "list")
        await assertEndsAfterInitial(any, "any")
        await assertEndsAfterInitial(sorted.changes, "results")
        await assertEndsAfterInitial(sections.changes, "sections")
    }

    @MainActor private func assertEndsAfterInitial<C>(
        _ stream: ChangeStream<C>, _ what: String, line: UInt = #line
    ) async {
        var count = 0
        let isOver = await ends {
            for await _ in stream { count += 1 }
            return !Task.isCancelled
        }
        XCTAssertTrue(isOver, "the stream of \(what) goes on", line: line)
        XCTAssertEqual(count, 1, what, line: line)
    }

    /// Whether something comes to an end by itself.
    @MainActor private func ends(_ body: @escaping @MainActor () async -> Bool) async -> Bool {
        let task = Task { @MainActor in await body() && !Task.isCancelled }
        let limit = Task {
            try await Task.sleep(for: .seconds(120))
            task.cancel()
        }
        defer { limit.cancel() }
        return await task.value
    }

    // MARK: Projections

    @MainActor func testAProjectionTellsWhatItShows() async throws {
        let (realm, owner) = try openKennel()
        let view = StreamKindView(projecting: owner.dogs[0])
        var iterator = view.changes(keyPaths: [\.title]).makeAsyncIterator()
        try realm.write { owner.dogs[0].age = 9 }
        try realm.write { view.title = "Bob" }
        guard case .change(let told, let properties) = await iterator.next() else { return XCTFail() }
        XCTAssertTrue(told === view)
        XCTAssertEqual(properties.map(\.name), ["title"])
        XCTAssertEqual(properties.first?.newValue as? String, "Bob")
        try realm.write { realm.delete(owner.dogs[0]) }
        guard case .deleted = await iterator.next() else { return XCTFail() }
        let end = await iterator.next()
        XCTAssertNil(end)
    }

    @MainActor func testResultsOfProjectionsTellModificationsOfWhatIsShown() async throws {
        let (realm, owner) = try openKennel()
        let views = realm.objects(StreamKindView.self)
        var iterators = [
            views.changes.makeAsyncIterator(), views.changes(keyPaths: [\.title]).makeAsyncIterator(),
        ]
        var erased = AnyRealmCollection(views).changes.makeAsyncIterator()
        for index in iterators.indices { _ = await iterators[index].next() }
        _ = await erased.next()
        try realm.write { owner.dogs[0].age = 9 }
        try realm.write { owner.dogs[2].name = "Bob" }
        for index in iterators.indices {
            let told = words(await iterators[index].next())
            XCTAssertEqual(told, "-[] +[] ~[2]")
        }
        let told = words(await erased.next())
        XCTAssertEqual(told, "-[] +[] ~[2]")
    }

    // MARK: Type-erased collections

    @MainActor func testATypeErasedCollectionTellsWhatItsCollectionDoes() async throws {
        let (realm, owner) = try openKennel()
        var ofList = AnyRealmCollection(owner.dogs).changes(keyPaths: [\.name]).makeAsyncIterator()
        var ofResults = AnyRealmCollection(realm.objects(StreamKindDog.self).where { $0.age < 3 }).changes
            .makeAsyncIterator()
        var told = [words(await ofList.next()), words(await ofResults.next())]
        XCTAssertEqual(told, ["initial", "initial"])
        try realm.write { owner.dogs[0].age = 2 }
        try realm.write { owner.dogs[1].name = "Bob" }
        try realm.write { owner.dogs.swapAt(0, 2) }
        try realm.write { realm.create(StreamKindDog.self, value: ["id": 7, "age": 7]) }
        told = [words(await ofList.next()), words(await ofResults.next())]
        XCTAssertEqual(told[1], "-[] +[] ~[0, 1]")
        XCTAssertTrue(told[0]?.hasSuffix("~[1]") == true, told[0] ?? "nil")
        try realm.write { realm.delete(owner) }
        told = [words(await ofList.next())]
        XCTAssertEqual(told, ["-[0, 1, 2] +[] ~[]"])
        let end = await ofList.next()
        XCTAssertNil(end)
    }

    // MARK: Actors

    func testStreamsOnAnActorAreReadThere() async throws {
        let configuration = configuration
        let kennel = StreamKennel()
        let task = Task { try await kennel.follow(configuration) }
        await kennel.wait(for: 3)
        try writeElsewhere { realm in
            for id in 0..<2 { realm.create(StreamKindDog.self, value: ["id": id, "name": "Rex", "age": id]) }
        }
        await kennel.wait(for: 6)
        task.cancel()
        try await task.value
        let log = await kennel.log
        XCTAssertEqual(
            log,
            ["any 0", "results 0", "sections 0", "any 2", "results 2", "sections 1", "end", "end", "end"])
    }
}

/// An actor with a realm of its own, which it follows.
private actor StreamKennel {
    private(set) var log: [String] = []
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    private func note(_ text: String) {
        log.append(text)
        log.sort { a, b in rank(a) < rank(b) }
        if let waiter, log.count >= waiter.count {
            self.waiter = nil
            waiter.continuation.resume()
        }
    }

    /// The order of loops that run side by side is not told.
    private func rank(_ text: String) -> String {
        text == "end" ? "9" : (text.hasSuffix("0") ? "0" : "1") + text
    }

    func wait(for count: Int) async {
        if log.count >= count { return }
        await withCheckedContinuation { waiter = (count, $0) }
    }

    func follow(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let dogs = realm.objects(StreamKindDog.self)
        let results = Task { await followResults(dogs.sorted(byKeyPath: "age")) }
        let sections = Task { await followSections(dogs.sectioned(by: \.name)) }
        for await change in AnyRealmCollection(dogs).changes {
            if case .initial(let dogs) = change { note("any \(dogs.count)") }
            if case .update(let dogs, _, _, _) = change { note("any \(dogs.count)") }
        }
        results.cancel()
        sections.cancel()
        await results.value
        await sections.value
        note("end")
    }

    private func followResults(_ dogs: Results<StreamKindDog>) async {
        for await change in dogs.changes {
            if case .initial(let dogs) = change { note("results \(dogs.count)") }
            if case .update(let dogs, _, _, _) = change { note("results \(dogs.count)") }
        }
        note("end")
    }

    private func followSections(_ sections: SectionedResults<String, StreamKindDog>) async {
        for await change in sections.changes {
            if case .initial(let sections) = change { note("sections \(sections.count)") }
            if case .update(let sections, _, _, _, _, _) = change { note("sections \(sections.count)") }
        }
        note("end")
    }
}
