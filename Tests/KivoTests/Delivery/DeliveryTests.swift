import Foundation
import Kivo
import XCTest

/// When collections, objects and sections call whom, and with what.
final class DeliveryTests: RealmTestCase {
    func testCollectionsGiveOneInitialAndObjectsNone() throws {
        let realm = try openRealm()
        let dog = Dog()
        try realm.write { realm.add(dog) }
        var (collection, object) = (0, 0)
        let tokens = [
            realm.objects(Dog.self).observe { _ in collection += 1 },
            dog.observe { (_: ObjectChange<Dog>) in object += 1 },
        ]
        for _ in 0..<3 {
            realm.refresh()
            serveRunLoop()
            try realm.write {}
        }
        XCTAssertEqual(collection, 1)
        XCTAssertEqual(object, 0)
        for token in tokens { token.invalidate() }
    }

    func testASecondTokenGetsItsOwnInitialWithoutDisturbingTheFirst() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self).sorted(byKeyPath: "name")
        var (first, second) = ([String](), [String]())
        let firstToken = dogs.observe { first.append(self.text($0)) }
        realm.refresh()
        try realm.write { realm.create(Dog.self, value: ["name": "Ace"]) }
        realm.refresh()
        let secondToken = dogs.observe { second.append(self.text($0)) }
        realm.refresh()
        XCTAssertEqual(first, ["initial", "-[] +[0] ~[]"])
        XCTAssertEqual(second, ["initial"])
        try realm.write { realm.create(Dog.self, value: ["name": "Bo"]) }
        realm.refresh()
        XCTAssertEqual(first, ["initial", "-[] +[0] ~[]", "-[] +[1] ~[]"])
        XCTAssertEqual(second, ["initial", "-[] +[1] ~[]"])
        for token in [firstToken, secondToken] { token.invalidate() }
    }

    func testTheSameCollectionIsHandedToEveryCallback() throws {
        let realm = try openRealm()
        let (bag, target) = (Bag(), Person())
        try realm.write {
            realm.add(bag)
            realm.add(target)
            realm.create(Person.self, value: ["friend": target])
        }
        var rounds = 0
        func check<C: RealmCollection>(_ collection: C) -> NotificationToken {
            collection.observe { change in
                switch change {
                case .initial(let given), .update(let given, _, _, _):
                    XCTAssertEqual(given, collection)
                    rounds += 1
                case .error(let error): XCTFail("\(error)")
                }
            }
        }
        let tokens = [
            check(realm.objects(Person.self)), check(realm.objects(Person.self).where { $0.name == "" }),
            check(bag.numbers), check(bag.numberSet), check(target.befriendedBy),
        ]
        realm.refresh()
        try realm.write {
            bag.numbers.append(1)
            bag.numberSet.insert(1)
            realm.create(Person.self, value: ["friend": target])
        }
        realm.refresh()
        XCTAssertEqual(rounds, 10)
        XCTAssertNotEqual(realm.objects(Person.self), realm.objects(Person.self), "separate queries")
        for token in tokens { token.invalidate() }
    }

    func testAnObserverOfSectionsAddedInACallbackIsCalledTheNextTime() throws {
        let realm = try openRealm()
        try realm.write { realm.create(SectionsItem.self, value: ["name": "a"]) }
        let sections = realm.objects(SectionsItem.self).sectioned(by: \.name)
        var (outer, inner) = (0, [Int]())
        var added: NotificationToken?
        let token = sections.observe { _ in
            outer += 1
            if outer == 2 { added = sections.observe { _ in inner.append(outer) } }
        }
        realm.refresh()
        try realm.write { sections[0][0].note = "x" }
        realm.refresh()
        XCTAssertEqual(inner, [], "not in that round")
        realm.refresh()
        XCTAssertEqual(inner, [2])
        for token in [token, added] { token?.invalidate() }
    }

    func testBeginningAWriteInACallbackOfSectionsDeliversWhatIsPending() throws {
        let realm = try openRealm()
        try realm.write { realm.create(SectionsItem.self, value: ["name": "a"]) }
        let sections = realm.objects(SectionsItem.self).sectioned(by: \.name)
        var calls: [String] = []
        let first = sections.observe { change in
            guard case .update = change, sections[0].count < 4 else { return }
            calls.append("first begins")
            self.expectSuccess {
                try realm.write { _ = realm.create(SectionsItem.self, value: ["name": "a"]) }
            }
            calls.append("first ends")
        }
        let second = sections.observe { change in
            guard case .update(_, _, let insertions, _, _, _) = change else { return }
            calls.append("second \(insertions.map(\.item)) \(realm.isInWriteTransaction)")
        }
        realm.refresh()
        try realm.write { realm.create(SectionsItem.self, value: ["name": "a"]) }
        realm.refresh()
        XCTAssertEqual(calls, ["first begins", "second [1] true", "first ends"])
        realm.refresh()
        realm.refresh()
        XCTAssertEqual(
            calls.dropFirst(3), ["first begins", "second [2] true", "first ends", "second [3] false"])
        for token in [first, second] { token.invalidate() }
    }

    @MainActor
    func testSectionsAreObservedOnAnActor() async throws {
        let realm = try await Realm(configuration: configuration)
        try realm.write { _ = realm.create(SectionsItem.self, value: ["name": "a"]) }
        let actor = SectionsKeeper()
        let sections = realm.objects(SectionsItem.self).sectioned(by: \.name)
        let tokens = [
            await sections.observe(on: actor) { actor, change in actor.note("all", change) },
            await sections.observe(keyPaths: [\.note], on: actor) { actor, change in
                actor.note("filtered", change)
            },
            await sections[0].observe(on: actor) { actor, change in actor.note("one", change) },
        ]
        await eventually { await actor.told.count == 3 }
        try realm.write { sections[0][0].value = 1 }
        await eventually { await actor.told.count == 5 }
        try realm.write { sections[0][0].name = "b" }
        await eventually { await actor.told.count == 8 }
        let told = await actor.told
        XCTAssertEqual(
            told,
            [
                "all 0", "filtered 0", "one 0", "all 1", "one 1", "all 2", "filtered 2", "one 1",
            ])
        for token in tokens { token.invalidate() }
    }

    @MainActor
    private func eventually(_ condition: () async -> Bool) async {
        for _ in 0..<24_000 {
            if await condition() { return }
            try? await Task.sleep(for: .milliseconds(5))
        }
        XCTFail("it did not happen")
    }
}

/// An actor that observes sections.
private actor SectionsKeeper {
    private(set) var told: [String] = []

    /// Notes how much a change holds.
    func note(_ observer: String, _ change: SectionedResultsChange<some Any>) {
        switch change {
        case .initial: told.append("\(observer) 0")
        case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
            let size =
                deletions.count + modifications.count + inserted.count + deleted.count
                + (inserted.isEmpty ? insertions.count : 0)
            told.append("\(observer) \(size)")
        }
    }
}
