import Foundation
import XCTest

@testable import Kivo

/// Descriptions of type-safe queries of single values.
final class QueryExpressionTests: XCTestCase {
    /// Checks the words of a query for dogs.
    private func expect(
        _ words: String, file: StaticString = #filePath, line: UInt = #line,
        _ isIncluded: (Query<YardDog>) -> Query<Bool>
    ) {
        let query = isIncluded(Query(.operand(.path(QueryPath()))))
        XCTAssertEqual(QueryNodeSummary.text(query.node), words, file: file, line: line)
    }

    // MARK: Comparisons

    func testComparisonsWithAValue() {
        expect("age == 5") { $0.age == 5 }
        expect("age != 5") { $0.age != 5 }
        expect("age < 5") { $0.age < 5 }
        expect("age <= 5") { $0.age <= 5 }
        expect("age > 5") { $0.age > 5 }
        expect("age >= 5") { $0.age >= 5 }
        expect("name == 'Rex'") { $0.name == "Rex" }
        expect("rank > -3") { $0.rank > -3 }
        expect("height <= 2.5") { $0.height <= 2.5 }
        expect("weight > 3.0") { $0.weight > 3 }
    }

    func testOptionalProperties() {
        let age = 5
        expect("oldAge == 5") { $0.oldAge == 5 }
        expect("oldAge == 5") { $0.oldAge == age }
        expect("oldAge > 5") { $0.oldAge > age }
        expect("oldAge == nil") { $0.oldAge == nil }
        expect("oldAge != nil") { $0.oldAge != nil }
        expect("oldWeight <= 2.0") { $0.oldWeight <= 2 }
        expect("nickname == nil") { $0.nickname == nil }
        expect("nickname != 'R'") { $0.nickname != "R" }
        expect("isKnown == true") { $0.isKnown == true }
        expect("isKnown == nil") { $0.isKnown == nil }
    }

    func testComparisonsOfTwoProperties() {
        expect("age == rank") { $0.age == $0.rank.retyped() }
        expect("age < owner.age") { $0.age < $0.owner.age }
        expect("name != owner.name") { $0.name != $0.owner.name }
        expect("mood == mood") { $0.mood == $0.mood }
        expect("owner == owner.boss") { $0.owner == $0.owner.boss }
        expect("born >= born") { $0.born >= $0.born }
    }

    func testTypes() {
        let date = Date(timeIntervalSince1970: 60)
        let uuid = UUID()
        let id = ObjectId.generate()
        expect("born < \(date)") { $0.born < date }
        expect("died >= \(date)") { $0.died >= date }
        expect("chip == \(uuid)") { $0.chip == uuid }
        expect("ticket != \(id)") { $0.ticket != id }
        expect("price > 2.5") { $0.price > 2.5 }
        expect("scent == 2 bytes") { $0.scent == Data([1, 2]) }
        expect("mood == barking") { $0.mood == .barking }
        expect("oldMood == calm") { $0.oldMood == .calm }
        expect("oldMood != nil") { $0.oldMood != nil }
        expect("size > small") { $0.size > .small }
    }

    func testRawValues() {
        expect("mood == 'gone'") { $0.mood.rawValue == "gone" }
        expect("mood BEGINSWITH 'b'") { $0.mood.rawValue.starts(with: "b") }
        expect("oldMood == nil") { $0.oldMood.rawValue == nil }
        expect("oldMood LIKE '*l*'") { $0.oldMood.rawValue.like("*l*") }
        expect("size >= 2") { $0.size.rawValue >= 2 }
    }

    func testBooleanPropertiesAsConditions() {
        expect("isGood == true") { $0.isGood }
        expect("!(isGood == true)") { !$0.isGood }
        expect("(isGood == true && !(isLoud == true))") { $0.isGood && !$0.isLoud }
        expect("isGood == false") { $0.isGood == false }
        expect("isGood != isLoud") { $0.isGood != $0.isLoud }
    }

    func testConnectives() {
        expect("((age > 5 && name == 'x') && owner.age <= 7)") {
            $0.age > 5 && $0.name == "x" && $0.owner.age <= 7
        }
        expect("(age > 5 || (name == 'x' && owner.age <= 7))") {
            $0.age > 5 || $0.name == "x" && $0.owner.age <= 7
        }
        expect("!((age > 5 || isGood == true))") { !($0.age > 5 || $0.isGood) }
    }

    /// An expression of this size has to be type-checked in reasonable time, or the test target does not build.
    func testALongExpression() {
        expect(
            """
            ((((((((age > 5 && rank <= 3) && weight > 2.5) && oldAge == 3) && name == 'x') && owner.age != 7) \
            && owner.boss.name != 'y') && !(isGood == true)) || (height < 1.0 && oldWeight >= 2.0))
            """
        ) {
            $0.age > 5 && $0.rank <= 3 && $0.weight > 2.5 && $0.oldAge == 3 && $0.name == "x"
                && $0.owner.age != 7 && $0.owner.boss.name != "y" && !$0.isGood
                || $0.height < 1 && $0.oldWeight >= 2
        }
    }

    // MARK: Ways

