import Foundation
import Kivo
import KivoTesting
import Testing
import XCTest

/// A projection of dogs, to be recorded.
class RecordedDogCard: Projection<Dog> {
    @Projected(\Dog.name.localizedUppercase) var title
}

class RecordedPersonCard: Projection<Person> {
    @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
}

final class ChangeRecorderTests: FailureCatchingTestCase {
    private var realm: Realm!

    override func setUpWithError() throws { realm = try openRealm() }

    override func tearDown() { realm = nil }

    private func dog(_ name: String, age: Int = 0) throws -> Dog {
        let dog = Dog(value: ["name": name, "age": age])
        try realm.write { realm.add(dog) }
        return dog
    }

    private func change(_ work: () throws -> Void) throws {
        realm.refresh()
        try realm.write { try work() }
        realm.refresh()
    }

    // MARK: What is recorded

    func testCollections() throws {
        let rex = try dog("Rex", age: 1)
        let person = Person(value: ["name": "Ann", "dogs": [rex]])
        try realm.write { realm.add(person) }
        let dogs = realm.objects(Dog.self).sorted(by: \.name)
        let recorders = [
            ChangeRecorder(observing: dogs), ChangeRecorder(observing: person.dogs),
            ChangeRecorder(observing: AnyRealmCollection(dogs)),
        ]
        let filtered = ChangeRecorder(observing: dogs, keyPaths: ["name"])
        let inverse = ChangeRecorder(observing: rex.holders)
        let dogNames = RecordedPersonCard(projecting: person).dogNames
        let names = ChangeRecorder(observing: dogNames)
        let table = BatchUpdateTable<String, String> { $0 }
        let token = dogNames.observe { table.apply($0) }
        try change {
            rex.age = 2
            person.dogs.insert(Dog(value: ["name": "Ada"]), at: 0)
        }
        for recorder in recorders {
            recorder.assertChanges([.initial(count: 1), .update(insertions: [0], modifications: [0])])
        }
        filtered.assertChanges([.initial, .update(insertions: [0])])
        inverse.assertChanges([.initial(count: 1), .update(modifications: [0])])
        names.assertChanges([.initial(count: 1), .update(insertions: [0])])
        XCTAssertEqual(table.rows, ["Ada", "Rex"])
        table.assertNoProblems()
        token.invalidate()
        try change { realm.delete(rex) }
        recorders[1].assertChanges([.initial, .update, .update(deletions: [1])])
    }

    func testSetsAndMaps() throws {
        let bag = Bag(value: ["numberSet": [1], "counts": ["a": 1, "b": 2]])
        try realm.write { realm.add(bag) }
        let (set, map) = (ChangeRecorder(observing: bag.numberSet), ChangeRecorder(observing: bag.counts))
        try change {
            bag.numberSet.insert(2)
            bag.counts["a"] = nil
            bag.counts["b"] = 3
            bag.counts["c"] = 4
        }
        set.assertChanges([.initial(count: 1), .update(insertions: [1])])
        map.assertChanges([
            .initial(count: 2), .update(deletedKeys: ["a"], insertedKeys: ["c"], modifiedKeys: ["b"]),
        ])
    }

    func testSections() throws {
        let rex = try dog("Rex", age: 1)
        let sections = realm.objects(Dog.self).sectioned(by: \.age)
        let all = ChangeRecorder(observing: sections)
        let first = ChangeRecorder(observing: sections[0])
        let table = BatchUpdateTable<Dog, String> { $0.name }
        let token = sections[0].observe { table.apply($0) }
        try change {
            realm.create(Dog.self, value: ["name": "Ada", "age": 2])
            realm.create(Dog.self, value: ["name": "Ben", "age": 1])
            rex.name = "Max"
        }
        all.assertChanges([
            .initial(count: 1),
            .sections(insertions: [[0, 1], [1, 0]], modifications: [[0, 0]], inserted: [1]),
        ])
        first.assertChanges([.initial(count: 1), .sections(insertions: [[0, 1]], modifications: [[0, 0]])])
        XCTAssertEqual(table.rows, ["Max", "Ben"])
        try change { realm.delete(realm.objects(Dog.self).where { $0.age == 1 }) }
        all.assertChanges([.initial, .update, .sections(deleted: [0])])
        XCTAssertEqual(table.rows, [])
        table.assertNoProblems()
        token.invalidate()
    }

