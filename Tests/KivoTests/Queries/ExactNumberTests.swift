import Foundation
import Kivo
import TestRandomness
import XCTest

final class NumberBox: Object {
    @Persisted var int = 0
    @Persisted var float: Float = 0
    @Persisted var double = 0.0
    @Persisted var decimal: Decimal128 = 0
    @Persisted var mixed: AnyRealmValue
    @Persisted var ints: List<Int>
    @Persisted var doubles: List<Double>
    @Persisted var floats: List<Float>
    @Persisted var decimals: List<Decimal128>
    @Persisted var anys: List<AnyRealmValue>
}

/// Numbers of different types compare as the numbers that they are, and aggregates leave out NaN.
final class ExactNumberTests: RealmTestCase {
    private static let large = 1 << 53

    private func count(_ box: NumberBox, _ format: String, _ arguments: Any...) throws -> Int {
        let realm = try openRealm()
        try realm.write {
            realm.deleteAll()
            realm.add(NumberBox(value: box))
        }
        let found = realm.objects(NumberBox.self)
        let list = List<NumberBox>()
        list.append(box)
        let (managed, unmanaged): (Int, Int)
        switch arguments.count {
        case 0: (managed, unmanaged) = (found.filter(format).count, list.index(matching: format) == 0 ? 1 : 0)
        default:
            managed = found.filter(format, arguments[0]).count
            unmanaged = list.index(matching: format, arguments[0]) == 0 ? 1 : 0
        }
        XCTAssertEqual(managed, unmanaged, format)
        return managed
    }

