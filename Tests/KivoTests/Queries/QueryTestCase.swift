import Foundation
import Kivo
import XCTest

/// A small realm of dogs, owners and cats, and the comparison of queries with what the standard library finds.
class QueryTestCase: RealmTestCase {
    private(set) var realm: Realm!
    private(set) var dogs: [YardDog] = []
    private(set) var owners: [YardOwner] = []

    override func setUpWithError() throws {
        try super.setUpWithError()
        let realm = try openRealm()
        try realm.write {
            let people = zip(["Ann", "Bob", "Cid", "Zoë", "bo"], [30, 40, 7, 20, 40])
            owners = people.enumerated().map { index, person in
                let values: [String: Any] = [
                    "id": index, "name": person.0, "age": person.1, "count": index % 3,
                ]
                let owner = YardOwner(value: values)
                owner.nickname = index.isMultiple(of: 2) ? nil : person.0.lowercased()
                return owner
            }
            for (index, owner) in owners.enumerated() {
                owner.boss = index == 0 || index == 3 ? nil : owners[index - 1]
                realm.add(owner)
            }
            dogs = (0..<24).map { realm.create(YardDog.self, value: ["id": $0]) }
            for dog in dogs { fill(dog) }
            for owner in owners {
                let kept = dogs.filter { ($0.id + owner.id) % 7 == 0 || $0.id == owner.id * 3 }
                owner.dogs.append(objectsIn: kept)
                for lives in 0..<owner.id { owner.cats.insert(YardCat(value: ["lives": lives * 3])) }
            }
            // Lists hold duplicates.
            owners[2].dogs.append(dogs[19])
        }
        self.realm = realm
    }

    override func tearDown() {
        (realm, dogs, owners) = (nil, [], [])
        super.tearDown()
    }

    /// Values that depend on the number in different rhythms, so that most combinations occur.
    private func fill(_ dog: YardDog) {
        let id = dog.id
        let names = ["Rex", "rex", "Réx", "Bella", "Max", ""]
        dog.name = names[id % 6]
        dog.nickname = id % 4 == 0 ? nil : ["R", "RE", "ÉX"][id % 3]
        dog.age = id % 9
        dog.oldAge = id % 3 == 0 ? nil : id % 5
        dog.rank = Int8(id % 4 - 2)
        dog.height = Float(id % 5) / 2
        dog.weight = Double(id % 7) * 1.5
        dog.oldWeight = id % 2 == 0 ? nil : Double(id)
        dog.isGood = id % 3 == 1
        dog.isLoud = id % 4 < 2
        dog.isKnown = [nil, true, false][id % 3]
        dog.born = Date(timeIntervalSince1970: Double(id * 100))
        dog.died = id % 5 < 3 ? nil : dog.born.addingTimeInterval(50)
        dog.chip = UUID(uuid: (UInt8(id), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        dog.price = Decimal128(id) / 4
        dog.scent = Data([UInt8(id % 3), UInt8(id % 2)])
        dog.mood = YardMood.allCases[id % 3]
        dog.oldMood = id % 4 == 0 ? nil : YardMood.allCases[id % 2]
        dog.size = YardSize.allCases[id % 2]
        dog.owner = id % 6 == 5 ? nil : owners[id % 5]
        if id % 3 != 0 {
            let tag = YardTag(value: ["text": dog.name])
            tag.maker = id % 2 == 0 ? nil : owners[id % 5]
            dog.tag = tag
        }
        dog.numbers.append(objectsIn: (0..<(id % 4)).map { $0 * id })
        dog.gaps.append(objectsIn: (0..<(id % 3)).map { $0 == 1 ? nil : id })
        dog.words.insert(objectsIn: names[..<(id % 5)])
        dog.moods.append(objectsIn: YardMood.allCases[..<(id % 4)])
        for (position, key) in ["a", "b", "c"][..<(id % 4)].enumerated() {
            dog.scores[key] = id + position
            dog.oldScores[key] = .some(position == 1 ? nil : id)
            dog.friends[key] = .some(position == 0 ? nil : dogs[(id * 5) % 24])
        }
    }

    /// Checks that a query finds the dogs that a filter does: some, but not all.
    func expectDogs(
        _ isIncluded: (Query<YardDog>) -> Query<Bool>, file: StaticString = #filePath, line: UInt = #line,
        like filter: (YardDog) -> Bool
    ) {
        let found = Array(realm.objects(YardDog.self).where(isIncluded).map(\.id))
        let expected = dogs.filter(filter).map(\.id)
        XCTAssertEqual(found, expected, file: file, line: line)
        XCTAssert((1..<dogs.count).contains(expected.count), "\(expected.count)", file: file, line: line)
    }

    /// Checks that a query finds the owners that a filter does: some, but not all.
    func expectOwners(
        _ isIncluded: (Query<YardOwner>) -> Query<Bool>, file: StaticString = #filePath, line: UInt = #line,
        like filter: (YardOwner) -> Bool
    ) {
        let found = Array(realm.objects(YardOwner.self).where(isIncluded).map(\.id))
        let expected = owners.filter(filter).map(\.id)
        XCTAssertEqual(found, expected, file: file, line: line)
        XCTAssert((1..<owners.count).contains(expected.count), "\(expected.count)", file: file, line: line)
    }
}
