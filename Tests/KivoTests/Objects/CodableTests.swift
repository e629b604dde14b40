import Foundation
import Kivo
import XCTest

enum CodedMood: String, PersistableEnum, Codable { case calm, wild }

class CodedChip: EmbeddedObject, Codable {
    @Persisted var number = 0
}

class CodedDog: Object, Codable {
    @Persisted(primaryKey: true) var tag: ObjectId
    @Persisted(indexed: true) var name: String
    @Persisted var age = 3
    @Persisted var weight: Double?
    @Persisted var born: Date
    @Persisted var photo: Data
    @Persisted var price: Decimal128
    @Persisted var id: UUID
    @Persisted var mood: CodedMood
    @Persisted var oldMood: CodedMood?
    @Persisted var temperature: MappedCelsius
    @Persisted var label: MappedTag?
    @Persisted var chip: CodedChip?
    @Persisted var friend: CodedDog?
    @Persisted var friends: List<CodedDog>
    @Persisted var numbers: List<Int?>
    @Persisted var words: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var gaps: Map<String, Int?>
}

/// Only some of the properties can be coded.
class CodedPartly: Object, Codable {
    @Persisted var name = "a"
    @Persisted var mood = Mood.calm
    @Persisted(originProperty: "link") var origins: LinkingObjects<CodedOrigin>
    enum CodingKeys: CodingKey { case name }
}

class CodedOrigin: Object, Encodable {
    @Persisted var name = "origin"
    @Persisted var link: CodedPartly?
    enum CodingKeys: CodingKey { case name }
}

final class CodableTests: RealmTestCase {
    private var dog: CodedDog {
        let dog = CodedDog()
        dog.name = "Rex"
        dog.weight = 12.5
        dog.born = Date(timeIntervalSince1970: 1000)
        dog.photo = Data([1, 2, 3])
        dog.price = 1.25
        dog.mood = .wild
        dog.temperature = MappedCelsius(38.5)
        dog.label = MappedTag("x")
        dog.chip = CodedChip(value: ["number": 7])
        dog.friend = CodedDog(value: ["name": "Ann"])
        dog.friends.append(objectsIn: [CodedDog(value: ["name": "Bob"]), CodedDog(value: ["name": "Cid"])])
        dog.numbers.append(objectsIn: [1, nil, 3])
        dog.words.insert(objectsIn: ["a", "b"])
        dog.scores["x"] = 1
        dog.gaps["y"] = .some(nil)
        dog.gaps["z"] = 2
        _ = (dog.tag, dog.id)
        return dog
    }

    private func check(_ copy: CodedDog, _ dog: CodedDog) {
        XCTAssertEqual(copy.tag, dog.tag)
        XCTAssertEqual(copy.name, "Rex")
        XCTAssertEqual(copy.age, 3)
        XCTAssertEqual(copy.weight, 12.5)
        XCTAssertEqual(copy.born, Date(timeIntervalSince1970: 1000))
        XCTAssertEqual(copy.photo, Data([1, 2, 3]))
        XCTAssertEqual(copy.price, 1.25)
        XCTAssertEqual(copy.id, dog.id)
        XCTAssertEqual(copy.mood, .wild)
        XCTAssertNil(copy.oldMood)
        XCTAssertEqual(copy.temperature, MappedCelsius(38.5))
        XCTAssertEqual(copy.label, MappedTag("x"))
        XCTAssertEqual(copy.chip?.number, 7)
        XCTAssertEqual(copy.friend?.name, "Ann")
        XCTAssertEqual(copy.friends.map(\.name), ["Bob", "Cid"])
        XCTAssertEqual(Array(copy.numbers), [1, nil, 3])
        XCTAssertEqual(Set(copy.words), ["a", "b"])
        XCTAssertEqual(copy.scores["x"], 1)
        XCTAssertEqual(copy.gaps["y"], .some(nil))
        XCTAssertEqual(copy.gaps["z"], 2)
    }

    func testObjectsAreDecodedAsTheyWereEncoded() throws {
        let dog = dog
        let copy = try JSONDecoder().decode(CodedDog.self, from: JSONEncoder().encode(dog))
        check(copy, dog)
        let realm = try openRealm()
        try realm.write { realm.add(copy) }
        check(copy, dog)
        XCTAssertNotNil(realm.object(ofType: CodedDog.self, forPrimaryKey: dog.tag))
        XCTAssertEqual(realm.objects(CodedDog.self).where { $0.name == "Bob" }.count, 1)
    }

    func testAPropertyListKeepsEverythingToo() throws {
        let dog = dog
        dog.numbers.remove(at: 1)
        dog.numbers.insert(nil, at: 1)
        let data = try PropertyListEncoder().encode(dog)
        check(try PropertyListDecoder().decode(CodedDog.self, from: data), dog)
    }

