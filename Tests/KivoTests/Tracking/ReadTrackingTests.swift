import Foundation
import Kivo
import KivoEngine
import Observation
import TestRandomness
import XCTest

class TrackedDog: Object, Observable {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var friend: TrackedDog?
    @Persisted var friends: List<TrackedDog>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var weight = 0.5
    @Ignored var isSelected = false

    var title: String { "\(name) \(age ?? 0)" }
}

class TrackedPuppy: TrackedDog {
    @Persisted var breed = ""
}

class UntrackedDog: Object {
    @Persisted var name = ""
}

class TrackedKeeper: Object, Observable {
    @Persisted var dogs: List<TrackedDog>
    @Persisted(originProperty: "keeper") var leashes: LinkingObjects<TrackedLeash>
}

class TrackedLeash: Object, Observable {
    @Persisted var keeper: TrackedKeeper?
}

class TrackedDogCard: Projection<TrackedDog> {
    @Projected(\TrackedDog.name) var title
}

class LateDog: Object {
    @Persisted var name = ""
}

extension LateDog: Observable {}

/// Models that say that they are `Observable`, read inside of `withObservationTracking`.
final class ReadTrackingTests: RealmTestCase {
    private func dog(_ realm: Realm, _ id: Int = 0) throws -> TrackedDog {
        let dog = TrackedDog(value: ["id": id, "name": "dog \(id)"])
        try realm.write { realm.add(dog) }
        return dog
    }

    // MARK: Unmanaged

    func testAnUnmanagedObjectKeepsItsValues() {
        let dog = TrackedDog(value: ["id": 3, "name": "Rex", "age": 4, "tags": ["a"], "scores": ["x": 1]])
        dog.weight = 2.5
        dog.friend = TrackedDog(value: ["name": "Lassie"])
        dog.friends.append(dog.friend!)
        XCTAssertEqual(dog.id, 3)
        XCTAssertEqual(dog.name, "Rex")
        XCTAssertEqual(dog.age, 4)
        XCTAssertEqual(dog.weight, 2.5)
        XCTAssertEqual(dog.friend?.name, "Lassie")
        XCTAssertEqual(dog.friends.map(\.name), ["Lassie"])
        XCTAssertEqual(Array(dog.tags), ["a"])
        XCTAssertEqual(dog.scores["x"], 1)
        XCTAssertFalse(dog.isInvalidated)
        XCTAssertNil(dog.realm)
        XCTAssertTrue(dog.description.contains("Rex"))
        let list = dog.friends
        dog.friends = List()
        XCTAssertTrue(dog.friends === list)
        XCTAssertEqual(list.count, 0)
        let given = List<TrackedDog>()
        given.append(TrackedDog())
        let fresh = TrackedDog()
        fresh.friends = given
        given.append(TrackedDog())
        XCTAssertEqual(fresh.friends.count, 1)
    }

    func testAnUnmanagedObjectTellsWhatWasRead() {
        let dog = TrackedDog(value: ["name": "Rex"])
        let name = track { _ = dog.name }
        let title = track { _ = dog.title }
        dog.weight = 3
        XCTAssertEqual([name.value, title.value], [0, 0])
        dog.age = 3
        XCTAssertEqual([name.value, title.value], [0, 1])
        dog.name = "Max"
        dog.name = "Moritz"
        XCTAssertEqual([name.value, title.value], [1, 1])
        XCTAssertEqual(dog.name, "Moritz")
    }

    func testTheChangeIsToldBeforeItIsMade() {
        let dog = TrackedDog(value: ["name": "Rex"])
        nonisolated(unsafe) let read = dog
        let names = Shared<[String]>([])
        withObservationTracking {
            _ = dog.name
        } onChange: {
            let name = read.name
            names.update { $0.append(name) }
        }
        dog.name = "Max"
        XCTAssertEqual(names.value, ["Rex"])
    }

