import Foundation
import Kivo
import XCTest

final class ResultsTests: RealmTestCase {
    /// A realm with dogs of the ages 0 ..< count, named after their age modulo 7.
    private func dogs(_ count: Int) throws -> (Realm, Results<Dog>) {
        let realm = try openRealm()
        try realm.write {
            for age in 0..<count { realm.create(Dog.self, value: ["age": age, "name": "dog \(age % 7)"]) }
        }
        return (realm, realm.objects(Dog.self))
    }

    func testReadingByPosition() throws {
        let (realm, dogs) = try dogs(1000)
        XCTAssertEqual(dogs.count, 1000)
        XCTAssertEqual(dogs.first?.age, 0)
        XCTAssertEqual(dogs.last?.age, 999)
        for age in stride(from: 0, to: 1000, by: 37) {
            XCTAssertEqual(dogs[age].age, age)
            XCTAssertEqual(dogs.index(of: dogs[age]), age)
        }
        try realm.write { realm.delete(dogs.where { $0.name == "dog 3" }) }
        let left = (0..<1000).filter { $0 % 7 != 3 }
        XCTAssertEqual(dogs.map(\.age), left)
        for (position, age) in left.enumerated().reversed() {
            XCTAssertEqual(dogs[position].age, age)
            XCTAssertEqual(dogs.index(of: dogs[position]), position)
        }
        XCTAssertEqual(Array(dogs[5..<8]).map(\.age), Array(left[5..<8]))
        XCTAssertNil(dogs.where { $0.age > 2000 }.first)
        XCTAssertNil(dogs.index(of: Dog()))
    }

    func testEmptyResults() throws {
        let dogs = try openRealm().objects(Dog.self)
        XCTAssertTrue(dogs.isEmpty)
        XCTAssertNil(dogs.first)
        XCTAssertNil(dogs.last)
        XCTAssertEqual(Array(dogs).count, 0)
        XCTAssertEqual(dogs.sum(of: \.age), 0)
        XCTAssertNil(dogs.min(of: \.age))
        XCTAssertNil(dogs.average(of: \.age))
    }

    func testResultsAreLive() throws {
        let (realm, dogs) = try dogs(10)
        let old = dogs.where { $0.age >= 5 }
        let sorted = old.sorted(byKeyPath: "age", ascending: false)
        XCTAssertEqual(sorted.map(\.age), [9, 8, 7, 6, 5])
        try realm.write {
            dogs[0].age = 20
            XCTAssertEqual(old.count, 6, "also inside of the write")
            XCTAssertEqual(sorted.first?.age, 20)
            realm.delete(dogs[9])
            XCTAssertEqual(sorted.map(\.age), [20, 8, 7, 6, 5])
        }
        try writeElsewhere { $0.create(Dog.self, value: ["age": 30]) }
        XCTAssertEqual(sorted.count, 5)
        realm.refresh()
        XCTAssertEqual(sorted.map(\.age), [30, 20, 8, 7, 6, 5])
        realm.beginWrite()
        realm.deleteAll()
        XCTAssertEqual(sorted.count, 0)
        realm.cancelWrite()
        XCTAssertEqual(sorted.count, 6)
    }

    func testComparisons() throws {
        let (realm, dogs) = try dogs(10)
        try realm.write {
            dogs[3].owner = Person(value: ["name": "Ann"])
            dogs[4].owner = Person(value: ["name": "Bob"])
        }
        func ages(_ isIncluded: (Query<Dog>) -> Query<Bool>) -> [Int] { dogs.where(isIncluded).map(\.age) }
        XCTAssertEqual(ages { $0.age == 3 }, [3])
        XCTAssertEqual(ages { $0.age != 3 && $0.age < 5 }, [0, 1, 2, 4])
        XCTAssertEqual(ages { $0.age <= 1 || $0.age > 8 }, [0, 1, 9])
        XCTAssertEqual(ages { !($0.age >= 2) }, [0, 1])
        XCTAssertEqual(ages { $0.age.contains(2...4) }, [2, 3, 4])
        XCTAssertEqual(ages { $0.age.contains(2..<4) }, [2, 3])
        XCTAssertEqual(ages { $0.age.in([1, 8, 20]) }, [1, 8])
        XCTAssertEqual(ages { $0.name == "dog 1" }, [1, 8])
        XCTAssertEqual(ages { $0.name.ends(with: "2") }, [2, 9])
        XCTAssertEqual(ages { $0.name.starts(with: "cat") }, [])
        XCTAssertEqual(ages { $0.name.contains("g 6") }, [6])
        XCTAssertEqual(ages { $0.name > "dog 4" }, [5, 6])
        XCTAssertEqual(ages { $0.owner.name == "Ann" }, [3])
        XCTAssertEqual(ages { $0.owner == nil }, [0, 1, 2, 5, 6, 7, 8, 9])
        XCTAssertEqual(ages { $0.owner != nil }, [3, 4])
        let bob = dogs[4].owner
        XCTAssertEqual(ages { $0.owner == bob }, [4])
        XCTAssertEqual(dogs.where { $0.age > 2 }.where { $0.age < 5 }.map(\.age), [3, 4])
        XCTAssertEqual(dogs.index(matching: { $0.age == 7 }), 7)
    }

