#if compiler(>=6.3)
import Foundation
import Kivo
import Testing

/// Whatever stores, and whatever reads more than a scalar property, is stopped on a foreign thread or queue, in release
/// builds too.
struct ForeignUseTests {
    @Test(arguments: ForeignUse.allCases)
    func onAnotherThread(_ use: ForeignUse) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [use] in
            let world = Smuggled(try ForeignWorld())
            world.value.begin(use)
            try KivoTests.onAnotherThread { world.value.carryOut(use) }
        }
        try check(result, says: ["thread or queue it does not belong to"])
    }

    /// The thread that a queue's block ran on has no owner afterwards.
    @Test(arguments: [ForeignUse.assignNumber, .assignString, .append, .list, .iterate])
    func behindTheBlockOfAQueue(_ use: ForeignUse) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [use] in
            let queue = DispatchQueue(label: "owner")
            // A block that is waited for runs on the thread that waits.
            let world = Smuggled(
                try queue.sync {
                    let world = try ForeignWorld(queue)
                    world.begin(use)
                    return Smuggled(world)
                }.value)
            world.value.carryOut(use)
        }
        try check(result, says: ["thread or queue it does not belong to"])
    }

    @Test(arguments: ForeignUse.allCases)
    func onItsOwnThreadAndQueue(_ use: ForeignUse) throws {
        let world = try ForeignWorld()
        world.begin(use)
        world.carryOut(use)
        let queue = DispatchQueue(label: "owner")
        try queue.sync {
            let world = try ForeignWorld(queue)
            world.begin(use)
            world.carryOut(use)
        }
        // The write may go on in another block, on another thread.
        let kept = try queue.sync {
            let world = try ForeignWorld(queue)
            world.begin(use)
            return Smuggled(world)
        }
        let done = DispatchSemaphore(value: 0)
        queue.async {
            kept.value.carryOut(use)
            done.signal()
        }
        done.wait()
    }
}

/// One use of a realm or of something that comes from it.
enum ForeignUse: String, CaseIterable, Codable {
    case assignNumber, assignString, assignShortString, assignLink, assignByName
    case append, appendObject, insert, setElement, insertIntoSet, setEntry
    case list, count, element, link, byName, linkingObjects, isInvalidated, describe
    case results, filter, sort, position, resultsElement, iterate, iterateQuery, sum, freeze
    case add, create, delete, lookUp, refresh, observe, observeRealm, autorefresh, announce

    /// Whether it is done inside of a write.
    var isWriting: Bool {
        switch self {
        case .assignNumber, .assignString, .assignShortString, .assignLink, .assignByName, .append,
            .appendObject, .insert, .setElement, .insertIntoSet, .setEntry, .add, .create, .delete:
            true
        default: false
        }
    }
}

/// A realm with something of everything in it, and a use that has begun.
private final class ForeignWorld {
    let realm: Realm
    let person: Person
    let bag: Bag
    let dogs: Results<Dog>
    let dog: Dog
    var iterator: RLMIterator<Dog>

    init(_ queue: DispatchQueue? = nil) throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
        let realm = try Realm(configuration: configuration, queue: queue)
        let person = Person(value: ["name": "Ann", "dogs": [["name": "Rex", "age": 1]]])
        let bag = Bag(value: ["numbers": [1, 2]])
        try realm.write {
            realm.add(person)
            realm.add(bag)
            for age in 2..<400 { realm.add(Dog(value: ["name": "dog", "age": age])) }
        }
        let dogs = realm.objects(Dog.self)
        var iterator = dogs.makeIterator()
        _ = (bag.numbers.count, iterator.next())
        (self.realm, self.person, self.bag, self.dogs) = (realm, person, bag, dogs)
        (dog, self.iterator) = (person.dogs[0], iterator)
    }

    /// Runs the owner's part before the foreign use.
    func begin(_ use: ForeignUse) {
        guard use.isWriting else { return }
        realm.beginWrite()
        // So that the next assignments are plain stores.
        (person.name, dog.age, bag.name) = ("Bob", 5, "b")
        bag.numbers.append(3)
    }

    func carryOut(_ use: ForeignUse) {
        switch use {
        case .assignNumber: dog.age = 7
        case .assignString: person.name = "a name that is too long to be kept in place"
        case .assignShortString: bag.name = "bag"
        case .assignLink: person.favourite = nil
        case .assignByName: person["name"] = "Eve"
        case .append: bag.numbers.append(4)
        case .appendObject: person.dogs.append(Dog())
        case .insert: bag.numbers.insert(1, at: 0)
        case .setElement: bag.numbers[0] = 2
        case .insertIntoSet: bag.numberSet.insert(3)
        case .setEntry: bag.counts["a"] = 1
        case .list: _ = bag.numberSet.count
        case .count: _ = bag.numbers.count
        case .element: _ = person.dogs[0]
        case .link: _ = person.favourite
        case .byName: _ = person["name"]
        case .linkingObjects: _ = dog.holders.count
        case .isInvalidated: _ = person.isInvalidated
        case .describe: _ = person.description
        case .results: _ = dogs.count
        case .filter: _ = dogs.where { $0.age > 1 }.count
        case .sort: _ = dogs.sorted(byKeyPath: "age").first
        case .position: _ = dogs.index(of: dog)
        case .resultsElement: _ = dogs[3]
        case .iterate: while iterator.next() != nil {}
        case .iterateQuery: for _ in dogs.where({ $0.age > 3 }) {}
        case .sum: _ = dogs.sum(of: \.age) as Int
        case .freeze: _ = person.freeze()
        case .add: realm.add(Dog())
        case .create: realm.create(Dog.self)
        case .delete: realm.delete(person)
        case .lookUp: _ = realm.object(ofType: Chip.self, forPrimaryKey: 1)
        case .refresh: realm.refresh()
        case .observe: _ = dogs.observe { _ in }
        case .observeRealm: _ = realm.observe { _, _ in }
        case .autorefresh: _ = realm.autorefresh
        case .announce: person.willChangeValue(forKey: "name")
        }
    }
}
#endif
