import Kivo
import XCTest

final class MutableSetTests: RealmTestCase {
    private func compare(
        _ set: MutableSet<Int>, _ words: MutableSet<String>, _ random: inout RandomSource, steps: Int
    ) {
        var (numbers, texts) = (Set(set), Set(words))
        for _ in 0..<steps {
            let (number, text) = (random.below(40) - 20, "word \(random.below(20))")
            switch random.below(5) {
            case 0, 1:
                set.insert(number)
                words.insert(text)
                numbers.insert(number)
                texts.insert(text)
            case 2:
                set.remove(number)
                words.remove(text)
                numbers.remove(number)
                texts.remove(text)
            case 3:
                set.insert(objectsIn: [number, number + 1])
                numbers.formUnion([number, number + 1])
            default:
                if random.chance(5) {
                    set.removeAll()
                    numbers = []
                }
            }
            XCTAssertEqual(set.count, numbers.count)
            XCTAssertEqual(Set(set), numbers)
            XCTAssertEqual(set.contains(number), numbers.contains(number))
            XCTAssertEqual(Set(words), texts)
            XCTAssertEqual(words.contains(text), texts.contains(text))
        }
    }

    func testSetsAreSets() throws {
        var random = RandomSource()
        let (bag, unmanaged) = (Bag(), Bag())
        compare(unmanaged.numberSet, unmanaged.wordSet, &random, steps: 300)
        let realm = try openRealm()
        try realm.write { realm.add(bag) }
        for _ in 0..<5 {
            try realm.write { compare(bag.numberSet, bag.wordSet, &random, steps: 60) }
        }
        XCTAssertEqual(
            Array(bag.numberSet), bag.numberSet.sorted { $0 < $1 }, "numbers are in ascending order")
    }

    func testSetsOfObjects() throws {
        let realm = try openRealm()
        let bag = Bag()
        let dogs = (0..<4).map { Dog(value: ["age": $0]) }
        bag.dogSet.insert(objectsIn: dogs.prefix(2))
        try realm.write {
            realm.add(bag)
            bag.dogSet.insert(dogs[2])
            bag.dogSet.insert(dogs[0])
        }
        XCTAssertEqual(bag.dogSet.map(\.age).sorted(), [0, 1, 2])
        XCTAssertTrue(bag.dogSet.contains(realm.objects(Dog.self)[0]), "found by row")
        XCTAssertFalse(bag.dogSet.contains(dogs[3]))
        XCTAssertEqual(bag.dogSet.where { $0.age > 0 }.count, 2)
        XCTAssertEqual(bag.dogSet.sorted(byKeyPath: "age", ascending: false).map(\.age), [2, 1, 0])
        try realm.write { realm.delete(dogs[1]) }
        XCTAssertEqual(bag.dogSet.map(\.age).sorted(), [0, 2])
    }

    func testTheSetStaysTheSameWhenItsObjectIsAdded() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numberSet": [3, 1, 3]])
        let set = bag.numberSet
        XCTAssertEqual(set.count, 2)
        try realm.write {
            realm.add(bag)
            set.insert(2)
            bag.numberSet = bag.numberSet
        }
        XCTAssertTrue(set === bag.numberSet)
        XCTAssertEqual(Array(set), [1, 2, 3])
        let frozen = set.freeze()
        try realm.write { realm.delete(bag) }
        XCTAssertTrue(set.isInvalidated)
        XCTAssertEqual(Array(frozen), [1, 2, 3])
    }
}
