import Foundation
import KivoTesting
import TestRandomness
import XCTest

@testable import Kivo

/// Random commits for observers of the user's, and what is left of those with which an observer fails.
final class StressTests: XCTestCase {
    private var random = RandomSource()

    /// An observer that keeps names, with or without a mistake.
    fileprivate final class Names {
        enum Mistake {
            case none, ignoresModifications, appendsInsertions, deletesInAscendingOrder, missesInitial
        }

        private(set) var names: [String] = []
        private var token: NotificationToken?

        init<Element: Object>(
            _ results: Results<Element>, _ mistake: Mistake, _ name: @escaping (Element) -> String
        ) {
            token = results.observe { [unowned self] change in
                switch change {
                case .initial(let elements): if mistake != .missesInitial { names = elements.map(name) }
                case .update(let elements, let deletions, let insertions, let modifications):
                    let deletions = mistake == .deletesInAscendingOrder ? deletions : deletions.reversed()
                    for index in deletions where index < names.count { names.remove(at: index) }
                    for index in insertions {
                        let isAtEnd = mistake == .appendsInsertions || index > names.count
                        names.insert(name(elements[index]), at: isAtEnd ? names.count : index)
                    }
                    if mistake == .ignoresModifications { return }
                    for index in change.currentModifications where index < names.count {
                        names[index] = name(elements[index])
                    }
                    _ = modifications
                case .error: break
                }
            }
        }
    }

    private func stressDogs(_ mistake: Names.Mistake, seed: UInt64, commits: Int = 150) throws {
        try stress([Dog.self, Person.self], seed: seed, commits: commits) { realm in
            let dogs = realm.objects(Dog.self).sorted(byKeyPath: "name")
            let names = Names(dogs, mistake) { "\($0.name) \($0.age)" }
            return StressedObserver {
                names.names
            } truth: {
                dogs.map { "\($0.name) \($0.age)" }
            }
        }
    }

    func testObserversWithoutMistakesPass() throws {
        for _ in 0..<TestEffort.count(3, full: 15) { try stressDogs(.none, seed: random.next()) }
    }

    /// Models with every kind of property, in several collections at once.
    func testLargeModels() throws {
        for _ in 0..<TestEffort.count(2, full: 10) {
            let seed = random.next()
            try stress(
                [
                    Depot.self, DepotTrack.self, Address.self, Room.self, Grove.self, GroveTree.self,
                    House.self, City.self, Bag.self, Dog.self,
                    Person.self, Chip.self,
                ],
                seed: seed
            ) { realm in
                let depots = realm.objects(Depot.self)
                let large = depots.where { $0.size > 2 }.sorted(byKeyPath: "name")
                let trees = realm.objects(GroveTree.self).sorted(byKeyPath: "parent.name")
                let houses = realm.objects(House.self).sorted(byKeyPath: "address.street")
                let pictures = Names(depots, .none, \.picture)
                let largePictures = Names(large, .none, \.picture)
                let parents = Names(trees, .none) { "\($0.name) \(Array($0.numbers)) \($0.scores.count)" }
                let streets = Names(houses, .none) { "\($0.name) \($0.address?.street ?? "-")" }
                return StressedObserver {
                    [pictures.names, largePictures.names, parents.names, streets.names]
                } truth: {
                    [
                        depots.map(\.picture), large.map(\.picture),
                        trees.map { "\($0.name) \(Array($0.numbers)) \($0.scores.count)" },
                        houses.map { "\($0.name) \($0.address?.street ?? "-")" },
                    ]
                }
            }
        }
    }

    /// Each mistake is found, with few commits left, which fail again; the same seed gives the same commits.
    func testMistakesAreFoundAndShrunk() throws {
        for mistake in [
            Names.Mistake.ignoresModifications, .appendsInsertions, .deletesInAscendingOrder, .missesInitial,
        ] {
            var seed = random.next()
            // Half of the seeds begin with objects.
            while mistake == .missesInitial, (try? stressDogs(mistake, seed: seed, commits: 60)) != nil {
                seed = random.next()
            }
            var failures: [StressFailure] = []
            for _ in 0..<2 {
                XCTAssertThrowsError(try stressDogs(mistake, seed: seed, commits: 60), "\(mistake) \(seed)") {
                    if let failure = $0 as? StressFailure { failures.append(failure) }
                }
            }
            guard failures.count == 2 else { return XCTFail("\(mistake) \(seed)") }
            XCTAssertEqual(failures[0].description, failures[1].description)
            XCTAssertEqual(failures[0].seed, seed)
            let changed = failures[0].changes.reduce(0) { $0 + $1.count }
            XCTAssertLessThanOrEqual(failures[0].changes.count, 3, failures[0].description)
            XCTAssertLessThanOrEqual(changed, 5, failures[0].description)
            XCTAssert(failures[0].description.contains("truth: ["), failures[0].description)
        }
    }

