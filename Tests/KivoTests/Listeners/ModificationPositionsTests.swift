import Foundation
import Kivo
import XCTest

/// Modifications are positions in the collection before the change, and `currentModifications` are the same elements after it.
final class ModificationPositionsTests: RealmTestCase {
    private struct Told: Equatable {
        var deletions: [Int] = []
        var insertions: [Int] = []
        var modifications: [Int] = []
        var current: [Int] = []
    }

    private var tokens: [NotificationToken] = []
    private var told: [Told] = []

    override func tearDown() {
        tokens = []
        super.tearDown()
    }

    /// Observes a collection, and checks in each call that both forms name the same elements.
    private func observe<C: RealmCollection>(_ collection: C) where C.Element: Object {
        let seen = Box<[C.Element]>([])
        tokens.append(
            collection.observe(keyPaths: nil, on: nil) { [unowned self] change in
                if case .update(let elements, let deletions, let insertions, let modifications) = change {
                    let current = change.currentModifications
                    told.append(
                        Told(
                            deletions: deletions, insertions: insertions, modifications: modifications,
                            current: current))
                    for (old, new) in zip(modifications, current) {
                        XCTAssertTrue(seen.value[old].isSameObject(as: elements[new]))
                    }
                    XCTAssertTrue(Set(deletions).isDisjoint(with: modifications))
                    XCTAssertTrue(Set(insertions).isDisjoint(with: current))
                    XCTAssertEqual(
                        seen.value.count - deletions.count + insertions.count, elements.count)
                } else {
                    XCTAssertEqual(change.currentModifications, [])
                }
                seen.value = Array(collection)
            })
    }

    private func makeDogs(_ realm: Realm, _ ages: [Int]) throws -> Results<Dog> {
        try realm.write { for age in ages { realm.create(Dog.self, value: ["age": age]) } }
        return realm.objects(Dog.self)
    }

    func testADeletionAheadShiftsOnlyTheNewPosition() throws {
        let realm = try openRealm()
        let dogs = try makeDogs(realm, [0, 1, 2, 3, 4])
        observe(dogs.where { $0.age >= 0 })
        observe(dogs.sorted(by: \.age))
        observe(dogs)
        realm.refresh()
        try realm.write {
            dogs[3].name = "changed"
            realm.delete(dogs[1])
        }
        realm.refresh()
        XCTAssertEqual(
            told, Array(repeating: Told(deletions: [1], modifications: [3], current: [2]), count: 3))
    }

    func testInsertionsAndDeletionsAhead() throws {
        let realm = try openRealm()
        let dogs = try makeDogs(realm, [10, 20, 30, 40, 50]).sorted(by: \.age)
        observe(dogs)
        realm.refresh()
        try realm.write {
            let (kept, last) = (dogs[2], dogs[4])
            realm.delete(dogs[1])
            for age in [0, 1, 2] { realm.create(Dog.self, value: ["age": age]) }
            kept.name = "changed"
            last.name = "changed"
        }
        realm.refresh()
        XCTAssertEqual(
            told, [Told(deletions: [1], insertions: [0, 1, 2], modifications: [2, 4], current: [4, 6])])
    }

    func testAnElementThatMovesIsDeletedAndInserted() throws {
        let realm = try openRealm()
        let dogs = try makeDogs(realm, [10, 20, 30, 40, 50]).sorted(by: \.age)
        observe(dogs)
        realm.refresh()
        try realm.write {
            let (mover, other) = (dogs[0], dogs[2])
            mover.age = 45
            other.name = "changed"
        }
        realm.refresh()
        XCTAssertEqual(told, [Told(deletions: [0], insertions: [3], modifications: [2], current: [1])])
    }

