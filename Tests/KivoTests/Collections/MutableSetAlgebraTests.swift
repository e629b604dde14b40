import Foundation
import Kivo
import TestRandomness
import XCTest

/// Sets with sets.
final class MutableSetAlgebraTests: RealmTestCase {
    private func set<T: RealmCollectionValue>(_ elements: T...) -> MutableSet<T> {
        let set = MutableSet<T>()
        set.insert(objectsIn: elements)
        return set
    }

    /// Two bags, both unmanaged or both managed.
    private func forBothKinds(_ body: (Bag, Bag) throws -> Void) throws {
        try body(Bag(), Bag())
        let realm = try openRealm()
        let bags = [Bag(), Bag()]
        realm.beginWrite()
        realm.add(bags)
        try body(bags[0], bags[1])
        realm.cancelWrite()
    }

    // MARK: Comparing

    private func checkComparisons<T: RealmCollectionValue>(
        _ a: MutableSet<T>, _ b: MutableSet<T>, _ elements: [T], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        func check(_ isSubset: Bool, _ intersects: Bool, _ what: String) {
            XCTAssertEqual(a.isSubset(of: b), isSubset, what, file: file, line: line)
            XCTAssertEqual(a.intersects(b), intersects, what, file: file, line: line)
            XCTAssertEqual(b.intersects(a), intersects, what, file: file, line: line)
        }
        check(true, false, "both empty")
        b.insert(elements[0])
        check(true, false, "the first empty")
        a.insert(elements[0])
        check(true, true, "equal")
        b.insert(elements[1])
        check(true, true, "a part")
        XCTAssertFalse(b.isSubset(of: a), file: file, line: line)
        a.insert(elements[2])
        check(false, true, "an overlap")
        a.remove(elements[0])
        check(false, false, "disjoint")
        XCTAssertTrue(a.isSubset(of: a), file: file, line: line)
        XCTAssertTrue(a.intersects(a), file: file, line: line)
    }

    func testComparing() throws {
        try forBothKinds { a, b in
            checkComparisons(a.numberSet, b.numberSet, [3, -1, 2])
            checkComparisons(a.wordSet, b.wordSet, ["", "a", "ä"])
            checkComparisons(a.dogSet, b.dogSet, (0..<3).map { Dog(value: ["age": $0]) })
        }
    }

    func testComparingAManagedWithAnUnmanagedSet() throws {
        try onBothKinds({ Bag(value: ["numberSet": [1, 2], "wordSet": ["a"]]) }) { bag in
            XCTAssertTrue(bag.numberSet.isSubset(of: set(1, 2, 3)))
            XCTAssertFalse(bag.numberSet.isSubset(of: set(1, 3)))
            XCTAssertTrue(set(2).isSubset(of: bag.numberSet))
            XCTAssertTrue(bag.wordSet.intersects(set("b", "a")))
            XCTAssertFalse(set("b").intersects(bag.wordSet))
        }
    }

    // MARK: Combining

    /// Checks each operation on two sets, a result at a time, with one notification each.
    private func checkOperations<T: RealmCollectionValue>(
        _ bag: Bag, _ key: String, _ a: MutableSet<T>, _ b: MutableSet<T>, _ elements: [T],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        let recorder = observe(bag, key, [])
        func check(_ what: String, _ positions: [Int], _ operation: () -> Void) {
            _ = told(recorder)
            operation()
            XCTAssertEqual(a.count, positions.count, what, file: file, line: line)
            for position in positions {
                XCTAssertTrue(a.contains(elements[position]), "\(what): \(position)", file: file, line: line)
            }
            XCTAssertEqual(told(recorder), ["\(key) 1"], what, file: file, line: line)
        }
        b.insert(objectsIn: [elements[1], elements[2]])
        check("insert", [0, 1]) { a.insert(objectsIn: [elements[0], elements[1], elements[0]]) }
        check("insert a member", [0, 1]) { a.insert(elements[1]) }
        check("insert nothing", [0, 1]) { a.insert(objectsIn: []) }
        check("union", [0, 1, 2]) { a.formUnion(b) }
        check("union with a part", [0, 1, 2]) { a.formUnion(b) }
        check("union with itself", [0, 1, 2]) { a.formUnion(a) }
        check("intersection", [1, 2]) { a.formIntersection(b) }
        check("intersection with an equal one", [1, 2]) { a.formIntersection(b) }
        check("intersection with itself", [1, 2]) { a.formIntersection(a) }
        check("insert again", [0, 1, 2]) { a.insert(elements[0]) }
        check("subtraction", [0]) { a.subtract(b) }
        check("subtraction of strangers", [0]) { a.subtract(b) }
        check("remove a stranger", [0]) { a.remove(elements[1]) }
        check("intersection with strangers", []) { a.formIntersection(b) }
        check("insert both", [1, 2]) { a.insert(objectsIn: b) }
        check("remove", [2]) { a.remove(elements[1]) }
        check("subtraction of itself", []) { a.subtract(a) }
        check("remove all of nothing", []) { a.removeAll() }
        check("union of nothing", [1, 2]) { a.formUnion(b) }
        check("remove all", []) { a.removeAll() }
        XCTAssertEqual(b.count, 2, file: file, line: line)
        bag.removeObserver(recorder, forKeyPath: key)
    }