    func testShrinkingKeepsWhatATestNeeds() throws {
        // Fails if the class of dogs has three of age 5, of which the base has some.
        var failing: Capsule?
        for _ in 0..<50 where failing == nil {
            do {
                try stress([Dog.self, Person.self, Chip.self], seed: random.next(), commits: 60, attempts: 0)
                { realm in
                    let dogs = realm.objects(Dog.self).where { $0.age == 5 }
                    return StressedObserver {
                        dogs.count < 3
                    } truth: {
                        true
                    }
                }
            } catch let failure as StressFailure { failing = failure.capsule }
        }
        let capsule = try XCTUnwrap(failing)
        var attempts = 0
        let fails = { (capsule: Capsule) -> Bool in
            var hasThree = false
            try replay(capsule, of: [Dog.self, Person.self, Chip.self]) { realm in
                realm.objects(Dog.self).where { $0.age == 5 }
            } afterEachTurn: { _, dogs in
                if dogs.count >= 3 { hasThree = true }
            }
            return hasThree
        }
        let small = try shrink(capsule, of: [Dog.self, Person.self, Chip.self]) {
            attempts += 1; return try fails($0)
        }
        XCTAssert(try fails(small))
        XCTAssertLessThan(attempts, 1000)
        try replay(small, of: [Dog.self, Person.self, Chip.self]) { realm in
            XCTAssertLessThanOrEqual(realm.objects(Dog.self).count, 3)
            XCTAssertEqual(realm.objects(Chip.self).count, 0)
        }
        XCTAssertEqual(
            try small.changes(of: [Dog.self, Person.self, Chip.self]).flatMap(\.all).filter {
                $0.className == "Chip"
            }, [])
        // What does not fail stays as it is.
        let whole = try shrink(capsule, of: [Dog.self, Person.self, Chip.self]) { _ in false }
        XCTAssertEqual(whole.commitCount, capsule.commitCount)
    }

    func testValuesOfTheTest() throws {
        var ages: Set<Int> = []
        try stress([Dog.self, Person.self], seed: random.next(), commits: 40) { name, property in
            name == "Dog" && property.name == "age" ? 42 : nil
        } _: { realm in
            let dogs = realm.objects(Dog.self)
            return StressedObserver {
                ages.formUnion(dogs.map(\.age))
                return 0
            } truth: {
                0
            }
        }
        XCTAssert(ages.isSubset(of: [0, 42]) && ages.contains(42), "\(ages)")
        XCTAssertThrowsError(
            try stress([Room.self]) { _ in
                StressedObserver {
                    0
                } truth: {
                    0
                }
            }
        ) {
            XCTAssert("\($0)".contains("no class"), "\($0)")
        }
    }
}

private class StressNotice: Object {
    @Persisted(primaryKey: true) var rank = Rank.low
    @Persisted var mood: Mood = .asleep
    @Persisted var maybe: Mood?
    @Persisted var moods: List<Mood>
    @Persisted var moodsByName: Map<String, Mood>
    @Persisted var code: StressCode = StressCode(persistedValue: 1)!
    @Persisted var made: Date
    @Persisted var id: UUID
    @Persisted var part: StressPart?
    @Persisted var any: AnyRealmValue
}

private class StressPart: EmbeddedObject {
    @Persisted var mood: Mood = .calm
    @Persisted var number: Int8 = 0
}

/// A value that few numbers stand for.
private struct StressCode: FailableCustomPersistable, Equatable {
    let number: Int
    init?(persistedValue: Int) {
        guard persistedValue == 1 || persistedValue == 2 else { return nil }
        number = persistedValue
    }
    var persistableValue: Int { number }
}

