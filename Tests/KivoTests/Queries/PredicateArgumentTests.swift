import Foundation
import Kivo
import XCTest

/// Arguments of predicate strings that are not of the property's type, but hold a value of it.
final class PredicateArgumentTests: QueryTestCase {
    private func check(
        _ format: String, _ argument: Any, line: UInt = #line, matches: (YardDog) -> Bool
    ) {
        let expected = dogs.filter(matches).map(\.id)
        XCTAssertFalse(expected.isEmpty, line: line)
        let found = realm.objects(YardDog.self).filter(format, argument)
        XCTAssertEqual(found.map(\.id).sorted(), expected, format, line: line)
    }

    func testAValueOfAnyTypeIsWhatItHolds() {
        check("name == %@", AnyRealmValue.string("Rex")) { $0.name == "Rex" }
        check("name != %@", AnyRealmValue.string("Rex")) { $0.name != "Rex" }
        check("name ==[c] %@", AnyRealmValue.string("REX")) { $0.name.lowercased() == "rex" }
        check("name CONTAINS %@", AnyRealmValue.string("e")) { $0.name.contains("e") }
        check("nickname == %@", AnyRealmValue.none) { $0.nickname == nil }
        check("age > %@", AnyRealmValue.int(3)) { $0.age > 3 }
        check("age < %@", AnyRealmValue.double(2.5)) { $0.age < 3 }
        check("weight == %@", AnyRealmValue.double(3)) { $0.weight == 3 }
        check("isGood == %@", AnyRealmValue.bool(true)) { $0.isGood }
        check("name IN %@", [AnyRealmValue.string("Rex"), .string("Max")]) {
            ["Rex", "Max"].contains($0.name)
        }
        check("age BETWEEN %@", [AnyRealmValue.int(2), .int(4)]) { (2...4).contains($0.age) }
    }

    func testAnObjectInAValueOfAnyType() throws {
        let boss = owners[1]
        let expected = owners.filter { $0.boss == boss }.map(\.id)
        let found = realm.objects(YardOwner.self).filter("boss == %@", AnyRealmValue.object(boss))
        XCTAssertEqual(found.map(\.id), expected)
        XCTAssertFalse(expected.isEmpty)
    }

    func testAnyOfTheArguments() {
        check("ANY %@ == name", ["Rex", "Max"]) { ["Rex", "Max"].contains($0.name) }
        check("SOME %@ ==[c] name", ["REX"]) { $0.name.lowercased() == "rex" }
        check("ANY %@ = age", Set([1, 2])) { [1, 2].contains($0.age) }
        check("NOT ANY %@ = age", [1, 2]) { ![1, 2].contains($0.age) }
    }

    func testStringEnumsAreText() throws {
        let crates = [CrateLabel.fragile, .heavy, .frozenFood].map { Crate(value: ["label": $0]) }
        try realm.write { realm.add(crates) }
        func find(_ format: String, _ argument: Any) -> Set<CrateLabel> {
            Set(realm.objects(Crate.self).filter(format, argument).map(\.label))
        }
        XCTAssertEqual(find("label BEGINSWITH %@", CrateLabel.heavy), [.heavy])
        XCTAssertEqual(find("label ENDSWITH %@", CrateLabel.frozenFood), [.frozenFood])
        XCTAssertEqual(find("label CONTAINS %@", CrateLabel.fragile), [.fragile])
        XCTAssertEqual(find("label LIKE %@", CrateLabel.fragile), [.fragile])
        XCTAssertEqual(find("label CONTAINS[c] %@", AnyRealmValue.string("F")), [.fragile, .frozenFood])
        XCTAssertEqual(find("label ==[c] %@", CrateLabel.heavy), [.heavy])
    }
}
