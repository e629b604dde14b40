import Foundation
import Kivo
import TestRandomness
import XCTest

/// JSON in which some values are others: decoding throws, or makes an object that can be stored and read again.
final class CodableFuzzTests: FileTestCase {
    private var random = RandomSource()

    private func json(_ depth: Int) throws -> [String: Any] {
        let dog = CodedDog()
        (dog.name, dog.weight, dog.photo, dog.price, dog.mood) = ("Rex", 1.5, Data([1, 2]), 1.25, .wild)
        (dog.temperature, dog.label) = (MappedCelsius(38.5), MappedTag("x"))
        dog.chip = CodedChip(value: ["number": 7])
        dog.numbers.append(objectsIn: [1, nil, 3])
        dog.words.insert(objectsIn: ["a", "b"])
        (dog.scores["x"], dog.gaps["y"], dog.gaps["z"]) = (1, .some(nil), 2)
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(dog))
        var values = try XCTUnwrap(encoded as? [String: Any])
        if depth > 0 {
            if random.chance(50) { values["friend"] = try json(depth - 1) }
            values["friends"] = try (0..<random.below(3)).map { _ in try json(depth - 1) }
        }
        for key in values.keys.sorted() where random.chance(2) {
            switch random.below(3) {
            case 0: values[key] = random.json()
            case 1: values[key] = [NSNull(), values[key]!]
            default: values[key] = nil
            }
        }
        return values
    }

    func testObjectsOfAnyJSON() throws {
        var (made, refused, words) = (0, 0, [String]())
        for round in TestEffort.rounds(12, within: 0.18, atLeast: 4) {
            try withRealm { realm in
                XCTAssertEqual(realm.objects(CodedDog.self).map(\.contents).sorted(), words, "round \(round)")
                for _ in 0..<15 {
                    let data = try JSONSerialization.data(withJSONObject: try json(2))
                    do {
                        let dog = try JSONDecoder().decode(CodedDog.self, from: data)
                        let expected = dog.contents
                        try realm.write { realm.add(dog, update: random.chance(50) ? .modified : .error) }
                        XCTAssertEqual(dog.contents, expected)
                        made += 1
                    } catch is DecodingError {
                        refused += 1
                    }
                }
                words = realm.objects(CodedDog.self).map(\.contents).sorted()
            }
            try waitUntilClosed()
        }
        XCTAssertGreaterThan(made, 0)
        XCTAssertGreaterThan(refused, 0)
        XCTAssert(try Realm.verify(fileURL: file).isIntact)
    }
}

extension CodedDog {
    /// All that the object holds, in words.
    fileprivate var contents: String {
        let scalars: [Any?] = [
            tag, name, age, weight, born.timeIntervalSinceReferenceDate, Array(photo), price, id, mood,
            oldMood,
            temperature, label, chip?.number, friend?.contents,
        ]
        let collections: [String] = [
            "\(Array(friends.map(\.contents)))", "\(Array(numbers))", "\(Array(words).sorted())",
            "\(Array(scores.map { "\($0.key) \($0.value)" }))",
            "\(Array(gaps.map { "\($0.key) \($0.value ?? -1)" }))",
        ]
        return "\(scalars.map { $0.map { "\($0)" } ?? "nil" }) \(collections)"
    }
}
