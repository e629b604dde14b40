import Foundation
import Kivo
import XCTest

final class DynamicObjectTests: RealmTestCase {
    private func realmWithDogs() throws -> Realm {
        let realm = try openRealm()
        try realm.write {
            let ann = DynamicPerson(value: ["name": "Ann"])
            for number in 0..<5 {
                let dog = DynamicDog(value: ["tag": number, "name": "d\(number)", "age": number * 2])
                dog.owner = number % 2 == 0 ? ann : nil
                dog.chip = DynamicChip(value: [number])
                dog.numbers.append(objectsIn: 0..<number)
                dog.scores["x"] = number
                realm.add(dog)
            }
            let dogs = realm.objects(DynamicDog.self)
            dogs[0].friends.append(objectsIn: [dogs[1], dogs[2], dogs[1]])
            dogs[0].pack.insert(dogs[3])
            dogs[0].byName["four"] = dogs[4]
            dogs[0].byName["none"] = .some(nil)
        }
        return realm
    }

    func testPropertiesAreReadByName() throws {
        let realm = try realmWithDogs()
        let dogs = realm.dynamicObjects("DynamicDog")
        XCTAssertEqual(dogs.count, 5)
        let dog = dogs[0]
        XCTAssertEqual(dog["tag"] as? Int, 0)
        XCTAssertEqual(dog.name as? String, "d0")
        XCTAssertEqual(dog.age as? Int, 0)
        XCTAssertEqual(dog.mood as? String, Mood.barking.rawValue)
        XCTAssertEqual(dog.temperature as? Double, 38)
        XCTAssertEqual(dog.born as? Date, Date(timeIntervalSince1970: 5))
        XCTAssertEqual(dog.id as? UUID, realm.objects(DynamicDog.self)[0].id)
        XCTAssertEqual((dog.owner as? DynamicPerson)?.name, "Ann")
        XCTAssertNil(dogs[1].owner)
        XCTAssertEqual((dog.chip as? DynamicChip)?.number, 0)
        XCTAssertEqual((dogs[3].numbers as? List<Int>).map { Array($0) }, [0, 1, 2])
        XCTAssertEqual((dogs[3].scores as? Map<String, Int>)?["x"], 3)
        XCTAssertEqual(dog.dynamicList("friends").map { $0.name as? String }, ["d1", "d2", "d1"])
        XCTAssertEqual((dog.friends as? List<DynamicObject>)?.count, 3)
        XCTAssertEqual(dog.dynamicMutableSet("pack").first?.name as? String, "d3")
        let map: Map<String, DynamicObject?> = dog.dynamicMap("byName")
        XCTAssertEqual(map["four"]??.name as? String, "d4")
        XCTAssertEqual(map.keys, ["four", "none"])
        let owner = try XCTUnwrap(realm.dynamicObjects("DynamicPerson").first)
        let origins = owner.dogs as? LinkingObjects<DynamicObject>
        XCTAssertEqual(origins?.map { $0.tag as? Int }, [0, 2, 4])
        XCTAssertEqual(dog.value(forKey: "name") as? String, "d0")
        XCTAssertEqual(dog.value(forKeyPath: "owner.name") as? String, "Ann")
        XCTAssertEqual(dogs.value(forKey: "tag") as? [Int], [0, 1, 2, 3, 4])
        XCTAssertTrue(dog.description.hasPrefix("DynamicDog {"), dog.description)
        XCTAssertTrue(dog.description.contains("name = d0;"), dog.description)
        XCTAssertEqual(dog.objectSchema.className, "DynamicDog")
    }

    func testCollectionsOfTypedObjectsAreReadDynamically() throws {
        let realm = try realmWithDogs()
        let dog = realm.objects(DynamicDog.self)[0]
        let friends = dog.dynamicList("friends")
        XCTAssertEqual(friends.map { $0.name as? String }, ["d1", "d2", "d1"])
        try realm.write { friends.append(realm.dynamicObjects("DynamicDog")[4]) }
        XCTAssertEqual(dog.friends.map(\.name), ["d1", "d2", "d1", "d4"])
        XCTAssertTrue(friends[0].isSameObject(as: dog.friends[0]))
        XCTAssertEqual(dog.dynamicMutableSet("pack").count, 1)
    }

    func testCollectionsOfPlainValuesAreCounted() throws {
        let realm = try realmWithDogs()
        let dog = realm.objects(DynamicDog.self)[3]
        XCTAssertEqual(dog.dynamicList("numbers").count, 3)
        let scores: Map<String, DynamicObject?> = dog.dynamicMap("scores")
        XCTAssertEqual(scores.keys, ["x"])
    }