    func testObjectsProjectionsAndRealms() throws {
        let rex = try dog("Rex", age: 1)
        let object = ChangeRecorder(observing: rex)
        let onlyName = ChangeRecorder(observing: rex, keyPaths: ["name"])
        let card = ChangeRecorder(observing: RecordedDogCard(projecting: rex))
        let whole = ChangeRecorder(observing: realm)
        try change {
            rex.age = 2
            rex.name = "Max"
        }
        object.assertChanges([.change([.setting("name", to: "Max"), .setting("age", to: 2)])])
        onlyName.assertChanges([.change("name")])
        card.assertChanges([.change([.setting("title", to: "MAX")])])
        whole.assertChanges([.realm(.didChange)])
        let key = "Max"
        try writeElsewhere { realm in
            let dog = realm.objects(Dog.self).where { $0.name == key }[0]
            dog.age = 3
        }
        realm.refresh()
        XCTAssertNil(
            object.difference(from: [.change("name", "age"), .change([.setting("age", from: 2, to: 3)])]))
        try change { realm.delete(rex) }
        object.assertChanges([.change("name", "age"), .change("age"), .deleted])
        XCTAssertEqual(whole.changes.count, 3)
    }

    func testNothingIsRecordedOnceStopped() throws {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        realm.refresh()
        XCTAssertEqual(recorder.tokens.count, 1)
        try realm.write(withoutNotifying: recorder.tokens) { _ = realm.create(Dog.self) }
        realm.refresh()
        recorder.assertChanges([.initial(count: 0)])
        recorder.stop()
        recorder.stop()
        try change { _ = realm.create(Dog.self) }
        recorder.assertChanges([.initial])
        recorder.removeAllChanges()
        recorder.assertChanges([])
    }

    // MARK: Streams and waiting

    @MainActor func testStreams() async throws {
        let realm = try openRealm()
        let recorder = ChangeRecorder()
        var dogs = realm.objects(Dog.self).changes.makeAsyncIterator()
        await recorder.record(next: &dogs)
        let rex = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(rex) }
        await recorder.record(next: &dogs)
        recorder.assertChanges([.initial(count: 0), .update(insertions: [0])])
        recorder.removeAllChanges()

