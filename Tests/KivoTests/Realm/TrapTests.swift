#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// A bug in the caller traps with a message that says what was wrong.
struct TrapTests {
    // MARK: Writing

    @Test func writingOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = try Trap.managed(Dog())
            dog.age = 1
        }
        try check(result, says: ["modify 'Dog.age'", "outside of a write transaction"])
    }

    @Test func changingAListOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bag = try Trap.managed(Bag())
            bag.numbers.append(1)
        }
        try check(result, says: ["modify 'Bag.numbers'", "outside of a write transaction"])
    }

    @Test func labellingOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Trap.realm().labelWrite("Import")
        }
        try check(result, says: ["'labelWrite' labels an open write transaction"])
    }

    @Test func addingOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Trap.realm().add(Dog())
        }
        try check(result, says: ["add an object of class 'Dog'", "outside of a write transaction"])
    }

    @Test func addingSeveralOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Trap.realm().add([Dog()])
        }
        try check(result, says: ["add objects of class 'Dog'", "outside of a write transaction"])
    }

    @Test func creatingOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Trap.realm().create(Dog.self)
        }
        try check(result, says: ["create an object of class 'Dog'", "outside of a write transaction"])
    }

    @Test func creatingByNameOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Trap.realm().dynamicCreate("Dog")
        }
        try check(result, says: ["create an object of class 'Dog'", "outside of a write transaction"])
    }

    @Test func deletingOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = try Trap.managed(Dog())
            dog.realm?.delete(dog)
        }
        try check(result, says: ["delete an object of class 'Dog'", "outside of a write transaction"])
    }

    @Test func deletingSeveralOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = try Trap.managed(Dog())
            dog.realm?.delete([dog])
        }
        try check(result, says: ["delete an object of class 'Dog'", "outside of a write transaction"])
    }

    @Test func aWriteInsideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Trap.realm()
            try realm.write { try realm.write {} }
        }
        try check(result, says: ["already in a write transaction"])
    }

    @Test func changingAPrimaryKey() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let chip = try Trap.managed(Chip())
            try chip.realm?.write { chip.code = 5 }
        }
        try check(result, says: ["'Chip.code'", "cannot be changed"])
    }

    @Test func writingToAFrozenObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = try Trap.managed(Dog())
            dog.freeze().age = 2
        }
        try check(result, says: ["frozen"])
    }

    // MARK: Using

    #if DEBUG
    @Test func anObjectOnAnotherThread() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggled = Smuggled(try Trap.managed(Dog()))
            try onAnotherThread { print(smuggled.value.age) }
        }
        try check(result, says: ["'Dog'", "thread"])
    }
    #endif

    @Test func resultsOnAnotherThread() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggled = Smuggled(try Trap.realm().objects(Dog.self))
            try onAnotherThread { print(smuggled.value.count) }
        }
        try check(result, says: ["thread"])
    }

    @Test func aDeletedObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = try Trap.managed(Dog())
            let realm = try Trap.realm()
            try realm.write { realm.delete(dog) }
            print(dog.name)
        }
        try check(result, says: ["'Dog'", "has been deleted"])
    }

    @Test func anIndexOutOfRange() async throws {
        let ofResults = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            print(try Trap.realm().objects(Dog.self)[0])
        }
        try check(ofResults, says: ["Index 0", "0 elements"])
        let ofList = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bag = try Trap.managed(Bag(value: ["numbers": [1, 2]]))
            print(bag.numbers[2])
        }
        try check(ofList, says: ["Index 2", "'Bag.numbers'", "2 elements"])
        let ofInsertion = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Bag().numbers.insert(1, at: 1)
        }
        try check(ofInsertion, says: ["Index 1"])
        let ofSet = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            print(try Trap.managed(Bag()).numberSet[0])
        }
        try check(ofSet, says: ["Index 0", "'Bag.numberSet'"])
    }

    @Test func anUnknownProperty() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            print(Dog()["weight"] ?? "nil")
        }
        try check(result, says: ["'Dog'", "'weight'"])
        let ofSorting = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Trap.realm().objects(Dog.self).sorted(byKeyPath: "owner.weight")
        }
        try check(ofSorting, says: ["'weight'", "'owner.weight'", "'Person'"])
    }

    @Test func aValueThatDoesNotFit() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Dog(value: ["age": "three"])
        }
        try check(result, says: ["'three'", "Dog.age", "Int"])
    }

    @Test func lookingUpWithoutAPrimaryKey() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Trap.realm().object(ofType: Dog.self, forPrimaryKey: 1)
        }
        try check(result, says: ["'Dog'", "no primary key"])
    }

    // MARK: Observing

    @Test func anUnknownKeyPath() async throws {
        let ofObject = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = try Trap.managed(Person())
            _ = person.observe(keyPaths: ["dogs.weight"]) { (_: ObjectChange<Person>) in }
        }
        try check(ofObject, says: ["'weight'", "'dogs.weight'", "'Dog'"])
        let ofResults = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Trap.realm().objects(Dog.self).observe(keyPaths: ["weight"]) { _ in }
        }
        try check(ofResults, says: ["'weight'", "'Dog'"])
        let ofValue = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Dog().addObserver(ValueRecorder(), forKeyPath: "weight", options: [.initial, .new])
        }
        try check(ofValue, says: ["'weight'", "'Dog'"])
    }

    @Test func observingWhatDoesNotChange() async throws {
        let unmanagedObject = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Dog().observe { (_: ObjectChange<Dog>) in }
        }
        try check(unmanagedObject, says: ["Only managed objects", "'Dog'"])
        let unmanagedList = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bag().numbers.observe { _ in }
        }
        try check(unmanagedList, says: ["unmanaged list"])
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Trap.realm().objects(Dog.self).freeze().observe { _ in }
        }
        try check(frozen, says: ["frozen"])
        let frozenRealm = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Trap.realm().freeze().observe { _, _ in }
        }
        try check(frozenRealm, says: ["frozen"])
    }

    @Test func observingAfterAChangeInAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Trap.realm()
            realm.beginWrite()
            realm.add(Dog())
            _ = realm.objects(Dog.self).observe { _ in }
        }
        try check(result, says: ["write transaction that has made changes"])
    }

    @Test func addingAnObservedObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (dog, recorder) = (Dog(), ValueRecorder())
            dog.addObserver(recorder, forKeyPath: "age")
            let realm = try Trap.realm()
            try realm.write { realm.add(dog) }
        }
        try check(result, says: ["'Dog'", "observers"])
    }

    @Test func removingAnObserverThatIsNotRegistered() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Dog().removeObserver(ValueRecorder(), forKeyPath: "age")
        }
        try check(result, says: ["'age'", "not registered"])
    }

    @Test func aTokenOfAnotherRealm() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "other"))
            let token = other.objects(Dog.self).observe { _ in }
            try Trap.realm().write(withoutNotifying: [token]) {}
        }
        try check(result, says: ["'withoutNotifying:'", "another realm"])
    }

    // MARK: Models

    @Test func twoPrimaryKeys() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Trap.realm().objects(TwoKeys.self)
        }
        try check(result, says: ["'TwoKeys'", "'first' and 'second'"])
    }

    @Test func anOriginPropertyThatDoesNotExist() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Trap.realm().objects(LostOrigin.self)
        }
        try check(result, says: ["'LostOrigin.dogs'", "'master'", "'Dog'"])
    }

    @Test func anObjectOfAnotherRealm() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dog = try Trap.managed(Dog())
            let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "other"))
            try other.write { other.add(dog) }
        }
        try check(result, says: ["'Dog'", "another realm"])
    }

    @Test func aClassThatTheConfigurationLeavesOut() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let configuration = Realm.Configuration(inMemoryIdentifier: "trap", objectTypes: [Chip.self])
            _ = try Realm(configuration: configuration).objects(Dog.self)
        }
        try check(result, says: ["'Dog'", "'objectTypes'"])
    }

    @Test func aKeyThatMapsDoNotTake() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Bag().counts["a.b"] = 1
        }
        try check(result, says: ["'a.b'"])
    }
}

/// The realms from which the tests above start, each in a process of its own.
private enum Trap {
    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "trap"))
    }

    static func managed<T: Object>(_ object: T) throws -> T {
        let realm = try realm()
        try realm.write { realm.add(object) }
        return object
    }
}

/// Carries a value to a thread where it must not be used: that this traps is what is tested.
final class Smuggled<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

class TwoKeys: Object {
    @Persisted(primaryKey: true) var first = 0
    @Persisted(primaryKey: true) var second = 0
}

class LostOrigin: Object {
    @Persisted(originProperty: "master") var dogs: LinkingObjects<Dog>
}
#endif
