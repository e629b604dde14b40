import TestRandomness
import XCTest

/// The comparison itself: a runner that agrees with everything proves nothing.
final class ComparisonTests: XCTestCase {
    func testTheRecordedDeliveryAgreesAndAnyOtherDoesNot() throws {
        for name in TestEffort.sample(BuiltInFamilies.coalesced, 6) {
            let family = try BuiltInFamilies.load(name)
            var checked = 0
            var tried = 0
            for scenario in TestEffort.cases(family.scenarios, within: 0.04) {
                tried += 1
                if try check(scenario.playable, familySchema: family.schema) { checked += 1 }
            }
            XCTAssertEqual(checked, tried, name)
        }
    }

    func testEverySchemaOfTheBuiltInFamiliesHasModels() throws {
        for name in BuiltInFamilies.names {
            let family = try BuiltInFamilies.load(name)
            for schema in [family.schema] + family.scenarios.compactMap(\.schema) {
                XCTAssertNotNil(ModelSet.fitting(schema, among: ConformanceModels.sets), "\(name): \(schema)")
            }
        }
    }

    func testAPartOfASchemaFitsAndADifferentTypeDoesNot() {
        let sets = ConformanceModels.sets
        XCTAssertNotNil(
            ModelSet.fitting(["Obj": ["id": "int", "n": "int?", "link": "link<Obj>"]], among: sets))
        XCTAssertNil(ModelSet.fitting(["Obj": ["id": "int", "n": "int"]], among: sets))
        XCTAssertNil(ModelSet.fitting(["Owner": ["id": "int"], "Stranger": ["id": "int"]], among: sets))
    }

    func testChangesThatDoNotAddUpAreFound() {
        let before = JSONValue([1, 2, 3])
        func complaint(
            _ deletions: [Int], _ insertions: [Int], _ after: [Int], modifications: [Int] = [],
            now currentModifications: [Int] = []
        ) -> String? {
            let change = CollectionDelivery(
                deletions: deletions, insertions: insertions, modifications: modifications,
                currentModifications: currentModifications)
            return Comparison.addsUp(change, from: before, to: JSONValue(after))
        }
        XCTAssertNil(complaint([0], [2], [9, 3, 4], modifications: [1], now: [0]))
        XCTAssertNotNil(complaint([0], [2], [9, 3, 4], modifications: [0], now: [0]), "deleted and modified")
        XCTAssertNotNil(
            complaint([0], [2], [9, 3, 4], modifications: [1], now: [1]), "another element afterwards")
        XCTAssertNotNil(complaint([0], [2], [9, 3, 4], modifications: [1]), "not named afterwards")
        XCTAssertNotNil(complaint([0], [], [1, 3]), "the wrong element went")
        XCTAssertNotNil(complaint([], [], [1, 2, 3, 4]), "an insertion is missing")
        XCTAssertNotNil(complaint([3], [], [1, 2, 3]), "outside the old contents")
        XCTAssertNotNil(complaint([1, 0], [], [3]), "not ascending")
        XCTAssertNotNil(complaint([0, 0], [], [3]), "repeated")
        XCTAssertNotNil(complaint([], [], [1, 2, 9]), "a modification is missing")
    }

    func testChangesOfMapsThatDoNotAddUpAreFound() {
        let before = JSONValue.object(["a": .int(1), "b": .int(2)])
        func complaint(
            _ deletions: [String], _ insertions: [String], _ modifications: [String], _ after: [String: Int]
        ) -> String? {
            let change = MapDelivery(
                deletions: deletions, insertions: insertions, modifications: modifications)
            return Comparison.addsUp(change, from: before, to: .object(after.mapValues(JSONValue.int)))
        }
        XCTAssertNil(complaint(["a"], ["c"], ["b"], ["b": 9, "c": 3]))
        XCTAssertNil(complaint(["a"], ["a"], [], ["a": 9, "b": 2]), "removed and put again")
        XCTAssertNotNil(complaint(["b"], [], [], ["b": 2]), "the wrong key went")
        XCTAssertNotNil(complaint(["c"], [], [], ["a": 1, "b": 2]), "there was no such key")
        XCTAssertNotNil(complaint([], [], [], ["a": 1, "b": 2, "c": 3]), "an insertion is missing")
        XCTAssertNotNil(complaint([], ["a"], [], ["a": 1, "b": 2]), "it was there before")
        XCTAssertNotNil(complaint([], [], ["c"], ["a": 1, "b": 2]), "nothing to modify")
        XCTAssertNotNil(complaint([], ["c"], ["c"], ["a": 1, "b": 2, "c": 3]), "named twice")
        XCTAssertNotNil(complaint(["b", "a"], [], [], [:]), "not ascending")
        XCTAssertNotNil(complaint(["a", "a"], [], [], ["b": 2]), "repeated")
        XCTAssertNotNil(complaint([], [], [], ["a": 9, "b": 2]), "a modification is missing")
    }