    func testListsWithTheirMovesAndReplacements() throws {
        let realm = try openRealm()
        let person = Person()
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: (0..<6).map { Dog(value: ["age": $0]) })
        }
        observe(person.dogs)
        observe(person.dogs.where { $0.age >= 0 })
        realm.refresh()
        try realm.write {
            person.dogs[4].name = "changed"
            person.dogs.move(from: 5, to: 0)
            person.dogs.remove(at: 3)
        }
        realm.refresh()
        let change = Told(deletions: [2, 5], insertions: [0], modifications: [4], current: [4])
        XCTAssertEqual(told, [change, change])
        told = []
        try realm.write {
            person.dogs.insert(Dog(), at: 0)
            person.dogs[2].name = "changed"
        }
        realm.refresh()
        XCTAssertEqual(
            told, Array(repeating: Told(insertions: [0], modifications: [1], current: [2]), count: 2))
    }

    func testAnEmptiedCollectionHasNoModifications() throws {
        let realm = try openRealm()
        let person = Person()
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: [Dog(), Dog()])
        }
        observe(person.dogs)
        realm.refresh()
        try realm.write {
            person.dogs[1].age = 3
            realm.delete(person)
        }
        realm.refresh()
        XCTAssertEqual(told, [Told(deletions: [0, 1])])
    }

    func testPositionsOfAnUpdateThatAProgramMade() throws {
        let update = { (deletions: [Int], insertions: [Int], modifications: [Int]) in
            RealmCollectionChange.update(
                (), deletions: deletions, insertions: insertions, modifications: modifications)
        }
        XCTAssertEqual(update([], [], [0, 5]).currentModifications, [0, 5])
        XCTAssertEqual(update([0, 1], [0], [2, 3]).currentModifications, [1, 2])
        XCTAssertEqual(update([], [0, 2, 4], [0, 1, 2]).currentModifications, [1, 3, 5])
        XCTAssertEqual(
            update([1], [], [0, 1, 2]).currentModifications, [0, 1], "a deleted element is skipped")
        XCTAssertEqual(RealmCollectionChange.initial(()).currentModifications, [])
    }

    // MARK: Sections

    private func paths<C>(_ change: SectionedResultsChange<C>) -> [[IndexPath]] {
        guard case .update(_, let deletions, let insertions, let modifications, _, _) = change else {
            return []
        }
        return [deletions, insertions, modifications, change.currentModifications]
    }

    func testSectionsThatComeAndGoAhead() throws {
        let realm = try openRealm()
        let dogs = try makeDogs(realm, [10, 20, 21, 30, 31])
        let sections = dogs.sectioned(
            by: { $0.age / 10 }, sortDescriptors: [SortDescriptor(keyPath: "age")])
        var (all, one): ([[[IndexPath]]], [[[IndexPath]]]) = ([], [])
        tokens = [
            sections.observe { [unowned self] in all.append(paths($0)) },
            sections[2].observe { [unowned self] in one.append(paths($0)) },
        ]
        realm.refresh()
        let last = try XCTUnwrap(dogs.first { $0.age == 31 })
        // One section ahead is deleted, and a row ahead of the modified one.
        try realm.write {
            realm.delete(dogs.where { $0.age == 10 || $0.age == 30 })
            last.name = "changed"
        }
        realm.refresh()
        XCTAssertEqual(all.last, [[[2, 0]], [], [[2, 1]], [[1, 0]]])
        XCTAssertEqual(one.last, [[[2, 0]], [], [[2, 1]], [[1, 0]]])
        // Two sections ahead are inserted; the observed one has no other change.
        try realm.write {
            for age in [1, 15] { realm.create(Dog.self, value: ["age": age]) }
            last.name = "changed again"
        }
        realm.refresh()
        XCTAssertEqual(all.last, [[], [[0, 0], [1, 0]], [[1, 0]], [[3, 0]]])
        XCTAssertEqual(one.last, [[], [], [[1, 0]], [[3, 0]]])
        // A row is inserted ahead, too.
        try realm.write {
            realm.create(Dog.self, value: ["age": 30])
            realm.delete(dogs.where { $0.age < 10 })
            last.name = "once more"
        }
        realm.refresh()
        XCTAssertEqual(all.last, [[], [[2, 0]], [[3, 0]], [[2, 1]]])
        XCTAssertEqual(one.last, [[], [[2, 0]], [[3, 0]], [[2, 1]]])
    }
}
