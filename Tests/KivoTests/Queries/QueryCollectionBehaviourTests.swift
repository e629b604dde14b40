import Foundation
import Kivo
import XCTest

/// Results of type-safe queries of collections.
final class QueryCollectionBehaviourTests: QueryTestCase {
    // MARK: Elements

    func testPropertiesOfElements() {
        expectOwners({ $0.dogs.name == "Bella" }) { $0.dogs.contains { $0.name == "Bella" } }
        expectOwners({ !($0.dogs.name == "Bella") }) { !$0.dogs.contains { $0.name == "Bella" } }
        expectOwners({ $0.dogs.owner.age < 8 }) { $0.dogs.contains { ($0.owner?.age ?? 8) < 8 } }
        expectOwners({ $0.boss.dogs.name == "" }) { $0.boss?.dogs.contains { $0.name == "" } ?? false }
        expectOwners({ $0.dogs.name.like("max", caseInsensitive: true) }) {
            $0.dogs.contains { $0.name == "Max" }
        }
        expectOwners({ $0.cats.lives > 5 }) { $0.cats.contains { $0.lives > 5 } }
        expectOwners({ $0.owned.age.in([7, 8]) }) { $0.owned.contains { [7, 8].contains($0.age) } }
        expectOwners({ $0.dogs.age.contains(7...8) }) { $0.dogs.contains { (7...8).contains($0.age) } }
        expectDogs({ $0.keepers.name == "Cid" }) { $0.keepers.contains { $0.name == "Cid" } }
        expectDogs({ $0.owner.dogs.age == 8 }) { $0.owner?.dogs.contains { $0.age == 8 } ?? false }
        expectDogs({ $0.keepers.dogs.name == "Max" }) {
            $0.keepers.contains { $0.dogs.contains { $0.name == "Max" } }
        }
    }

    func testPlainElements() {
        expectDogs({ $0.numbers == 10 }) { $0.numbers.contains(10) }
        expectDogs({ $0.numbers != 0 }) { $0.numbers.contains { $0 != 0 } }
        expectDogs({ $0.numbers > 10 }) { $0.numbers.contains { $0 > 10 } }
        expectDogs({ !($0.numbers > 10) }) { !$0.numbers.contains { $0 > 10 } }
        expectDogs({ $0.gaps == nil }) { $0.gaps.contains(nil) }
        expectDogs({ $0.gaps >= 7 }) { $0.gaps.contains { $0.map { $0 >= 7 } ?? false } }
        expectDogs({ $0.words != "Rex" }) { $0.words.contains { $0 != "Rex" } }
        expectDogs({ $0.moods.rawValue == "asleep" }) { $0.moods.contains(.asleep) }
    }

    func testElements() {
        let dog = dogs[7]
        expectDogs({ $0.numbers.contains(10) }) { $0.numbers.contains(10) }
        expectDogs({ !$0.words.contains("rex") }) { !$0.words.contains("rex") }
        expectDogs({ $0.moods.contains(.barking) }) { $0.moods.contains(.barking) }
        expectOwners({ $0.dogs.contains(dog) }) { $0.dogs.contains { $0.id == 7 } }
        expectOwners({ $0.owned.contains(dog) }) { $0.id == dog.owner?.id }
        expectDogs({ $0.numbers.containsAny(in: [10, 7]) }) { $0.numbers.contains { [10, 7].contains($0) } }
        expectDogs({ $0.gaps.containsAny(in: [nil, 4]) }) { $0.gaps.contains { [nil, 4].contains($0) } }
        expectOwners({ $0.dogs.containsAny(in: [dog]) }) { $0.dogs.contains { $0.id == 7 } }
        expectDogs({ $0.numbers.contains(0..<10) }) {
            !$0.numbers.isEmpty && $0.numbers.allSatisfy((0..<10).contains)
        }
        expectDogs({ $0.gaps.contains(1...7) }) {
            $0.gaps.contains { $0 != nil } && $0.gaps.allSatisfy { $0.map((1...7).contains) ?? true }
        }
    }

    // MARK: Aggregates

    func testCounts() {
        expectDogs({ $0.numbers.count == 2 }) { $0.numbers.count == 2 }
        expectDogs({ $0.gaps.count > 1 }) { $0.gaps.count > 1 }
        expectDogs({ $0.keepers.count == 0 }) { $0.keepers.isEmpty }
        expectOwners({ $0.dogs.count >= 5 }) { $0.dogs.count >= 5 }
        expectOwners({ $0.cats.count > $0.count }) { $0.cats.count > $0.count }
        expectOwners({ $0.cats.count < $0.owned.count }) { $0.cats.count < $0.owned.count }
        expectDogs({ $0.owner.cats.count.in([1, 2]) }) {
            $0.owner.map { [1, 2].contains($0.cats.count) } ?? false
        }
    }

    func testAggregatesOfPlainValues() {
        expectDogs({ $0.numbers.max > 10 }) { $0.numbers.contains { $0 > 10 } }
        expectDogs({ $0.numbers.min == 0 }) { !$0.numbers.isEmpty }
        expectDogs({ $0.gaps.max == nil }) { !$0.gaps.contains { $0 != nil } }
        expectDogs({ $0.numbers.sum == 0 }) { $0.numbers.reduce(0, +) == 0 }
        expectDogs({ $0.numbers.avg > 7 }) {
            !$0.numbers.isEmpty && Double($0.numbers.reduce(0, +)) / Double($0.numbers.count) > 7
        }
        expectDogs({ $0.gaps.max >= 7 }) { ($0.gaps.compactMap(\.self).max() ?? 0) >= 7 }
        expectDogs({ $0.numbers.sum > $0.age }) { $0.numbers.reduce(0, +) > $0.age }
    }