    /// Whether the scenario is one of those that the runner can replay.
    private func check(_ scenario: Scenario, familySchema: ConformanceSchema) throws -> Bool {
        let thing = try XCTUnwrap(scenario.observe)
        guard let kind = ObserverKind(rawValue: thing.kind), thing.obstacle == nil else { return false }
        // The recorded delivery of such a scenario is inconsistent.
        if scenario.has(.notReproducible) { return true }
        let schema = scenario.schema ?? familySchema
        for expected in scenario.acceptable {
            let recorded = delivery(expected, kind: kind, in: scenario)
            let complaint = kind.disagreement(of: recorded, with: expected, in: scenario, schema: schema)
            XCTAssertNil(complaint, scenario.name)
            for wrong in mutations(of: recorded, leavingOutWhatIsFlaggedIn: scenario) {
                let complaint = kind.disagreement(of: wrong, with: expected, in: scenario, schema: schema)
                XCTAssertNotNil(complaint, "\(scenario.name): \(String(describing: wrong))")
            }
        }
        return true
    }

    /// Returns the call of the recording engine, as the public API would report it.
    private func delivery(_ expected: JSONValue, kind: ObserverKind, in scenario: Scenario) -> Delivery? {
        guard expected["delivered"] == .bool(true) else { return nil }
        let change: DeliveredChange =
            switch kind {
            case .list where expected["root_deleted"] == .bool(true),
                .set where expected["root_deleted"] == .bool(true):
                .collection(
                    CollectionDelivery(
                        deletions: Array(0..<(scenario.before?.elements?.count ?? 0)), insertions: [],
                        modifications: [], currentModifications: []))
            case .dict where expected["root_deleted"] == .bool(true):
                .map(
                    MapDelivery(
                        deletions: Comparison.sorted(scenario.before?.members?.keys.map { $0 } ?? []),
                        insertions: [], modifications: []))
            case .dict:
                .map(
                    MapDelivery(
                        deletions: expected["deletions"]?.strings ?? [],
                        insertions: expected["insertions"]?.strings ?? [],
                        modifications: expected["modifications"]?.strings ?? []))
            case .list, .set, .results, .backlinks:
                .collection(
                    CollectionDelivery(
                        deletions: expected["deletions"]?.ints ?? [],
                        insertions: expected["insertions"]?.ints ?? [],
                        modifications: expected["modifications_old"]?.ints ?? [],
                        currentModifications: expected["modifications"]?.ints ?? []))
            case .sectioned: .sections(SectionsDelivery(expected, in: scenario))
            case .object where expected["deleted"] == .bool(true):
                .objectDeleted
            case .object:
                .object(changed: expected["changed"]?.strings ?? [])
            }
        return Delivery(
            change: change, before: scenario.before ?? .null, contents: scenario.after ?? .null)
    }