    func testTheCodersOwnWayWithDatesAndBytesIsTaken() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let text = String(decoding: try encoder.encode(dog), as: UTF8.self)
        XCTAssertTrue(text.contains("\"born\":\"1970-01-01T00:16:40Z\""), text)
        XCTAssertTrue(text.contains("\"photo\":\"AQID\""), text)
        XCTAssertTrue(text.contains("\"oldMood\":null"), text)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let copy = try decoder.decode(CodedDog.self, from: Data(text.utf8))
        XCTAssertEqual(copy.born, Date(timeIntervalSince1970: 1000))
    }

    func testAMissingKeyIsNilForAnOptionalPropertyAndThrownOtherwise() throws {
        let chip = try JSONDecoder().decode(CodedChip.self, from: Data(#"{"number": 4}"#.utf8))
        XCTAssertEqual(chip.number, 4)
        XCTAssertThrowsError(try JSONDecoder().decode(CodedChip.self, from: Data("{}".utf8))) { error in
            guard case DecodingError.keyNotFound(let key, _) = error else { return XCTFail("\(error)") }
            XCTAssertEqual(key.stringValue, "number")
        }
        var object =
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(dog)) as! [String: Any]
        for key in ["weight", "oldMood", "label", "chip", "friend"] { object[key] = nil }
        let data = try JSONSerialization.data(withJSONObject: object)
        let copy = try JSONDecoder().decode(CodedDog.self, from: data)
        XCTAssertNil(copy.weight)
        XCTAssertNil(copy.label)
        XCTAssertNil(copy.chip)
        XCTAssertNil(copy.friend)
    }

    func testAManagedObjectIsNotEncodedByItsWrappers() throws {
        let realm = try openRealm()
        let dog = dog
        try realm.write { realm.add(dog) }
        XCTAssertThrowsError(try JSONEncoder().encode(dog)) { error in
            XCTAssertTrue("\(error)".contains("Only unmanaged objects can be encoded"), "\(error)")
        }
        XCTAssertThrowsError(try JSONEncoder().encode(dog.chip))
        let found = realm.object(ofType: CodedDog.self, forPrimaryKey: dog.tag)
        XCTAssertThrowsError(try JSONEncoder().encode(found))
        let chip = CodedChip(value: dog.chip!)
        XCTAssertEqual(String(decoding: try JSONEncoder().encode(chip), as: UTF8.self), #"{"number":7}"#)
    }

    func testAnObservedUnmanagedObjectIsEncoded() throws {
        let chip = CodedChip(value: [5])
        let observation = chip.observe(\.number) { _, _ in }
        XCTAssertEqual(String(decoding: try JSONEncoder().encode(chip), as: UTF8.self), #"{"number":5}"#)
        chip.number = 6
        observation.invalidate()
        XCTAssertEqual(String(decoding: try JSONEncoder().encode(chip), as: UTF8.self), #"{"number":6}"#)
    }

    func testManagedCollectionsOfValuesAreEncoded() throws {
        let realm = try openRealm()
        let dog = dog
        try realm.write { realm.add(dog) }
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        }
        XCTAssertEqual(try text(dog.numbers), "[1,null,3]")
        XCTAssertEqual(try text(dog.words), #"["a","b"]"#)
        XCTAssertEqual(try text(dog.scores), #"{"x":1}"#)
        XCTAssertEqual(try text(dog.numbers.sorted(ascending: false)), "[3,1,null]")
        XCTAssertEqual(try text(dog.gaps.values), "[null,2]")
    }

    func testCollectionsAreDecodedByThemselves() throws {
        let list = try JSONDecoder().decode(List<Int?>.self, from: Data("[1,null]".utf8))
        XCTAssertEqual(Array(list), [1, nil])
        let set = try JSONDecoder().decode(MutableSet<String>.self, from: Data(#"["a","b","a"]"#.utf8))
        XCTAssertEqual(set.count, 2)
        let map = try JSONDecoder().decode(Map<String, Double>.self, from: Data(#"{"a":1.5}"#.utf8))
        XCTAssertEqual(map["a"], 1.5)
        XCTAssertThrowsError(
            try JSONDecoder().decode(Map<String, Double>.self, from: Data(#"{"a.b":1.5}"#.utf8)))
        let dogs = try JSONDecoder().decode(List<CodedChip>.self, from: Data(#"[{"number":1}]"#.utf8))
        XCTAssertEqual(dogs[0].number, 1)
    }

    func testPropertiesThatCannotBeCodedAreLeftOut() throws {
        let partly = CodedPartly()
        partly.name = "b"
        let text = String(decoding: try JSONEncoder().encode(partly), as: UTF8.self)
        XCTAssertEqual(text, #"{"name":"b"}"#)
        let copy = try JSONDecoder().decode(CodedPartly.self, from: Data(text.utf8))
        XCTAssertEqual(copy.mood, Mood.calm)
        let realm = try openRealm()
        try realm.write {
            realm.add(copy)
            realm.add(CodedOrigin(value: ["link": copy]))
        }
        XCTAssertEqual(copy.origins.count, 1)
    }
}
