import Foundation
import XCTest

@testable import Kivo

/// Descriptions of type-safe queries of collections.
final class QueryCollectionExpressionTests: XCTestCase {
    private func expect(
        _ words: String, file: StaticString = #filePath, line: UInt = #line,
        _ isIncluded: (Query<YardDog>) -> Query<Bool>
    ) {
        let query = isIncluded(Query(.operand(.path(QueryPath()))))
        XCTAssertEqual(QueryNodeSummary.text(query.node), words, file: file, line: line)
    }

    private func expectOwners(
        _ words: String, file: StaticString = #filePath, line: UInt = #line,
        _ isIncluded: (Query<YardOwner>) -> Query<Bool>
    ) {
        let query = isIncluded(Query(.operand(.path(QueryPath()))))
        XCTAssertEqual(QueryNodeSummary.text(query.node), words, file: file, line: line)
    }

    // MARK: Elements

    func testPropertiesOfElements() {
        expectOwners("dogs.name == 'Rex'") { $0.dogs.name == "Rex" }
        expectOwners("dogs.owner.age > 3") { $0.dogs.owner.age > 3 }
        expectOwners("boss.dogs.oldAge == nil") { $0.boss.dogs.oldAge == nil }
        expectOwners("dogs.isGood == true") { $0.dogs.isGood }
        expectOwners("!(dogs.name CONTAINS[c] 'x')") {
            !$0.dogs.name.contains("x", options: .caseInsensitive)
        }
        expectOwners("cats.lives < 9") { $0.cats.lives < 9 }
        expectOwners("owned.age IN {1, 2}") { $0.owned.age.in([1, 2]) }
        expectOwners("dogs.age BETWEEN {1, 2}") { $0.dogs.age.contains(1...2) }
        expect("keepers.name == 'Ann'") { $0.keepers.name == "Ann" }
        expect("keepers.dogs.keepers.boss == nil") { $0.keepers.dogs.keepers.boss == nil }
    }

    func testPlainElements() {
        expect("numbers == 5") { $0.numbers == 5 }
        expect("numbers != 5") { $0.numbers != 5 }
        expect("numbers > 5") { $0.numbers > 5 }
        expect("numbers >= 5") { $0.numbers >= 5 }
        expect("numbers < 5") { $0.numbers < 5 }
        expect("numbers <= 5") { $0.numbers <= 5 }
        expect("gaps == nil") { $0.gaps == nil }
        expect("gaps > 5") { $0.gaps > 5 }
        expect("words != 'x'") { $0.words != "x" }
        expect("owner.dogs.numbers == 5") { $0.owner.dogs.numbers == 5 }
    }

    func testElements() {
        let dog = YardDog()
        expect("5 IN numbers") { $0.numbers.contains(5) }
        expect("!(5 IN numbers)") { !$0.numbers.contains(5) }
        expect("nil IN gaps") { $0.gaps.contains(nil) }
        expect("'x' IN words") { $0.words.contains("x") }
        expect("calm IN moods") { $0.moods.contains(.calm) }
        expectOwners("<YardDog> IN dogs") { $0.dogs.contains(dog) }
        expectOwners("<YardDog> IN owned") { $0.owned.contains(dog) }
        expectOwners("dogs != <YardDog>") { $0.dogs != dog }
        expect("numbers IN {5, 6}") { $0.numbers.containsAny(in: [5, 6]) }
        expect("gaps IN {5, nil}") { $0.gaps.containsAny(in: [5, nil]) }
        expectOwners("dogs IN {<YardDog>}") { $0.dogs.containsAny(in: [dog]) }
    }

    func testRangesOfElements() {
        expect("(numbers@min >= 1 && numbers@max < 3)") { $0.numbers.contains(1..<3) }
        expect("(numbers@min >= 1 && numbers@max <= 3)") { $0.numbers.contains(1...3) }
        expect("(gaps@min >= 1 && gaps@max < 3)") { $0.gaps.contains(1..<3) }
        expect("(gaps@min >= 1 && gaps@max <= 3)") { $0.gaps.contains(1...3) }
    }

    func testRawValuesOfElements() {
        expect("moods == 'gone'") { $0.moods.rawValue == "gone" }
        expect("moods IN {'a', 'b'}") { $0.moods.rawValue.containsAny(in: ["a", "b"]) }
    }

    // MARK: Aggregates

    func testAggregatesOfPlainValues() {
        expect("numbers@count == 2") { $0.numbers.count == 2 }
        expect("numbers@min > 2") { $0.numbers.min > 2 }
        expect("numbers@max <= 2") { $0.numbers.max <= 2 }
        expect("numbers@avg != 2") { $0.numbers.avg != 2 }
        expect("numbers@sum >= age") { $0.numbers.sum >= $0.age }
        expect("gaps@max == nil") { $0.gaps.max == nil }
        expect("numbers@sum BETWEEN {1, 2}") { $0.numbers.sum.contains(1...2) }
        expect("owner.dogs.numbers@max == 1") { $0.owner.dogs.numbers.max == 1 }
    }

