import Kivo
import KivoSwiftUI
import XCTest

private typealias SortDescriptor = Kivo.SortDescriptor

/// The contents of `@ObservedResults` and `@ObservedSectionedResults`, and the notifications of their views.
@MainActor
final class ResultsStorageTests: ViewTestCase {
    private typealias Declaration = ResultsStorage<Pup>.Declaration

    private func declaration(
        _ filter: QueryCondition? = nil, order: [SortDescriptor] = [], keyPaths: [String]? = nil
    ) -> Declaration {
        Declaration(configuration: configuration, filter: filter, order: order, keyPaths: keyPaths)
    }

    private func add(_ names: String...) throws {
        try realm.write { for name in names { realm.create(Pup.self, value: ["name": name]) } }
    }

    private func isNamed(_ name: String) -> QueryCondition {
        QueryCondition { (query: Query<Pup>) in query.name == name }
    }

    private func older(than age: Int) -> QueryCondition {
        QueryCondition { (query: Query<Pup>) in query.age > age }
    }

    func testResultsAreFrozenAndTheSameForOneVersion() async throws {
        try add("b", "a")
        let storage = ResultsStorage<Pup>(declaration(order: ["name"]))
        XCTAssertTrue(storage.shown.isFrozen)
        XCTAssertEqual(storage.shown, storage.shown)
        XCTAssertEqual(storage.shown.map(\.name), ["a", "b"])
        let before = storage.shown
        try add("c")
        XCTAssertEqual(storage.shown.map(\.name), ["a", "b", "c"], "a write of this thread is seen at once")
        XCTAssertEqual(before.count, 2)
    }

    func testRealmIsOpenedWhenTheResultsAreReadFirst() async throws {
        let count = realm.instanceCount
        let other = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
        let storage = ResultsStorage<Pup>(.init(configuration: other))
        _ = view(of: storage.relay)
        XCTAssertEqual(try open(other).instanceCount, 1)
        XCTAssertEqual(storage.shown.count, 0)
        XCTAssertEqual(realm.instanceCount, count)
        removeViews()
    }

    func testViewIsToldOfChangesAndNotOfItsOwnFirstRead() async throws {
        try add("a")
        let storage = ResultsStorage<Pup>(declaration(order: ["name"]))
        let view = view(of: storage.relay)
        storage.update(declaration(order: ["name"]), environment: .defaultConfiguration)
        _ = storage.shown
        realm.refresh()
        XCTAssertEqual(view.count, 0)
        try add("b")
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        writeElsewhere { $0.objects(Pup.self).first!.age = 5 }
        realm.refresh()
        XCTAssertEqual(view.count, 2)
    }