    func testUndefinedKeysAreThoseOfTheClassInTheRealm() throws {
        let realm = try realmWithDogs()
        let dog = realm.dynamicObjects("DynamicDog")[2]
        try realm.write { dog.setValue(9, forUndefinedKey: "age") }
        XCTAssertEqual(dog.value(forUndefinedKey: "age") as? Int, 9)
    }

    func testObjectsThatAreValuesOfAnyType() throws {
        let realm = try realmWithDogs()
        let dog = realm.objects(DynamicDog.self)[3]
        let value = AnyRealmValue.object(dog)
        let dynamic = try XCTUnwrap(value.dynamicObject)
        XCTAssertEqual(dynamic.name as? String, "d3")
        XCTAssertTrue(dynamic.isSameObject(as: dog))
        try realm.write { dynamic.age = 77 }
        XCTAssertEqual(dog.age, 77)
        XCTAssertTrue(AnyRealmValue.object(dynamic).dynamicObject === dynamic)
        XCTAssertNil(AnyRealmValue.object(DynamicDog()).dynamicObject)
        XCTAssertNil(AnyRealmValue.int(1).dynamicObject)
    }

    func testObjectsAreFoundByPrimaryKey() throws {
        let realm = try realmWithDogs()
        XCTAssertEqual(realm.dynamicObject(ofType: "DynamicDog", forPrimaryKey: 3)?.name as? String, "d3")
        XCTAssertNil(realm.dynamicObject(ofType: "DynamicDog", forPrimaryKey: 30))
        let dog = try XCTUnwrap(realm.object(ofType: DynamicDog.self, forPrimaryKey: 3))
        let dynamic = try XCTUnwrap(realm.dynamicObject(ofType: "DynamicDog", forPrimaryKey: 3))
        XCTAssertTrue(dog.isSameObject(as: dynamic))
        XCTAssertEqual(dog as ObjectBase, dynamic as ObjectBase)
        XCTAssertEqual(dog.hashValue, dynamic.hashValue)
    }

    func testPropertiesAreAssignedByName() throws {
        let realm = try realmWithDogs()
        let dog = realm.objects(DynamicDog.self)[0]
        let dynamic = realm.dynamicObjects("DynamicDog")[0]
        try realm.write {
            dynamic.name = "new"
            dynamic["age"] = nil
            dynamic.temperature = MappedCelsius(40)
            dynamic.mood = Mood.calm
            dynamic.owner = realm.create(DynamicPerson.self, value: ["name": "Bob"])
            dynamic.chip = ["number": 99]
            dynamic.numbers = [7, 8]
            dynamic.gaps = ["a", NSNull()]
            dynamic.words = ["w"]
            dynamic.scores = ["y": 1]
            dynamic.friends = [realm.dynamicObjects("DynamicDog")[3], dog, ["tag": 50, "name": "fifty"]]
            dynamic.chips = [["number": 1], ["number": 2]]
            dynamic.byName = ["one": realm.dynamicObjects("DynamicDog")[1]]
            dynamic.setValue([realm.objects(DynamicDog.self)[4]], forKey: "pack")
        }
        XCTAssertEqual(dog.name, "new")
        XCTAssertNil(dog.age)
        XCTAssertEqual(dog.temperature, MappedCelsius(40))
        XCTAssertEqual(dog.mood, .calm)
        XCTAssertEqual(dog.owner?.name, "Bob")
        XCTAssertEqual(dog.chip?.number, 99)
        XCTAssertEqual(Array(dog.numbers), [7, 8])
        XCTAssertEqual(Array(dog.gaps), ["a", nil])
        XCTAssertEqual(Array(dog.words), ["w"])
        XCTAssertEqual(dog.scores["y"], 1)
        XCTAssertNil(dog.scores["x"])
        XCTAssertEqual(dog.friends.map(\.name), ["d3", "new", "fifty"])
        XCTAssertEqual(dog.chips.map(\.number), [1, 2])
        XCTAssertEqual(dog.byName.keys, ["one"])
        XCTAssertEqual(dog.pack.map(\.name), ["d4"])
        try realm.write {
            dynamic.owner = nil
            dynamic.chip = NSNull()
            dynamic.dynamicList("friends").removeLast()
        }
        XCTAssertNil(dog.owner)
        XCTAssertNil(dog.chip)
        XCTAssertEqual(dog.friends.count, 2)
        XCTAssertEqual(realm.dynamicObjects("DynamicDog").count, 6)
    }

