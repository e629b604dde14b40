import Foundation
import Kivo
import XCTest

/// Operators that key paths apply to collections.
final class CollectionOperatorTests: RealmTestCase {
    /// A number or text in words with its type, so that `6` and `6.0` differ.
    private func text(_ value: Any?) -> String {
        guard let value else { return "nil" }
        return "\(type(of: value)) \(value)"
    }

    private func check(
        _ value: (String) -> Any?, _ expected: [String: String], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        for (keyPath, expected) in expected.sorted(by: { $0.key < $1.key }) {
            XCTAssertEqual(text(value(keyPath)), expected, keyPath, file: file, line: line)
        }
    }

    private func dogs() -> [Dog] {
        [("b", 3), ("a", 5), ("c", 4), ("a", 4)].map { Dog(value: ["name": $0.0, "age": $0.1]) }
    }

    private let dogResults = [
        "@count": "Int 4", "@sum.age": "Int 16", "@avg.age": "Double 4.0", "@min.age": "Int 3",
        "@max.age": "Int 5", "@min.name": "String a", "@max.name": "String c",
    ]

    /// The results of a collection with the four dogs, in whatever order.
    private func checkDogs(
        _ value: (String) -> Any?, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        check(value, dogResults, file: file, line: line)
        func strings(_ keyPath: String) -> [String]? { (value(keyPath) as? [String])?.sorted() }
        XCTAssertEqual(strings("@unionOfObjects.name"), ["a", "a", "b", "c"], file: file, line: line)
        XCTAssertEqual(strings("@distinctUnionOfObjects.name"), ["a", "b", "c"], file: file, line: line)
        XCTAssertEqual(
            (value("@distinctUnionOfObjects.age") as? [Int])?.sorted(), [3, 4, 5], file: file, line: line)
        XCTAssertEqual((value("@unionOfObjects.owner") as? [Any])?.count, 0, file: file, line: line)
    }

    // MARK: Each kind of collection

    func testCollectionsOfObjects() throws {
        try onBothKinds({ Bag() }) { bag in
            let dogs = dogs()
            bag.dogs.append(objectsIn: dogs)
            bag.dogSet.insert(objectsIn: dogs)
            for (index, dog) in dogs.enumerated() { bag.dogsByName["\(index)"] = dog }
            for name in ["dogs", "dogSet", "dogsByName"] {
                try checkDogs { bag.value(forKeyPath: "\(name).\($0)") }
            }
            try checkDogs { bag.dogs.value(forKeyPath: $0) }
            try checkDogs { bag.dogSet.value(forKeyPath: $0) }
            try checkDogs { bag.dogsByName.value(forKeyPath: $0) }
            XCTAssertEqual(
                bag.value(forKeyPath: "dogs.@unionOfObjects.name") as? [String], ["b", "a", "c", "a"])
            XCTAssertEqual(
                bag.value(forKeyPath: "dogs.@distinctUnionOfObjects.name") as? [String], ["b", "a", "c"])
        }
    }

    func testFoundationCollections() throws {
        let dogs = dogs()
        try checkDogs { NSArray(array: dogs).value(forKeyPath: $0) }
        try checkDogs { NSMutableArray(array: dogs).value(forKeyPath: $0) }
        try checkDogs { NSSet(array: dogs).value(forKeyPath: $0) }
        try checkDogs {
            NSDictionary(object: dogs, forKey: "dogs" as NSString).value(forKeyPath: "dogs.\($0)")
        }
        let coded = Coded()
        coded.tags = ["b", "a", "b"]
        check(
            { coded.value(forKeyPath: "tags.\($0)") },
            [
                "@count": "Int 3", "@min.self": "String a", "@max.self": "String b", "@sum.length": "Int 3",
                "@distinctUnionOfObjects.self": "Array<Any> [\"b\", \"a\"]",
            ])
    }