extension StressTests {
    /// Values of enums are their cases, in properties, collections and parts; those of mapped types are the test's.
    func testEnumsAndMappedTypes() throws {
        var seen: (moods: Set<Mood>, ranks: Set<Rank>, codes: Set<Int>, dates: [Date]) = ([], [], [], [])
        for _ in 0..<2 {
            try stress([StressNotice.self, StressPart.self], seed: 77, commits: 60) { name, property in
                property.name == "code" ? 2 : nil
            } _: { realm in
                let notices = realm.objects(StressNotice.self).sorted(byKeyPath: "made")
                let calm = notices.where { $0.mood == .calm }
                let names = Names(calm, .none) { "\($0.rank) \($0.made) \($0.id) \(Array($0.moods))" }
                seen.dates = []
                return StressedObserver {
                    names.names
                } truth: {
                    for notice in notices {
                        seen.moods.formUnion([notice.mood] + notice.moods + notice.moodsByName.values)
                        seen.moods.formUnion([notice.maybe, notice.part?.mood].compactMap { $0 })
                        seen.ranks.insert(notice.rank)
                        seen.codes.insert(notice.code.number)
                        seen.dates.append(notice.made)
                    }
                    return notices.filter { $0.mood == .calm }
                        .map { "\($0.rank) \($0.made) \($0.id) \(Array($0.moods))" }
                }
            }
        }
        XCTAssertEqual(seen.moods, Set(Mood.allCases))
        XCTAssertEqual(seen.ranks, Set(Rank.allCases))
        XCTAssert(seen.codes.isSubset(of: [1, 2]))
        XCTAssert(
            seen.dates.allSatisfy { abs($0.timeIntervalSinceReferenceDate) < 100_000 },
            "they are from the seed")
    }

    /// An observer whose mistake needs several edits of one list.
    func testEditsOfListsAreComposed() throws {
        for seed in 1...(TestEffort.count(3, full: 12)) {
            do {
                try stress([Person.self, Dog.self], seed: UInt64(seed), commits: 150) { realm in
                    var counts: [Int] = []
                    let people = realm.objects(Person.self)
                    let token = people.observe { _ in counts.append(people.map(\.dogs.count).max() ?? 0) }
                    return StressedObserver {
                        withExtendedLifetime(token) { counts.last ?? 0 < 4 }
                    } truth: {
                        true
                    }
                }
            } catch let failure as StressFailure {
                XCTAssertLessThan(failure.changes.count, 12, failure.description)
            }
        }
    }

    /// The number of an instance stays, and one that a capsule does not have is refused.
    func testPlaces() throws {
        var found: StressFailure?
        do {
            try stress([Dog.self, Person.self], seed: 3, attempts: 0) { realm in
                let dogs = realm.objects(Dog.self)
                return StressedObserver {
                    dogs.isEmpty
                } truth: {
                    true
                }
            }
        } catch let failure as StressFailure { found = failure }
        let capsule = try XCTUnwrap(found).capsule
        let place = try XCTUnwrap(capsule.places.first)
        let types = [Dog.self, Person.self]
        let small = try shrink(capsule, at: place, of: types) { capsule in
            var hasDogs = false
            try replay(capsule, at: place, of: types) {
                $0.objects(Dog.self)
            } afterEachTurn: { _, dogs in
                if !dogs.isEmpty { hasDogs = true }
            }
            return hasDogs
        }
        XCTAssertEqual(small.places.map(\.number), [place.number])
        XCTAssertEqual(small.commitCount + (try XCTUnwrap(found).beginning.isEmpty ? 0 : 1), 1)
        let other = try Capsule(contentsOf: write(small, renumbering: 9))
        XCTAssertThrowsError(try replay(other, at: place, of: types) { _ in }) {
            XCTAssert("\($0)".contains("no instance"), "\($0)")
        }
    }

    private func write(_ capsule: Capsule, renumbering number: Int) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try capsule.write(to: file)
        addTeardownBlock { try FileManager.default.removeItem(at: file) }
        var contents = try CapsuleContents(reading: Array(Data(contentsOf: file)))
        contents.places = [number: "elsewhere"]
        contents.marks = []
        try Data(contents.bytes).write(to: file)
        return file
    }
}
