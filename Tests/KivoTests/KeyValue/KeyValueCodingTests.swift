import Foundation
import Kivo
import XCTest

/// Values by name.
final class KeyValueCodingTests: RealmTestCase {
    // MARK: Every type

    private let samples: [String: any Hashable] = [
        "bool": false, "int": Int.max, "int8": Int8.min, "int16": Int16.max, "int32": Int32.min,
        "int64": Int64.min, "float": Float(-0.5), "double": Double.greatestFiniteMagnitude,
        "string": "ä𝄞\0", "data": Data([0, 255]), "date": Date(timeIntervalSince1970: 7),
        "uuid": UUID(uuid: (16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)),
        "objectId": ObjectId("0123456789abcdef01234567"), "decimal": Decimal128(stringLiteral: "-0.001"),
        "mood": Mood.asleep, "rank": Rank.low,
    ]

    private func assertEqual(
        _ value: Any?, _ expected: any Hashable, _ name: String, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        guard let value else { return XCTFail("\(name) is nil", file: file, line: line) }
        // By name, an enum is its raw value.
        let expected = (expected as? any RawRepresentable)?.rawValue as? any Hashable ?? expected
        // Numbers of other types than literals have are boxed, and can be read as their own as well.
        let isBoxed = ["float", "int8", "int16", "int32", "int64"].contains(name)
        let type: Any.Type = isBoxed ? NSNumber.self : Swift.type(of: expected)
        XCTAssertTrue(Swift.type(of: value) == type, "\(name): \(value)", file: file, line: line)
        func compare<Value: Hashable>(_ expected: Value) {
            XCTAssertEqual(value as? Value, expected, name, file: file, line: line)
        }
        compare(expected)
    }

    func testEveryScalarType() throws {
        try onBothKinds({ AllTypes() }) { object in
            for (name, sample) in samples {
                XCTAssertNotEqual(object.value(forKey: name) as? AnyHashable, AnyHashable(sample), name)
                object.setValue(sample, forKey: name)
                assertEqual(object.value(forKey: name), sample, name)
                assertEqual(object[name], sample, name)
                assertEqual(object.value(forKeyPath: name), sample, name)
            }
            XCTAssertEqual(object.int, .max)
            XCTAssertEqual(object.mood, .asleep)
            XCTAssertEqual(object.rank, .low)
            XCTAssertEqual(object.data, Data([0, 255]))
        }
    }

    func testEveryOptionalType() throws {
        try onBothKinds({ AllOptionals() }) { object in
            for (name, sample) in samples {
                XCTAssertNil(object.value(forKey: name), name)
                object.setValue(sample, forKeyPath: name)
                assertEqual(object.value(forKey: name), sample, name)
                object.setValue(nil, forKey: name)
                XCTAssertNil(object.value(forKey: name), name)
                object.setValue(Optional(sample) as Any, forKey: name)
                assertEqual(object.value(forKey: name), sample, name)
                object.setValue(NSNull(), forKey: name)
                XCTAssertNil(object.value(forKey: name), name)
            }
        }
    }

    func testEnumsByRawValue() throws {
        try onBothKinds({ AllTypes() }) { object in
            object.setValue("calm", forKey: "mood")
            object.setValue(1, forKey: "rank")
            XCTAssertEqual(object.mood, .calm)
            XCTAssertEqual(object.rank, .low)
            XCTAssertEqual(object.value(forKey: "mood") as? String, "calm")
        }
        try onBothKinds({ AllOptionals() }) { object in
            object.setValue("barking", forKey: "mood")
            object.setValue(2.0, forKey: "rank")
            XCTAssertEqual(object.mood, .barking)
            XCTAssertEqual(object.rank, .high)
        }
    }

