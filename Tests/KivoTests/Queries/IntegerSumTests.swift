import Foundation
import Kivo
import XCTest

final class Tally: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var amount = 0
    @Persisted var maybe: Int?
    @Persisted var small: Int8 = 0
    @Persisted var price: Decimal128 = 0
    @Persisted var ratio = 0.0
    @Persisted var amounts: List<Int>
    @Persisted var others: List<Int>
    @Persisted var smalls: List<Int8>
    @Persisted var byName: Map<String, Int>
    @Persisted var parts: List<Tally>
}

/// Sums of integers are exact, and what does not fit a type is not made to.
final class IntegerSumTests: RealmTestCase {
    private static let twoMax = Decimal128("18446744073709551614")

    func testSumsThatFitInTheEnd() throws {
        let values = [Int.max, 5, .max, .min, .min, 4]
        let list = List<Int>()
        list.append(objectsIn: values)
        XCTAssertEqual(list.sum(), 7)
        let objects = List<Tally>()
        objects.append(
            objectsIn: values.enumerated().map { Tally(value: ["id": $0, "amount": $1, "maybe": $1]) })
        XCTAssertEqual(objects.sum(of: \.amount), 7)
        let realm = try openRealm()
        let tally = try realm.write {
            realm.add(objects)
            let tally = realm.create(Tally.self, value: ["id": 100, "amounts": values, "maybe": 1])
            for (index, value) in values.enumerated() { tally.byName["\(index)"] = value }
            return tally
        }
        XCTAssertEqual(tally.amounts.sum(), 7)
        XCTAssertEqual(tally.byName.sum(), 7)
        XCTAssertEqual(realm.objects(Tally.self).sum(of: \.amount), 7)
        XCTAssertEqual(realm.objects(Tally.self).sum(of: \.maybe) as Int, 8)
        XCTAssertEqual(realm.objects(Tally.self).average(of: \.amount), 1)
    }

    /// A type that holds the sum gets it.
    func testSumsThatFitNoInteger() throws {
        let realm = try openRealm()
        let stored = try realm.write {
            for id in 0..<2 { realm.create(Tally.self, value: ["id": id, "amount": Int.max, "small": 100]) }
            return Array(realm.objects(Tally.self))
        }
        let unmanaged = List<Tally>()
        unmanaged.append(objectsIn: stored.map { Tally(value: $0) })
        func check<Tallies: RealmCollection>(_ collection: Tallies) where Tallies.Element == Tally {
            XCTAssertEqual(collection.sum(ofProperty: "amount") as Double, 0x1p64)
            XCTAssertEqual(collection.sum(ofProperty: "amount") as Decimal128, IntegerSumTests.twoMax)
            XCTAssertEqual(collection.sum(ofProperty: "small") as Int, 200)
            XCTAssertEqual(collection.sum(ofProperty: "small") as Double, 200)
        }
        check(realm.objects(Tally.self))
        check(unmanaged)
    }

    /// Many rows are added several at a time.
    func testSumsOfManyAreThoseOfAddingEach() throws {
        var random = RandomSource()
        let realm = try openRealm()
        for limit in [1, 1 << 20, 1 << 54, 1 << 55, .max] {
            var sum: Int128 = 0
            try realm.write {
                realm.deleteAll()
                for id in 0..<(300 + random.below(1500)) {
                    let value =
                        random.below(50) == 0
                        ? [Int.min, .max, -limit][random.below(3)] : random.below(limit) - limit / 3
                    sum += Int128(value)
                    realm.create(Tally.self, value: ["id": id, "amount": value])
                }
            }
            let objects = realm.objects(Tally.self)
            XCTAssertEqual(objects.sum(ofProperty: "amount") as Decimal128, Decimal128(sum), "\(limit)")
            let average = Double(sum) / Double(objects.count)
            XCTAssertEqual(
                try XCTUnwrap(objects.average(of: \.amount)), average, accuracy: abs(average) * 1e-15)
        }
    }

    func testConditionsCompareSumsAsTheyAre() throws {
        let realm = try openRealm()
        let stored = try realm.write {
            let tally = realm.create(
                Tally.self,
                value: [
                    "id": 1, "amounts": [Int.max, Int.max], "others": [Int.max, Int.max - 1],
                    "smalls": [100, 100],
                    "price": IntegerSumTests.twoMax, "ratio": 0x1p64, "amount": Int.max,
                ])
            tally.parts.append(Tally(value: ["id": 2, "amount": Int.min]))
            tally.parts.append(Tally(value: ["id": 3, "amount": -1]))
            return tally
        }
        let unmanaged = List<Tally>()
        unmanaged.append(Tally(value: stored))
        func check(_ format: String, _ argument: Any? = nil, holds expected: Bool, _ line: UInt = #line) {
            let one = realm.objects(Tally.self).filter("id == 1")
            let found = (argument.map { one.filter(format, $0) } ?? one.filter(format)).count
            XCTAssertEqual(found, expected ? 1 : 0, "\(format) of managed", line: line)
            let position =
                argument.map { unmanaged.index(matching: format, $0) } ?? unmanaged.index(matching: format)
            XCTAssertEqual(position, expected ? 0 : nil, "\(format) of unmanaged", line: line)
        }
        check("amounts.@sum > 5", holds: true)
        check("amounts.@sum < 0", holds: false)
        check("amounts.@sum > %@", Int.max, holds: true)
        check("amounts.@sum == %@", Int.max, holds: false)
        check("amounts.@sum != %@", Int.max, holds: true)
        check("amounts.@sum > %@", 1.8e19, holds: true)
        check("amounts.@sum > %@", 1.9e19, holds: false)
        check("amounts.@sum == %@", IntegerSumTests.twoMax, holds: true)
        check("amounts.@sum == price", holds: true)
        check("amounts.@sum < ratio", holds: true)
        check("amounts.@sum > others.@sum", holds: true)
        check("amounts.@sum == others.@sum", holds: false)
        check("amounts.@sum > amount", holds: true)
        check("amounts.@sum IN %@", [1, IntegerSumTests.twoMax] as [Any], holds: true)
        check("amounts.@sum IN %@", [1, Int.max], holds: false)
        check("parts.@sum.amount < %@", Int.min, holds: true)
        check("parts.@sum.amount == %@", Int.min, holds: false)
        check("smalls.@sum == 200", holds: true)
        check("amounts.@sum == nil", holds: false)
        // Arithmetic has the range of integers.
        check("amounts.@sum + 0 == %@", Int.max, holds: true)
        let objects = realm.objects(Tally.self)
        XCTAssertEqual(objects.where { $0.amounts.sum > Int.max }.count, 1)
        XCTAssertEqual(objects.where { $0.amounts.sum == $0.others.sum }.count, 2, "of the two without any")
        XCTAssertEqual(objects.where { $0.smalls.sum > 120 }.count, 1)
    }
}
