import Foundation
import Kivo
import XCTest

class DynamicHiddenOwner: Object {
    @Persisted(primaryKey: true) var key = 0
    @Persisted var dogs: List<DynamicHiddenDog>
    @Persisted var first: DynamicHiddenDog?
    @Persisted var chip: DynamicHiddenChip?
    @Persisted var named: Map<String, DynamicHiddenDog?>
    @Persisted var scores: Map<String, Double?>
}

class DynamicHiddenDog: Object {
    @Persisted(indexed: true) var name = ""
    @Persisted var age: Int8?
    @Persisted var data: Data
    @Persisted var price: Decimal128
}

class DynamicHiddenChip: EmbeddedObject {
    @Persisted var number = 0
}

/// Classes that only a file holds.
final class DynamicFileTests: FileTestCase {
    /// Writes a file and gives its classes names that the program does not have.
    private func makeFile() throws {
        try withRealm { realm in
            try realm.write {
                for key in 0..<3 {
                    let owner = DynamicHiddenOwner(value: ["key": key])
                    for number in 0...key {
                        owner.dogs.append(
                            DynamicHiddenDog(value: ["name": "d\(number)", "age": number, "price": 1.5]))
                    }
                    owner.first = owner.dogs[0]
                    owner.chip = DynamicHiddenChip(value: [key])
                    owner.named["x"] = owner.dogs[0]
                    owner.scores["y"] = 0.5
                    realm.add(owner)
                }
            }
        }
        var journal = JournalForger([UInt8](try Data(contentsOf: file)))
        for index in journal.records.indices {
            var payload = journal.records[index].payload
            let (old, new) = (Array("DynamicHidden".utf8), Array("UnknownHidden".utf8))
            var position = 0
            while position + old.count <= payload.count {
                if Array(payload[position..<position + old.count]) == old {
                    payload.replaceSubrange(position..<position + old.count, with: new)
                }
                position += 1
            }
            journal.records[index].payload = payload
        }
        try Data(journal.bytes).write(to: file)
    }

    func testTheFileSaysWhatTheClassesAre() throws {
        try makeFile()
        try withRealm { realm in
            let schema = realm.schema
            // Among all classes of the program, which the realm would add on first use.
            XCTAssertEqual(
                schema.objectSchema.map(\.className).filter { $0.hasPrefix("UnknownHidden") },
                ["UnknownHiddenChip", "UnknownHiddenDog", "UnknownHiddenOwner"])
            let owner = try XCTUnwrap(schema["UnknownHiddenOwner"])
            XCTAssertTrue(owner.objectClass == DynamicObject.self)
            XCTAssertEqual(owner.properties.map(\.name), ["chip", "dogs", "first", "key", "named", "scores"])
            XCTAssertEqual(owner.primaryKeyProperty?.name, "key")
            XCTAssertEqual(owner["dogs"]?.objectClassName, "UnknownHiddenDog")
            XCTAssertTrue(owner["dogs"]?.isArray ?? false)
            XCTAssertTrue(owner["scores"]?.isMap ?? false)
            XCTAssertTrue(owner["scores"]?.isOptional ?? false)
            XCTAssertEqual(owner["scores"]?.type, .double)
            XCTAssertTrue(schema["UnknownHiddenChip"]?.isEmbedded ?? false)
            XCTAssertEqual(schema["UnknownHiddenDog"]?["price"]?.type, .decimal128)
        }
    }

    func testObjectsAreReadWrittenAndAskedFor() throws {
        try makeFile()
        try withRealm { realm in
            let owners = realm.dynamicObjects("UnknownHiddenOwner")
            XCTAssertEqual(owners.count, 3)
            let owner = try XCTUnwrap(realm.dynamicObject(ofType: "UnknownHiddenOwner", forPrimaryKey: 2))
            XCTAssertEqual(owner.dynamicList("dogs").map { $0.age as? Int8 }, [0, 1, 2])
            XCTAssertEqual((owner.chip as? DynamicObject)?.number as? Int, 2)
            XCTAssertEqual(owners.filter("ANY dogs.name == 'd1'").count, 2)
            XCTAssertEqual(owners.filter("named['x'].name == 'd0'").count, 3)
            XCTAssertEqual(realm.dynamicObjects("UnknownHiddenDog").filter("name == 'd0'").count, 3)
            try realm.write {
                owner.first = ["name": "new", "age": 3]
                owner.chip = ["number": 44]
                owner.scores = ["z": NSNull(), "w": 2]
                let created = realm.dynamicCreate(
                    "UnknownHiddenOwner", value: ["key": 9, "dogs": [["name": "made"]], "chip": [8]])
                created.dynamicList("dogs").append(realm.dynamicObjects("UnknownHiddenDog")[0])
                realm.delete(owners.filter("key == 0"))
            }
            XCTAssertThrowsError(
                try realm.write { realm.dynamicCreate("UnknownHiddenOwner", value: ["key": 9]) })
        }
        try withRealm { realm in
            let owner = try XCTUnwrap(realm.dynamicObject(ofType: "UnknownHiddenOwner", forPrimaryKey: 2))
            XCTAssertEqual((owner.first as? DynamicObject)?.name as? String, "new")
            XCTAssertEqual((owner.chip as? DynamicObject)?.number as? Int, 44)
            XCTAssertEqual((owner.scores as? Map<String, Double?>)?.keys, ["w", "z"])
            let made = try XCTUnwrap(realm.dynamicObject(ofType: "UnknownHiddenOwner", forPrimaryKey: 9))
            XCTAssertEqual(made.dynamicList("dogs").map { $0.name as? String }, ["made", "d0"])
            XCTAssertNil(made.first)
            XCTAssertNil(realm.dynamicObject(ofType: "UnknownHiddenOwner", forPrimaryKey: 0))
            XCTAssertEqual(realm.dynamicObjects("UnknownHiddenChip").count, 3)
        }
    }