    func testNumbersAreConverted() throws {
        try onBothKinds({ AllTypes() }) { object in
            for name in ["int", "int8", "int16", "int32", "int64"] {
                let given: [(Any, Int)] = [
                    (Int8(3), 3), (UInt64(4), 4), (5.0, 5), (Float(6), 6), (true, 1), (NSNumber(value: 7), 7),
                    (NSNumber(value: 8.0), 8), (-9, -9),
                ]
                for (value, expected) in given {
                    object.setValue(value, forKey: name)
                    XCTAssertEqual(object[name] as? Int, expected, name)
                }
            }
            for (value, expected) in [(1, true), (0, false), (1.0, true), (NSNumber(value: false), false)]
                as [(Any, Bool)]
            {
                object.setValue(value, forKey: "bool")
                XCTAssertEqual(object.bool, expected, "\(value)")
            }
            let given: [(Any, Double)] = [
                (2, 2), (Int8(-3), -3), (Float(0.5), 0.5), (NSNumber(value: 4.25), 4.25),
                (NSNumber(value: 6), 6),
            ]
            for (value, expected) in given {
                object.setValue(value, forKey: "double")
                object.setValue(value, forKey: "float")
                object.setValue(value, forKey: "decimal")
                XCTAssertEqual(object.double, expected)
                XCTAssertEqual(object.float, Float(expected))
                XCTAssertEqual(object.decimal, Decimal128(floatLiteral: expected))
            }
            object.setValue("01020304-0506-0708-090A-0B0C0D0E0F11", forKey: "uuid")
            object.setValue("0123456789abcdef01234567", forKey: "objectId")
            XCTAssertEqual(object.uuid.uuid.15, 0x11)
            XCTAssertEqual(object.objectId, ObjectId("0123456789abcdef01234567"))
        }
    }

    // MARK: Links and collections

    func testLinks() throws {
        try onBothKinds({ Person() }) { person in
            let dog = Dog(value: ["name": "Rex"])
            XCTAssertNil(person.value(forKey: "favourite"))
            person.setValue(dog, forKey: "favourite")
            XCTAssertTrue((person.value(forKey: "favourite") as? Dog)?.isSameObject(as: dog) ?? false)
            XCTAssertEqual(person.value(forKeyPath: "favourite.name") as? String, "Rex")
            person.setValue("Max", forKeyPath: "favourite.name")
            XCTAssertEqual(dog.name, "Max")
            person.setValue(["name": "Bob", "age": 3] as [String: Any], forKey: "favourite")
            XCTAssertEqual(person.favourite?.name, "Bob")
            XCTAssertEqual(person.favourite?.age, 3)
            XCTAssertEqual(dog.name, "Max")
            person.setValue(NSNull(), forKey: "favourite")
            XCTAssertNil(person.favourite)
        }
    }

    func testCollectionsAreLive() throws {
        try onBothKinds({ Bag() }) { bag in
            let numbers = try XCTUnwrap(bag.value(forKey: "numbers") as? List<Int>)
            let set = try XCTUnwrap(bag.value(forKey: "numberSet") as? MutableSet<Int>)
            let map = try XCTUnwrap(bag.value(forKey: "counts") as? Map<String, Int>)
            XCTAssertTrue(numbers === bag.numbers)
            bag.setValue([1, 2.0, NSNumber(value: 3)] as [Any], forKey: "numbers")
            bag.setValue([3, 1, 3], forKey: "numberSet")
            bag.setValue(["a": 1, "b": 2], forKey: "counts")
            XCTAssertEqual(Array(numbers), [1, 2, 3])
            XCTAssertEqual(Set(set), [1, 3])
            XCTAssertEqual(map.keys, ["a", "b"])
            bag.setValue(Set([7]), forKey: "numberSet")
            XCTAssertEqual(Array(set), [7])
            bag.setValue([nil, 4] as [Int?], forKey: "gaps")
            XCTAssertEqual(Array(bag.gaps), [nil, 4])
            bag.setValue([["name": "Rex"]], forKey: "dogs")
            XCTAssertEqual(bag.dogs.map(\.name), ["Rex"])
            for name in ["numbers", "numberSet", "counts", "gaps"] {
                bag.setValue(name == "counts" ? NSNull() : nil, forKey: name)
            }
            XCTAssertEqual(numbers.count + set.count + map.count + bag.gaps.count, 0)
        }
    }