    func testQueriesOfEveryType() throws {
        let realm = try openRealm()
        let id = UUID()
        try realm.write {
            realm.create(
                AllTypes.self,
                value: [
                    "bool": false, "double": -1.5, "date": Date(timeIntervalSince1970: 100), "uuid": id,
                    "mood": Mood.calm, "decimal": Decimal128(-3),
                ])
            realm.create(AllTypes.self)
            realm.create(AllOptionals.self, value: ["int": 5, "mood": Mood.calm])
            realm.create(AllOptionals.self)
        }
        let all = realm.objects(AllTypes.self)
        XCTAssertEqual(all.where { $0.bool == false }.count, 1)
        XCTAssertEqual(all.where { $0.bool }.count, 1)
        XCTAssertEqual(all.where { $0.double < 0 }.count, 1)
        XCTAssertEqual(all.where { $0.date > Date(timeIntervalSince1970: 50) }.count, 1)
        XCTAssertEqual(all.where { $0.uuid == id }.count, 1)
        XCTAssertEqual(all.where { $0.mood == .calm }.count, 1)
        XCTAssertEqual(all.where { $0.decimal < 0 }.count, 1)
        XCTAssertEqual(all.where { $0.float == 1.5 }.count, 2)
        XCTAssertEqual(all.sorted(byKeyPath: "decimal").first?.decimal, -3)
        XCTAssertEqual(all.sorted(byKeyPath: "double").first?.double, -1.5)
        XCTAssertEqual(all.sorted(byKeyPath: "date").last?.date, Date(timeIntervalSince1970: 100))
        let optionals = realm.objects(AllOptionals.self)
        XCTAssertEqual(optionals.where { $0.int == nil }.count, 1)
        XCTAssertEqual(optionals.where { $0.int > 4 }.count, 1)
        XCTAssertEqual(optionals.where { $0.int < 4 }.count, 0, "nothing is less than no value")
        XCTAssertEqual(optionals.where { $0.mood == .calm }.count, 1)
        XCTAssertNil(optionals.sorted(byKeyPath: "int").first?.int)
    }

    func testSortingIsStableAndByManyKeys() throws {
        let (_, dogs) = try dogs(50)
        let all = Array(dogs)
        XCTAssertEqual(
            dogs.sorted(byKeyPath: "name").map(\.age),
            all.enumerated().sorted { ($0.1.name, $0.0) < ($1.1.name, $1.0) }.map(\.1.age))
        XCTAssertEqual(
            dogs.sorted(by: [SortDescriptor(keyPath: \Dog.name, ascending: false), "age"]).map(\.age),
            all.sorted { $0.name != $1.name ? $0.name > $1.name : $0.age < $1.age }.map(\.age))
        XCTAssertEqual(
            dogs.sorted(by: \.age, ascending: false).sorted(by: \.name).map(\.age),
            all.sorted { $0.name != $1.name ? $0.name < $1.name : $0.age > $1.age }.map(\.age),
            "ties keep the order they had")
    }

    func testAggregates() throws {
        let (_, dogs) = try dogs(10)
        let some = dogs.where { $0.age > 6 }
        XCTAssertEqual(some.sum(of: \.age), 24)
        XCTAssertEqual(some.min(of: \.age), 7)
        XCTAssertEqual(some.max(ofProperty: "age"), 9 as Int?)
        XCTAssertEqual(some.average(of: \.age), 8)
    }

    // MARK: Iteration

