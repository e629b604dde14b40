import Foundation
import Kivo
import XCTest

class AllTypes: Object {
    @Persisted var bool = true
    @Persisted var int = -1
    @Persisted var int8: Int8 = -8
    @Persisted var int16: Int16 = -16
    @Persisted var int32: Int32 = -32
    @Persisted var int64: Int64 = -64
    @Persisted var float: Float = 1.5
    @Persisted var double = 2.25
    @Persisted var string = "default"
    @Persisted var data = Data([1, 2])
    @Persisted var date = Date(timeIntervalSince1970: 1)
    @Persisted var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    @Persisted var objectId = ObjectId("507f1f77bcf86cd799439011")
    @Persisted var decimal: Decimal128 = 1.25
    @Persisted var mood = Mood.barking
    @Persisted var rank = Rank.high
    @Persisted var link: AllTypes?
}

class AllOptionals: Object {
    @Persisted var bool: Bool?
    @Persisted var int: Int?
    @Persisted var int8: Int8?
    @Persisted var int16: Int16?
    @Persisted var int32: Int32?
    @Persisted var int64: Int64?
    @Persisted var float: Float?
    @Persisted var double: Double?
    @Persisted var string: String?
    @Persisted var data: Data?
    @Persisted var date: Date?
    @Persisted var uuid: UUID?
    @Persisted var objectId: ObjectId?
    @Persisted var decimal: Decimal128?
    @Persisted var mood: Mood?
    @Persisted var rank: Rank?
}

class BareTypes: Object {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var decimal: Decimal128
    @Persisted var mood: Mood
}

final class PropertyTypeTests: RealmTestCase {
    /// Sets of values, with the extremes of each type.
    private var samples: [[String: Any]] {
        [
            [
                "bool": false, "int": Int.max, "int8": Int8.min, "int16": Int16.min, "int32": Int32.min,
                "int64": Int64.min, "float": Float.greatestFiniteMagnitude, "double": -Double.infinity,
                "string": "",
                "data": Data(), "date": Date.distantPast, "uuid": UUID(), "objectId": ObjectId.generate(),
                "decimal": Decimal128(stringLiteral: "-0.001"), "mood": Mood.asleep, "rank": Rank.low,
            ],
            [
                "bool": true, "int": Int.min, "int8": Int8.max, "int16": Int16.max, "int32": Int32.max,
                "int64": Int64.max, "float": -Float.leastNonzeroMagnitude,
                "double": Double.leastNonzeroMagnitude,
                "string": "ä𝄞\0" + String(repeating: "long ", count: 500),
                "data": Data(repeating: 7, count: 70_000),
                "date": Date(timeIntervalSinceReferenceDate: 0.123456789), "uuid": UUID(),
                "objectId": ObjectId.generate(),
                "decimal": Decimal128(stringLiteral: "12345678901234567890.5"), "mood": Mood.calm,
                "rank": Rank.high,
            ],
        ]
    }

    private func check(
        _ object: Object, _ values: [String: Any], file: StaticString = #filePath, line: UInt = #line
    ) {
        for (name, value) in values {
            // By name an enum is its raw value.
            let stored = (value as? any PersistableEnum)?.rawValue ?? value
            XCTAssertEqual(
                object[name] as? AnyHashable, stored as? AnyHashable, name, file: file, line: line)
        }
    }

    func testDefaults() throws {
        let object = AllTypes()
        func check() {
            XCTAssertEqual(object.bool, true)
            XCTAssertEqual(object.int, -1)
            XCTAssertEqual(object.int8, -8)
            XCTAssertEqual(object.int16, -16)
            XCTAssertEqual(object.int32, -32)
            XCTAssertEqual(object.int64, -64)
            XCTAssertEqual(object.float, 1.5)
            XCTAssertEqual(object.double, 2.25)
            XCTAssertEqual(object.string, "default")
            XCTAssertEqual(object.data, Data([1, 2]))
            XCTAssertEqual(object.date, Date(timeIntervalSince1970: 1))
            XCTAssertEqual(object.uuid.uuid.15, 16)
            XCTAssertEqual(object.objectId.stringValue, "507f1f77bcf86cd799439011")
            XCTAssertEqual(object.decimal, 1.25)
            XCTAssertEqual(object.mood, .barking)
            XCTAssertEqual(object.rank, .high)
            XCTAssertNil(object.link)
        }
        check()
        let realm = try openRealm()
        try realm.write { realm.add(object) }
        check()
        let created = try realm.write { realm.create(AllTypes.self) }
        XCTAssertEqual(created.string, "default")
        XCTAssertEqual(created.rank, .high)
    }