    func testNullAmongElements() throws {
        try onBothKinds({ Bag() }) { bag in
            bag.setValue([NSNull(), 5] as [Any], forKey: "gaps")
            XCTAssertEqual(Array(bag.gaps), [nil, 5])
            bag.setValue(["a": NSNull(), "b": 1] as [String: Any], forKey: "maybeCounts")
            XCTAssertEqual(bag.maybeCounts.values, [nil, 1])
        }
    }

    func testEmbeddedObjects() throws {
        try onBothKinds({ House(value: ["address": ["street": "a", "city": ["name": "Ulm"]]]) }) { house in
            XCTAssertEqual(house.value(forKeyPath: "address.street") as? String, "a")
            XCTAssertEqual(house.value(forKeyPath: "address.city.name") as? String, "Ulm")
            house.setValue("b", forKeyPath: "address.street")
            XCTAssertEqual(house.address?.street, "b")
            house.setValue(["street": "c"], forKey: "address")
            XCTAssertEqual(house.value(forKeyPath: "address.street") as? String, "c")
            XCTAssertNil(house.value(forKeyPath: "address.city.name"))
            house.setValue(nil, forKey: "address")
            XCTAssertNil(house.address)
        }
    }

    func testElementsByName() throws {
        try onBothKinds({ Person() }) { person in
            person.dogs.append(objectsIn: [Dog(value: ["name": "a"]), Dog(value: ["name": "b"])])
            person.dogs[1].owner = Person(value: ["name": "o"])
            XCTAssertEqual(person.value(forKeyPath: "dogs.name") as? [String], ["a", "b"])
            let owners = try XCTUnwrap(person.value(forKeyPath: "dogs.owner.name") as? [Any])
            XCTAssertTrue(owners[0] is NSNull, "null stands for nil")
            XCTAssertEqual(owners[1] as? String, "o")
            let recorder = observe(person.dogs[1], "age")
            person.setValue(4, forKeyPath: "dogs.age")
            XCTAssertEqual(person.dogs.map(\.age), [4, 4])
            person.dogs.setValue(5, forKey: "age")
            XCTAssertEqual(person.dogs.value(forKey: "age") as? [Int], [5, 5])
            if person.dogs.realm == nil {
                XCTAssertEqual(told(recorder), ["age 1 old 0 new 4", "age 1 old 4 new 5"])
                person.dogs[1].removeObserver(recorder, forKeyPath: "age")
            }
        }
    }

    func testElementsOfFoundationCollections() {
        let dogs = (1...3).map { Dog(value: ["name": "d\($0 % 2)", "age": $0]) }
        let array = NSArray(array: dogs)
        XCTAssertEqual(array.value(forKey: "age") as? [Int], [1, 2, 3])
        XCTAssertTrue((array.value(forKeyPath: "owner.name") as? [Any])?.allSatisfy { $0 is NSNull } ?? false)
        array.setValue("x", forKey: "name")
        XCTAssertEqual(dogs.map(\.name), ["x", "x", "x"])
        let set = NSSet(array: dogs)
        XCTAssertEqual(set.value(forKey: "name") as? Set<String>, ["x"], "without duplicates")
        XCTAssertEqual((set.value(forKey: "owner") as? Set<AnyHashable>)?.count, 0, "without nil")
        set.setValue(9, forKey: "age")
        XCTAssertEqual(dogs.map(\.age), [9, 9, 9])
        let dictionary = NSMutableDictionary()
        dictionary.setValue(dogs[0], forKey: "dog")
        XCTAssertEqual(dictionary.value(forKeyPath: "dog.age") as? Int, 9)
        dictionary.setValue(nil, forKey: "dog")
        XCTAssertNil(dictionary.value(forKeyPath: "dog"))
        XCTAssertEqual(dictionary.count, 0)
        XCTAssertNil(NSNull().value(forKey: "anything"))
        XCTAssertNil(NSNull().value(forKeyPath: "any.thing"))
    }

