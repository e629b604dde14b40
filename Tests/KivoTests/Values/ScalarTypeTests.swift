import KivoEngine
import XCTest

@testable import Kivo

/// The table of scalar types agrees with the Swift types, with the tags of values of any type, and with the tests of all types.
final class ScalarTypeTests: XCTestCase {
    private static let tags = (UInt8.min ... .max).compactMap(AnyTag.init(rawValue:))
        .filter { $0 != .null && $0 != .link }

    /// A new type is added at the end: the raw values are in files.
    func testRawValuesAreStored() {
        XCTAssertEqual(
            ScalarType.all.prefix(15).map(\.name),
            [
                "Bool", "Int8", "Int16", "Int32", "Int64", "Int", "Float", "Double", "String", "Data", "Date",
                "UUID", "ObjectId", "Decimal128", "AnyRealmValue",
            ])
        XCTAssertEqual(ScalarType.all.map { Int($0.rawValue) }, Array(1...ScalarType.all.count))
    }

    func testRowsAgreeWithTheSwiftTypes() throws {
        func check<T: ScalarAccess>(_ swift: T.Type, _ type: ScalarType) {
            XCTAssertEqual(T.scalarType, type)
            XCTAssertEqual("\(swift)", type.name)
            XCTAssertEqual(swift is any _PrimaryKey.Type, type.canBePrimaryKey, type.name)
            XCTAssertEqual(swift is any _Indexable.Type, type.canBeIndexed, type.name)
            XCTAssertEqual(type.isInteger, T.convert(1) != nil && T.convert(0.5) == nil, type.name)
            let cell = T.makeDefault().cell
            switch (type.columnKind, cell) {
            case (.word, .word), (.wide, .wide), (.string, .string), (.bytes, .bytes): break
            default: XCTFail("a cell of \(type.name) is \(cell)")
            }
            guard case .word(let word) = (T.convert(1) ?? T.makeDefault()).cell, !type.isInteger else {
                return XCTAssertFalse(type.isFloatingPoint, type.name)
            }
            XCTAssertEqual(type.isFloatingPoint, Double(bitPattern: word).isNormal, type.name)
        }
        for type in ScalarType.all where type != .any {
            let swift = try XCTUnwrap(type.swiftType as? any ScalarAccess.Type, type.name)
            check(swift, type)
        }
        XCTAssertNil(ScalarType.any.swiftType)
        XCTAssertEqual("\(AnyRealmValue.self)", ScalarType.any.name)
    }

    func testNamesLeadToTheirTypes() {
        for type in ScalarType.all {
            XCTAssertEqual(ScalarType(name: type.name), type)
            if let name = type.jsonName { XCTAssertEqual(ScalarType(jsonName: name), type) }
        }
        XCTAssertNil(ScalarType(name: "Temperature"))
        XCTAssertNil(ScalarType(jsonName: "temperature"))
    }

    /// A value of any type has a type for each tag, and a tag for the value of each type that has one.
    func testTagsLeadToTheirTypes() {
        for tag in Self.tags { XCTAssertEqual(ScalarType(tag)?.tag, tag, "\(tag)") }
        XCTAssertNil(ScalarType(AnyTag.null))
        XCTAssertNil(ScalarType(AnyTag.link))
        for type in ScalarType.all {
            guard let swift = type.swiftType, let tag = type.tag else { continue }
            let cell = AnyRealmValue.fromAny(swift.makeDefault())?.plainCell
            XCTAssertEqual(cell?.anyTag, tag, type.name)
            XCTAssertEqual(cell.flatMap { AnyRealmValue(plain: $0) }?.plainCell, cell, type.name)
        }
    }

    /// The models with which property types are tested have every scalar type, also as optionals.
    func testEveryTypeIsTested() {
        func types(_ model: ObjectBase.Type) -> Set<ScalarType> {
            Set(
                Registry.info(model).properties.compactMap {
                    $0.type.collection == .none ? $0.type.scalar : nil
                })
        }
        let scalars = Set(ScalarType.all).subtracting([.any])
        XCTAssertEqual(types(AllTypes.self), scalars)
        XCTAssertEqual(types(AllOptionals.self), scalars)
    }
}
