import Foundation
import TestRandomness
import XCTest

@testable import Kivo

class FirstItem: Object {
    @Persisted var number: Int
    @Persisted var optional: Int?
    @Persisted var fraction: Double
    @Persisted var text: String
    @Persisted var word: String?
    @Persisted var id: UUID
    @Persisted var value: Decimal128
    @Persisted var day: Date?
    @Persisted var flag: Bool
}

/// The first object of a sorted result is found without sorting, and is that of the whole result.
final class FirstOfSortedTests: RealmTestCase {
    func testTheFirstIsThatOfTheWholeResult() throws {
        let properties = ["number", "optional", "fraction", "text", "word", "id", "value", "day", "flag"]
        let realm = try openRealm()
        var random = RandomSource()
        for round in TestEffort.rounds(400) {
            try realm.write {
                if round % 8 == 0 { realm.deleteAll() }
                for _ in 0..<random.below(40) {
                    let item = realm.create(FirstItem.self)
                    let text =
                        String(repeating: "the same beginning ", count: random.below(3))
                        + "\(random.below(9))"
                    item.number = random.below(5) - 2
                    item.optional = random.chance(30) ? nil : random.below(4)
                    item.fraction = random.chance(10) ? .nan : Double(random.below(5)) - 2
                    item.text = random.chance(10) ? "" : text
                    item.word = random.chance(30) ? nil : random.chance(20) ? "ä" + text : text
                    item.id = UUID(
                        uuid: (
                            UInt8(random.below(3)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                            UInt8(random.below(3))
                        ))
                    item.value = Decimal128(integerLiteral: Int64(random.below(5)) - 2)
                    item.day =
                        random.chance(30)
                        ? nil : Date(timeIntervalSinceReferenceDate: Double(random.below(3)))
                    item.flag = random.chance(50)
                }
                if let last = realm.objects(FirstItem.self).last, random.chance(50) { realm.delete(last) }
            }
            let keys = properties.shuffled(using: &random).prefix(1 + random.below(3)).map {
                SortDescriptor(keyPath: $0, ascending: random.chance(50))
            }
            let least = random.below(5) - 2
            let all = realm.objects(FirstItem.self)
            for results in [all.sorted(by: keys), all.where { $0.number >= least }.sorted(by: keys)] {
                let whole = realm.objects(FirstItem.self).where { $0.number >= least }.sorted(by: keys)
                let expected = results.count == all.count ? Array(all.sorted(by: keys)) : Array(whole)
                let first = results.first
                XCTAssertEqual(first == nil, expected.isEmpty)
                if let first { XCTAssertTrue(first.isSameObject(as: expected[0]), "\(keys)") }
                if let again = results.first { XCTAssertTrue(again.isSameObject(as: first)) }
            }
            let results = all.sorted(by: keys)
            _ = results.first
            try realm.write { realm.create(FirstItem.self).number = -9 }
            XCTAssertEqual(results.first?.number, Array(all.sorted(by: keys)).first?.number)
        }
    }
}