    func testMapsByKey() throws {
        try onBothKinds({ Bag() }) { bag in
            bag.setValue(1, forKeyPath: "counts.a")
            bag.counts.setValue(2.0, forKey: "b")
            XCTAssertEqual(bag.counts.values, [1, 2])
            XCTAssertEqual(bag.value(forKeyPath: "counts.b") as? Int, 2)
            XCTAssertNil(bag.counts.value(forKey: "c"))
            bag.setValue(nil, forKeyPath: "counts.a")
            bag.counts.setValue(NSNull(), forKey: "b")
            XCTAssertTrue(bag.counts.isEmpty)
            bag.dogsByName["rex"] = Dog(value: ["name": "Rex"])
            XCTAssertEqual(bag.value(forKeyPath: "dogsByName.rex.name") as? String, "Rex")
            bag.setValue("Max", forKeyPath: "dogsByName.rex.name")
            XCTAssertEqual(bag.dogsByName["rex"]??.name, "Max")
            XCTAssertNil(bag.value(forKeyPath: "dogsByName.max.name"))
            XCTAssertEqual(bag.value(forKeyPath: "counts.isInvalidated") as? Bool, false)
        }
    }

    // MARK: Special keys and broken paths

    func testSelfAndIsInvalidated() throws {
        let realm = try openRealm()
        let coded = Coded(value: ["name": "a"])
        XCTAssertTrue(coded.value(forKey: "self") as AnyObject === coded)
        XCTAssertEqual(coded.value(forKeyPath: "self.self.name") as? String, "a")
        XCTAssertEqual(coded.value(forKey: "isInvalidated") as? Bool, false)
        coded.setValue("b", forKeyPath: "self.name")
        XCTAssertEqual(coded.name, "b")
        try realm.write { realm.add(coded) }
        let others = coded.others
        XCTAssertEqual(coded.value(forKeyPath: "others.isInvalidated") as? Bool, false)
        try realm.write { realm.delete(coded) }
        XCTAssertEqual(coded.value(forKey: "isInvalidated") as? Bool, true)
        XCTAssertEqual(coded.value(forKey: "invalidated") as? Bool, true)
        XCTAssertEqual(others.value(forKey: "isInvalidated") as? Bool, true)
        XCTAssertTrue(coded.value(forKey: "self") as AnyObject === coded)
    }

    func testPathsThroughNil() throws {
        try onBothKinds({ Coded() }) { coded in
            XCTAssertNil(coded.value(forKeyPath: "partner.name"))
            XCTAssertNil(coded.value(forKeyPath: "partner.partner.age"))
            XCTAssertNil(coded.value(forKeyPath: "partner.others.@count"))
            XCTAssertNil(coded.value(forKeyPath: "partner.no such key"), "nobody there to ask")
            coded.setValue("x", forKeyPath: "partner.name")
            coded.setValue("x", forKeyPath: "partner.partner.name")
            XCTAssertNil(coded.partner)
            coded.partner = Coded()
            coded.setValue("x", forKeyPath: "partner.name")
            XCTAssertEqual(coded.partner?.name, "x")
            XCTAssertNil(coded.value(forKeyPath: "partner.partner.age"))
        }
    }

    func testStringsHaveALength() throws {
        try onBothKinds({ Coded(value: ["name": "ä𝄞"]) }) { coded in
            XCTAssertEqual(coded.value(forKeyPath: "name.length") as? Int, 3)
            XCTAssertNil(coded.value(forKeyPath: "note.length"))
        }
    }
}