    func testCombining() throws {
        try forBothKinds { a, b in
            checkOperations(a, "numberSet", a.numberSet, b.numberSet, [3, -1, 2])
            checkOperations(a, "wordSet", a.wordSet, b.wordSet, ["b", "", "a"])
            checkOperations(a, "dogSet", a.dogSet, b.dogSet, (0..<3).map { Dog(value: ["age": $0]) })
        }
    }

    func testCombiningWithAnUnmanagedSet() throws {
        try onBothKinds({ Bag() }) { bag in
            checkOperations(bag, "numberSet", bag.numberSet, MutableSet(), [3, -1, 2])
            checkOperations(bag, "wordSet", bag.wordSet, MutableSet(), ["b", "", "a"])
        }
    }

    func testAnUnmanagedSetOfNobody() {
        let a = set(1, 2, 3)
        a.formIntersection(set(2, 3, 4))
        a.formUnion(set(7))
        a.subtract(set(3))
        XCTAssertEqual(Set(a), [2, 7])
    }

    func testUnionAddsObjectsToTheRealm() throws {
        let realm = try openRealm()
        let bag = Bag()
        try realm.write {
            realm.add(bag)
            bag.dogSet.formUnion(set(Dog(value: ["age": 1]), Dog(value: ["age": 2])))
        }
        XCTAssertEqual(realm.objects(Dog.self).count, 2)
        XCTAssertEqual(bag.dogSet.map(\.age).sorted(), [1, 2])
    }

    func testObjectsWithAPrimaryKey() throws {
        let realm = try openRealm()
        let box = ChipBox()
        try realm.write {
            realm.add(box)
            box.chips.insert(objectsIn: (0..<4).map { Chip(value: ["code": $0]) })
            box.others.insert(objectsIn: realm.objects(Chip.self).where { $0.code >= 2 })
        }
        XCTAssertTrue(box.others.isSubset(of: box.chips))
        try realm.write { box.chips.subtract(box.others) }
        XCTAssertEqual(box.chips.map(\.code).sorted(), [0, 1])
        XCTAssertFalse(box.others.intersects(box.chips))
        let unmanaged = MutableSet<Chip>()
        unmanaged.insert(objectsIn: realm.objects(Chip.self))
        XCTAssertTrue(box.chips.isSubset(of: unmanaged), "equal by key")
    }

    // MARK: Whole assignment

    func testAssigning() throws {
        try forBothKinds { a, b in
            let recorder = observe(a, "numberSet", [.new])
            let set = a.numberSet
            a.numberSet = self.set(2)
            XCTAssertEqual(told(recorder), ["numberSet 1 new [2]"])
            a.numberSet = a.numberSet
            XCTAssertEqual(told(recorder), ["numberSet 1 new [2]"])
            b.numberSet.insert(5)
            a.numberSet = b.numberSet
            XCTAssertEqual(told(recorder), ["numberSet 1 new [5]"])
            b.numberSet.insert(6)
            XCTAssertEqual(set.count, 1, "only the content was taken over")
            a.numberSet = self.set(5)
            XCTAssertEqual(told(recorder), ["numberSet 1 new [5]"], "an equal one")
            a["numberSet"] = [7, 7]
            XCTAssertEqual(told(recorder), ["numberSet 1 new [7]"])
            a.setValue(Set([8]), forKey: "numberSet")
            XCTAssertEqual(told(recorder), ["numberSet 1 new [8]"])
            a.numberSet = MutableSet()
            XCTAssertEqual(told(recorder), ["numberSet 1 new []"])
            a.numberSet = MutableSet()
            XCTAssertEqual(told(recorder), ["numberSet 1 new []"])
            XCTAssertTrue(set === a.numberSet)
            a.removeObserver(recorder, forKeyPath: "numberSet")
        }
    }

    func testAssigningASetOfObjects() throws {
        try forBothKinds { a, b in
            let dogs = (0..<3).map { Dog(value: ["age": $0]) }
            b.dogSet.insert(objectsIn: dogs)
            a.dogSet.insert(dogs[0])
            let recorder = observe(a, "dogSet", [])
            a.dogSet = b.dogSet
            a.dogSet = a.dogSet
            XCTAssertEqual(told(recorder), ["dogSet 1", "dogSet 1"])
            XCTAssertEqual(a.dogSet.map(\.age).sorted(), [0, 1, 2])
            a.removeObserver(recorder, forKeyPath: "dogSet")
        }
    }