    private func expect(_ box: NumberBox, _ format: String, _ argument: Any? = nil, line: UInt = #line) throws
    {
        let found = try argument.map { try count(box, format, $0) } ?? count(box, format)
        XCTAssertEqual(found, 1, format, line: line)
        let negated = try argument.map { try count(box, "NOT \(format)", $0) } ?? count(box, "NOT \(format)")
        XCTAssertEqual(negated, 0, "NOT \(format)", line: line)
    }

    func testIntegersAndDoubles() throws {
        let (box, large) = (NumberBox(), Self.large)
        (box.int, box.double) = (large + 1, Double(large))
        try expect(box, "int > double")
        try expect(box, "int != double")
        try expect(box, "NOT int <= double")
        try expect(box, "double < %@", large + 1)
        try expect(box, "double != %@", large + 1)
        try expect(box, "double < 9007199254740993")
        try expect(box, "NOT double IN {9007199254740993}")
        try expect(box, "int > %@", Double(large))
        try expect(box, "double BETWEEN {9007199254740991, 9007199254740993}")
        (box.int, box.double) = (.max, 0x1p63)
        try expect(box, "int < double")
        try expect(box, "int < %@", 0x1p63)
        (box.int, box.double) = (.min, -0x1p63)
        try expect(box, "int == double")
        (box.int, box.double) = (3, .infinity)
        try expect(box, "int < double")
        (box.int, box.double) = (-3, -3.5)
        try expect(box, "int > double")
        box.double = .nan
        try expect(box, "int != double")
        try expect(box, "NOT (int < double OR int >= double OR int == double)")
    }

    func testDecimals() throws {
        let (box, large) = (NumberBox(), Self.large)
        (box.int, box.double, box.decimal) = (large, Double(large), Decimal128(large + 1))
        try expect(box, "int < decimal")
        try expect(box, "double < decimal")
        try expect(box, "decimal != %@", Double(large))
        try expect(box, "decimal > %@", Double(large))
        try expect(box, "int < %@", Decimal128(large + 1))
        try expect(box, "double < %@", Decimal128(large + 1))
        box.decimal = Decimal128(1 << 60)
        try expect(box, "decimal == %@", 0x1p60)
        (box.decimal, box.double) = (.max, .infinity)
        try expect(box, "decimal < double")
        try expect(box, "decimal < %@", Double.infinity)
        try expect(box, "double > %@", Decimal128.max)
        (box.decimal, box.double) = (try Decimal128(string: "0.1"), 0.1)
        try expect(box, "decimal == double")
        try expect(box, "double == %@", box.decimal)
        try expect(box, "decimal == 0.1")
        box.decimal = .nan
        try expect(box, "decimal != %@", Decimal128.nan)
        try expect(box, "NOT decimal == decimal")
        try expect(box, "NOT (decimal < 1 OR decimal >= 1)")
        box.mixed = .decimal128(.nan)
        try expect(box, "NOT mixed == mixed")
    }

    func testFloats() throws {
        let box = NumberBox()
        box.float = 0x1p24
        try expect(box, "float < 16777217")
        try expect(box, "float != 16777217")
        try expect(box, "float < 1e300")
        box.float = 0.1
        try expect(box, "float == 0.1")
        box.int = 16_777_217
        box.float = 0x1p24
        try expect(box, "int > float")
    }

    func testAggregatesLeaveOutNaN() throws {
        let (box, realm) = (NumberBox(), try openRealm())
        box.doubles.append(objectsIn: [.nan, 2, 4, .nan])
        box.floats.append(objectsIn: [2, .nan, 4])
        box.decimals.append(objectsIn: [2, .nan, 4])
        box.anys.append(objectsIn: [.double(.nan), .int(2), .decimal128(.nan), .float(.nan), .double(4)])
        func check(_ box: NumberBox) {
            XCTAssertEqual(
                [box.doubles.min(), box.doubles.max(), box.doubles.average(), box.doubles.sum()],
                [2, 4, 3, 6])
            XCTAssertEqual([box.floats.min(), box.floats.max(), box.floats.sum()], [2, 4, 6])
            XCTAssertEqual(box.floats.average(), 3)
            XCTAssertEqual(
                [box.decimals.min(), box.decimals.max(), box.decimals.average(), box.decimals.sum()],
                [2, 4, 3, 6])
            XCTAssertEqual(
                [box.anys.average(), box.anys.min(), box.anys.max()], [.decimal128(3), .int(2), .double(4)])
        }
        check(box)
        try realm.write { realm.add(box) }
        check(box)
        for name in ["doubles", "floats", "decimals", "anys"] {
            XCTAssertEqual(
                realm.objects(NumberBox.self).filter(
                    "\(name).@avg == 3 AND \(name).@min == 2 AND \(name).@sum == 6"
                ).count,
                1, name)
        }
        try realm.write {
            for double in [Double.nan, 5, .nan, 7] { realm.create(NumberBox.self, value: ["double": double]) }
            realm.delete(box)
        }
        let boxes = realm.objects(NumberBox.self)
        XCTAssertEqual(boxes.average(of: \.double), 6)
        XCTAssertEqual(boxes.min(of: \.double), 5)
        XCTAssertEqual(Array(boxes).map(\.double).filter(\.isNaN).count, 2)
        let list = List<NumberBox>()
        list.append(objectsIn: boxes.map { NumberBox(value: ["double": $0.double]) })
        XCTAssertEqual(list.average(of: \.double), 6)
        XCTAssertEqual(list.max(of: \.double), 7)
        XCTAssertEqual(list.sum(of: \.double), 12)
        try realm.write { for box in boxes { box.double = .nan } }
        XCTAssertNil(boxes.average(of: \.double))
        XCTAssertNil(boxes.min(of: \.double))
        XCTAssertEqual(boxes.sum(of: \.double), 0)
    }

    /// Leaves that are full take another way than others.
    func testNaNAndAveragesInFullLeaves() throws {
        let realm = try openRealm()
        try realm.write {
            for index in 0..<600 {
                let box = realm.create(NumberBox.self)
                (box.int, box.double) = (Int.max - index, index % 7 == 0 ? .nan : Double(index))
            }
        }
        let boxes = realm.objects(NumberBox.self)
        let numbers = (0..<600).filter { $0 % 7 != 0 }.map(Double.init)
        XCTAssertEqual(
            boxes.average(of: \.double)!, numbers.reduce(0, +) / Double(numbers.count), accuracy: 1e-9)
        XCTAssertEqual(boxes.sum(of: \.double), numbers.reduce(0, +))
        XCTAssertEqual(boxes.average(of: \.int), 0x1p63)
        XCTAssertEqual(boxes.max(of: \.double), 599)
    }

    func testAveragesOfIntegersAreExact() throws {
        let (box, realm) = (NumberBox(), try openRealm())
        box.ints.append(objectsIn: [Int.max, Int.max, -Int.max, -Int.max, 2, 4, 0, 0])
        XCTAssertEqual(box.ints.average(), 0.75)
        let boxes = List<NumberBox>()
        boxes.append(objectsIn: box.ints.map { NumberBox(value: ["int": $0]) })
        XCTAssertEqual(boxes.average(of: \.int), 0.75)
        try realm.write { realm.add(box) }
        XCTAssertEqual(box.ints.average(), 0.75)
        XCTAssertEqual(realm.objects(NumberBox.self).filter("ints.@avg == 0.75").count, 1)
    }

    /// The sum of the three cannot be represented as a double: if it were rounded before the division, the average would
    /// differ.
    func testAveragesOfIntegersBetweenTwoDoublesAreRoundedOnceToEven() throws {
        let (box, realm, unmanaged) = (NumberBox(), try openRealm(), List<Int>())
        try realm.write { realm.add(box) }
        try withEvery("number", in: [(1 << 53 + 1, 0x1p53), (1 << 53 + 3, 0x1p53 + 4)]) { middle, nearest in
            try withEvery("sign", in: [1, -1]) { sign in
                try realm.write {
                    box.ints.removeAll()
                    box.ints.append(objectsIn: [middle - 1, middle, middle + 1].map { $0 * sign })
                }
                XCTAssertEqual(box.ints.average(), nearest * Double(sign))
                unmanaged.removeAll()
                unmanaged.append(objectsIn: box.ints)
                XCTAssertEqual(unmanaged.average(), nearest * Double(sign))
            }
        }
    }

    func testOneCharacterThatFoldingMakesTwo() throws {
        let realm = try openRealm()
        try realm.write {
            for name in ["ß", "straße", "ab", "İ", "STRASSE"] {
                realm.create(Dog.self, value: ["name": name])
            }
        }
        func names(_ format: String) -> [String] { realm.objects(Dog.self).filter(format).map(\.name) }
        XCTAssertEqual(names("name LIKE[c] '?'"), ["ß", "İ"])
        XCTAssertEqual(names("name LIKE[c] 'stra?e'"), ["straße"])
        XCTAssertEqual(names("name LIKE[c] 'STRASSE'"), ["straße", "STRASSE"])
        XCTAssertEqual(names("name LIKE[c] 'stra??e'"), ["STRASSE"])
        XCTAssertEqual(names("name LIKE[c] '??'"), ["ab"])
        XCTAssertEqual(names("name LIKE[c] '*?e'"), ["straße", "STRASSE"])
        XCTAssertEqual(names("name LIKE[cd] '?'"), ["ß", "İ"])
        XCTAssertEqual(names("name LIKE[c] '*s*'"), ["ß", "straße", "STRASSE"])
    }
}
