import Foundation
import Kivo
import XCTest

/// Collections that are in no realm are searched by the same conditions, and by the same rules, as those that are.
final class UnmanagedConditionTests: QueryTestCase {
    /// Returns unmanaged copies of the objects.
    private func unmanaged() -> [YardDog] {
        var ownersByID: [Int: YardOwner] = [:]
        func copy(_ owner: YardOwner) -> YardOwner {
            if let known = ownersByID[owner.id] { return known }
            let new = YardOwner()
            ownersByID[owner.id] = new
            (new.id, new.name, new.nickname, new.age) = (owner.id, owner.name, owner.nickname, owner.age)
            new.boss = owner.boss.map(copy)
            return new
        }
        let copies = dogs.map { dog -> YardDog in
            let new = YardDog()
            (new.id, new.name, new.nickname, new.age, new.oldAge) = (
                dog.id, dog.name, dog.nickname, dog.age, dog.oldAge
            )
            (new.weight, new.oldWeight, new.mood, new.oldMood, new.price, new.scent) = (
                dog.weight, dog.oldWeight, dog.mood, dog.oldMood, dog.price, dog.scent
            )
            (new.isGood, new.born, new.died) = (dog.isGood, dog.born, dog.died)
            new.owner = dog.owner.map(copy)
            new.numbers.append(objectsIn: dog.numbers)
            new.words.insert(objectsIn: dog.words)
            for entry in dog.scores { new.scores[entry.key] = entry.value }
            return new
        }
        for owner in owners {
            copy(owner).dogs.append(objectsIn: owner.dogs.map { dog in copies.first { $0.id == dog.id }! })
        }
        return copies
    }

    func testConditionsFindWhatTheyFindInARealm() {
        let copies = unmanaged()
        let list = List<YardDog>()
        list.append(objectsIn: copies)
        let conditions: [(Query<YardDog>) -> Query<Bool>] = [
            { $0.age > 5 && $0.name == "Rex" },
            { $0.nickname == nil },
            { $0.oldAge != nil && $0.oldAge >= $0.oldAge && $0.id > 3 },
            { $0.oldAge == nil && $0.oldAge >= $0.oldAge },
            { $0.name.contains("EX", options: .caseInsensitive) && $0.id > 2 },
            { $0.name.like("?e*", caseInsensitive: true) },
            { !($0.owner.name == "Ann") },
            { $0.owner.boss.name == "Ann" },
            { $0.owner.boss.name == $0.owner.boss.name && $0.owner == nil },
            { $0.owner.boss.nickname == nil },
            { $0.owner.dogs.count > 2 },
            { $0.owner.dogs.age.sum > 10 && $0.owner.dogs.age.avg > 2 },
            { ($0.owner.dogs.age > 3 && $0.owner.dogs.name == "Max").count > 0 },
            { $0.numbers.contains(3) }, { $0.numbers.max > 2 && $0.numbers.count > 1 },
            { $0.words.contains("a") }, { $0.scores["a"] == 1 }, { $0.scores.keys == "b" },
            { $0.scores.values > 2 }, { $0.mood == .asleep }, { $0.oldMood == nil },
            { $0.age.in([7, 8]) }, { $0.age.contains(3...4) }, { $0.price > 2 },
            { $0.isGood }, { $0.keepers.count > 0 },
        ]
        var found = 0
        for (number, condition) in conditions.enumerated() where number != conditions.count - 1 {
            let expected = realm.objects(YardDog.self).index(matching: condition)
            XCTAssertEqual(list.index(matching: condition), expected, "condition \(number)")
            if expected != nil { found += 1 }
        }
        XCTAssertGreaterThan(found, 15)
        XCTAssertNil(list.index(matching: conditions.last!), "nobody links to objects in no realm")
    }

    func testPredicateStringsFindWhatTheyFindInARealm() {
        let list = List<YardDog>()
        list.append(objectsIn: unmanaged())
        let formats = [
            "age > 5 AND name ==[c] 'rex'", "nickname == nil", "owner.boss.name BEGINSWITH 'A'",
            "ALL numbers > 1 AND id > 4", "NONE numbers == 1", "numbers.@max == 3",
            "SUBQUERY(owner.dogs, $d, SUBQUERY($d.owner.dogs, $e, $e.age > 2).@count > 1).@count > 1",
            "owner.dogs.@avg.age > 3", "3 IN numbers", "age BETWEEN {2, 3}", "scores['b'] > 1",
            "scores.@keys == 'c'", "oldAge >= oldAge AND oldAge == nil",
            "owner != nil AND owner.dogs.@count == 3",
            "scent CONTAINS scent AND id > 1", "weight < age", "oldAge > age",
        ]
        for format in formats {
            XCTAssertEqual(
                list.index(matching: format), realm.objects(YardDog.self).index(matching: format), format)
        }
    }

    func testObjectsAreComparedAsTheyAre() {
        let (first, second) = (YardDog(), YardDog())
        (first.owner, second.owner) = (YardOwner(), YardOwner())
        let list = List<YardDog>()
        list.append(objectsIn: [first, second])
        let owner = second.owner
        XCTAssertEqual(list.index(matching: { $0.owner == owner }), 1)
        XCTAssertEqual(list.index(matching: "owner == %@", owner!), 1)
        XCTAssertEqual(list.index(matching: { $0.owner.in([YardOwner(), owner]) }), 1)
        XCTAssertNil(list.index(matching: { $0.owner == nil }))
        // One of a realm can be an element too, by whichever accessor.
        list.append(dogs[4])
        let dog = realm.object(ofType: YardDog.self, forPrimaryKey: 4)!
        XCTAssertEqual(list.index(matching: "SELF == %@", dog), 2)
        let set = MutableSet<YardDog>()
        set.insert(second)
        XCTAssertEqual(set.index(matching: { $0.owner == owner }), 0)
    }
}