    func testResultsAndLinkingObjects() throws {
        let realm = try openRealm()
        let owner = Person(value: ["name": "o"])
        try realm.write {
            for dog in dogs() {
                dog.owner = owner
                realm.add(dog)
            }
            realm.add(Dog(value: ["age": 100]))
        }
        let results = realm.objects(Dog.self).where { $0.age < 100 }
        for dogs in [results, results.sorted(byKeyPath: "name")] {
            check({ dogs.value(forKeyPath: $0) }, dogResults)
        }
        check({ owner.owned.value(forKeyPath: $0) }, dogResults)
        check({ owner.value(forKeyPath: "owned.\($0)") }, dogResults)
        XCTAssertEqual(
            results.sorted(byKeyPath: "age").value(forKeyPath: "@distinctUnionOfObjects.age") as? [Int],
            [3, 4, 5])
        XCTAssertEqual(
            results.value(forKeyPath: "@unionOfObjects.owner.name") as? [String], ["o", "o", "o", "o"])
    }

    func testPlainElements() throws {
        try onBothKinds({ Bag() }) { bag in
            bag.numbers.append(objectsIn: [3, 1, 3])
            bag.numberSet.insert(objectsIn: [3, 1, 3])
            bag.counts.merge([(key: "a", value: 4), (key: "b", value: -1)]) { $1 }
            check(
                { bag.value(forKeyPath: $0) },
                [
                    "numbers.@count": "Int 3", "numbers.@sum.self": "Int 7", "numbers.@min.self": "Int 1",
                    "numbers.@max.self": "Int 3", "numberSet.@sum.self": "Int 4",
                    "numberSet.@avg.self": "Double 2.0", "counts.@count": "Int 2",
                    "counts.@sum.self": "Int 3",
                    "counts.@min.self": "Int -1", "counts.@max.self": "Int 4",
                    "counts.@avg.self": "Double 1.5",
                ])
            XCTAssertEqual(bag.value(forKeyPath: "numbers.@distinctUnionOfObjects.self") as? [Int], [3, 1])
        }
    }

    func testNumbersOfFoundation() {
        let numbers = NSArray(array: [NSNumber(value: 1), NSNumber(value: 2.5), NSNumber(value: 1)])
        check(
            { numbers.value(forKeyPath: $0) },
            ["@count": "Int 3", "@sum.self": "Double 4.5", "@avg.self": "Double 1.5"])
        XCTAssertEqual((numbers.value(forKeyPath: "@max.self") as? NSNumber)?.doubleValue, 2.5)
        XCTAssertEqual((numbers.value(forKeyPath: "@min.self") as? NSNumber)?.doubleValue, 1)
        XCTAssertEqual(
            (numbers.value(forKeyPath: "@distinctUnionOfObjects.self") as? [Any])?.count, 2)
        let integers = NSArray(array: [1, 2, 3])
        XCTAssertEqual(integers.value(forKeyPath: "@sum.self") as? Int, 6)
    }

    // MARK: Nothing to work on

    func testEmptyCollections() throws {
        let nothing = [
            "@count": "Int 0", "@sum.age": "Int 0", "@avg.age": "Double 0.0", "@min.age": "nil",
            "@max.name": "nil", "@unionOfObjects.age": "Array<Any> []",
            "@distinctUnionOfObjects.age": "Array<Any> []", "@unionOfArrays.age": "Array<Any> []",
            "@distinctUnionOfArrays.age": "Array<Any> []",
        ]
        try onBothKinds({ Bag() }) { bag in
            for name in ["dogs", "dogSet", "dogsByName"] {
                check({ bag.value(forKeyPath: "\(name).\($0)") }, nothing)
            }
            XCTAssertNil(bag.value(forKeyPath: "numbers.@max.self"))
            XCTAssertEqual(bag.value(forKeyPath: "numbers.@sum.self") as? Int, 0)
        }
        check({ NSArray().value(forKeyPath: $0) }, nothing)
        check({ NSSet().value(forKeyPath: $0) }, nothing)
        let realm = try openRealm()
        check({ realm.objects(Dog.self).value(forKeyPath: $0) }, nothing)
    }

