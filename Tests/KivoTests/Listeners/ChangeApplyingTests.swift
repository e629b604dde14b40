import Kivo
import XCTest

/// `change.apply(to:)` keeps an array like the collection.
final class ChangeApplyingTests: RealmTestCase {
    private struct Refusal: Error {}

    private func makePerson(_ ages: [Int]) throws -> (realm: Realm, person: Person) {
        let realm = try openRealm()
        let person = Person()
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: ages.map { Dog(value: ["name": "\($0)", "age": $0]) })
        }
        return (realm, person)
    }

    func testAnArrayFollowsACollection() throws {
        let (realm, person) = try makePerson([1, 2, 3])
        var (names, read): ([String], [String]) = ([], [])
        let token = person.dogs.observe { change in
            change.apply(to: &names) { dog in
                read.append(dog.name)
                return dog.name
            }
        }
        realm.refresh()
        XCTAssertEqual(names, ["1", "2", "3"])
        read = []
        try realm.write {
            person.dogs.remove(at: 0)
            person.dogs.insert(Dog(value: ["name": "new"]), at: 0)
            person.dogs.insert(Dog(value: ["name": "newer"]), at: 2)
            person.dogs[3].name = "three"
        }
        realm.refresh()
        XCTAssertEqual(names, ["new", "2", "newer", "three"])
        XCTAssertEqual(read.sorted(), ["new", "newer", "three"], "other elements are not read")
        try realm.write { realm.delete(person) }
        realm.refresh()
        XCTAssertEqual(names, [])
        token.invalidate()
    }

    func testLargeChanges() throws {
        let realm = try openRealm()
        let bag = Bag()
        try realm.write {
            realm.add(bag)
            bag.numbers.append(objectsIn: 0..<1_000)
        }
        var shown: [Int] = []
        let token = bag.numbers.observe { $0.apply(to: &shown) { $0 } }
        realm.refresh()
        try realm.write {
            for index in (0..<1_000).reversed() where index % 3 != 0 { bag.numbers.remove(at: index) }
            for index in stride(from: 0, to: bag.numbers.count, by: 2) { bag.numbers.insert(-1, at: index) }
            for index in stride(from: 1, to: bag.numbers.count, by: 7) { bag.numbers[index] = index }
        }
        realm.refresh()
        XCTAssertEqual(shown, Array(bag.numbers))
        try realm.write { bag.numbers.removeAll() }
        realm.refresh()
        XCTAssertEqual(shown, [])
        token.invalidate()
    }

    func testAnErrorLeavesTheArrayAsItWas() throws {
        let (realm, person) = try makePerson([1, 2])
        var (ages, refusals) = ([Int](), 0)
        let token = person.dogs.observe { change in
            do {
                try change.apply(to: &ages) { dog in
                    if dog.age < 0 { throw Refusal() }
                    return dog.age
                }
            } catch { refusals += 1 }
        }
        realm.refresh()
        try realm.write {
            person.dogs.remove(at: 0)
            person.dogs[0].age = 20
            person.dogs.append(Dog(value: ["age": -1]))
        }
        realm.refresh()
        XCTAssertEqual(ages, [1, 2])
        XCTAssertEqual(refusals, 1)
        token.invalidate()
    }

    func testSetsBoxesAndProjectedCollections() throws {
        let (realm, person) = try makePerson([1, 2])
        let names = RecordedPersonCard(projecting: person).dogNames
        let boxed = AnyRealmCollection(person.dogs)
        let adults = realm.objects(Dog.self).where { $0.age > 1 }.sorted(by: \.age)
        var (projected, ages, sorted): ([String], [Int], [Int]) = ([], [], [])
        let tokens = [
            names.observe { $0.apply(to: &projected) { $0 } },
            boxed.observe { $0.apply(to: &ages, \.age) },
            adults.observe { $0.apply(to: &sorted, \.age) },
        ]
        realm.refresh()
        try realm.write {
            person.dogs[0].age = 7
            person.dogs[1].name = "two"
            person.dogs.insert(Dog(value: ["name": "new", "age": 5]), at: 0)
        }
        realm.refresh()
        XCTAssertEqual(projected, ["new", "1", "two"])
        XCTAssertEqual(ages, [5, 7, 2])
        XCTAssertEqual(sorted, [2, 5, 7])
        for token in tokens { token.invalidate() }
    }
}

#if compiler(>=6.2)
import Testing

/// An array that does not show the collection ends in a sentence.
struct ChangeApplyingTrapTests {
    @Test func anotherArray() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "another array"))
            var names = ["kept from elsewhere"]
            let token = realm.objects(Dog.self).observe { change in
                if case .update = change { change.apply(to: &names) { $0.name } }
            }
            realm.refresh()
            try realm.write { _ = realm.create(Dog.self) }
            realm.refresh()
            token.invalidate()
        }
        try check(result, says: ["The array has 1 elements", "it would have 2", "the collection has 1"])
    }
}
#endif