    func testAggregatesOfPropertiesOfElements() {
        expectOwners("dogs@count > 2") { $0.dogs.count > 2 }
        expectOwners("dogs@min(age) == 2") { $0.dogs.age.min == 2 }
        expectOwners("dogs@max(oldAge) == nil") { $0.dogs.oldAge.max == nil }
        expectOwners("dogs@avg(weight) > 2.5") { $0.dogs.weight.avg > 2.5 }
        expectOwners("dogs@sum(price) > 2") { $0.dogs.price.sum > 2 }
        expectOwners("dogs@max(owner.age) == 2") { $0.dogs.owner.age.max == 2 }
        expectOwners("boss.owned@sum(rank) == 2") { $0.boss.owned.rank.sum == 2 }
        expectOwners("cats@max(lives) < dogs@count") { $0.cats.lives.max < $0.dogs.count }
        expectOwners("dogs.keepers@max(age) == 2") { $0.dogs.keepers.age.max == 2 }
        expect("keepers@count == 0") { $0.keepers.count == 0 }
        expect("owner.owned@count IN {1, 2}") { $0.owner.owned.count.in([1, 2]) }
    }

    // MARK: Subqueries

    func testSubqueries() {
        let dog = YardDog()
        expectOwners("#(dogs: (age > 3 && name == 'Rex')) >= 1") {
            ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 1
        }
        expectOwners("#(dogs: (age > 3 || !(owner.name == 'Ann'))) == 0") {
            ($0.dogs.age > 3 || !($0.dogs.owner.name == "Ann")).count == 0
        }
        expectOwners("#(boss.owned: age == rank) == 2") {
            ($0.boss.owned.age == $0.boss.owned.rank.retyped()).count == 2
        }
        expectOwners("#(dogs: isGood == true) != 1") { $0.dogs.isGood.count != 1 }
        expectOwners("#(dogs: <YardDog> IN self) == 1") { $0.dogs.contains(dog).count == 1 }
        expectOwners("#(dogs: keepers.age > 3) < 2") { ($0.dogs.keepers.age > 3).count < 2 }
        expectOwners("#(dogs: (numbers@max == 3 && keepers@count > 1)) > 0") {
            ($0.dogs.numbers.max == 3 && $0.dogs.keepers.count > 1).count > 0
        }
        expectOwners("#(dogs: scores.<a> > 3) > 0") { ($0.dogs.scores["a"] > 3).count > 0 }
        expect("#(friends.<a>.keepers: age == 2) == 1") { ($0.friends["a"].keepers.age == 2).count == 1 }
    }

    func testSubqueriesWithinConditions() {
        expectOwners("((#(dogs: age > 3) > #(cats: lives < 9) && name == 'Ann') && dogs.age == 1)") {
            ($0.dogs.age > 3).count > ($0.cats.lives < 9).count && $0.name == "Ann" && $0.dogs.age == 1
        }
        expectOwners("!(#(dogs: age > 3) BETWEEN {1, 2})") { !($0.dogs.age > 3).count.contains(1...2) }
    }

    // MARK: Maps

    func testMaps() {
        expect("scores.<keys> == 'a'") { $0.scores.keys == "a" }
        expect("scores.<keys> BEGINSWITH[c] 'a'") {
            $0.scores.keys.starts(with: "a", options: .caseInsensitive)
        }
        expect("scores.<keys> IN {'a', 'b'}") { $0.scores.keys.in(["a", "b"]) }
        expect("scores.<values> > 3") { $0.scores.values > 3 }
        expect("oldScores.<values> == nil") { $0.oldScores.values == nil }
        expect("scores.<a> > 3") { $0.scores["a"] > 3 }
        expect("oldScores.<a> != nil") { $0.oldScores["a"] != nil }
        expect("friends.<a> == nil") { $0.friends["a"] == nil }
        expect("friends.<a>.owner.name == 'Ann'") { $0.friends["a"].owner.name == "Ann" }
        expect("friends.<values>.name == 'Rex'") { $0.friends.values.name == "Rex" }
    }

    func testValuesOfMaps() {
        let dog = YardDog()
        expect("3 IN scores") { $0.scores.contains(3) }
        expect("!(nil IN oldScores)") { !$0.oldScores.contains(nil) }
        expect("<YardDog> IN friends") { $0.friends.contains(dog) }
        expect("scores IN {3, 4}") { $0.scores.containsAny(in: [3, 4]) }
        expect("(scores@min >= 1 && scores@max < 3)") { $0.scores.contains(1..<3) }
        expect("(oldScores@min >= 1 && oldScores@max <= 3)") { $0.oldScores.contains(1...3) }
    }

    func testAggregatesOfMaps() {
        expect("scores@count > 1") { $0.scores.count > 1 }
        expect("scores@min > 1") { $0.scores.min > 1 }
        expect("oldScores@max == nil") { $0.oldScores.max == nil }
        expect("scores@avg == 1") { $0.scores.avg == 1 }
        expect("scores@sum == 1") { $0.scores.values.sum == 1 }
        expect("friends@max(age) == 1") { $0.friends.values.age.max == 1 }
        expect("friends.<a>.numbers@max == 1") { $0.friends["a"].numbers.max == 1 }
    }

    // MARK: Collections of plain values

    func testTheElementItself() {
        let query = { (isIncluded: (Query<Int?>) -> Query<Bool>) in
            QueryNodeSummary.text(isIncluded(Query(.operand(.path(QueryPath())))).node)
        }
        XCTAssertEqual(query { $0 > 5 || $0 == nil }, "(self > 5 || self == nil)")
        XCTAssertEqual(
            query { $0.in([1, 2]) && $0.contains(1...2) }, "(self IN {1, 2} && self BETWEEN {1, 2})")
    }
}