    func testTheSetOfAnotherAccessor() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numberSet": [1, 2]])
        try realm.write { realm.add(bag) }
        let same = realm.objects(Bag.self)[0]
        let recorder = observe(bag, "numberSet", [])
        try realm.write {
            same.numberSet = bag.numberSet
            bag.numberSet.formIntersection(same.numberSet)
        }
        XCTAssertEqual(told(recorder).count, 2)
        XCTAssertEqual(Set(bag.numberSet), [1, 2])
        try realm.write { bag.numberSet.subtract(same.numberSet) }
        XCTAssertTrue(bag.numberSet.isEmpty)
    }

    func testIntersectionsWithoutEffectElsewhere() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numberSet": [1, 2]])
        try realm.write { realm.add(bag) }
        let recorder = observe(bag, "numberSet", [.new])
        try writeElsewhere { realm in
            let set = realm.objects(Bag.self)[0].numberSet
            set.formIntersection(set)
        }
        realm.refresh()
        XCTAssertEqual(told(recorder), ["numberSet 1 new [1, 2]"])
        try writeElsewhere { $0.objects(Bag.self)[0].numberSet.subtract(MutableSet()) }
        realm.refresh()
        XCTAssertEqual(told(recorder), [])
    }

    // MARK: Random operations

    private func compare<T: RealmCollectionValue>(
        _ bags: (Bag, Bag), _ key: String, _ sets: (MutableSet<T>, MutableSet<T>), _ pool: [T],
        _ random: inout RandomSource, steps: Int
    ) {
        let recorder = observe(bags.0, key, [])
        var (model, otherModel) = (Set<T>(), Set<T>())
        func contents(_ set: MutableSet<T>) -> Set<Int> {
            Set(pool.indices.filter { set.contains(pool[$0]) })
        }
        func indices(_ set: Set<T>) -> Set<Int> { Set(pool.indices.filter { set.contains(pool[$0]) }) }
        for step in 0..<steps {
            let elements = (0..<random.below(4)).map { _ in pool[random.below(pool.count)] }
            let one = pool[random.below(pool.count)]
            // The other set changes, too, without a word about the first.
            sets.1.insert(one)
            otherModel.insert(one)
            if random.chance(40), let stranger = elements.first {
                sets.1.remove(stranger)
                otherModel.remove(stranger)
            }
            XCTAssertEqual(told(recorder), [])
            switch random.below(9) {
            case 0: (sets.0.formUnion(sets.1), model.formUnion(otherModel)).0
            case 1: (sets.0.formIntersection(sets.1), model.formIntersection(otherModel)).0
            case 2: (sets.0.subtract(sets.1), model.subtract(otherModel)).0
            case 3, 4: (sets.0.insert(objectsIn: elements), model.formUnion(elements)).0
            case 5:
                sets.0.remove(one)
                model.remove(one)
            case 6 where random.chance(20):
                sets.0.removeAll()
                model = []
            case 7 where random.chance(20):
                bags.0[key] = sets.1
                model = otherModel
            default:
                sets.0.insert(one)
                model.insert(one)
            }
            XCTAssertEqual(told(recorder), ["\(key) 1"], "step \(step)")
            XCTAssertEqual(sets.0.count, model.count, "step \(step)")
            XCTAssertEqual(contents(sets.0), indices(model), "step \(step)")
            XCTAssertEqual(contents(sets.1), indices(otherModel), "step \(step)")
            XCTAssertEqual(sets.0.isSubset(of: sets.1), model.isSubset(of: otherModel), "step \(step)")
            XCTAssertEqual(sets.0.intersects(sets.1), !model.isDisjoint(with: otherModel), "step \(step)")
        }
        bags.0.removeObserver(recorder, forKeyPath: key)
    }

    func testRandomOperations() throws {
        var random = RandomSource()
        let steps = TestEffort.count(300, full: 1500)
        try forBothKinds { a, b in
            compare(
                (a, b), "numberSet", (a.numberSet, b.numberSet), Array(-8..<8), &random, steps: steps)
            compare(
                (a, b), "wordSet", (a.wordSet, b.wordSet), (0..<12).map { "word \($0)" }, &random,
                steps: steps
            )
            compare(
                (a, b), "dogSet", (a.dogSet, b.dogSet), (0..<10).map { Dog(value: ["age": $0]) }, &random,
                steps: steps)
        }
    }
}

class ChipBox: Object {
    @Persisted var chips: MutableSet<Chip>
    @Persisted var others: MutableSet<Chip>
}
