import Foundation
import Kivo
import XCTest

/// Results of type-safe queries of single values.
final class QueryBehaviourTests: QueryTestCase {
    // MARK: Comparisons

    func testComparisons() {
        expectDogs({ $0.age == 5 }) { $0.age == 5 }
        expectDogs({ $0.age != 5 }) { $0.age != 5 }
        expectDogs({ $0.age < 5 }) { $0.age < 5 }
        expectDogs({ $0.age <= 5 }) { $0.age <= 5 }
        expectDogs({ $0.age > 5 }) { $0.age > 5 }
        expectDogs({ $0.age >= 5 }) { $0.age >= 5 }
        expectDogs({ $0.rank < -1 }) { $0.rank < -1 }
        expectDogs({ $0.height <= 0.5 }) { $0.height <= 0.5 }
        expectDogs({ $0.weight > 3 }) { $0.weight > 3 }
        expectDogs({ $0.name < "S" }) { $0.name < "S" }
    }

    func testOptionals() {
        expectDogs({ $0.oldAge == 4 }) { $0.oldAge == 4 }
        expectDogs({ $0.oldAge == nil }) { $0.oldAge == nil }
        expectDogs({ $0.oldAge != nil }) { $0.oldAge != nil }
        expectDogs({ $0.oldAge != 4 }) { $0.oldAge != 4 }
        expectDogs({ $0.oldAge < 3 }) { $0.oldAge.map { $0 < 3 } ?? false }
        expectDogs({ $0.oldAge >= 2 }) { $0.oldAge.map { $0 >= 2 } ?? false }
        expectDogs({ !($0.oldAge < 3) }) { !($0.oldAge.map { $0 < 3 } ?? false) }
        expectDogs({ $0.oldWeight > 9 }) { $0.oldWeight.map { $0 > 9 } ?? false }
        expectDogs({ $0.nickname == "RE" }) { $0.nickname == "RE" }
        expectDogs({ $0.isKnown == false }) { $0.isKnown == false }
        expectDogs({ $0.isKnown != true }) { $0.isKnown != true }
    }

    func testTypes() {
        let (date, dog) = (Date(timeIntervalSince1970: 1200), dogs[3])
        expectDogs({ $0.born < date }) { $0.born < date }
        expectDogs({ $0.died >= date }) { $0.died.map { $0 >= date } ?? false }
        expectDogs({ $0.chip == dog.chip }) { $0.chip == dog.chip }
        expectDogs({ $0.ticket == ObjectId("000000000000000000000000") && $0.age == 1 }) { $0.age == 1 }
        expectDogs({ $0.price > 2.5 }) { $0.price > 2.5 }
        expectDogs({ $0.scent == Data([1, 0]) }) { $0.scent == Data([1, 0]) }
        expectDogs({ $0.mood == .barking }) { $0.mood == .barking }
        expectDogs({ $0.oldMood != .calm }) { $0.oldMood != .calm }
        expectDogs({ $0.oldMood == nil }) { $0.oldMood == nil }
        expectDogs({ $0.size > .small }) { $0.size.rawValue > 1 }
        expectDogs({ $0.size.rawValue <= 1 }) { $0.size.rawValue <= 1 }
        expectDogs({ $0.oldMood.rawValue == "barking" }) { $0.oldMood == .barking }
    }

    func testTwoProperties() {
        expectDogs({ $0.born == $0.born && $0.age > 3 }) { $0.age > 3 }
        expectDogs({ $0.isGood == $0.isLoud }) { $0.isGood == $0.isLoud }
        expectDogs({ $0.age < $0.id }) { $0.age < $0.id }
        expectDogs({ $0.owner.name == $0.tag.maker.name }) { dog in
            dog.owner.map { $0.name == dog.tag?.maker?.name } ?? false
        }
    }