    func testNilLeaves() throws {
        try onBothKinds({ Bag() }) { bag in
            bag.gaps.append(objectsIn: [nil, nil])
            check(
                { bag.value(forKeyPath: "gaps.\($0)") },
                [
                    "@count": "Int 2", "@sum.self": "Int 0", "@avg.self": "Double 0.0", "@min.self": "nil",
                    "@max.self": "nil", "@unionOfObjects.self": "Array<Any> []",
                ])
            bag.gaps.append(objectsIn: [4, -2])
            bag.maybeCounts["a"] = .some(nil)
            bag.maybeCounts["b"] = 6
            check(
                { bag.value(forKeyPath: $0) },
                [
                    "gaps.@count": "Int 4", "gaps.@sum.self": "Int 2", "gaps.@avg.self": "Double 1.0",
                    "gaps.@min.self": "Int -2", "gaps.@max.self": "Int 4",
                    "maybeCounts.@count": "Int 2", "maybeCounts.@avg.self": "Double 6.0",
                ])
            bag.dogs.append(objectsIn: dogs())
            bag.dogs[2].owner = Person(value: ["name": "o"])
            check(
                { bag.value(forKeyPath: "dogs.\($0)") },
                ["@max.owner.name": "String o", "@min.owner.friend.name": "nil", "@count.owner": "Int 4"])
            XCTAssertEqual(bag.value(forKeyPath: "dogs.@unionOfObjects.owner.name") as? [String], ["o"])
        }
        XCTAssertEqual(NSArray(array: [NSNull(), 3]).value(forKeyPath: "@sum.self") as? Int, 3)
    }

    // MARK: Types of numbers, text and dates

    func testTypesOfNumbers() throws {
        try onBothKinds({ Numbered() }) { object in
            object.floats.append(objectsIn: [0.5, 1.5])
            object.smalls.append(objectsIn: [100, 100])
            object.doubles.append(objectsIn: [0.25, -4])
            object.decimals.append(objectsIn: ["0.1", "0.2", "-12345678901234567890.5"])
            object.flags.append(objectsIn: [true, false, true])
            check(
                { object.value(forKeyPath: $0) },
                [
                    "floats.@sum.self": "Double 2.0", "floats.@avg.self": "Double 1.0",
                    "floats.@max.self": "Float 1.5", "smalls.@sum.self": "Int 200",
                    "smalls.@avg.self": "Double 100.0", "smalls.@max.self": "Int8 100",
                    "doubles.@sum.self": "Double -3.75", "doubles.@min.self": "Double -4.0",
                    "decimals.@sum.self": "Decimal128 -12345678901234567890.2",
                    "decimals.@min.self": "Decimal128 -12345678901234567890.5",
                    "decimals.@max.self": "Decimal128 0.2", "flags.@sum.self": "Int 2",
                ])
            object.decimals.removeLast()
            XCTAssertEqual(object.value(forKeyPath: "decimals.@avg.self") as? Decimal128, "0.15")
        }
    }

    func testMixedNumbers() {
        let mixed = NSArray(array: [Decimal128("0.1"), 2])
        XCTAssertEqual(mixed.value(forKeyPath: "@sum.self") as? Decimal128, "2.1")
        XCTAssertEqual(mixed.value(forKeyPath: "@avg.self") as? Decimal128, "1.05")
        XCTAssertEqual(NSArray(array: [2, 0.5]).value(forKeyPath: "@sum.self") as? Double, 2.5)
        XCTAssertEqual(NSArray(array: [2, 0.5]).value(forKeyPath: "@min.self") as? Double, 0.5)
    }

    func testExtremesOfMixedNumbers() {
        for values in [[Decimal128("0.1"), 2], [2, Decimal128("0.1")]] as [[Any]] {
            let mixed = NSArray(array: values)
            XCTAssertEqual(mixed.value(forKeyPath: "@max.self") as? Int, 2)
            XCTAssertEqual(mixed.value(forKeyPath: "@min.self") as? Decimal128, "0.1")
        }
    }

    func testSumsBeyondInt() throws {
        try onBothKinds({ Bag() }) { bag in
            bag.numbers.append(objectsIn: [.max, 1, .max])
            XCTAssertEqual(
                bag.value(forKeyPath: "numbers.@sum.self") as? Decimal128, "18446744073709551615")
            XCTAssertEqual(bag.value(forKeyPath: "numbers.@avg.self") as? Double, 2 * 0x1p63 / 3)
            bag.setValue([Int.min, -1], forKey: "numbers")
            XCTAssertEqual(
                bag.value(forKeyPath: "numbers.@sum.self") as? Decimal128, "-9223372036854775809")
            bag.setValue([Int.max, 1, Int.min, -1], forKey: "numbers")
            XCTAssertEqual(bag.value(forKeyPath: "numbers.@sum.self") as? Int, -1, "it fits in the end")
        }
        let large = NSArray(array: [UInt64.max, 1])
        XCTAssertEqual((large.value(forKeyPath: "@sum.self") as? Double), 0x1p64)
    }