    func testLinks() {
        let ann = YardOwner()
        expect("owner.age > 3") { $0.owner.age > 3 }
        expect("owner.boss.boss.nickname == nil") { $0.owner.boss.boss.nickname == nil }
        expect("owner == nil") { $0.owner == nil }
        expect("owner != <YardOwner>") { $0.owner != ann }
        expect("owner.boss == <YardOwner>") { $0.owner.boss == ann }
        expect("tag.text == 'x'") { $0.tag.text == "x" }
        expect("tag.maker.age < 3") { $0.tag.maker.age < 3 }
        expect("tag != nil") { $0.tag != nil }
    }

    func testTheObjectItself() {
        let dog = YardDog()
        expect("self == <YardDog>") { $0 == dog }
        expect("self IN {<YardDog>}") { $0.in([dog]) }
    }

    /// A property of the user's is not hidden by what queries of other types have.
    func testPropertiesThatAreNamedLikeFunctions() {
        expect("owner.count == 3") { $0.owner.count == 3 }
    }

    // MARK: Ranges and sequences

    func testRanges() {
        expect("(age >= 3 && age < 5)") { $0.age.contains(3..<5) }
        expect("age BETWEEN {3, 5}") { $0.age.contains(3...5) }
        expect("(oldAge >= 3 && oldAge < 5)") { $0.oldAge.contains(3..<5) }
        expect("oldAge BETWEEN {3, 5}") { $0.oldAge.contains(3...5) }
        expect("owner.age BETWEEN {1, 2}") { $0.owner.age.contains(1...2) }
        expect("weight BETWEEN {1.0, 2.5}") { $0.weight.contains(1...2.5) }
        expect("(name >= 'a' && name < 'c')") { $0.name.contains("a"..<"c") }
    }

    func testSequences() {
        let (ages, ann) = ([1, 2], YardOwner())
        expect("age IN {1, 2}") { $0.age.in([1, 2]) }
        expect("age IN {2, 3}") { $0.age.in(2...3) }
        expect("oldAge IN {1, nil}") { $0.oldAge.in([1, nil]) }
        expect("oldAge IN {1, 2}") { $0.oldAge.in(ages) }
        expect("name IN {'a'}") { $0.name.in(Set(["a"])) }
        expect("owner IN {<YardOwner>}") { $0.owner.in([ann]) }
        expect("owner IN {nil}") { $0.owner.in([nil]) }
        expect("mood IN {calm, asleep}") { $0.mood.in([.calm, .asleep]) }
        expect("owner.name IN {}") { $0.owner.name.in([]) }
    }

    // MARK: Text

    func testText() {
        expect("name CONTAINS 'x'") { $0.name.contains("x") }
        expect("name CONTAINS[c] 'x'") { $0.name.contains("x", options: .caseInsensitive) }
        expect("name BEGINSWITH 'x'") { $0.name.starts(with: "x") }
        expect("name BEGINSWITH[d] 'x'") { $0.name.starts(with: "x", options: [.diacriticInsensitive]) }
        expect("name ENDSWITH 'x'") { $0.name.ends(with: "x") }
        expect("name ENDSWITH[cd] 'x'") {
            $0.name.ends(with: "x", options: [.caseInsensitive, .diacriticInsensitive])
        }
        expect("name == 'x'") { $0.name.equals("x") }
        expect("name ==[c] 'x'") { $0.name.equals("x", options: .caseInsensitive) }
        expect("name !=[d] 'x'") { $0.name.notEquals("x", options: .diacriticInsensitive) }
        expect("name LIKE 'x*'") { $0.name.like("x*") }
        expect("name LIKE[c] '?x'") { $0.name.like("?x", caseInsensitive: true) }
    }

    func testOptionalText() {
        let text = "x"
        expect("nickname CONTAINS 'x'") { $0.nickname.contains(text) }
        expect("nickname BEGINSWITH[c] 'x'") { $0.nickname.starts(with: "x", options: .caseInsensitive) }
        expect("nickname ENDSWITH 'x'") { $0.nickname.ends(with: text) }
        expect("nickname ==[c] nil") { $0.nickname.equals(nil, options: .caseInsensitive) }
        expect("nickname != 'x'") { $0.nickname.notEquals("x") }
        expect("nickname LIKE 'x'") { $0.nickname.like(text) }
        expect("owner.nickname CONTAINS 'x'") { $0.owner.nickname.contains("x") }
    }

    func testTextOfTwoProperties() {
        expect("name CONTAINS[c] nickname") { $0.name.contains($0.nickname, options: .caseInsensitive) }
        expect("nickname BEGINSWITH name") { $0.nickname.starts(with: $0.name) }
        expect("name ENDSWITH owner.name") { $0.name.ends(with: $0.owner.name) }
        expect("name ==[c] nickname") { $0.name.equals($0.nickname, options: .caseInsensitive) }
        expect("name !=[c] nickname") { $0.name.notEquals($0.nickname, options: .caseInsensitive) }
        expect("name LIKE[c] nickname") { $0.name.like($0.nickname, caseInsensitive: true) }
    }

    func testData() {
        expect("scent CONTAINS 1 bytes") { $0.scent.contains(Data([1])) }
        expect("scent BEGINSWITH 1 bytes") { $0.scent.starts(with: Data([1])) }
        expect("scent ENDSWITH 0 bytes") { $0.scent.ends(with: Data()) }
    }
}