    func testMappedAndCodedObjectsSurviveTheFile() throws {
        var random = RandomSource()
        for _ in 0..<10 {
            var expected: [Int: MappedRoom] = [:]
            var texts: [Int: Data] = [:]
            try withRealm { realm in
                try realm.write {
                    realm.deleteAll()
                    for key in 0..<20 {
                        let room = MappedRoom()
                        room.label = "\(key)"
                        room.temperature = MappedCelsius(Double(random.below(1000)) / 8)
                        room.outside = random.chance(30) ? nil : MappedCelsius(Double(random.below(100)))
                        room.count = MappedCount(random.below(1_000_000) - 500_000)
                        room.tag = MappedTag("t\(random.below(100))")
                        room.oldTag = random.chance(50) ? nil : MappedTag("o\(random.below(9))")
                        for _ in 0..<random.below(5) {
                            room.history.append(MappedCelsius(Double(random.below(50))))
                            room.gaps.append(random.chance(40) ? nil : MappedTag("g\(random.below(9))"))
                            room.tags.insert(MappedTag("s\(random.below(9))"))
                            room.counts["k\(random.below(9))"] = MappedCount(random.below(9))
                            room.maybeCounts["m\(random.below(9))"] =
                                random.chance(30) ? .some(nil) : MappedCount(1)
                        }
                        _ = (room.ticket, room.alarm)
                        expected[key] = MappedRoom(value: room)
                        realm.add(room)
                    }
                }
            }
            try withRealm { realm in
                XCTAssertEqual(realm.objects(MappedRoom.self).count, 20)
                for room in realm.objects(MappedRoom.self) {
                    let other = try XCTUnwrap(expected[Int(room.label) ?? -1])
                    XCTAssertEqual(room.temperature, other.temperature)
                    XCTAssertEqual(room.outside, other.outside)
                    XCTAssertEqual(room.count, other.count)
                    XCTAssertEqual(room.tag, other.tag)
                    XCTAssertEqual(room.oldTag, other.oldTag)
                    XCTAssertEqual(room.ticket, other.ticket)
                    XCTAssertEqual(Array(room.history), Array(other.history))
                    XCTAssertEqual(Array(room.gaps), Array(other.gaps))
                    XCTAssertEqual(Set(room.tags.map(\.name)), Set(other.tags.map(\.name)))
                    XCTAssertEqual(room.counts.keys, other.counts.keys)
                    XCTAssertEqual(room.counts.values, other.counts.values)
                    XCTAssertEqual(room.maybeCounts.values, other.maybeCounts.values)
                    texts[room.count.number] = try JSONEncoder().encode(room.history)
                }
            }
            XCTAssertFalse(texts.isEmpty)
        }
    }

    func testRandomCodedObjectsSurviveTextAndFile() throws {
        var random = RandomSource()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func dog(_ depth: Int) -> CodedDog {
            let dog = CodedDog()
            dog.tag = ObjectId.generate()
            dog.id = UUID()
            dog.name = "n\(random.below(1000))"
            dog.age = random.below(100) - 50
            dog.weight = random.chance(50) ? nil : Double(random.below(1000)) / 16
            dog.born = Date(timeIntervalSinceReferenceDate: Double(random.below(100_000)))
            dog.photo = Data((0..<random.below(20)).map { _ in UInt8(random.below(256)) })
            dog.price = Decimal128(random.below(10_000))
            dog.mood = random.chance(50) ? .calm : .wild
            dog.oldMood = random.chance(50) ? nil : .wild
            dog.temperature = MappedCelsius(Double(random.below(100)))
            dog.label = random.chance(50) ? nil : MappedTag("l")
            dog.chip = random.chance(50) ? nil : CodedChip(value: [random.below(9)])
            for _ in 0..<random.below(4) {
                dog.numbers.append(random.chance(30) ? nil : random.below(9))
                dog.words.insert("w\(random.below(9))")
                dog.scores["s\(random.below(9))"] = random.below(9)
                dog.gaps["g\(random.below(9))"] = random.chance(30) ? .some(nil) : random.below(9)
                if depth < 3 { dog.friends.append(makeDog(depth + 1)) }
            }
            dog.friend = depth < 3 && random.chance(50) ? makeDog(depth + 1) : nil
            return dog
        }
        func makeDog(_ depth: Int) -> CodedDog { dog(depth) }
        func sorted(_ dog: CodedDog) -> CodedDog {
            let words = Array(dog.words).sorted()
            dog.words.removeAll()
            dog.words.insert(objectsIn: words)
            dog.friends.forEach { _ = sorted($0) }
            _ = dog.friend.map(sorted)
            return dog
        }
        for _ in 0..<20 {
            let original = sorted(dog(0))
            let text = try encoder.encode(original)
            let decoded = try JSONDecoder().decode(CodedDog.self, from: text)
            XCTAssertEqual(try encoder.encode(decoded), text)
            try withRealm { realm in try realm.write { realm.add(decoded) } }
            try withRealm { realm in
                let stored = try XCTUnwrap(
                    realm.object(ofType: CodedDog.self, forPrimaryKey: original.tag))
                XCTAssertEqual(try encoder.encode(unmanaged(stored)), text)
            }
        }
    }

    /// An unmanaged copy of a dog, and of all that it links to.
    private func unmanaged(_ dog: CodedDog) -> CodedDog {
        let copy = CodedDog(value: dog)
        copy.friend = dog.friend.map(unmanaged)
        copy.friends = List()
        copy.friends.append(objectsIn: dog.friends.map(unmanaged))
        return copy
    }
}
