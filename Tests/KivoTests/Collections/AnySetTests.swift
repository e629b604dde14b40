import Foundation
import Kivo
import XCTest

/// Sets of values of any type, and the order in which they have them.
final class AnySetTests: RealmTestCase {
    func testSetsHoldNumbersOfOneValueOnce() throws {
        let realm = try openRealm()
        let note = AnyNote()
        try realm.write {
            realm.add(note)
            note.set.insert(objectsIn: [
                .int(1), .double(1), .float(1), .decimal128(1), .bool(true), .double(0.1),
                .decimal128(try Decimal128(string: "0.1")), .string("1"), .data(Data("1".utf8)), .none,
                .double(.nan),
                .float(.nan), .decimal128(.nan), .double(-0.0), .int(0), .int(.max),
                .double(9_223_372_036_854_775_808),
            ])
        }
        XCTAssertEqual(
            note.set.map { "\($0)" },
            [
                .none, .bool(true), .double(.nan), .double(-0.0), .double(0.1), .int(1), .int(.max),
                .double(9_223_372_036_854_775_808), .string("1"), .data(Data("1".utf8)),
            ].map { (value: AnyRealmValue) in "\(value)" }, "\(note.set)")
        XCTAssert(note.set.contains(.decimal128(1)))
        XCTAssertFalse(note.set.contains(.int(2)))
        let unmanaged = MutableSet<AnyRealmValue>()
        unmanaged.insert(objectsIn: [.int(1), .double(1), .string("a"), .string("a")])
        XCTAssertEqual(unmanaged.count, 2)
    }

    func testSetsAreInTheOrderOfTypes() throws {
        let realm = try openRealm()
        let note = AnyNote()
        let target = AnyTarget()
        let ordered: [AnyRealmValue] = [
            .none, .bool(false), .bool(true), .int(-7), .double(-2.25), .float(1.5), .decimal128(2), .int(3),
            .string(""), .string("a"), .string("b"), .data(Data()), .data(Data([1])),
            .date(Date(timeIntervalSinceReferenceDate: -1)), .date(Date(timeIntervalSinceReferenceDate: 1)),
            .objectId(ObjectId("507f1f77bcf86cd799439011")),
            .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!), .object(target),
        ]
        try realm.write {
            realm.add(note)
            realm.add(target)
            note.set.insert(objectsIn: ordered.shuffled())
        }
        XCTAssertEqual(note.set.dropLast(1), ordered.dropLast(1))
        XCTAssert(note.set[ordered.count - 1].object(AnyTarget.self)!.isSameObject(as: target))
    }
}