    func testAChangeBetweenTheBodyAndTheFirstCallIsTold() async throws {
        let storage = ResultsStorage<Pup>(declaration())
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.count, 0)
        writeElsewhere { $0.create(Pup.self) }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        XCTAssertEqual(storage.shown.count, 1)
    }

    func testAPace() async throws {
        try add("a")
        let storage = ResultsStorage<Pup>(Declaration(configuration: configuration, pacing: .manual))
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.count, 1)
        realm.refresh()
        for name in ["b", "c", "d"] {
            try add(name)
            realm.refresh()
        }
        XCTAssertEqual(view.count, 0, "the pace is that of the declaration")
        XCTAssertEqual(storage.shown.count, 4, "whoever reads sees the newest data")
        // Another pace begins another observation.
        storage.update(
            Declaration(configuration: configuration, pacing: .every(.milliseconds(1))),
            environment: .defaultConfiguration)
        XCTAssertEqual(storage.shown.count, 4)
        realm.refresh()
        let before = view.count
        try add("e")
        try await wait { view.count > before }
        XCTAssertEqual(storage.shown.count, 5)
        removeViews()
    }

    func testOnlyKeyPathsCount() async throws {
        try add("a")
        let storage = ResultsStorage<Pup>(declaration(keyPaths: ["age"]))
        let view = view(of: storage.relay)
        _ = storage.shown
        realm.refresh()
        let pup = realm.objects(Pup.self).first!
        try realm.write { pup.name = "b" }
        realm.refresh()
        XCTAssertEqual(view.count, 0)
        try realm.write { pup.age = 1 }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        // Another body may ask for others.
        storage.update(declaration(keyPaths: ["name"]), environment: .defaultConfiguration)
        _ = storage.shown
        realm.refresh()
        try realm.write { pup.age = 2 }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        try realm.write { pup.name = "c" }
        realm.refresh()
        XCTAssertEqual(view.count, 2)
    }

    // MARK: What is asked

    func testAnAssignedFilterTellsAndHoldsUntilTheDeclarationChanges() async throws {
        try add("a", "b")
        let storage = ResultsStorage<Pup>(declaration())
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.count, 2)
        storage.filter = isNamed("a")
        XCTAssertEqual(view.count, 1)
        XCTAssertEqual(storage.shown.map(\.name), ["a"])
        storage.filter = isNamed("a")
        XCTAssertEqual(view.count, 1, "an equal filter is none")
        // The parent's body is evaluated again and says the same.
        storage.update(declaration(), environment: .defaultConfiguration)
        XCTAssertEqual(storage.shown.map(\.name), ["a"])
        // It says something else.
        storage.update(declaration(isNamed("b")), environment: .defaultConfiguration)
        XCTAssertEqual(storage.shown.map(\.name), ["b"])
        XCTAssertEqual(view.count, 1, "the body is about to be evaluated")
        storage.update(declaration(isNamed("b")), environment: .defaultConfiguration)
        storage.filter = nil
        XCTAssertEqual(storage.shown.count, 2)
        XCTAssertEqual(view.count, 2)
    }

    func testAnEqualDeclarationKeepsTheResultsAndTheirObservation() async throws {
        try add("a", "b")
        let storage = ResultsStorage<Pup>(declaration(isNamed("a"), order: ["name"]))
        _ = view(of: storage.relay)
        let before = storage.live
        for _ in 0..<3 {
            storage.update(declaration(isNamed("a"), order: ["name"]), environment: .defaultConfiguration)
            XCTAssertEqual(storage.live, before)
        }
        storage.update(declaration(isNamed("b"), order: ["name"]), environment: .defaultConfiguration)
        XCTAssertNotEqual(storage.live, before)
    }

    func testTheViewsOwnEvaluationKeepsAnAssignedFilterWhateverIsDeclared() async throws {
        try add("a", "b")
        // A regular expression is not compared with others.
        let unknown = QueryCondition("name MATCHES %@", arguments: [".*"])
        XCTAssertFalse(unknown == unknown)
        let same = declaration(unknown)
        let storage = ResultsStorage<Pup>(same)
        storage.filter = isNamed("a")
        storage.update(same, environment: .defaultConfiguration)
        XCTAssertEqual(storage.shown.count, 1)
    }

    func testAnAssignedOrder() async throws {
        try add("a", "b")
        let storage = ResultsStorage<Pup>(declaration(order: ["name"]))
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.map(\.name), ["a", "b"])
        storage.order = [SortDescriptor(keyPath: "name", ascending: false)]
        XCTAssertEqual(storage.shown.map(\.name), ["b", "a"])
        XCTAssertEqual(view.count, 1)
        storage.update(declaration(order: ["name"]), environment: .defaultConfiguration)
        XCTAssertEqual(storage.shown.map(\.name), ["b", "a"])
        storage.update(declaration(order: ["age"]), environment: .defaultConfiguration)
        XCTAssertEqual(storage.order, ["age"])
    }

    func testTheSearchFieldFiltersBesideTheFilterAndTellsAtTheNextTurn() async throws {
        try add("apple", "antenna", "baz")
        let storage = ResultsStorage<Pup>(
            declaration(QueryCondition { (query: Query<Pup>) in query.name.starts(with: "a") }))
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.count, 2)
        storage.search("pp", \Pup.name)
        XCTAssertEqual(view.count, 0, "a body is being evaluated")
        XCTAssertEqual(storage.shown.map(\.name), ["apple"])
        try await wait(until: { view.count == 1 })
        storage.search("pp", \Pup.name)
        storage.search("", \Pup.name)
        XCTAssertEqual(storage.shown.count, 2)
        try await wait(until: { view.count == 2 })
        storage.search("", \Pup.name)
        try await Task.sleep(for: .milliseconds(20))
        XCTAssertEqual(view.count, 2)
    }

    func testPredicateStrings() async throws {
        try add("a", "b")
        let storage = ResultsStorage<Pup>(declaration(PredicateString("name == %@", "b").condition))
        XCTAssertEqual(storage.shown.map(\.name), ["b"])
        storage.filter = ("name == 'a'" as PredicateString).condition
        XCTAssertEqual(storage.shown.map(\.name), ["a"])
        XCTAssertEqual(PredicateString("name == %@", "b").description, "name == %@")
    }

    // MARK: Which realm

    func testTheDeclaredRealmIsTakenThenThatOfTheEnvironmentThenTheDefaultOne() async throws {
        let other = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
        let otherRealm = try open(other)
        try otherRealm.write { otherRealm.create(Pup.self, value: ["name": "other"]) }
        try add("mine")

        let storage = ResultsStorage<Pup>(.init())
        XCTAssertEqual(storage.configuration, .defaultConfiguration)
        storage.update(.init(), environment: configuration)
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.map(\.name), ["mine"])
        storage.update(.init(), environment: other)
        XCTAssertEqual(storage.shown.map(\.name), ["other"])
        storage.update(.init(configuration: configuration), environment: other)
        XCTAssertEqual(storage.shown.map(\.name), ["mine"])
        XCTAssertEqual(view.count, 0)
        realm.refresh()
        try otherRealm.write { otherRealm.create(Pup.self) }
        otherRealm.refresh()
        XCTAssertEqual(view.count, 0, "the other realm is not observed any more")
        try add("more")
        realm.refresh()
        XCTAssertEqual(view.count, 1)
    }

    func testAnInvalidatedRealmIsReadAgain() async throws {
        try add("a")
        let storage = ResultsStorage<Pup>(declaration())
        XCTAssertEqual(storage.shown.count, 1)
        realm.invalidate()
        XCTAssertEqual(storage.shown.count, 1)
    }

    func testNothingIsObservedWithoutAView() async throws {
        let count = realm.observerCount
        let storage = ResultsStorage<Pup>(declaration())
        _ = storage.shown
        XCTAssertEqual(realm.observerCount, count)
        _ = view(of: storage.relay)
        XCTAssertEqual(realm.observerCount, count + 1)
        storage.filter = isNamed("a")
        _ = storage.shown
        XCTAssertEqual(realm.observerCount, count + 1)
        removeViews()
        XCTAssertEqual(realm.observerCount, count)
    }

    func testProjections() async throws {
        try add("b", "a")
        let storage = ResultsStorage<PupTag>(.init(configuration: configuration, order: ["name"]))
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.map(\.label), ["a", "b"])
        realm.refresh()
        try realm.write { realm.objects(Pup.self).first!.age = 7 }
        realm.refresh()
        XCTAssertEqual(view.count, 0, "the projection does not show it")
        try realm.write { realm.objects(Pup.self).first!.name = "c" }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
    }

    // MARK: Sections

    func testSectionsAreFrozenAndMadeOncePerVersion() async throws {
        try realm.write {
            for name in ["abc", "axe", "bow"] { realm.create(Kennel.self, value: ["name": name]) }
        }
        let keys = SectionDivision.property(\Kennel.initial)
        let storage = SectionedStorage(
            ResultsStorage<Kennel>(.init(configuration: configuration, order: keys.order([]))), keys)
        let view = view(of: storage.results.relay)
        let before = storage.shown
        XCTAssertEqual(before.allKeys, ["a", "b"])
        XCTAssertEqual(storage.shown, before)
        realm.refresh()
        try realm.write { realm.create(Kennel.self, value: ["name": "cow"]) }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        XCTAssertEqual(before.allKeys, ["a", "b"], "what was shown stays as it was")
        XCTAssertEqual(storage.shown.allKeys, ["a", "b", "c"])
        XCTAssertTrue(storage.shown[0][0].isFrozen)
        SectionedStorage.remove(atOffsets: [1, 9], of: storage.shown[0])
        XCTAssertEqual(storage.shown.map { $0.map(\.name) }, [["abc"], ["bow"], ["cow"]])
        storage.results.filter = QueryCondition { (query: Query<Kennel>) in query.name == "bow" }
        XCTAssertEqual(storage.shown.allKeys, ["b"])
        storage.results.filter = nil
        storage.results.order = [SortDescriptor(keyPath: "name", ascending: false)]
        XCTAssertEqual(storage.shown.allKeys, ["c", "b", "a"])
    }

    func testSectionsByBlocksAndOfProjections() async throws {
        try add("ab", "c", "de")
        let byLength = SectionDivision<Int, Pup>.block { $0.name.count }
        let first = SectionedStorage(
            ResultsStorage<Pup>(declaration(order: byLength.order(["name"]))), byLength)
        XCTAssertEqual(first.shown.allKeys, [2, 1])
        XCTAssertEqual(first.shown[0].map(\.name), ["ab", "de"])
        let byLabel = SectionDivision.shown(\PupTag.label)
        let second = SectionedStorage(
            ResultsStorage<PupTag>(.init(configuration: configuration, order: byLabel.order([]))), byLabel)
        XCTAssertEqual(second.shown.allKeys, ["ab", "c", "de"])
        let byName = SectionDivision.property(\Pup.name)
        let third = SectionedStorage(
            ResultsStorage<Pup>(
                declaration(order: byName.order([SortDescriptor(keyPath: "name", ascending: false)]))), byName
        )
        XCTAssertEqual(third.shown.allKeys, ["de", "c", "ab"])
    }
}
