import Kivo
import XCTest

/// Queries with values that do not quite fit their property, and queries of closed realms.
final class QueryEdgeTests: RealmTestCase {
    func testDecimalsAreComparedWithOtherNumbers() throws {
        let realm = try openRealm()
        try realm.write { for age in [0, 5, 6] { realm.create(Dog.self, value: ["age": age]) } }
        let dogs = realm.objects(Dog.self)
        let limit = try Decimal128(string: "5.5")
        XCTAssertEqual(dogs.filter("age < %@", limit).map(\.age), [0, 5])
        XCTAssertEqual(dogs.filter("age > %@", limit).map(\.age), [6])
        XCTAssertEqual(dogs.filter("age == %@", Decimal128(5)).map(\.age), [5])
        XCTAssertEqual(dogs.filter("age IN %@", [Decimal128(5), limit]).map(\.age), [5])
        XCTAssertEqual(dogs.filter("age != %@", limit).count, 3)
    }

    func testResultsOfAnInvalidatedRealmAreEmpty() throws {
        let realm = try openRealm()
        try realm.write { realm.create(Dog.self, value: ["age": 1]) }
        let whole = realm.objects(Dog.self)
        let some = whole.where { $0.age > 0 }
        realm.invalidate()
        for results in [whole, some] {
            XCTAssert(results.isInvalidated)
            XCTAssertEqual(results.count, 0)
            XCTAssertNil(results.first)
            XCTAssertEqual(results.map(\.age), [])
            XCTAssertNil(results.index(matching: "age == 1"))
            XCTAssertEqual(results.sum(of: \.age), 0)
        }
    }

    func testUnmanagedAggregates() throws {
        let numbers = List<Int>()
        XCTAssertNil(numbers.average())
        XCTAssertNil(numbers.min())
        XCTAssertEqual(numbers.sum(), 0)
        numbers.append(objectsIn: [1, 2])
        XCTAssertEqual(numbers.average(), 1.5)
        let dogs = List<Dog>()
        XCTAssertNil(dogs.average(of: \.age))
        dogs.append(Dog(value: ["age": 3]))
        XCTAssertEqual(dogs.average(of: \.age), 3)
        XCTAssertEqual(dogs.max(of: \.age), 3)
    }

    func testAggregatesOfOptionalElements() throws {
        let numbers = List<Int?>()
        XCTAssertNil(numbers.min())
        numbers.append(objectsIn: [nil, 4, 2])
        XCTAssertEqual(numbers.min(), 2)
        XCTAssertEqual(numbers.max(), 4)
        XCTAssertEqual(numbers.sum(), 6)
        XCTAssertEqual(numbers.average(), 3)
    }

    func testCollectionsAreObservedInGenericCode() throws {
        func observe<C: RealmCollection>(_ collection: C, _ body: @escaping () -> Void) -> NotificationToken {
            collection.observe { _ in body() }
        }
        let realm = try openRealm()
        var calls = 0
        let token = observe(realm.objects(Dog.self)) { calls += 1 }
        realm.refresh()
        XCTAssertEqual(calls, 1)
        token.invalidate()
    }

    func testAMapIsASequenceOfKeysAndValues() throws {
        let map = Map<String, Int>()
        map["b"] = 2
        map["a"] = 1
        XCTAssertEqual(map.asKeyValueSequence().map(\.key), ["a", "b"])
        XCTAssertEqual(map.asKeyValueSequence().map(\.value), [1, 2])
    }

    /// The one whose handler commits the write that is being begun, and skips another that was not called yet.
    func testAnObserverThatIsSkippedWhileItIsDueHearsOfWhatFollows() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<3 { realm.create(Dog.self, value: ["age": age]) } }
        let dogs = Array(realm.objects(Dog.self))
        var heard: [String] = []
        var second: NotificationToken?
        var isFirst = true
        let first = dogs[0].observe { (_: ObjectChange<Dog>) in
            guard realm.isInWriteTransaction, isFirst else { return }
            isFirst = false
            dogs[0].name = "changed inside"
            do {
                try realm.commitWrite(withoutNotifying: [second!])
            } catch {
                XCTFail("\(error)")
            }
            realm.beginWrite()
        }
        second = dogs[1].observe { (_: ObjectChange<Dog>) in heard.append("second") }
        let third = dogs[2].observe { (_: ObjectChange<Dog>) in heard.append("third") }
        try realm.write { for dog in dogs { dog.age = 10 } }
        realm.beginWrite()
        realm.cancelWrite()
        XCTAssertFalse(isFirst, "it was called while the write began")
        realm.refresh()
        for age in 11...12 {
            heard = []
            try realm.write {
                dogs[1].age = age
                dogs[2].age = age
            }
            realm.refresh()
            XCTAssertEqual(heard, ["second", "third"])
        }
        for token in [first, second!, third] { token.invalidate() }
    }
}