    func testAggregatesOfPropertiesOfElements() {
        expectOwners({ $0.dogs.age.min == 0 }) { $0.dogs.map(\.age).min() == 0 }
        expectOwners({ $0.dogs.age.max >= 8 }) { ($0.dogs.map(\.age).max() ?? 0) >= 8 }
        expectOwners({ $0.dogs.weight.sum > 20 }) { $0.dogs.map(\.weight).reduce(0, +) > 20 }
        expectOwners({ $0.dogs.age.avg > 3 }) {
            !$0.dogs.isEmpty && Double($0.dogs.map(\.age).reduce(0, +)) / Double($0.dogs.count) > 3
        }
        expectOwners({ $0.owned.oldAge.max == 4 }) { $0.owned.compactMap(\.oldAge).max() == 4 }
        expectOwners({ $0.cats.lives.sum >= 9 }) { $0.cats.map(\.lives).reduce(0, +) >= 9 }
        expectOwners({ $0.dogs.oldAge.max < 4 }) {
            $0.dogs.compactMap(\.oldAge).max().map { $0 < 4 } ?? false
        }
        expectOwners({ $0.dogs.owner.age.min > 7 }) {
            $0.dogs.compactMap(\.owner?.age).min().map { $0 > 7 } ?? false
        }
    }

    // MARK: Subqueries

    func testSubqueries() {
        expectOwners({ ($0.dogs.age > 3 && $0.dogs.isGood).count >= 1 }) {
            $0.dogs.filter { $0.age > 3 && $0.isGood }.count >= 1
        }
        expectOwners({ ($0.dogs.age > 2 && $0.dogs.name == "Rex").count == 0 }) {
            !$0.dogs.contains { $0.age > 2 && $0.name == "Rex" }
        }
        expectOwners({ ($0.dogs.owner.name == "Ann" || !$0.dogs.isLoud).count > 2 }) {
            $0.dogs.filter { $0.owner?.name == "Ann" || !$0.isLoud }.count > 2
        }
        expectOwners({ ($0.cats.lives < 4).count == 2 }) { $0.cats.filter { $0.lives < 4 }.count == 2 }
        expectOwners({ ($0.owned.numbers.max > 10).count > ($0.dogs.isGood).count }) { owner in
            owner.owned.filter { ($0.numbers.max() ?? 0) > 10 }.count > owner.dogs.filter(\.isGood).count
        }
        expectOwners({ ($0.dogs.numbers.count >= 2).count == 2 }) {
            $0.dogs.filter { $0.numbers.count >= 2 }.count == 2
        }
        expectDogs({ ($0.keepers.age > 20).count == 1 }) { $0.keepers.filter { $0.age > 20 }.count == 1 }
    }

    // MARK: Maps

    func testMaps() {
        expectDogs({ $0.scores.keys == "b" }) { $0.scores["b"] != nil }
        expectDogs({ $0.scores.keys.in(["b", "c"]) }) { $0.scores["b"] != nil }
        expectDogs({ $0.scores.keys.contains("C", options: .caseInsensitive) }) { $0.scores["c"] != nil }
        expectDogs({ $0.scores.values > 20 }) { $0.scores.values.contains { $0 > 20 } }
        expectDogs({ $0.scores["b"] > 10 }) { ($0.scores["b"] ?? 0) > 10 }
        expectDogs({ $0.oldScores["a"] == nil }) { $0.oldScores["a"] == nil }
        expectDogs({ $0.oldScores.values == nil }) { $0.oldScores.values.contains(nil) }
        expectDogs({ $0.friends["b"] == dogs[10] }) { ($0.friends["b"] ?? nil)?.id == 10 }
    }

    func testValuesOfMaps() {
        expectDogs({ $0.scores.contains(7) }) { $0.scores.values.contains(7) }
        expectDogs({ $0.scores.containsAny(in: [7, 20]) }) {
            $0.scores.values.contains { [7, 20].contains($0) }
        }
        expectDogs({ !$0.oldScores.contains(nil) }) { !$0.oldScores.values.contains(nil) }
        expectDogs({ $0.friends.contains(dogs[10]) }) { $0.friends.values.contains { $0?.id == 10 } }
        expectDogs({ $0.scores.contains(1...7) }) {
            $0.scores.count > 0 && $0.scores.values.allSatisfy((1...7).contains)
        }
    }

    func testAggregatesOfMaps() {
        expectDogs({ $0.scores.count == 2 }) { $0.scores.count == 2 }
        expectDogs({ $0.scores.max > 20 }) { ($0.scores.values.max() ?? 0) > 20 }
        expectDogs({ $0.scores.min <= 5 }) { $0.scores.values.min().map { $0 <= 5 } ?? false }
        expectDogs({ $0.scores.sum == 0 }) { $0.scores.values.reduce(0, +) == 0 }
        expectDogs({ $0.scores.avg == 8 }) {
            $0.scores.count > 0 && $0.scores.values.reduce(0, +) == 8 * $0.scores.count
        }
    }
}
