import XCTest

@testable import Kivo

#if DEBUG
/// A deletion skips observed rows that it does not affect: its work depends neither on the number of observed rows, nor on
/// their contents.
final class KeyValueGrowthTests: RealmTestCase {
    /// Returns the work of deleting one dog while observed people each hold some other dogs.
    private func work(observed count: Int, holding dogs: Int, _ path: KeyPath<Person, List<Dog>>) throws
        -> Int
    {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "\(name) \(count) \(dogs)"))
        var (people, tokens): ([Person], [KeyValueObservation]) = ([], [])
        defer { withExtendedLifetime(people) { tokens = [] } }
        let dying = try realm.write {
            let held = (0..<dogs).map { _ in realm.create(Dog.self) }
            for _ in 0..<count {
                let person = realm.create(Person.self)
                person.dogs.append(objectsIn: held)
                people.append(person)
                tokens.append(person.observe(path) { _, _ in XCTFail("nobody is concerned") })
            }
            return realm.create(Dog.self)
        }
        let registry = realm.instance.keyValueRegistry
        let before = registry.work
        try realm.write { realm.delete(dying) }
        return registry.work - before
    }

    func testDeletingLooksAtNobodyWhoIsNotConcerned() throws {
        let few = try work(observed: 10, holding: 10, \.dogs)
        XCTAssertEqual(try work(observed: 40, holding: 10, \.dogs), few)
        XCTAssertEqual(try work(observed: 1, holding: 1000, \.dogs), few)
    }

    /// If many objects refer to the deleted one, only the few observed ones are examined.
    func testDeletingWhatManyReferTo() throws {
        let realm = try openRealm()
        var (people, tokens): ([Person], [KeyValueObservation]) = ([], [])
        defer { withExtendedLifetime(people) { tokens = [] } }
        var told = 0
        let hub = try realm.write {
            let hub = realm.create(Dog.self)
            for number in 0..<400 {
                let person = realm.create(Person.self)
                person.favourite = hub
                person.dogs.append(objectsIn: [hub, hub])
                if number % 100 == 0 {
                    people.append(person)
                    tokens.append(person.observe(\.favourite) { _, _ in told += 1 })
                    tokens.append(
                        person.observe(\.dogs) { _, change in
                            XCTAssertEqual(change.indexes, [0, 1])
                            told += 1
                        })
                }
            }
            return hub
        }
        let before = realm.instance.keyValueRegistry.work
        try realm.write { realm.delete(hub) }
        XCTAssertEqual(told, 8)
        XCTAssertLessThan(realm.instance.keyValueRegistry.work - before, 40)
    }

    func testNumberedEntriesInAnyOrder() {
        var random = RandomSource()
        for _ in 0..<50 {
            var (entries, model): (OrderedEntries<Int>, [Int]) = (OrderedEntries(), [])
            for number in 1...300 {
                if random.chance(55) {
                    entries.append(number * 10, number: number)
                    model.append(number)
                } else if let index = model.indices.randomElement(using: &random) {
                    let index = random.chance(30) ? 0 : index
                    XCTAssertEqual(entries.remove(model[index]), model[index] * 10)
                    XCTAssertNil(entries.remove(model[index]))
                    model.remove(at: index)
                }
                XCTAssertEqual(entries.all, model.map { $0 * 10 })
                XCTAssertEqual(entries.count, model.count)
                if let single = entries.single { XCTAssertEqual([single], model.map { $0 * 10 }) }
                XCTAssertEqual(entries.last { $0 % 20 == 0 }, model.last { $0 % 2 == 0 }.map { $0 * 10 })
            }
        }
    }
}
#endif
