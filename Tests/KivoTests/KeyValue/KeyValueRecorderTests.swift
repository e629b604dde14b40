import Foundation
import Kivo
import KivoTesting
import XCTest

final class KeyValueRecorderTests: FailureCatchingTestCase {
    // MARK: What is recorded

    func testKeyPathsInOrder() throws {
        try onBothKinds({ Dog(value: ["name": "Rex", "age": 1]) }) { dog in
            let recorder = KeyValueRecorder(observing: dog, "name", "age", "owner.name")
            dog.age = 2
            dog.name = "Max"
            dog.owner = Person(value: ["name": "Ann"])
            dog.age = 2
            recorder.assertChanges([
                .setting("age", from: 1, to: 2),
                .setting("name", from: "Rex", to: "Max"),
                .setting("owner.name", from: nil, to: "Ann"),
                .setting("age", from: 2, to: 2),
            ])
            recorder.removeAllChanges()
            recorder.assertChanges([])
            dog.age = 3
            recorder.assertChanges([.setting(to: 3)])
        }
    }

    func testLists() throws {
        try onBothKinds({ Bag() }) { bag in
            let recorder = KeyValueRecorder(observing: bag, "numbers")
            bag.numbers.append(objectsIn: [10, 20, 30])
            bag.numbers.remove(at: 1)
            bag.numbers.replace(index: 0, object: 11)
            recorder.assertChanges([
                .insertion("numbers", at: [0, 1, 2], of: [10, 20, 30]),
                .removal("numbers", at: [1], of: [20]),
                .replacement("numbers", at: [0], of: [10], by: [11]),
            ])
            recorder.assertChanges([.insertion(at: IndexSet(0..<3)), .removal(of: [20]), .replacement()])
            for other in [
                [.insertion(at: [0, 1]), .removal(), .replacement()],
                [.insertion(), .removal(at: [1], of: [21]), .replacement()],
                [.insertion(), .removal(), .replacement(of: [10], by: [12])],
                [.insertion(), .removal(), .setting()],
                [.insertion("words"), .removal(), .replacement()],
                [.insertion(), .prior(.removal()), .replacement()],
            ] as [[KeyValueChange]] {
                XCTAssertNotNil(recorder.difference(from: other), "\(other)")
            }
        }
    }

    func testSetsAndMapsAreWholeValues() throws {
        try onBothKinds({ Bag() }) { bag in
            let recorder = KeyValueRecorder(observing: bag, "numberSet", "counts")
            bag.numberSet.insert(2)
            bag.numberSet.insert(objectsIn: [3, 1])
            bag.counts["a"] = 1
            recorder.assertChanges([
                .setting("numberSet", from: Set<Int>(), to: Set([2])),
                .setting("numberSet", from: [2], to: Set([1, 2, 3])),
                .setting("counts", from: [String: Int](), to: ["a": 1]),
            ])
            XCTAssertNotNil(
                recorder.difference(from: [.setting(), .setting(to: Set([1, 2])), .setting(to: ["a": 2])]))
        }
    }

    func testTypedKeyPaths() throws {
        try onBothKinds({ Bag() }) { bag in
            let recorder = KeyValueRecorder(observing: bag, \.name)
            recorder.observe(bag, \.words, as: "words")
            recorder.observe(bag, \.numberSet, as: "set", options: .new)
            bag.name = "x"
            bag.words.append("y")
            bag.words.append("z")
            bag.numberSet.insert(1)
            bag.numberSet.insert(2)
            recorder.assertChanges([
                .setting(from: "", to: "x"), .insertion("words", at: [0], of: ["y"]),
                .insertion("words", at: [1], of: ["z"]), .setting("set", to: [1]),
                .setting("set", to: [1, 2]),
            ])
        }
    }

    func testTypedNil() {
        let dog = Dog()
        let recorder = KeyValueRecorder(observing: dog, \.owner)
        let person = Person()
        dog.owner = person
        dog.owner = nil
        recorder.assertChanges([.setting(from: nil, to: person), .setting(from: person, to: nil)])
        XCTAssertTrue(recorder.changes[0].oldValue is NSNull)
        XCTAssertTrue(recorder.changes[1].newValue is NSNull)
    }

    func testOptions() {
        let dog = Dog(value: ["age": 1])
        let recorder = KeyValueRecorder(observing: dog, "age", options: [.initial, .prior, .new, .old])
        let bare = KeyValueRecorder(observing: dog, "age", options: [])
        let typed = KeyValueRecorder(observing: dog, \.age, options: [.prior, .old])
        dog.age = 2
        recorder.assertChanges([.setting(to: 1), .prior(.setting(from: 1)), .setting(from: 1, to: 2)])
        XCTAssertNil(recorder.changes[1].newValue)
        bare.assertChanges([.setting("age")])
        XCTAssertNil(bare.changes[0].oldValue)
        XCTAssertNotNil(bare.difference(from: [.setting(to: 2)]), "a value that is not there is not met")
        typed.assertChanges([.prior(.setting(from: 1)), .setting(from: 1)])
    }

    func testRowsAreComparedAsRows() throws {
        let realm = try openRealm()
        let (dog, person) = try realm.write { (realm.create(Dog.self), realm.create(Person.self)) }
        let recorder = KeyValueRecorder(observing: dog, "owner")
        try realm.write { dog.owner = person }
        recorder.assertChanges([.setting(to: realm.objects(Person.self)[0])])
        XCTAssertNotNil(recorder.difference(from: [.setting(to: Person())]))
    }