    func testDefaultsOfTypes() throws {
        let (a, b) = (BareTypes(), BareTypes())
        XCTAssertEqual(a.bool, false)
        XCTAssertEqual(a.int, 0)
        XCTAssertEqual(a.double, 0)
        XCTAssertEqual(a.string, "")
        XCTAssertEqual(a.data, Data())
        XCTAssertEqual(a.decimal, 0)
        XCTAssertEqual(a.mood, .calm)
        XCTAssertNotEqual(a.uuid, b.uuid)
        XCTAssertNotEqual(a.objectId, b.objectId)
        let (uuid, date) = (a.uuid, a.date)
        let realm = try openRealm()
        try realm.write { realm.add(a) }
        XCTAssertEqual(a.uuid, uuid, "a default is made once")
        XCTAssertEqual(a.date, date)
    }

    func testUnmanagedAndManagedValues() throws {
        let realm = try openRealm()
        for values in samples {
            let object = AllTypes(value: values)
            check(object, values)
            try realm.write { realm.add(object) }
            check(object, values)
            let optionals = AllOptionals(value: values)
            check(optionals, values)
            try realm.write { realm.add(optionals) }
            check(optionals, values)
            let created = try realm.write { realm.create(AllOptionals.self, value: values) }
            check(created, values)
            try realm.write {
                for name in values.keys {
                    created[name] = nil
                    XCTAssertNil(created[name], name)
                }
                let bare = realm.create(AllTypes.self)
                for (name, value) in values { bare[name] = value }
                check(bare, values)
            }
        }
        XCTAssertEqual(realm.objects(AllTypes.self).count, 4)
    }

    func testTypedAssignment() throws {
        let realm = try openRealm()
        let object = AllOptionals()
        try realm.write {
            realm.add(object)
            object.int = 5
            object.string = "five"
            object.mood = .asleep
            object.decimal = 5.5
            object.data = Data([5])
        }
        XCTAssertEqual(object.int, 5)
        XCTAssertEqual(object.string, "five")
        XCTAssertEqual(object.mood, .asleep)
        XCTAssertEqual(object.decimal, 5.5)
        XCTAssertEqual(object.data, Data([5]))
        try realm.write {
            (object.int, object.string, object.mood, object.decimal, object.data) = (nil, nil, nil, nil, nil)
            object.int = 6
            object.int = nil
            object.string = "six"
            object.string = nil
        }
        XCTAssertNil(object.int)
        XCTAssertNil(object.string)
        XCTAssertNil(object.mood)
        XCTAssertNil(object.decimal)
        XCTAssertNil(object.data)
    }

    func testReopeningAFile() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString).kivo")
        defer { try? FileManager.default.removeItem(at: file) }
        let samples = samples
        do {
            let realm = try Realm(fileURL: file)
            try realm.write {
                for values in samples {
                    realm.create(AllTypes.self, value: values)
                    realm.create(AllOptionals.self, value: values)
                }
                realm.create(AllOptionals.self)
            }
            try realm.write { realm.objects(AllTypes.self)[1].link = realm.objects(AllTypes.self)[0] }
        }
        let realm = try Realm(fileURL: file)
        for (index, values) in samples.enumerated() {
            check(realm.objects(AllTypes.self)[index], values)
            check(realm.objects(AllOptionals.self)[index], values)
        }
        for name in samples[0].keys { XCTAssertNil(realm.objects(AllOptionals.self)[2][name], name) }
        XCTAssertEqual(realm.objects(AllTypes.self)[1].link?.bool, false)
    }

    func testValuesAreConverted() throws {
        let object = AllTypes(value: [
            "int8": 5, "double": 3, "mood": "asleep", "rank": 1, "int": Int16(4), "float": 2.5,
        ])
        XCTAssertEqual(object.int8, 5)
        XCTAssertEqual(object.double, 3)
        XCTAssertEqual(object.mood, .asleep)
        XCTAssertEqual(object.rank, .low)
        XCTAssertEqual(object.int, 4)
        XCTAssertEqual(object.float, 2.5)
    }
}