    func testObjectsAreCreatedByName() throws {
        let realm = try openRealm()
        try realm.write {
            _ = realm.objects(DynamicDog.self)
            let dog = realm.dynamicCreate(
                "DynamicDog",
                value: [
                    "tag": 1, "owner": ["name": "Ann"], "chip": ["number": 3], "friends": [["tag": 2]],
                    "numbers": [1, 2], "byName": ["a": ["tag": 3, "name": "c"]], "temperature": 10,
                ])
            XCTAssertEqual(dog.name as? String, "nameless")
            realm.dynamicCreate("DynamicDog", value: ["tag": 2, "age": 9], update: .modified)
            realm.dynamicCreate("DynamicPerson", value: ["Zoe", dog])
        }
        let dog = try XCTUnwrap(realm.object(ofType: DynamicDog.self, forPrimaryKey: 1))
        XCTAssertEqual(dog.owner?.name, "Ann")
        XCTAssertEqual(dog.chip?.number, 3)
        XCTAssertEqual(dog.friends[0].age, 9)
        XCTAssertEqual(dog.friends[0].born, Date(timeIntervalSince1970: 5))
        XCTAssertEqual(dog.friends[0].mood, .barking)
        XCTAssertEqual(dog.temperature, MappedCelsius(10))
        XCTAssertEqual(dog.byName["a"]??.name, "c")
        XCTAssertEqual(realm.objects(DynamicPerson.self).where { $0.name == "Zoe" }.first?.favourite, dog)
        XCTAssertThrowsError(
            try realm.write { realm.dynamicCreate("DynamicDog", value: ["tag": 1]) })
        XCTAssertEqual(realm.objects(DynamicDog.self).count, 3)
        try realm.write { realm.dynamicCreate("DynamicDog") }
        XCTAssertEqual(realm.object(ofType: DynamicDog.self, forPrimaryKey: 0)?.mood, .barking)
        XCTAssertThrowsError(try realm.write { realm.dynamicCreate("DynamicDog") })
        try realm.write { realm.delete(realm.dynamicObjects("DynamicDog")) }
        XCTAssertTrue(dog.isInvalidated)
    }

    func testQueriesAndOrder() throws {
        let realm = try realmWithDogs()
        let dogs = realm.dynamicObjects("DynamicDog")
        func names(_ results: Results<DynamicObject>) -> [String] {
            results.compactMap { $0.name as? String }
        }
        XCTAssertEqual(names(dogs.filter("age > 3")), ["d2", "d3", "d4"])
        XCTAssertEqual(names(dogs.filter("owner.name == 'Ann' AND tag < 3")), ["d0", "d2"])
        XCTAssertEqual(names(dogs.filter("ANY friends.name == 'd2'")), ["d0"])
        XCTAssertEqual(names(dogs.filter("chip.number == 4")), ["d4"])
        XCTAssertEqual(names(dogs.filter("scores['x'] == 3")), ["d3"])
        XCTAssertEqual(names(dogs.filter("numbers.@count >= 3")), ["d3", "d4"])
        XCTAssertEqual(
            names(dogs.sorted(byKeyPath: "age", ascending: false)), ["d4", "d3", "d2", "d1", "d0"])
        XCTAssertEqual(names(dogs.sorted(byKeyPath: "owner.name")), ["d0", "d2", "d4", "d1", "d3"])
        XCTAssertEqual(names(dogs.distinct(by: ["owner.name"])), ["d0"], "nobody owns the others")
        XCTAssertEqual(dogs.max(ofProperty: "age") as Int?, 8)
        let people = realm.dynamicObjects("DynamicPerson")
        XCTAssertEqual(people.filter("ANY dogs.tag == 4").count, 1)
        XCTAssertEqual(people.filter("SUBQUERY(dogs, $d, $d.age > 3).@count == 2").count, 1)
        XCTAssertEqual(people.filter("SUBQUERY(dogs, $d, age > 3 AND $d.tag >= 0).@count == 2").count, 1)
        XCTAssertEqual(names(dogs.filter("owner == %@", people[0])), ["d0", "d2", "d4"])
        XCTAssertEqual(
            realm.objects(DynamicDog.self).filter("owner == %@", people[0]).map(\.tag), [0, 2, 4])
        XCTAssertEqual(dogs.index(of: dogs[2]), 2)
        XCTAssertEqual(dogs[0].dynamicList("friends").index(of: dogs[2]), 1)
    }