    /// Every row is its own commit here, so that emptied leaves go while the iteration is in them.
    func testIterationGoesOnWhenItsRowsAreDeletedCommitByCommit() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<700 { realm.add(Dog(value: ["age": age])) } }
        var ages: [Int] = []
        for dog in realm.objects(Dog.self) {
            ages.append(dog.age)
            try realm.write { realm.delete(dog) }
        }
        XCTAssertEqual(ages, Array(0..<700))
        XCTAssertTrue(realm.isEmpty)
    }

    func testIterationRunsOverTheStateAtItsStart() throws {
        for count in [5, 700] {
            let (realm, dogs) = try dogs(count)
            defer { XCTAssertNoThrow(try realm.write { realm.deleteAll() }) }
            for results in [dogs, dogs.where { $0.age >= 0 }, dogs.sorted(byKeyPath: "age")] {
                var ages: [Int] = []
                try realm.write {
                    for dog in results {
                        ages.append(dog.age)
                        realm.create(Dog.self, value: ["age": dog.age + 10_000])
                    }
                }
                XCTAssertEqual(ages, Array(0..<count))
                try realm.write { realm.delete(dogs.where { $0.age >= 10_000 }) }
                ages = []
                realm.beginWrite()
                for dog in results {
                    ages.append(dog.age)
                    if dog.age % 3 == 0 { realm.delete(results.where { $0.age == dog.age + 1 }) }
                    realm.delete(dog)
                }
                XCTAssertEqual(ages, (0..<count).filter { $0 % 3 != 1 })
                realm.cancelWrite()
            }
        }
    }

    func testChangingWhatIsFilteredByDoesNotDisturbTheIteration() throws {
        let (realm, dogs) = try dogs(20)
        try realm.write { for dog in dogs.where({ $0.age < 10 }) { dog.age += 100 } }
        XCTAssertEqual(dogs.where { $0.age >= 100 }.count, 10)
        try realm.write { for dog in dogs.sorted(byKeyPath: "age") { dog.age = -dog.age } }
        XCTAssertEqual(dogs.where { $0.age <= -100 }.count, 10)
    }

    func testElementsThatAreKeptStayThemselves() throws {
        let (realm, dogs) = try dogs(300)
        var kept: [Dog] = []
        for dog in dogs where dog.age % 50 == 0 { kept.append(dog) }
        XCTAssertEqual(kept.map(\.age), [0, 50, 100, 150, 200, 250])
        XCTAssertEqual(Array(dogs).map(\.age), Array(0..<300))
        XCTAssertEqual(Set(Array(dogs).map { ObjectIdentifier($0) }).count, 300)
        var last: Dog?
        for dog in dogs {
            if let last { XCTAssertEqual(dog.age, last.age + 1) }
            last = dog
        }
        var values: [Int] = []
        var tokens: [KeyValueObservation] = []
        for dog in dogs.prefix(3) {
            tokens.append(
                dog.observe(\.age, options: .new) { _, change in values.append(change.newValue ?? -1) })
        }
        for dog in kept.prefix(1) { try realm.write { dog.age = 77 } }
        XCTAssertLessThanOrEqual(values.count, 1)
        let people = Person()
        try realm.write {
            realm.add(people)
            for dog in dogs.prefix(5) { people.dogs.append(dog) }
            for dog in people.dogs { people.favourite = dog }
        }
        XCTAssertEqual(people.dogs.map(\.age), [77, 1, 2, 3, 4])
        XCTAssertEqual(people.favourite?.age, 4)
    }

    func testCollectionsOfElementsBelongToTheirElement() throws {
        let realm = try openRealm()
        try realm.write { for count in 1...5 { realm.add(Bag(value: ["numbers": Array(0..<count)])) } }
        XCTAssertEqual(realm.objects(Bag.self).map(\.numbers.count), [1, 2, 3, 4, 5])
        var lists: [List<Int>] = []
        for bag in realm.objects(Bag.self) { lists.append(bag.numbers) }
        XCTAssertEqual(lists.map(\.count), [1, 2, 3, 4, 5])
    }

    func testTheFirstMatchIsLookedForInTheAnswer() throws {
        let realm = try openRealm()
        try realm.write {
            for (name, age) in [("x", 1), ("x", 2), ("y", 2)] {
                realm.create(Dog.self, value: ["name": name, "age": age])
            }
        }
        let dogs = realm.objects(Dog.self)
        XCTAssertEqual(dogs.index(matching: "age == 2"), 1)
        XCTAssertEqual(dogs.index(matching: { $0.age == 2 }), 1)
        let distinct = dogs.distinct(by: ["name"])
        XCTAssertEqual(distinct.index(matching: "age == 2"), 1, "the first dog of age 2 is not in the answer")
        XCTAssertNil(distinct.index(matching: "age == 3"))
        XCTAssertEqual(dogs.sorted(byKeyPath: "age", ascending: false).index(matching: "age == 1"), 2)
    }
}