    func testExtremesOfLargeIntegersAreExact() throws {
        try onBothKinds({ Bag() }) { bag in
            bag.numbers.append(objectsIn: [.max - 1, .max, .max - 2])
            XCTAssertEqual(bag.value(forKeyPath: "numbers.@max.self") as? Int, .max)
            XCTAssertEqual(bag.value(forKeyPath: "numbers.@min.self") as? Int, .max - 2)
        }
    }

    func testDatesAndStrings() throws {
        try onBothKinds({ Numbered() }) { object in
            let dates = [5.0, -7, 5.5].map { Date(timeIntervalSince1970: $0) }
            object.dates.append(objectsIn: dates)
            object.words.append(objectsIn: ["b", "B", "ä", "a"])
            XCTAssertEqual(object.value(forKeyPath: "dates.@min.self") as? Date, dates[1])
            XCTAssertEqual(object.value(forKeyPath: "dates.@max.self") as? Date, dates[2])
            XCTAssertEqual(object.value(forKeyPath: "words.@min.self") as? String, "B")
            XCTAssertEqual(object.value(forKeyPath: "words.@max.self") as? String, "ä")
        }
    }

    // MARK: Nesting

    func testCollectionsOfCollections() throws {
        try onBothKinds({ Knot() }) { root in
            for values in [[1, 2], [2, 3], []] {
                let child = Knot()
                child.list.append(objectsIn: values.map { Knot(value: ["value": $0]) })
                root.list.append(child)
            }
            let lists = "list.list.@unionOfArrays"
            XCTAssertEqual(root.value(forKeyPath: "\(lists).value") as? [Int], [1, 2, 2, 3])
            XCTAssertEqual(
                root.value(forKeyPath: "list.list.@distinctUnionOfArrays.value") as? [Int], [1, 2, 3])
            XCTAssertEqual(
                root.value(forKeyPath: "list.list.@unionOfSets.value") as? Set<AnyHashable>, [1, 2, 3])
            XCTAssertEqual(
                root.value(forKeyPath: "list.list.@distinctUnionOfSets.value") as? Set<AnyHashable>,
                [1, 2, 3])
            XCTAssertEqual(root.value(forKeyPath: "list.@sum.list.@count") as? Int, 4)
            XCTAssertEqual(root.value(forKeyPath: "list.@max.list.@sum.value") as? Int, 5)
            XCTAssertEqual(root.value(forKeyPath: "list.@unionOfObjects.list.@count") as? [Int], [2, 2, 0])
            XCTAssertEqual(
                root.value(forKeyPath: "list.@distinctUnionOfObjects.list.@count") as? [Int], [2, 0])
        }
        let nested = NSArray(array: [[1, 2], [2]])
        XCTAssertEqual(nested.value(forKeyPath: "@unionOfArrays.self") as? [Int], [1, 2, 2])
        XCTAssertEqual(nested.value(forKeyPath: "@distinctUnionOfArrays.self") as? [Int], [1, 2])
        XCTAssertEqual(nested.value(forKeyPath: "@sum.@count") as? Int, 3)
    }

    func testDistinctObjects() throws {
        try onBothKinds({ Bag() }) { bag in
            let owner = Person()
            bag.dogs.append(objectsIn: dogs())
            for dog in bag.dogs { dog.owner = owner }
            XCTAssertEqual((bag.value(forKeyPath: "dogs.@unionOfObjects.owner") as? [Person])?.count, 4)
            let owners = bag.value(forKeyPath: "dogs.@distinctUnionOfObjects.owner") as? [Person]
            XCTAssertEqual(owners?.count, 1, "found by row")
        }
    }
}

class Numbered: Object {
    @Persisted var floats: List<Float>
    @Persisted var smalls: List<Int8>
    @Persisted var doubles: List<Double>
    @Persisted var decimals: List<Decimal128>
    @Persisted var flags: List<Bool>
    @Persisted var dates: List<Date>
    @Persisted var words: List<String>
}