    func testConnectives() {
        expectDogs({ $0.isGood }) { $0.isGood }
        expectDogs({ !$0.isGood }) { !$0.isGood }
        expectDogs({ $0.isGood && !$0.isLoud }) { $0.isGood && !$0.isLoud }
        expectDogs({ $0.age > 5 || $0.name == "Max" && $0.isLoud }) {
            $0.age > 5 || $0.name == "Max" && $0.isLoud
        }
        expectDogs({ !($0.age > 5 || $0.isGood) }) { !($0.age > 5 || $0.isGood) }
    }

    // MARK: Ways

    func testLinks() {
        let ann = owners[0]
        expectDogs({ $0.owner == ann }) { $0.owner?.id == 0 }
        expectDogs({ $0.owner != ann }) { $0.owner?.id != 0 }
        expectDogs({ $0.owner == nil }) { $0.owner == nil }
        expectDogs({ $0.owner != nil }) { $0.owner != nil }
        expectDogs({ $0.owner.age > 20 }) { ($0.owner?.age ?? 0) > 20 }
        expectDogs({ $0.owner.age != 40 }) { $0.owner?.age != 40 }
        expectDogs({ $0.owner.nickname == nil }) { $0.owner?.nickname == nil }
        expectDogs({ $0.owner.boss.name == "Ann" }) { $0.owner?.boss?.name == "Ann" }
        expectDogs({ $0.owner.boss == ann }) { $0.owner?.boss?.id == 0 }
        expectDogs({ $0.owner.count == 1 }) { $0.owner?.count == 1 }
        expectDogs({ $0.tag == nil }) { $0.tag == nil }
        expectDogs({ $0.tag.text == "Max" }) { $0.tag?.text == "Max" }
        expectDogs({ $0.tag.maker.age > 20 }) { ($0.tag?.maker?.age ?? 0) > 20 }
        expectDogs({ $0.owner == YardOwner() || $0.age == 1 }) { $0.age == 1 }
    }

    func testTheObjectItself() {
        let dog = dogs[3]
        expectDogs({ $0 == dog }) { $0.id == 3 }
        expectDogs({ $0.in([dog, dogs[5]]) }) { $0.id == 3 || $0.id == 5 }
    }

    // MARK: Ranges and sequences

    func testRanges() {
        expectDogs({ $0.age.contains(3..<6) }) { (3..<6).contains($0.age) }
        expectDogs({ $0.age.contains(3...6) }) { (3...6).contains($0.age) }
        expectDogs({ $0.oldAge.contains(1..<3) }) { $0.oldAge.map((1..<3).contains) ?? false }
        expectDogs({ $0.oldAge.contains(1...3) }) { $0.oldAge.map((1...3).contains) ?? false }
        expectDogs({ $0.weight.contains(1.5...6) }) { (1.5...6).contains($0.weight) }
        expectDogs({ $0.price.contains(1...2.5) }) { $0.price >= 1 && $0.price <= 2.5 }
        expectDogs({ $0.owner.age.contains(7...20) }) { $0.owner.map { (7...20).contains($0.age) } ?? false }
    }

    func testSequences() {
        expectDogs({ $0.age.in([1, 5]) }) { [1, 5].contains($0.age) }
        expectDogs({ $0.age.in(2...3) }) { (2...3).contains($0.age) }
        expectDogs({ $0.oldAge.in([1, nil]) }) { [1, nil].contains($0.oldAge) }
        expectDogs({ !$0.oldAge.in(Set([1, 2])) }) { ![1, 2].contains($0.oldAge) }
        expectDogs({ $0.name.in(["Max", ""]) }) { ["Max", ""].contains($0.name) }
        expectDogs({ $0.mood.in([.calm, .asleep]) }) { $0.mood != .barking }
        expectDogs({ $0.age.in([]) || $0.age == 1 }) { $0.age == 1 }
        let old = realm.objects(YardOwner.self).where { $0.age > 20 }
        expectDogs({ $0.owner.in(old) }) { ($0.owner?.age ?? 0) > 20 }
        expectDogs({ $0.owner.in([nil]) }) { $0.owner == nil }
    }