        let bag = Bag()
        try realm.write { realm.add(bag) }
        var map = bag.counts.changes.makeAsyncIterator()
        await recorder.record(next: &map)
        var object = bag.changes.makeAsyncIterator()
        try realm.write { realm.delete(bag) }
        await recorder.record(next: &object)
        await recorder.record(next: &object)
        recorder.assertChanges([.initial(count: 0), .deleted, .end])
    }

    func testWaitingServesTheRunLoop() throws {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        XCTAssertTrue(recorder.waitForChanges(1))
        try writeElsewhere { _ = $0.create(Dog.self) }
        XCTAssertTrue(recorder.waitForChanges(2))
        XCTAssertFalse(recorder.waitForChanges(3, timeout: 0.01))
        recorder.assertChanges([.initial(count: 0), .update(insertions: [0])])
    }

    @MainActor func testWaitingSuspends() async throws {
        let realm = try openRealm()
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        let isThere = await recorder.waitForChanges(1)
        XCTAssertTrue(isThere)
        try await realm.asyncWrite { _ = realm.create(Dog.self) }
        await recorder.waitForChanges(2)
        recorder.assertChanges([.initial(count: 0), .update(insertions: [0])])
        let isMore = await recorder.waitForChanges(3, timeout: 0.01)
        XCTAssertFalse(isMore)
    }

    // MARK: Failures

    func testADifferenceShowsWhatCame() throws {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        try change { _ = realm.create(Dog.self) }
        XCTAssertEqual(
            recorder.difference(from: [.initial(count: 2), .update(insertions: [0]), .update(deletions: [1])]
            ),
            """
            The recorded changes are not the expected ones (- expected, + recorded):
            - .initial(count: 2)
            + .initial(count: 0)
              .update(insertions: [0])
            - .update(deletions: [1])
            """)
        for other: [ListenedChange] in [
            [.initial, .update(modifications: [0])], [.initial, .update(insertions: [0, 1])], [.initial],
            [.initial, .update(insertedKeys: ["0"])], [.initial, .sections(insertions: [[0, 0]])],
            [.initial, .change("name")], [.initial, .deleted], [.update, .initial], [.initial, .end],
            [.initial, .realm(.didChange)],
        ] {
            XCTAssertNotNil(recorder.difference(from: other), "\(other)")
        }
    }

    func testChangesAreWrittenAsInATest() {
        let texts: [(ListenedChange, String)] = [
            (.initial, ".initial"), (.update, ".update"), (.deleted, ".deleted"), (.end, ".end"),
            (
                .update(insertedKeys: ["a"], modifiedKeys: ["b"]),
                #".update(insertedKeys: ["a"], modifiedKeys: ["b"])"#
            ),
            (.sections(deletions: [[0, 1]], deleted: [2]), ".sections(deletions: [[0, 1]], deleted: [2])"),
            (.change([.setting("age", from: 1, to: 2)]), #".change([.setting("age", from: 1, to: 2)])"#),
            (.realm(.refreshRequired), ".realm(.refreshRequired)"),
        ]
        for (change, text) in texts { XCTAssertEqual("\(change)", text) }
    }

    #if !canImport(ObjectiveC)
    func testAnAssertionFailsOnce() throws {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        realm.refresh()
        let failures = failures {
            recorder.assertChanges([.deleted], "why")
            recorder.assertChanges([.initial])
        }
        XCTAssertEqual(failures.count, 1)
        XCTAssertTrue(failures.first?.text.contains("why\nThe recorded") ?? false, "\(failures)")
    }

    func testAnExpectationIsFulfilledByTheChange() throws {
        let rex = try dog("Rex")
        let any = changeExpectation(of: rex)
        let age = changeExpectation(.change([.setting("age", to: 3)]), of: rex, keyPaths: ["age"])
        let insertion = changeExpectation(
            .update(insertions: [1], modifications: [0]), of: realm.objects(Dog.self))
        realm.refresh()
        XCTAssertTrue(
            insertion.expectationDescription.hasSuffix("what came: .initial(count: 1)"),
            insertion.expectationDescription)
        try writeElsewhere { realm in
            realm.objects(Dog.self)[0].age = 3
            realm.create(Dog.self)
        }
        wait(for: [any, age, insertion], timeout: 60)
    }

    func testAnExpectationOfAValueSaysWhatCame() {
        let rex = Dog()
        let expectation = keyValueObservingExpectation(for: rex, keyPath: "age", expectedValue: 3)
        rex.age = 2
        XCTAssertTrue(
            expectation.expectationDescription.hasSuffix("what came last: .setting(from: 0, to: 2)")
                || expectation.expectationDescription.hasSuffix("what came last: .setting(to: 2)"),
            expectation.expectationDescription)
        XCTAssertNotEqual(XCTWaiter().wait(for: [expectation], timeout: 0.001), .completed)
    }

    func testATableThatDoesNotAddUpFails() throws {
        let table = BatchUpdateTable<Dog, String> { $0.name }
        table.apply(.initial(realm.objects(Dog.self)))
        table.apply(.update(realm.objects(Dog.self), deletions: [4], insertions: [], modifications: []))
        let failures = failures {
            table.assertNoProblems()
            table.expectNoProblems()
        }
        XCTAssertEqual(failures.count, 2)
        for failure in failures {
            XCTAssertTrue(
                failure.text.contains(
                    "change 2: attempt to delete row 4 from section 0 which only contains 0 rows before the update"
                ), failure.text)
        }
    }
    #endif
}