    func testCollectionsAndLinksOfAnUnmanagedObject() {
        let dog = TrackedDog()
        _ = dog.friends
        let changes = [
            track { _ = dog.friends.count }, track { for _ in dog.friends {} },
            track { _ = dog.friend?.name },
            track { _ = dog.scores["a"] },
        ]
        dog.friends.append(TrackedDog())
        XCTAssertEqual(changes.map(\.value), [1, 1, 0, 0])
        dog.scores["a"] = 1
        XCTAssertEqual(changes.map(\.value), [1, 1, 0, 1])
        dog.friend = TrackedDog()
        XCTAssertEqual(changes.map(\.value), [1, 1, 1, 1])
        let deep = track { _ = dog.friend?.name }
        dog.friend?.name = "Max"
        XCTAssertEqual(deep.value, 1)
    }

    func testAClassThatSaysSoInAnExtensionAndADerivedOne() {
        let late = LateDog()
        let puppy = TrackedPuppy()
        let counts = [track { _ = late.name }, track { _ = puppy.breed }, track { _ = puppy.name }]
        late.name = "a"
        puppy.breed = "b"
        XCTAssertEqual(counts.map(\.value), [1, 1, 0])
        puppy.name = "c"
        XCTAssertEqual(counts.map(\.value), [1, 1, 1])
    }

    func testAClassThatDoesNotSaySoTellsNothing() throws {
        let dog = UntrackedDog()
        let count = track { _ = dog.name }
        dog.name = "a"
        let realm = try openRealm()
        try realm.write { realm.add(dog) }
        let managed = track { _ = dog.name }
        try realm.write { dog.name = "b" }
        XCTAssertEqual([count.value, managed.value], [0, 0])
        XCTAssertEqual(realm.observerCount, 0)
    }

    func testIgnoredPropertiesAreToldOnTheirOwnInstance() throws {
        let realm = try openRealm()
        let unmanaged = TrackedDog()
        let managed = try dog(realm)
        let counts = [track { _ = unmanaged.isSelected }, track { _ = managed.isSelected }]
        unmanaged.isSelected = true
        managed.isSelected = true
        XCTAssertEqual(counts.map(\.value), [1, 1])
    }

    func testAddingAnObjectTellsThoseWhoReadIt() throws {
        let realm = try openRealm()
        let dog = TrackedDog(value: ["name": "Rex", "age": 5])
        let friends = dog.friends
        let count = track { _ = dog.name }
        try realm.write { realm.add(dog) }
        XCTAssertEqual(count.value, 1)
        XCTAssertTrue(dog.friends === friends)
        XCTAssertEqual(dog.age, 5)
        let managed = track { _ = dog.name }
        try realm.write { dog.name = "Max" }
        XCTAssertEqual(managed.value, 1)
    }

    // MARK: Managed

    func testALocalAssignmentIsToldWhicheverAccessorItGoesThrough() throws {
        let realm = try openRealm()
        let dog = try dog(realm)
        let name = track { _ = dog.name }
        let age = track { _ = dog.age }
        let other = try XCTUnwrap(realm.object(ofType: TrackedDog.self, forPrimaryKey: 0))
        XCTAssertFalse(dog === other)
        try realm.write {
            other.name = "Max"
            XCTAssertEqual([name.value, age.value], [1, 0])
            dog.name = "Moritz"
            dog.age = 4
        }
        XCTAssertEqual([name.value, age.value], [1, 1])
        XCTAssertEqual(dog.name, "Moritz")
        XCTAssertEqual(other.age, 4)
    }

