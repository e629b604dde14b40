import Foundation
import Kivo
import XCTest

/// The values that dynamic access, `init(value:)` and `create(_:value:)` accept.
final class GivenValueTests: RealmTestCase {
    /// An unmanaged object and a managed one, inside of a write.
    private func onBoth<T: Object>(_ type: T.Type, _ body: (T) throws -> Void) throws {
        try body(T())
        let realm = try openRealm()
        try realm.write { try body(realm.create(T.self)) }
    }

    func testKeysThatNameNoPropertyArePassedOver() throws {
        let values: [String: Any] = ["name": "Rex", "weight": 3, "owner": ["name": "Ann", "hat": NSNull()]]
        func check(_ dog: Dog, _ line: UInt = #line) {
            XCTAssertEqual([dog.name, dog.owner?.name], ["Rex", "Ann"], line: line)
        }
        check(Dog(value: values))
        check(Dog(value: values as [String: Any?]))
        let realm = try openRealm()
        try realm.write {
            check(realm.create(Dog.self, value: values))
            let dog = realm.dynamicCreate("Dog", value: values)
            XCTAssertEqual(dog["name"] as? String, "Rex")
            XCTAssertEqual((dog["owner"] as? Person)?.name, "Ann")
        }
    }

    func testTheNullMarkerIsNilAndTheEmptyCollection() throws {
        let null = NSNull()
        let values: [String: Any] = [
            "words": null, "numbers": null, "gaps": [1, null, 2], "wordSet": null, "counts": null,
            "dogs": null,
            "maybeCounts": ["a": null, "b": 1] as [String: Any], "dogsByName": ["x": null],
        ]
        func check(_ bag: Bag, _ line: UInt = #line) {
            XCTAssertEqual(
                [bag.words.count, bag.numbers.count, bag.wordSet.count, bag.counts.count], [0, 0, 0, 0])
            XCTAssertEqual(Array(bag.gaps), [1, nil, 2], line: line)
            XCTAssertEqual(bag.maybeCounts["a"], .some(nil), line: line)
            XCTAssertEqual(bag.maybeCounts["b"], 1, line: line)
            XCTAssertEqual(bag.dogsByName.keys, ["x"], line: line)
            XCTAssertEqual(bag.dogsByName["x"], .some(nil), line: line)
        }
        check(Bag(value: values))
        let realm = try openRealm()
        check(try realm.write { realm.create(Bag.self, value: values) })
        try onBoth(Bag.self) { bag in
            bag.numbers.append(1)
            bag.wordSet.insert("a")
            bag.counts["a"] = 1
            bag.dogs.append(Dog())
            for key in ["numbers", "wordSet", "counts", "dogs"] { bag[key] = null }
            for key in ["gaps", "maybeCounts", "dogsByName"] { bag[key] = values[key] }
            check(bag)
        }
        try onBoth(Person.self) { person in
            person.favourite = Dog()
            person["favourite"] = null
            XCTAssertNil(person.favourite)
            XCTAssertNil(Person(value: ["name": "a", "favourite": null] as [String: Any]).favourite)
        }
        try onBoth(AllOptionals.self) { object in
            object["int"] = 5
            object["string"] = "a"
            for key in ["int", "string", "mood"] { object[key] = null }
            XCTAssertNil(object.int)
            XCTAssertNil(object.string)
        }
        try realm.write {
            let thing = realm.create(OptionalKeyThing.self, value: ["key": null, "size": 4] as [String: Any])
            XCTAssertNil(thing.key)
            XCTAssertEqual(realm.object(ofType: OptionalKeyThing.self, forPrimaryKey: null)?.size, 4)
        }
    }

