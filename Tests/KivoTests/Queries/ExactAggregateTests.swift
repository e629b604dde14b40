import Foundation
import Kivo
import XCTest

/// Aggregates of values of any type, asked for as numbers of other types.
final class ExactAggregateTests: RealmTestCase {
    private let decimal: Decimal128 = "12345.6789012345678901234567890"
    private let large = 1 << 53 + 1

    private func notes(_ values: [AnyRealmValue]) throws -> (Results<AnyNote>, List<AnyNote>) {
        let unmanaged = List<AnyNote>()
        for (id, value) in values.enumerated() {
            let note = AnyNote()
            (note.id, note.content) = (id, value)
            unmanaged.append(note)
        }
        let realm = try openRealm()
        try realm.write { for note in unmanaged { realm.create(AnyNote.self, value: note) } }
        return (realm.objects(AnyNote.self), unmanaged)
    }

    private func check<C: RealmCollection>(_ notes: C, _ expected: Decimal128, line: UInt = #line) {
        XCTAssertEqual(notes.max(ofProperty: "content") as Decimal128?, expected, line: line)
        XCTAssertEqual(notes.min(ofProperty: "content") as Decimal128?, expected, line: line)
        XCTAssertEqual(notes.max(ofProperty: "content") as Double?, expected.doubleValue, line: line)
    }

    func testDecimalsAreNotRounded() throws {
        let (notes, unmanaged) = try notes([.decimal128(decimal)])
        check(notes, decimal)
        check(unmanaged, decimal)
        XCTAssertEqual(notes.sum(ofProperty: "content") as Decimal128, decimal)
        XCTAssertEqual(notes.average(ofProperty: "content") as Decimal128?, decimal)
        XCTAssertEqual(notes.sum(ofProperty: "content") as Int, 12345)
        XCTAssertEqual(notes.sum(ofProperty: "content") as Float, 12345.679)
    }

    func testIntegersAreNotRounded() throws {
        let (notes, unmanaged) = try notes([.int(large), .int(large - 2)])
        XCTAssertEqual(notes.max(ofProperty: "content") as Int?, large)
        XCTAssertEqual(unmanaged.max(ofProperty: "content") as Int?, large)
        XCTAssertEqual(notes.max(ofProperty: "content") as Int64?, Int64(large))
        XCTAssertEqual(notes.max(ofProperty: "content") as Decimal128?, Decimal128(large))
        XCTAssertEqual(notes.min(ofProperty: "content") as Int?, large - 2)
        XCTAssertEqual(notes.sum(ofProperty: "content") as Int, 2 * large - 2)
        XCTAssertEqual(notes.sum(ofProperty: "content") as Decimal128, Decimal128(2 * large - 2))
        XCTAssertEqual(notes.average(ofProperty: "content") as Int?, large - 1)
        XCTAssertEqual(notes.average(ofProperty: "content") as Decimal128?, Decimal128(large - 1))
        XCTAssertEqual(notes.average(ofProperty: "content"), Double(large - 1))
    }

    func testFractionsAreDroppedForIntegersOnly() throws {
        let half = try Decimal128(string: "9007199254740993.5")
        let (notes, _) = try notes([.decimal128(half)])
        XCTAssertEqual(notes.max(ofProperty: "content") as Int?, large)
        XCTAssertEqual(notes.max(ofProperty: "content") as Double?, half.doubleValue)
    }

    func testBinaryFractions() throws {
        let (others, _) = try notes([.double(2.75), .float(1.5)])
        XCTAssertEqual(others.max(ofProperty: "content") as Int8?, 2)
        XCTAssertEqual(others.max(ofProperty: "content") as Decimal128?, 2.75)
        XCTAssertEqual(others.min(ofProperty: "content") as Double?, 1.5)
    }

    func testSumsOfIntegersAreNotRounded() throws {
        let realm = try openRealm()
        try realm.write {
            for _ in 0..<3 {
                realm.create(AnyNote.self, value: ["id": realm.objects(AnyNote.self).count, "number": large])
            }
        }
        let notes = realm.objects(AnyNote.self)
        XCTAssertEqual(notes.sum(ofProperty: "number") as Decimal128, Decimal128(3 * large))
        XCTAssertEqual(notes.sum(ofProperty: "number") as Int, 3 * large)
    }
}

#if compiler(>=6.2)
import Testing

/// A truth value is not a number, whether or not the objects are managed.
struct AggregateTrapTests {
    @Test func truthValues() async throws {
        let managed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "aggregates"))
            _ = realm.objects(YardDog.self).sum(ofProperty: "isGood") as Int
        }
        try check(managed, says: ["The sum of 'isGood' cannot be made of Bool."])
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let dogs = List<YardDog>()
            dogs.append(YardDog())
            _ = dogs.max(ofProperty: "isGood") as Int?
        }
        try check(unmanaged, says: ["The max of 'isGood' cannot be made of Bool."])
        let inCondition = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "aggregates"))
            _ = realm.objects(YardOwner.self).filter("dogs.@sum.isGood > 1")
        }
        try check(inCondition, says: ["'@sum'", "cannot be made of Bool"])
    }

    @Test func aKeyPathToAComputedValueSaysWhatItReads() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "aggregates"))
            _ = realm.objects(YardDog.self).sorted(by: \.shout)
        }
        try check(
            result, says: ["'YardDog'", "'String'", "reads 'name' and 'nickname'", "persisted property"])
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(!text.contains("<computed"))
    }
}
#endif