    func testARefreshTellsWhatAnotherThreadChanged() throws {
        let realm = try openRealm()
        let (first, second) = (try dog(realm, 0), try dog(realm, 1))
        let counts = [
            track { _ = first.name }, track { _ = first.age }, track { _ = second.name },
            track { _ = first.friends.count },
        ]
        try writeElsewhere { realm in
            let dogs = realm.objects(TrackedDog.self)
            dogs[0].name = "Max"
            dogs[0].friends.append(dogs[1])
        }
        XCTAssertEqual(counts.map(\.value), [0, 0, 0, 0])
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [1, 0, 0, 1])
    }

    func testWhatIsReadOutlivesTheAccessor() throws {
        let realm = try openRealm()
        _ = try dog(realm)
        let count = track { _ = realm.objects(TrackedDog.self).map(\.name).first }
        let name = track { _ = realm.object(ofType: TrackedDog.self, forPrimaryKey: 0)?.name }
        try writeElsewhere { $0.objects(TrackedDog.self)[0].name = "Max" }
        realm.refresh()
        XCTAssertEqual([count.value, name.value], [1, 1])
    }

    func testCancellingAWriteTellsTheWayBack() throws {
        let realm = try openRealm()
        let dog = try dog(realm)
        realm.beginWrite()
        dog.name = "Max"
        let count = track { _ = dog.name }
        realm.cancelWrite()
        XCTAssertEqual(count.value, 1)
        XCTAssertEqual(dog.name, "dog 0")
    }

    func testCollectionsAndLinksOfAManagedObject() throws {
        let realm = try openRealm()
        let (dog, other) = (try dog(realm, 0), try dog(realm, 1))
        let list = dog.friends
        let read: [() -> Void] = [
            { _ = dog.friends }, { _ = list.count }, { _ = list.first?.name }, { for _ in list {} },
            { _ = dog.tags.count }, { _ = dog.scores["a"] }, { _ = dog.friend },
        ]
        var counts = read.map { track($0) }
        try realm.write { list.append(other) }
        XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 0, 0, 0])
        try realm.write {
            dog.tags.insert("a")
            dog.scores["a"] = 1
            dog.friend = other
        }
        XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 1, 1, 1])
        counts = read.map { track($0) }
        try realm.write { other.name = "Max" }
        XCTAssertEqual(counts.map(\.value), [0, 0, 1, 0, 0, 0, 0])
        try realm.write { realm.delete(other) }
        XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 0, 0, 1])
    }

    func testDeletingAnObjectTellsAllThatWasReadOfIt() throws {
        let realm = try openRealm()
        let dog = try dog(realm)
        let counts = [
            track { _ = dog.name }, track { _ = dog.isInvalidated }, track { _ = dog.friends.count },
        ]
        try writeElsewhere { $0.delete($0.objects(TrackedDog.self)) }
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [1, 1, 1])
        XCTAssertTrue(dog.isInvalidated)
        let gone = track { _ = dog.isInvalidated }
        XCTAssertEqual(gone.value, 0)
        XCTAssertEqual(realm.observerCount, 0)
    }

    func testInvalidatingTheRealmTellsAllThatWasRead() throws {
        let realm = try openRealm()
        let dog = try dog(realm)
        let dogs = realm.objects(TrackedDog.self)
        let counts = [track { _ = dog.name }, track { _ = dogs.count }]
        realm.invalidate()
        XCTAssertEqual(counts.map(\.value), [1, 1])
    }

    func testKeyValueObserversAndTrackingDoNotDisturbEachOther() throws {
        let realm = try openRealm()
        let dog = try dog(realm)
        var names: [String?] = []
        let token = dog.observe(\.name, options: [.old, .new]) { _, change in
            names += [change.oldValue, change.newValue]
        }
        let count = track { _ = dog.name }
        try realm.write { dog.name = "Max" }
        XCTAssertEqual(count.value, 1)
        XCTAssertEqual(names, ["dog 0", "Max"])
        token.invalidate()
        let second = track { _ = dog.name }
        try realm.write { dog.name = "Moritz" }
        XCTAssertEqual(second.value, 1)
        XCTAssertEqual(names.count, 2)
    }

    // MARK: Results

    /// Each read depends on what it returned: a count on the count, an element on which one it is.
    func testResultsTellWhatWasRead() throws {
        let realm = try openRealm()
        let dogs = [try dog(realm, 0), try dog(realm, 1)]
        try realm.write { (dogs[0].age, dogs[1].age) = (1, 2) }
        let all = realm.objects(TrackedDog.self)
        let young = all.where { $0.age < 3 }
        let oldest = all.sorted(byKeyPath: "age", ascending: false)
        let reads: [(String, () -> Void)] = [
            ("count", { _ = all.count }), ("all", { for _ in all {} }), ("[0]", { _ = all[0] }),
            ("[1]", { _ = realm.objects(TrackedDog.self)[1] }), ("isEmpty", { _ = all.isEmpty }),
            ("first", { _ = all.first }),
            ("last", { _ = all.last }), ("young.count", { _ = young.count }),
            ("young.isEmpty", { _ = young.isEmpty }),
            ("young.last", { _ = realm.objects(TrackedDog.self).where { $0.age < 3 }.last }),
            ("oldest", { _ = oldest.first }), ("sum", { _ = all.sum(of: \.age) as Int }),
            ("top.first", { _ = oldest.first(1).first }), ("top", { for _ in oldest.first(1) {} }),
            ("rest.count", { _ = all.dropFirst(1).count }),
            ("[0].name", { _ = realm.objects(TrackedDog.self).first?.name }),
        ]
        func fired(_ change: () throws -> Void) throws -> [String] {
            let counts = reads.map { track($0.1) }
            try change()
            realm.refresh()
            return zip(reads, counts).filter { $1.value > 0 }.map { $0.0.0 }
        }
        XCTAssertEqual(
            try fired { try writeElsewhere { $0.create(TrackedDog.self, value: ["id": 9, "age": 8]) } },
            ["count", "all", "last", "oldest", "sum", "top.first", "top", "rest.count"])
        XCTAssertEqual(try fired { try realm.write { dogs[1].weight = 3 } }, [])
        XCTAssertEqual(try fired { try realm.write { dogs[1].name = "b" } }, [])
        XCTAssertEqual(try fired { try realm.write { dogs[0].name = "a" } }, ["[0].name"])
        XCTAssertEqual(
            try fired { try realm.write { dogs[1].age = 5 } }, ["young.count", "young.last", "sum"])
        XCTAssertEqual(try fired { try realm.write { _ = realm.create(UntrackedDog.self) } }, [])
        XCTAssertEqual(
            try fired { try realm.write { (dogs[0].age, dogs[1].age) = (dogs[1].age, dogs[0].age) } },
            ["young.last"])
        XCTAssertEqual(
            try fired { try realm.write { realm.delete(dogs[1]) } },
            ["count", "all", "[1]", "young.count", "young.isEmpty", "young.last", "sum", "rest.count"])
        XCTAssertEqual(
            try fired { try realm.write { realm.deleteAll() } },
            [
                "count", "all", "[0]", "[1]", "isEmpty", "first", "last", "oldest", "sum", "top.first", "top",
                "rest.count", "[0].name",
            ])
    }

    /// Values that are read by name are recorded like others.
    func testReadsByName() throws {
        let realm = try openRealm()
        let dog = try dog(realm)
        let dogs = realm.objects(TrackedDog.self).where { $0.id >= 0 }
        let reads: [() -> Void] = [
            { _ = dog.value(forKey: "name") }, { _ = dog["name"] }, { _ = "\(dog)" },
            { _ = dogs.value(forKey: "name") as Any? }, { _ = dogs.value(forKeyPath: "@max.age") as Any? },
            { _ = "\(dogs)" },
        ]
        let counts = reads.map { track($0) }
        try realm.write { (dog.name, dog.age) = ("Rex", 3) }
        realm.refresh()
        XCTAssertEqual(counts.map { min($0.value, 1) }, [1, 1, 1, 1, 1, 1])
    }

    /// Also where the sections are known already, so that nothing is evaluated by reading them.
    func testSectionsTellWhatAListenerWouldBeTold() throws {
        let realm = try openRealm()
        _ = try dog(realm, 0)
        let dogs = [try dog(realm, 1), try dog(realm, 2)]
        let byName = realm.objects(TrackedDog.self).sectioned(by: \.name)
        let byAge = realm.objects(TrackedDog.self).sectioned(
            by: { $0.age ?? 0 }, sortDescriptors: [SortDescriptor(keyPath: "id")])
        let (first, young) = (byName[0], byAge[0])
        let read: [() -> Void] = [
            { _ = byName.count }, { _ = first.count }, { for _ in byName {} }, { _ = byAge.allKeys },
            { _ = young.first?.id },
        ]
        for observed in [false, true] {
            let token = observed ? byName.observe { _ in } : nil
            realm.refresh()
            for read in read { read() }
            var counts = read.map { track($0) }
            try writeElsewhere { $0.create(UntrackedDog.self) }
            realm.refresh()
            XCTAssertEqual(counts.map(\.value), [0, 0, 0, 0, 0])
            try writeElsewhere { $0.objects(TrackedDog.self)[1].age = observed ? 5 : 4 }
            realm.refresh()
            XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 1])
            counts = read.map { track($0) }
            try realm.write { dogs[1].name = observed ? "Rex" : "Bob" }
            realm.refresh()
            XCTAssertEqual(counts.map(\.value), [1, 1, 1, 1, 1])
            token?.invalidate()
        }
    }

    func testWhatShowsOthersTellsWhatTheyDo() throws {
        let realm = try openRealm()
        let (keeper, leash, dog) = (TrackedKeeper(), TrackedLeash(), try dog(realm))
        try realm.write {
            realm.add(keeper)
            realm.add(leash)
            keeper.dogs.append(dog)
        }
        let card = TrackedDogCard(projecting: dog)
        let (erased, sorted) = (AnyRealmCollection(keeper.dogs), keeper.dogs.sorted(byKeyPath: "id"))
        let leashes = keeper.leashes.where { $0.keeper != nil }
        let shown = track { _ = card.title }
        let counts = [track { _ = erased.count }, track { _ = sorted.count }, track { _ = leashes.count }]
        try realm.write { dog.age = 3 }
        XCTAssertEqual(shown.value, 0)
        try realm.write { dog.name = "Rex" }
        XCTAssertEqual(shown.value, 1)
        try realm.write {
            keeper.dogs.append(dog)
            leash.keeper = keeper
        }
        realm.refresh()
        XCTAssertEqual(counts.map(\.value), [1, 1, 1])
    }

    // MARK: Costs

    func testReadingOutsideOfTrackingLeavesNothingBehind() throws {
        let realm = try openRealm()
        for id in 0..<10 { _ = try dog(realm, id) }
        var length = 0
        for dog in realm.objects(TrackedDog.self) { length += dog.name.count + dog.friends.count }
        XCTAssertEqual(length, 50)
        XCTAssertEqual(realm.observerCount, 0)
    }

    func testWhatWasToldLeavesNothingBehind() throws {
        let realm = try openRealm()
        let dogs = try (0..<100).map { try dog(realm, $0) }
        let count = track { for dog in dogs { _ = (dog.name, dog.age, dog.friends.count) } }
        XCTAssertEqual(realm.observerCount, 100)
        try realm.write { for dog in dogs { dog.name = "x" } }
        XCTAssertEqual(count.value, 1)
        try realm.write { for dog in dogs { dog.age = 1 } }
        try realm.write { for dog in dogs { dog.friends.append(dog) } }
        XCTAssertEqual(realm.observerCount, 0)
    }

    /// Rows without a waiting tracking are looked for when there are many.
    func testRowsOfTrackingsThatAreOverAreLetGoOf() throws {
        let realm = try openRealm()
        let marker = TrackedDog()
        let dogs = try (0..<TestEffort.size(500, full: 1_000)).map { try dog(realm, $0) }
        for dog in dogs {
            _ = track { _ = (dog.name, marker.name) }
            marker.name += "x"
        }
        XCTAssertLessThan(realm.observerCount, 200)
    }

    func testATrackedRowDoesNotKeepItsRealm() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: name + " kept")
        try onAnotherThread {
            var realm: Realm? = try Realm(configuration: configuration)
            var dog: TrackedDog? = TrackedDog()
            try realm?.write { realm?.add(dog!) }
            withObservationTracking {
                _ = dog?.name
            } onChange: {
            }
            (dog, realm) = (nil, nil)
            XCTAssertTrue(try Realm(configuration: configuration).isEmpty)
        }
    }

    func testFrozenObjectsAreReadAsBefore() throws {
        let realm = try openRealm()
        let dog = try dog(realm)
        let frozen = dog.freeze()
        let dogs = realm.objects(TrackedDog.self).freeze()
        let count = track { _ = (frozen.name, frozen.friends.count, dogs.count) }
        try realm.write { dog.name = "Max" }
        XCTAssertEqual(frozen.name, "dog 0")
        XCTAssertEqual(count.value, 0)
    }
}