    func testNumbersAreComparedWhateverTheirTypes() {
        let notes = Notes()
        let recorder = KeyValueRecorder(observing: notes, "small", "ratio", "gaps", "isOn", "mood", "data")
        notes.small = 5
        notes.ratio = 0.1
        notes.gaps = [1, nil]
        notes.isOn = true
        notes.mood = .barking
        notes.data = Data([1, 2])
        recorder.assertChanges([
            .setting("small", from: 0, to: 5), .setting("ratio", to: 0.1), .setting("gaps", to: [1, nil]),
            .setting("isOn", to: true), .setting("mood", from: Mood.calm, to: Mood.barking),
            .setting("data", to: Data([1, 2])),
        ])
        XCTAssertEqual(
            recorder.changes.map(\.description),
            [
                #".setting("small", from: 0, to: 5)"#, #".setting("ratio", from: 0.0, to: 0.1)"#,
                #".setting("gaps", from: [], to: [1, nil])"#, #".setting("isOn", from: false, to: true)"#,
                #".setting("mood", from: "calm", to: "barking")"#,
                #".setting("data", from: Data([]), to: Data([1, 2]))"#,
            ])
        let wrong: [KeyValueChange] = [
            .setting(to: 6), .setting(to: 0.2), .setting(to: [nil, 1]), .setting(to: 1),
            .setting(to: Mood.asleep),
            .setting(to: "x"),
        ]
        for (change, wrong) in zip(recorder.changes, wrong) {
            let single = KeyValueRecorder()
            single.observeValue(
                forKeyPath: nil, of: nil,
                change: [.kindKey: change.kind.rawValue, .newKey: change.newValue!],
                context: nil)
            XCTAssertNotNil(single.difference(from: [wrong]), "\(change)")
        }
    }

    func testNumbersOfEveryWidth() throws {
        try onBothKinds({ NumberBag() }) { bag in
            let recorder = KeyValueRecorder(observing: bag, "tiny", "small", "medium", "large", "half")
            (bag.tiny, bag.small, bag.medium, bag.large, bag.half) = (4, 5, 6, 7, 1.5)
            recorder.assertChanges([
                .setting("tiny", from: 3, to: 4), .setting("small", from: 3, to: 5),
                .setting("medium", from: 3, to: 6), .setting("large", from: 1 << 40, to: 7),
                .setting("half", from: 0.5, to: 1.5),
            ])
            recorder.assertChanges([
                .setting(to: Int8(4)), .setting(to: Int16(5)), .setting(to: Int32(6)), .setting(to: Int64(7)),
                .setting(to: Float(1.5)),
            ])
            XCTAssertNotNil(recorder.difference(from: [.setting(to: 4)]))
        }
    }

    // MARK: Registrations

    func testStopping() throws {
        let dog = Dog()
        let recorder = KeyValueRecorder(observing: dog, "age")
        recorder.observe(dog, \.name)
        dog.age = 1
        recorder.stop()
        recorder.stop()
        dog.age = 2
        dog.name = "Rex"
        recorder.assertChanges([.setting("age", to: 1)])
        let realm = try openRealm()
        try realm.write { realm.add(dog) }
    }

    func testReleasing() throws {
        let dog = Dog()
        var recorder: KeyValueRecorder? = KeyValueRecorder(observing: dog, "age", "name", "age")
        recorder?.observe(dog, \.age)
        dog.age = 1
        XCTAssertEqual(recorder?.changes.count, 3)
        recorder = nil
        let realm = try openRealm()
        try realm.write { realm.add(dog) }
    }

    func testObservedObjectsAreNotKept() {
        let recorder = KeyValueRecorder()
        weak var observed: Dog?
        do {
            let dog = Dog()
            observed = dog
            recorder.observe(dog, "age")
            recorder.observe(dog, \.age)
            dog.age = 1
        }
        XCTAssertNil(observed)
        recorder.stop()
        recorder.assertChanges([.setting(to: 1), .setting(to: 1)])
    }

    func testDeletedObjects() throws {
        let realm = try openRealm()
        let dog = try realm.write { realm.create(Dog.self) }
        let owner = try realm.write { realm.create(Person.self) }
        let recorder = KeyValueRecorder(observing: dog, "isInvalidated", "owner")
        try realm.write { dog.owner = owner }
        try realm.write { realm.delete(owner) }
        try realm.write { realm.delete(dog) }
        recorder.assertChanges([
            .setting("owner", from: nil, to: owner), .setting("owner", from: owner, to: nil),
            .setting("isInvalidated", from: false, to: true),
        ])
        XCTAssertEqual(
            recorder.changes.map(\.description).first,
            #".setting("owner", from: nil, to: Person (invalidated))"#)
        recorder.stop()
    }

    func testARecorderAsAnObserver() throws {
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self) }
        let recorder = KeyValueRecorder(observing: bag.words, "isInvalidated", options: .new)
        let byHand = KeyValueRecorder()
        bag.numbers.addObserver(byHand, forKeyPath: "isInvalidated")
        try realm.write { realm.delete(bag) }
        recorder.assertChanges([.setting("isInvalidated", to: true)])
        byHand.assertChanges([.setting("isInvalidated")])
    }
}

class Notes: Object {
    @Persisted var small: Int8 = 0
    @Persisted var ratio: Float = 0
    @Ignored var gaps: [Int?] = []
    @Persisted var isOn = false
    @Persisted var mood = Mood.calm
    @Persisted var data = Data()
}