    func testListenersAndKeyValueObservers() throws {
        let realm = try realmWithDogs()
        let dogs = realm.dynamicObjects("DynamicDog")
        var seen: [String] = []
        let results = dogs.filter("age > 3").observe { seen.append("results " + self.text($0)) }
        let friends = dogs[0].dynamicList("friends").observe { seen.append("friends " + self.text($0)) }
        let named = dogs.observe(keyPaths: ["owner.name"]) { seen.append("owners " + self.text($0)) }
        var properties: [PropertyChange] = []
        let object = dogs[0].observe { (change: ObjectChange<DynamicObject>) in
            if case .change(_, let changes) = change { properties += changes }
        }
        serveRunLoop()
        XCTAssertEqual(Set(seen), ["results initial", "friends initial", "owners initial"])
        seen = []
        try realm.write {}
        serveRunLoop()
        try writeElsewhere { realm in
            let dogs = realm.objects(DynamicDog.self)
            dogs[0].age = 100
            dogs[0].name = "other"
            dogs[0].owner?.name = "Anna"
            dogs[0].friends.remove(at: 0)
        }
        wait { seen.count >= 3 && !properties.isEmpty }
        XCTAssertEqual(
            Set(seen), ["results -[] +[0] ~[0, 2]", "friends -[0] +[] ~[1]", "owners -[] +[] ~[0, 2, 4]"])
        XCTAssertEqual(properties.map(\.name), ["name", "age", "friends"])
        XCTAssertEqual(properties[0].oldValue as? String, "d0")
        XCTAssertEqual(properties[0].newValue as? String, "other")
        for token in [results, friends, named, object] { token.invalidate() }

        let recorder = DynamicRecorder()
        let dog = dogs[1]
        dog.addObserver(recorder, forKeyPath: "name", options: [.old, .new])
        dog.addObserver(recorder, forKeyPath: "owner.name", options: [.old, .new])
        try realm.write {
            dog.name = "x"
            realm.objects(DynamicDog.self)[1].name = "y"
            dog.owner = realm.dynamicObjects("DynamicPerson")[0]
            realm.objects(DynamicPerson.self)[0].name = "z"
        }
        XCTAssertEqual(
            recorder.seen,
            ["name d1 x", "name x y", "owner.name nil Anna", "owner.name Anna z"])
        try writeElsewhere { realm in realm.objects(DynamicDog.self)[1].name = "far" }
        realm.refresh()
        XCTAssertEqual(recorder.seen.last, "name y far")
        dog.removeObserver(recorder, forKeyPath: "name")
        dog.removeObserver(recorder, forKeyPath: "owner.name")
    }

