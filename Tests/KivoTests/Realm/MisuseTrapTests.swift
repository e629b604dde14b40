#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse that would corrupt data or lose it if it went on ends in a sentence.
struct MisuseTrapTests {
    // MARK: Objects of a subclass, where one of the base class belongs

    @Test func aSubclassInALink() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withOrchestra { $0.leader = Violin() }
        }
        try check(result, says: ["'Violin'", "'Instrument'"])
        let ofManaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withOrchestra { orchestra in
                let violin = Violin()
                orchestra.realm?.add(violin)
                orchestra.leader = violin
            }
        }
        try check(ofManaged, says: ["'Violin'", "'Instrument'"])
    }

    @Test func aSubclassInALinkOfAnObjectThatIsAdded() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withOrchestra { orchestra in
                let other = Orchestra()
                other.leader = Violin()
                orchestra.realm?.add(other)
            }
        }
        try check(result, says: ["'Violin'", "'Instrument'"])
    }

    @Test func aSubclassInAList() async throws {
        let ofAppending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withOrchestra { $0.instruments.append(Violin()) }
        }
        try check(ofAppending, says: ["'Violin'", "'Instrument'"])
        let ofReplacing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withOrchestra { orchestra in
                orchestra.instruments.append(Instrument())
                orchestra.instruments[0] = Violin()
            }
        }
        try check(ofReplacing, says: ["'Violin'", "'Instrument'"])
    }

    @Test func aSubclassInASet() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withOrchestra { $0.stored.insert(Violin()) }
        }
        try check(result, says: ["'Violin'", "'Instrument'"])
    }

    @Test func aSubclassInAMap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withOrchestra { $0.lent["Ann"] = Violin() }
        }
        try check(result, says: ["'Violin'", "'Instrument'"])
    }

    // MARK: Writing before a change that is under way

    @Test func writingBeforeARefresh() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withWritingObserver { $0.refresh() }
        }
        try check(result, says: ["write"])
    }

    @Test func writingBeforeAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Misuse.withWritingObserver { $0.beginWrite() }
        }
        try check(result, says: ["write"])
    }

    @Test func cancellingBeforeAChange() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, dog) = (try Misuse.realm(), Dog())
            try realm.write { realm.add(dog) }
            let token = dog.observe(\.age, options: [.prior]) { _, change in
                if change.isPrior { realm.cancelWrite() }
            }
            realm.beginWrite()
            dog.age = 1
            token.invalidate()
        }
        try check(result, says: ["write"])
    }

    // MARK: Invalidated collections

    @Test func appendingToAListOfAnInvalidatedRealm() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, bag) = (try Misuse.realm(), Bag(value: ["numbers": [1]]))
            try realm.write { realm.add(bag) }
            let numbers = bag.numbers
            realm.invalidate()
            try realm.write { numbers.append(2) }
        }
        try check(result, says: ["'Bag.numbers'", "invalidated"])
    }

    @Test func appendingAnObjectToAListOfAnInvalidatedRealm() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (realm, bag) = (try Misuse.realm(), Bag())
            try realm.write { realm.add(bag) }
            let dogs = bag.dogs
            realm.invalidate()
            try realm.write { dogs.append(Dog()) }
        }
        try check(result, says: ["'Bag.dogs'", "invalidated"])
    }
}

/// The realms from which the tests above start, each in a process of its own.
private enum Misuse {
    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "misuse"))
    }

    static func withOrchestra(_ body: (Orchestra) -> Void) throws {
        let (realm, orchestra) = (try realm(), Orchestra())
        try realm.write {
            realm.add(orchestra)
            // A class and one derived from it have objects of their own.
            realm.create(Instrument.self, value: ["name": "drum"])
            realm.add(Violin())
        }
        try realm.write { body(orchestra) }
    }

    /// A realm with an observer that writes before the change, and a change from elsewhere.
    static func withWritingObserver(_ body: (Realm) -> Void) throws {
        let (realm, dog) = (try realm(), Dog())
        try realm.write { realm.add(dog) }
        let token = dog.observe(\.age, options: [.prior]) { dog, change in
            guard change.isPrior, !realm.isInWriteTransaction else { return }
            try? realm.write { dog.name = "too early" }
        }
        let there = realm.configuration
        try onAnotherThread {
            let realm = try Realm(configuration: there)
            try realm.write { realm.objects(Dog.self)[0].age = 7 }
        }
        body(realm)
        token.invalidate()
    }
}

class Instrument: Object {
    @Persisted var name = ""
}

class Violin: Instrument {
    @Persisted var strings = 4
}

class Orchestra: Object {
    @Persisted var leader: Instrument?
    @Persisted var instruments: List<Instrument>
    @Persisted var stored: MutableSet<Instrument>
    @Persisted var lent: Map<String, Instrument?>
}
#endif