    func testACollectionTakesAnySequenceOfFittingElements() throws {
        let realm = try openRealm()
        let stored = try realm.write {
            realm.create(Bag.self, value: ["numbers": [3, 1, 2], "words": ["c"], "counts": ["z": 9]])
        }
        try onBoth(Bag.self) { bag in
            let numbers: [Any] = [
                [3, 1, 2], [3.0, 1.0, 2.0], ContiguousArray([3, 1, 2]), [0, 3, 1, 2][1...], stored.numbers,
                AnySequence([3, 1, 2]), [2, 1, 3].reversed(), [3, 1, 2].lazy.map { $0 },
                NSArray(array: [3, 1, 2]),
                [3, 1, 2] as [Int?],
            ]
            for value in numbers {
                bag["numbers"] = [7]
                bag["numbers"] = value
                XCTAssertEqual(Array(bag.numbers), [3, 1, 2], "\(type(of: value))")
                XCTAssertEqual(
                    Array(Bag(value: ["numbers": value]).numbers), [3, 1, 2], "\(type(of: value))")
            }
            for value in [1...3, Set([1, 2, 3]), NSSet(array: [1, 2, 3]), stored.numbers] as [Any] {
                bag["numberSet"] = value
                XCTAssertEqual(Set(bag.numberSet), [1, 2, 3], "\(type(of: value))")
                bag["numbers"] = value
                XCTAssertEqual(Set(bag.numbers), [1, 2, 3], "\(type(of: value))")
            }
            bag["words"] = stored.words
            XCTAssertEqual(Array(bag.words), ["c"])
            bag["maybeCounts"] = stored.counts
            XCTAssertEqual(bag.maybeCounts["z"], 9)
        }
        try realm.write {
            for name in ["a", "b"] { realm.create(Dog.self, value: ["name": name]) }
            for value in [realm.objects(Dog.self), Array(realm.objects(Dog.self))] as [Any] {
                stored["dogs"] = value
                XCTAssertEqual(stored.dogs.map(\.name), ["a", "b"])
                stored["dogSet"] = value
                XCTAssertEqual(stored.dogSet.map(\.name), ["a", "b"])
                let created = realm.create(Bag.self, value: ["dogs": value, "dogSet": value])
                XCTAssertEqual(created.dogs.map(\.name), ["a", "b"])
                XCTAssertEqual(created.dogSet.map(\.name), ["a", "b"])
            }
            stored["dogs"] = [["name": "made"], Dog(value: ["added"])] as [Any]
            XCTAssertEqual(stored.dogs.map(\.name), ["made", "added"])
        }
    }

    /// Numbers of Foundation are one class to Swift, of which JSON makes truth values, integers and fractions.
    func testNumbersOfFoundationAreWhatTheyWereMadeOf() throws {
        let text = #"{"id": 7, "content": {"yes": true, "no": [false, null], "one": 1, "half": 0.5}}"#
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let numbers: [(NSNumber, AnyRealmValue)] = [
            (NSNumber(value: true), .bool(true)), (NSNumber(value: false), .bool(false)),
            (NSNumber(value: Int8(1)), .int(1)), (NSNumber(value: 0), .int(0)),
            (NSNumber(value: Int.max), .int(.max)),
            (NSNumber(value: 2.0), .double(2)), (NSNumber(value: Float(2)), .float(2)),
            (NSNumber(value: UInt64.max), .double(Double(UInt64.max))),
            (NSDecimalNumber(string: "3"), .int(3)),
            (NSDecimalNumber(string: "3.5"), .double(3.5)),
        ]
        func check(_ note: AnyNote) {
            let content = note.content.dictionaryValue!
            XCTAssertEqual(content["yes"], .bool(true))
            XCTAssertEqual(content["no"].map { Array($0.listValue!) }, [.bool(false), .none])
            XCTAssertEqual(content["one"], .int(1))
            XCTAssertEqual(content["half"], .double(0.5))
        }
        check(AnyNote(value: json))
        try onBoth(AnyNote.self) { note in
            for (number, value) in numbers {
                note["content"] = number
                XCTAssertEqual(note.content, value, "\(number)")
                note.setValue([number], forKey: "list")
                XCTAssertEqual(Array(note.list), [value], "\(number)")
                note.map.setValue(number, forKey: "a")
                XCTAssertEqual(note.map["a"], value, "\(number)")
            }
        }
        let realm = try openRealm()
        check(try realm.write { realm.create(AnyNote.self, value: json) })
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content['yes'] == true").count, 1)
    }

    func testAFloatIsRoundedButNotToInfinity() throws {
        try onBoth(AllTypes.self) { object in
            for value in [0.1, -3.4e38, .infinity, -.infinity, 1e-60] {
                object["float"] = value
                XCTAssertEqual(object.float, Float(value))
            }
            object["float"] = Double.nan
            XCTAssert(object.float.isNaN)
        }
    }

    func testAnUnknownRawValueIsNilWhereNilIsAllowed() throws {
        try onBoth(Moody.self) { moody in
            moody["maybe"] = "calm"
            XCTAssertEqual(moody.maybe, .calm)
            moody["maybe"] = "furious"
            XCTAssertNil(moody.maybe)
            moody["maybeRank"] = 2
            moody["maybeRank"] = 77
            XCTAssertNil(moody.maybeRank)
            moody["all"] = ["calm", "furious", NSNull(), Mood.asleep] as [Any]
            XCTAssertEqual(Array(moody.all), [.calm, nil, nil, .asleep])
        }
        let realm = try openRealm()
        let created = try realm.write {
            realm.create(Moody.self, value: ["maybe": "furious", "maybeRank": 1] as [String: Any])
        }
        XCTAssertNil(created.maybe)
        XCTAssertEqual(created.maybeRank, .low)
        XCTAssertNil(Moody(value: ["maybe": "furious"]).maybe)
    }
}

class Moody: Object {
    @Persisted var maybe: Mood?
    @Persisted var maybeRank: Rank?
    @Persisted var all: List<Mood?>
}
