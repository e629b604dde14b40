import Foundation
import RealmSwift
import XCTest

/// Predicates of a format, as sources of applications write them.
final class PredicateTests: XCTestCase {
    class Walker: Object {
        @Persisted(primaryKey: true) var number = 0
        @Persisted var name = ""
        @Persisted var weight = 0.0
        @Persisted var nickname: String?
        @Persisted var born: Date?
        @Persisted var friends: List<Walker>
        @Persisted var best: Walker?
        @Persisted var scores: List<Int>
        @Persisted var routes: Map<String, Int>

        convenience init(_ number: Int, _ name: String, _ weight: Double) {
            self.init()
            (self.number, self.name, self.weight) = (number, name, weight)
        }
    }

    private func walkers() throws -> Results<Walker> {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Walker.self]))
        try realm.write {
            let rex = Walker(1, "Rex", 12.5)
            let ada = Walker(2, "Ada", 1e-9)
            let max = Walker(3, "100%", 30)
            max.nickname = "Maxi"
            max.born = Date(timeIntervalSince1970: 1_000)
            rex.best = ada
            rex.friends.append(objectsIn: [ada, max])
            rex.scores.append(objectsIn: [3, 1, 2])
            rex.routes["park"] = 4
            realm.add([rex, ada, max])
        }
        return realm.objects(Walker.self)
    }

    private func check(
        _ predicate: NSPredicate, _ expected: [Int], file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let walkers = try walkers()
        XCTAssertEqual(walkers.filter(predicate).map(\.number), expected, file: file, line: line)
        XCTAssertEqual(
            walkers.index(matching: predicate).map { walkers[$0].number }, expected.first, file: file,
            line: line)
        let unmanaged = List<Walker>()
        unmanaged.append(objectsIn: Array(walkers).map { Walker(value: $0) })
        XCTAssertEqual(
            unmanaged.index(matching: predicate).map { unmanaged[$0].number }, expected.first, file: file,
            line: line)
        for objects in [Array(walkers), Array(unmanaged)] {
            XCTAssertEqual(
                objects.filter { predicate.evaluate(with: $0) }.map(\.number), expected, file: file,
                line: line)
        }
    }

    func testAPercentSign() throws {
        try check(NSPredicate(format: "name CONTAINS %%"), [3])
        try check(NSPredicate(format: "name ENDSWITH %% AND number == %d", 3), [3])
        try check(NSPredicate(format: "number == %d AND name ENDSWITH %%", argumentArray: [3]), [3])
        let numbers = withVaList([3]) {
            NSPredicate(format: "name ENDSWITH %% AND name == '100%' AND number == %d", arguments: $0)
        }
        try check(numbers, [3])
        let predicate = NSPredicate(format: "name CONTAINS %% AND number == %d", 3)
        XCTAssertEqual(predicate.description, "name CONTAINS %% AND number == 3")
        try check(NSPredicate(format: predicate.description), [3])
    }

    func testSectionsOfFilteredResults() throws {
        let walkers = try walkers()
        let heavy = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "weight > %f", 1.0), NSPredicate(format: "number > %d", 0),
        ])
        let sections = walkers.filter(heavy).sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "name")])
        XCTAssertEqual(sections.map(\.key), ["1", "R"])
        XCTAssertEqual(sections.map { $0.map(\.number) }, [[3], [1]])
        let byPath = walkers.filter(NSPredicate(format: "name != %@", "Ada")).sectioned(
            by: \.name, ascending: true)
        XCTAssertEqual(byPath.map { $0.map(\.number) }, [[3], [1]])
        let realm = try XCTUnwrap(walkers.realm)
        try realm.write { realm.add(Walker(4, "Rex", 40)) }
        XCTAssertEqual(byPath.map { $0.map(\.number) }, [[3], [1, 4]])
    }

    func testPlaceholders() throws {
        try check(NSPredicate(format: "number > %d", 1), [2, 3])
        try check(NSPredicate(format: "number == %i OR number == %u", 1, UInt(3)), [1, 3])
        try check(NSPredicate(format: "number IN {%ld, %lld}", 1, Int64(2)), [1, 2])
        try check(NSPredicate(format: "weight == %f || weight == %lf", 1e-9, 12.5), [1, 2])
        try check(NSPredicate(format: "%K == %@", "name", "Rex"), [1])
        try check(NSPredicate(format: "%K.%K == %@", "best", "name", "Ada"), [1])
        try check(NSPredicate(format: "name == '100%'"), [3])
        try check(NSPredicate(format: "name BEGINSWITH[c] %@", "r" as NSString), [1])
        try check(NSPredicate(format: "number > %@", NSNumber(value: 2)), [3])
        try check(NSPredicate(format: "born == %@", Date(timeIntervalSince1970: 1_000) as NSDate), [3])
        try check(NSPredicate(format: "number IN %@", [1, 3]), [1, 3])
        try check(NSPredicate(format: "ANY friends.name == %@", "Ada"), [1])
        try check(NSPredicate(format: "SUBQUERY(friends, $f, $f.weight > %d).@count == 1", 20), [1])
    }

    func testNilsAreArguments() throws {
        let nothing: String? = nil
        try check(NSPredicate(format: "nickname == %@", nothing), [1, 2])
        try check(NSPredicate(format: "nickname != nil"), [3])
        try check(NSPredicate(format: "nickname == %@ AND number > %d", NSNull(), 1), [2])
    }

    /// Cocoa compares so: all numbers and truth values are objects of one class.
    func testNumbersAreEqualAndWrittenAsNumbers() throws {
        let numbers: [Any] = [1, Int8(1), NSNumber(value: 1), UInt(1), 1.0]
        for number in numbers {
            let predicate = NSPredicate(format: "number == %@", number)
            XCTAssertEqual(predicate, NSPredicate(format: "number == 1"))
            XCTAssertEqual(predicate, NSPredicate(format: "number == %@", argumentArray: [true]))
            XCTAssertNotEqual(predicate, NSPredicate(format: "number == 2"))
            XCTAssertNotEqual(predicate, NSPredicate(format: "number == '1'"))
            XCTAssert(
                ["number == 1", "number == 1.0"].contains(predicate.description), predicate.description)
            try check(predicate, [1])
        }
        XCTAssertEqual(
            NSPredicate(format: "a IN %@", [NSNumber(value: 0), 1]), NSPredicate(format: "a IN {0, 1}"))
        for truth in [true, NSNumber(value: true)] as [Any] {
            XCTAssertEqual(NSPredicate(format: "a == %@", truth).description, "a == TRUE")
        }
    }

    func testArgumentArrays() throws {
        try check(NSPredicate(format: "name == %@ OR number == %d", argumentArray: ["Ada", 3]), [2, 3])
        try check(NSPredicate(format: "number == 1", argumentArray: nil), [1])
    }

    func testListsOfCArgumentsHoldNumbers() throws {
        let predicate = withVaList([Int32(1), 1e-9]) {
            NSPredicate(format: "number == %d OR weight == %f OR name == '%d'", arguments: $0)
        }
        try check(predicate, [1, 2])
    }

    func testCompounds() throws {
        let light = NSPredicate(format: "weight < %d", 20)
        let late = NSPredicate(format: "number > %d", 1)
        try check(NSCompoundPredicate(andPredicateWithSubpredicates: [light, late]), [2])
        try check(NSCompoundPredicate(orPredicateWithSubpredicates: [light, late]), [1, 2, 3])
        try check(NSCompoundPredicate(notPredicateWithSubpredicate: light), [3])
        try check(NSCompoundPredicate(type: .and, subpredicates: []), [1, 2, 3])
        try check(NSCompoundPredicate(type: .or, subpredicates: []), [])
        let nested = NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(value: false))
        try check(
            NSCompoundPredicate(andPredicateWithSubpredicates: [nested, NSPredicate(value: true), light]),
            [1, 2])
    }

    func testVariables() throws {
        let template = NSPredicate(format: "number > $least AND name != $name AND nickname == %@", NSNull())
        try check(template.withSubstitutionVariables(["least": 1, "name": "Rex"]), [2])
        try check(
            template.withSubstitutionVariables(["least": 0]).withSubstitutionVariables(["name": "Ada"]), [1])
        let walkers = try walkers()
        XCTAssertTrue(template.evaluate(with: walkers[0], substitutionVariables: ["least": 0, "name": "x"]))
        XCTAssertFalse(template.evaluate(with: walkers[0], substitutionVariables: ["least": 5, "name": "x"]))
        let compound = NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "number == $n"))
        try check(compound.withSubstitutionVariables(["n": 2]), [1, 3])
    }

    func testMapsAndPlainValues() throws {
        let walkers = try walkers()
        let rex = try XCTUnwrap(walkers.first)
        XCTAssertEqual(Array(rex.scores.filter(NSPredicate(format: "self > %d", 1))), [3, 2])
        XCTAssertEqual(rex.scores.index(matching: NSPredicate(format: "SELF == 1")), 1)
        XCTAssertEqual(Array(rex.routes.filter(NSPredicate(format: "self == %d", 4))), [4])
    }

    // Foundation deprecates the property, for want of formats.
    @available(*, deprecated)
    func testTextsHaveTheArguments() {
        let id = UUID()
        let predicate = NSPredicate(
            format: "%K > %d AND name == %@ AND id == %@ AND x IN %@ AND y == %@ AND z == '%@'", "age", 5,
            "a\"b", id, [1, 2], NSNull())
        XCTAssertEqual(
            predicate.predicateFormat,
            "age > 5 AND name == \"a\\\"b\" AND id == uuid(\(id.uuidString)) AND x IN {1, 2} AND y == NULL AND z == '%@'"
        )
        XCTAssertEqual("\(NSPredicate(format: "a == %d", 1))", "a == 1")
    }

    // A compound's own text is Foundation's, which says FALSEPREDICATE there, whatever the compound is.
    @available(*, deprecated)
    func testACompoundFiltersAndItsPartsHaveTexts() throws {
        let parts = [NSPredicate(format: "weight < %d", 20), NSPredicate(format: "number > 1")]
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        XCTAssertEqual(try walkers().filter(both).map(\.number), [2])
        XCTAssertEqual(parts.map(\.predicateFormat), ["weight < 20", "number > 1"])
    }

    func testEqualityAndCopies() {
        let predicate = NSPredicate(format: "age > %d", 5)
        XCTAssertEqual(predicate, NSPredicate(format: "age > %@", 5))
        XCTAssertNotEqual(predicate, NSPredicate(format: "age > %d", 6))
        XCTAssertNotEqual(NSPredicate(format: "age > $x"), NSPredicate(format: "age > $y"))
        XCTAssertEqual(predicate.copy() as? NSPredicate, predicate)
        XCTAssertEqual(Set([predicate, NSPredicate(format: "age > %d", 5)]).count, 1)
    }

    func testFoundationsCollectionsTakeThem() throws {
        let walkers = try walkers()
        let array = NSArray(array: Array(walkers))
        let light = array.filtered(using: NSPredicate(format: "weight < 20"))
        XCTAssertEqual(light.compactMap { ($0 as? Walker)?.number }, [1, 2])
    }

    func testAPoolReturnsWhatItsClosureReturns() throws {
        struct Failure: Error {}
        XCTAssertEqual(autoreleasepool { 5 }, 5)
        XCTAssertEqual(autoreleasepool(invoking: { "a" }), "a")
        XCTAssertThrowsError(try autoreleasepool { throw Failure() })
        autoreleasepool {
            _ = try? walkers()
        }
    }
}