    /// Deliveries that differ from the recorded one in a single respect.
    private func mutations(
        of delivery: Delivery?, leavingOutWhatIsFlaggedIn scenario: Scenario
    ) -> [Delivery?] {
        guard let delivery else {
            let nothing = CollectionDelivery(
                deletions: [], insertions: [], modifications: [], currentModifications: [])
            let nothingOfKeys = MapDelivery(deletions: [], insertions: [], modifications: [])
            return [.collection(nothing), .map(nothingOfKeys), .object(changed: []), .objectDeleted].map {
                Delivery(change: $0, before: .null, contents: .null)
            }
        }
        var mutated: [DeliveredChange] = [.failure("no reason")]
        switch delivery.change {
        case .collection(let change):
            var other = change
            other.deletions = toggled(0, in: change.deletions)
            mutated.append(.collection(other))
            if scenario.has(.staleIndexesOnOwnerDeletion) { break }
            other = change
            other.insertions = toggled(1_000, in: change.insertions)
            mutated.append(.collection(other))
            for part in [\CollectionDelivery.modifications, \.currentModifications] {
                other = change
                other[keyPath: part] = toggled(1_000, in: change[keyPath: part])
                mutated.append(.collection(other))
            }
            let wrong = [
                missingModification(change), needlessModification(change, delivery), positionsSwapped(change),
                everythingReplaced(delivery),
            ]
            mutated += wrong.compactMap { $0 }
                .filter { !scenario.has(.movedElementAlsoReplaced) && $0 != change }
                .map(DeliveredChange.collection)
        case .map(let change):
            for part in [\MapDelivery.deletions, \.insertions, \.modifications] {
                for key in ["", change[keyPath: part].first, change[keyPath: part].last].compactMap({ $0 }) {
                    var other = change
                    other[keyPath: part] = toggled(key, in: other[keyPath: part])
                    mutated.append(.map(other))
                }
                var other = change
                other[keyPath: part].reverse()
                if other != change { mutated.append(.map(other)) }
            }
        case .sections(let change):
            for part in [
                \SectionsDelivery.deletions, \.insertions, \.modifications, \.currentModifications,
            ] {
                var other = change
                other[keyPath: part].append([1_000, 0])
                mutated.append(.sections(other))
                other = change
                if other[keyPath: part].popLast() != nil { mutated.append(.sections(other)) }
            }
            for part in [\SectionsDelivery.sectionDeletions, \.sectionInsertions] {
                var other = change
                other[keyPath: part] = toggled(1_000, in: change[keyPath: part])
                mutated.append(.sections(other))
                other = change
                if other[keyPath: part].popLast() != nil { mutated.append(.sections(other)) }
            }
        case .object(let names):
            mutated += [
                .objectDeleted, .object(changed: names + ["zzz"]), .object(changed: Array(names.dropLast())),
            ]
        case .objectDeleted:
            mutated.append(.object(changed: []))
        case .failure:
            break
        }
        return [nil]
            + mutated.map {
                Delivery(change: $0, before: delivery.before, contents: delivery.contents)
            }
    }

    private func missingModification(_ change: CollectionDelivery) -> CollectionDelivery? {
        guard !change.modifications.isEmpty else { return nil }
        var other = change
        other.modifications.removeFirst()
        other.currentModifications.removeFirst()
        return other
    }

    /// Both forms of the modifications, each in the place of the other.
    private func positionsSwapped(_ change: CollectionDelivery) -> CollectionDelivery {
        var other = change
        swap(&other.modifications, &other.currentModifications)
        return other
    }

    private func needlessModification(
        _ change: CollectionDelivery, _ delivery: Delivery
    ) -> CollectionDelivery? {
        let named = Set(change.insertions).union(change.currentModifications)
        let gone = Set(change.deletions).union(change.modifications)
        guard let index = delivery.contents.elements?.indices.first(where: { !named.contains($0) }),
            let oldIndex = delivery.before.elements?.indices.first(where: { !gone.contains($0) })
        else { return nil }
        var other = change
        other.modifications = toggled(oldIndex, in: change.modifications)
        other.currentModifications = toggled(index, in: change.currentModifications)
        return other
    }

    /// A script that adds up, but is as long as any.
    private func everythingReplaced(_ delivery: Delivery) -> CollectionDelivery? {
        guard let old = delivery.before.elements, let new = delivery.contents.elements else { return nil }
        return CollectionDelivery(
            deletions: Array(old.indices), insertions: Array(new.indices), modifications: [],
            currentModifications: [])
    }

    private func toggled<Place: Comparable>(_ place: Place, in places: [Place]) -> [Place] {
        places.contains(place) ? places.filter { $0 != place } : (places + [place]).sorted()
    }
}

extension SectionsDelivery {
    /// The recorded change. Only the places of modifications before it were recorded.
    fileprivate init(_ expected: JSONValue, in scenario: Scenario) {
        let places = { (name: String) in (expected[name]?.elements ?? []).compactMap(\.ints) }
        let rows = { (contents: JSONValue?) in
            (contents?.elements ?? []).map { $0["ids"]?.elements ?? [] }
        }
        let (before, after) = (rows(scenario.before), rows(scenario.after))
        let modified = Set(places("modifications_old").map { before[$0[0]][$0[1]] })
        var currentModifications: [[Int]] = []
        for (section, rows) in after.enumerated() {
            for (row, element) in rows.enumerated() where modified.contains(element) {
                currentModifications.append([section, row])
            }
        }
        self.init(
            deletions: places("deletions"), insertions: places("insertions"),
            modifications: places("modifications_old"), currentModifications: currentModifications,
            sectionDeletions: expected["sections_deleted"]?.ints ?? [],
            sectionInsertions: expected["sections_inserted"]?.ints ?? [])
    }
}
