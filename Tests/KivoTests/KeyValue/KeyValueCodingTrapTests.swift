#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse of key-value coding traps with a message.
struct KeyValueCodingTrapTests {
    // MARK: Keys

    @Test func undefinedKeys() async throws {
        let reading = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Coded().value(forKey: "colour")
        }
        try check(reading, says: ["'Coded'", "'colour'", "undefined"])
        let writing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue(1, forKey: "hidden")
        }
        try check(writing, says: ["'Coded'", "'hidden'", "undefined"])
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let coded = Coded(value: ["partner": Coded()])
            _ = coded.value(forKeyPath: "partner.colour")
        }
        try check(path, says: ["'Coded'", "'colour'", "undefined"])
        let pathWriting = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded(value: ["others": [Coded()]]).setValue(1, forKeyPath: "others.colour")
        }
        try check(pathWriting, says: ["'Coded'", "'colour'", "undefined"])
        let several = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Coded().dictionaryWithValues(forKeys: ["name", "colour"])
        }
        try check(several, says: ["'Coded'", "'colour'", "undefined"])
    }

    @Test func keysOfWhatHasNone() async throws {
        let number = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Coded().value(forKeyPath: "age.size")
        }
        try check(number, says: ["'size'", "Int"])
        let string = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue(3, forKeyPath: "name.length")
        }
        try check(string, says: ["'length'", "undefined"])
        let null = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            NSNull().setValue(3, forKey: "a")
        }
        try check(null, says: ["'a'", "undefined"])
    }

    // MARK: Values

    @Test func nilForAScalar() async throws {
        let property = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue(nil, forKey: "age")
        }
        try check(property, says: ["Nil", "'age'", "'Coded'", "setNilValueForKey"])
        let null = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue(NSNull(), forKeyPath: "self.name")
        }
        try check(null, says: ["Nil", "'name'", "'Coded'", "setNilValueForKey"])
        let ignored = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValuesForKeys(["isSelected": NSNull()])
        }
        try check(ignored, says: ["Nil", "'isSelected'", "'Coded'", "setNilValueForKey"])
        let computed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue(nil, forKey: "twice")
        }
        try check(computed, says: ["Nil", "'twice'", "'Coded'", "setNilValueForKey"])
    }

    @Test func valuesThatDoNotFit() async throws {
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue("many", forKey: "age")
        }
        try check(text, says: ["'many'", "'Coded.age'", "Int"])
        let fraction = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue(1.5, forKey: "age")
        }
        try check(fraction, says: ["'1.5'", "'Coded.age'", "Int"])
        let large = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AllTypes().setValue(128, forKey: "int8")
        }
        try check(large, says: ["'128'", "'AllTypes.int8'", "Int8"])
        let noCase = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AllTypes().setValue("grumpy", forKey: "mood")
        }
        try check(noCase, says: ["'grumpy'", "'AllTypes.mood'"])
        let ignored = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue([1], forKey: "tags")
        }
        try check(ignored, says: ["'Array<Int>' with 1 element", "'Coded.tags'"])
        let computed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue("many", forKey: "twice")
        }
        try check(computed, says: ["'many'", "'Coded.twice'"])
        let elements = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Bag().setValue(["x"], forKey: "numbers")
        }
        try check(elements, says: ["'Bag.numbers'", "List<Int>"])
        let entry = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Bag().setValue("x", forKeyPath: "counts.a")
        }
        try check(entry, says: ["'x'", "Int"])
        let backlinks = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Dog().setValue([Person()], forKey: "holders")
        }
        try check(backlinks, says: ["'Dog.holders'"])
    }

    @Test func aComputedPropertyWithoutASetter() async throws {
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Coded().setValue("x", forKey: "title")
        }
        try check(value, says: ["'title'", "'Coded'", "read-only"])
        let proxy = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "fixed").add(4)
        }
        try check(proxy, says: ["'fixed'", "'Shelf'", "read-only"])
    }

    @Test func outsideOfATransaction() async throws {
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "coding"))
            let coded = Coded()
            try realm.write { realm.add(coded) }
            coded.setValue("x", forKey: "name")
        }
        try check(value, says: ["'Coded.name'", "write"])
        let proxy = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "coding"))
            let shelf = Shelf()
            try realm.write { realm.add(shelf) }
            shelf.mutableArrayValue(forKey: "list").add(1)
        }
        try check(proxy, says: ["'Shelf.list'", "write"])
    }

    // MARK: Operators

    @Test func operators() async throws {
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bag().value(forKeyPath: "numbers.@median.self")
        }
        try check(unknown, says: ["'@median'", "'@median.self'"])
        let noCollection = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Coded().value(forKeyPath: "name.@count")
        }
        try check(noCollection, says: ["'@count'", "no collection"])
        let noNumbers = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bag(value: ["words": ["a"]]).value(forKeyPath: "words.@sum.self")
        }
        try check(noNumbers, says: ["'a'", "sum"])
        let noOrder = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bag(value: ["dogs": [["name": "Rex"]]]).value(forKeyPath: "dogs.@max.self")
        }
        try check(noOrder, says: ["'@max'", "compare"])
        let notNested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Bag(value: ["words": ["a"]]).value(forKeyPath: "words.@unionOfArrays.self")
        }
        try check(notNested, says: ["'@unionOfArrays'", "collection of collections"])
    }

    // MARK: Proxies

    @Test func indexesOutOfRange() async throws {
        let reading = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Shelf(value: ["list": [1]]).mutableArrayValue(forKey: "list")[1]
        }
        try check(reading, says: ["Index 1", "range", "1 elements"])
        let inserting = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "array").insert(1, at: 1)
        }
        try check(inserting, says: ["Index 1", "'array'", "range"])
        let several = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "list").insert([1, 2], at: IndexSet([0, 2]))
        }
        try check(several, says: ["Index 2", "'list'", "range"])
        let removing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf(value: ["list": [1]]).mutableArrayValue(forKey: "list").removeObjects(at: IndexSet([0, 5]))
        }
        try check(removing, says: ["Index 5", "'list'", "range"])
        let exchanging = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf(value: ["list": [1]]).mutableArrayValue(forKey: "list").exchangeObject(
                at: 0, withObjectAt: -1)
        }
        try check(exchanging, says: ["Index -1", "'list'", "range"])
        let replacing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "numbers").replaceObject(at: 0, with: 1)
        }
        try check(replacing, says: ["Index 0", "'numbers'", "range"])
    }

    @Test func objectsAndPositionsThatDoNotMatch() async throws {
        let inserting = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "list").insert([1, 2], at: IndexSet([0]))
        }
        try check(inserting, says: ["2 objects", "1 positions"])
        let replacing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf(value: ["list": [1]]).mutableArrayValue(forKey: "list").replaceObjects(
                at: IndexSet([0]), with: [])
        }
        try check(replacing, says: ["0 objects", "1 positions"])
    }

    @Test func elementsThatDoNotFit() async throws {
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "list").add("x")
        }
        try check(list, says: ["'x'", "Int"])
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableSetValue(forKey: "set").add("x")
        }
        try check(set, says: ["x", "Int"])
        let ignored = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "array").add("x")
        }
        try check(ignored, says: ["x", "'Shelf.array'"])
    }

    @Test func keysThatHoldSomethingElse() async throws {
        let array = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "name").add("x")
        }
        try check(array, says: ["'name'", "no array"])
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableSetValue(forKey: "name").add("x")
        }
        try check(set, says: ["'name'", "no set"])
        let undefined = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKey: "colour").add("x")
        }
        try check(undefined, says: ["'Shelf'", "'colour'", "undefined"])
        let broken = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf().mutableArrayValue(forKeyPath: "next.list").add(1)
        }
        try check(broken, says: ["'next.list'", "nothing"])
    }

    @Test func proxiesOfTheOtherKind() async throws {
        let unordered = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf(value: ["set": [1]]).mutableArrayValue(forKey: "set").add(2)
        }
        try check(unordered, says: ["'set'", "no array"])
        let ordered = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Shelf(value: ["list": [1]]).mutableSetValue(forKey: "list").add(2)
        }
        try check(ordered, says: ["'list'", "no set"])
    }

    @Test func aPromisedInsertion() async throws {
        let observed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (shelf, recorder) = (Shelf(), ValueRecorder())
            shelf.addObserver(recorder, forKeyPath: "forgetful", options: .new)
            shelf.mutableArrayValue(forKey: "forgetful").add(1)
        }
        try check(observed, says: ["'forgetful'", "index 0", "range"])
        await #expect(processExitsWith: .success) {
            let (shelf, recorder) = (Shelf(), ValueRecorder())
            shelf.mutableArrayValue(forKey: "forgetful").add(1)
            shelf.addObserver(recorder, forKeyPath: "forgetful", options: .old)
            shelf.mutableArrayValue(forKey: "forgetful").add(1)
            precondition(recorder.calls.count == 1)
        }
    }

    @Test func immutableDictionaries() async throws {
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            NSDictionary(object: 1, forKey: "a" as NSString).setValue(2, forKey: "a")
        }
        try check(value, says: ["'a'", "cannot be set"])
        let proxy = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            NSDictionary(object: [1], forKey: "a" as NSString).mutableArrayValue(forKey: "a").add(2)
        }
        try check(proxy, says: ["'a'", "cannot be set"])
    }
}
#endif