    func testRowsThatAreOnlyUsedByNameAreObserved() throws {
        try writeElsewhere { realm in realm.create(DynamicDog.self, value: ["tag": 1]) }
        let realm = try openRealm()
        try elsewhere { realm in
            _ = realm.dynamicObjects("DynamicDog").count
        }
        let configuration = configuration
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            XCTAssertTrue(realm.dynamicObjects("DynamicDog").isEmpty)
        }
        try realm.write { realm.dynamicCreate("DynamicDog", value: ["tag": 2]) }
        let dog = try XCTUnwrap(realm.dynamicObject(ofType: "DynamicDog", forPrimaryKey: 2))
        let recorder = DynamicRecorder()
        dog.addObserver(recorder, forKeyPath: "friends", options: [])
        dog.addObserver(recorder, forKeyPath: "age", options: [.new])
        try writeElsewhere { realm in
            let dog = realm.object(ofType: DynamicDog.self, forPrimaryKey: 2)!
            dog.age = 4
            dog.friends.append(dog)
        }
        realm.refresh()
        XCTAssertEqual(Set(recorder.seen), ["age nil 4", "friends nil nil"])
        dog.removeObserver(recorder, forKeyPath: "friends")
        dog.removeObserver(recorder, forKeyPath: "age")
    }

    func testFrozenAndThawed() throws {
        let realm = try realmWithDogs()
        let frozen = realm.dynamicObjects("DynamicDog").freeze()
        let dog = realm.dynamicObjects("DynamicDog")[0].freeze()
        let friends = realm.dynamicObjects("DynamicDog")[0].dynamicList("friends").freeze()
        try realm.write { realm.objects(DynamicDog.self)[0].name = "later" }
        XCTAssertEqual(dog.name as? String, "d0")
        XCTAssertEqual(frozen[0].name as? String, "d0")
        XCTAssertEqual((frozen[0].owner as? DynamicPerson)?.name, "Ann")
        XCTAssertEqual(friends.map { $0.tag as? Int }, [1, 2, 1])
        XCTAssertEqual(dog.thaw()?.name as? String, "later")
        XCTAssertEqual(frozen.thaw()?.first?.name as? String, "later")
        let reference = ThreadSafeReference(to: realm.dynamicObjects("DynamicDog")[1])
        let configuration = configuration
        try onAnotherThread {
            let dog = try Realm(configuration: configuration).resolve(reference)
            XCTAssertEqual(dog?.name as? String, "d1")
        }
    }

    func testObserversOnQueues() throws {
        let realm = try realmWithDogs()
        let queue = DispatchQueue(label: "dynamic")
        let seen = Shared<[String]>([])
        let token = realm.dynamicObjects("DynamicDog")[0].observe(on: queue) {
            (change: ObjectChange<DynamicObject>) in
            guard case .change(let dog, let changes) = change else { return }
            let text = "\(dog.name as? String ?? "") \(changes.map(\.name))"
            seen.update { $0.append(text) }
        }
        queue.sync {}
        try realm.write { realm.objects(DynamicDog.self)[0].name = "seen" }
        wait { !seen.value.isEmpty }
        XCTAssertEqual(seen.value, ["seen [\"name\"]"])
        token.invalidate()
    }

    func testStoredNamesDifferFromThoseOfTheClass() throws {
        let realm = try openRealm()
        try realm.write {
            for key in 0..<3 {
                let object = realm.create(
                    DynamicRenamed.self, value: ["key": key, "firstName": "f\(key)", "scores": ["a": key]])
                object.next = realm.object(ofType: DynamicRenamed.self, forPrimaryKey: key - 1)
            }
        }
        let objects = realm.objects(DynamicRenamed.self)
        XCTAssertEqual(objects.where { $0.firstName == "f1" }.first?.key, 1)
        XCTAssertEqual(objects.filter("firstName == 'f2' AND scores['a'] == 2").first?.key, 2)
        XCTAssertEqual(objects.filter("next.firstName == 'f0'").first?.key, 1)
        XCTAssertEqual(objects.sorted(byKeyPath: "firstName", ascending: false).map(\.key), [2, 1, 0])
        XCTAssertEqual(objects[0].previous.map(\.key), [1])
        XCTAssertEqual(objects[1].scores["a"], 1)
        XCTAssertEqual(objects[0].value(forKey: "firstName") as? String, "f0")
        let schema = try XCTUnwrap(realm.schema["DynamicRenamed"])
        XCTAssertEqual(schema["firstName"]?.columnName, "a_first_name")
        XCTAssertEqual(schema["scores"]?.columnName, "all_scores")
        XCTAssertEqual(schema["key"]?.columnName, "key")
        XCTAssertEqual(
            schema.properties.map(\.name), ["key", "firstName", "count", "scores", "next"])
        XCTAssertEqual(schema["previous"]?.type, .linkingObjects)
        let dynamic = realm.dynamicObjects("DynamicRenamed")
        XCTAssertEqual(dynamic[2].firstName as? String, "f2")
        XCTAssertEqual((dynamic[2].next as? DynamicRenamed)?.firstName, "f1")
        XCTAssertEqual((dynamic[0].previous as? LinkingObjects<DynamicObject>)?.first?.key as? Int, 1)
        var changes: [PropertyChange] = []
        let token = objects[0].observe { (change: ObjectChange<DynamicRenamed>) in
            if case .change(_, let properties) = change { changes += properties }
        }
        let filtered = objects.observe(keyPaths: [\.firstName]) { _ in }
        let observation = objects[0].observe(\.firstName, options: [.new]) { _, change in
            XCTAssertEqual(change.newValue, "new")
        }
        serveRunLoop()
        try realm.write { objects[0].firstName = "new" }
        wait { !changes.isEmpty }
        XCTAssertEqual(changes.map(\.name), ["firstName"])
        token.invalidate()
        filtered.invalidate()
        observation.invalidate()
    }
}

private final class DynamicRecorder: KeyValueObserver {
    var seen: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        func text(_ key: NSKeyValueChangeKey) -> String {
            guard let value = change?[key], !(value is NSNull) else { return "nil" }
            return "\(value)"
        }
        seen.append("\(keyPath ?? "") \(text(.oldKey)) \(text(.newKey))")
    }
}
