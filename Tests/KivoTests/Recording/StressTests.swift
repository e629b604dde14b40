import Foundation
import Kivo
import KivoTesting
import TestRandomness
import XCTest

/// Random commits for observers of the user's, and what is left of those with which an observer fails.
final class StressTests: XCTestCase {
    private var random = RandomSource()

    /// An observer that keeps names, with or without a mistake.
    private final class Names {
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