    // MARK: Text

    func testText() {
        expectDogs({ $0.name.contains("e") }) { $0.name.contains("e") }
        expectDogs({ !$0.name.contains("e") }) { !$0.name.contains("e") }
        expectDogs({ $0.name.starts(with: "R") }) { $0.name.hasPrefix("R") }
        expectDogs({ $0.name.ends(with: "x") }) { $0.name.hasSuffix("x") }
        expectDogs({ $0.name.equals("Rex") }) { $0.name == "Rex" }
        expectDogs({ $0.name.notEquals("Rex") }) { $0.name != "Rex" }
        expectDogs({ $0.nickname.contains("X") }) { $0.nickname?.contains("X") ?? false }
        expectDogs({ $0.nickname.starts(with: "R") }) { $0.nickname?.hasPrefix("R") ?? false }
        expectDogs({ $0.owner.name.ends(with: "n") }) { $0.owner?.name.hasSuffix("n") ?? false }
        expectDogs({ $0.mood.rawValue.starts(with: "b") }) { $0.mood == .barking }
    }

    func testTextOptions() {
        func plain(_ text: String) -> String { text.folding(options: .diacriticInsensitive, locale: nil) }
        expectDogs({ $0.name.equals("REX", options: .caseInsensitive) }) { $0.name.lowercased() == "rex" }
        expectDogs({ $0.name.equals("Rex", options: .diacriticInsensitive) }) { plain($0.name) == "Rex" }
        expectDogs({ $0.name.equals("rEx", options: [.caseInsensitive, .diacriticInsensitive]) }) {
            plain($0.name).lowercased() == "rex"
        }
        expectDogs({ $0.name.notEquals("REX", options: .caseInsensitive) }) { $0.name.lowercased() != "rex" }
        expectDogs({ $0.name.starts(with: "RE", options: .caseInsensitive) }) {
            $0.name.lowercased().hasPrefix("re")
        }
        expectDogs({ $0.name.ends(with: "ex", options: .diacriticInsensitive) }) {
            plain($0.name).hasSuffix("ex")
        }
        expectDogs({ $0.name.contains("L", options: .caseInsensitive) }) {
            $0.name.lowercased().contains("l")
        }
        expectDogs({ $0.nickname.contains("x", options: .caseInsensitive) }) {
            $0.nickname?.lowercased().contains("x") ?? false
        }
        expectDogs({ $0.nickname.equals("re", options: .caseInsensitive) }) {
            $0.nickname?.lowercased() == "re"
        }
    }

    func testPatterns() {
        expectDogs({ $0.name.like("?ex") }) { ["Rex", "rex"].contains($0.name) }
        expectDogs({ $0.name.like("*e*") }) { $0.name.contains("e") }
        expectDogs({ $0.name.like("R*", caseInsensitive: true) }) { $0.name.lowercased().hasPrefix("r") }
        expectDogs({ $0.name.like("Rex") }) { $0.name == "Rex" }
        expectDogs({ $0.nickname.like("?") }) { $0.nickname?.count == 1 }
    }

    func testTextOfTwoProperties() {
        expectDogs({ $0.name.contains($0.nickname) }) { dog in
            dog.nickname.map { dog.name.contains($0) } ?? false
        }
        expectDogs({ $0.name.starts(with: $0.nickname, options: .caseInsensitive) }) { dog in
            dog.nickname.map { dog.name.lowercased().hasPrefix($0.lowercased()) } ?? false
        }
        expectDogs({ $0.name.equals($0.tag.text) }) { $0.tag?.text == $0.name }
    }

    func testData() {
        expectDogs({ $0.scent.starts(with: Data([1])) }) { $0.scent.first == 1 }
        expectDogs({ $0.scent.ends(with: Data([1])) }) { $0.scent.last == 1 }
        expectDogs({ $0.scent.contains(Data([0, 1])) }) { $0.scent == Data([0, 1]) }
    }
}
