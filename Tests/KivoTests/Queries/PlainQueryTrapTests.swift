#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Conditions on plain values, numbers, patterns and places that mean nothing end in a sentence.
struct PlainQueryTrapTests {
    @Test func plainValuesHaveNoProperties() async throws {
        let property = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.grove().numbers.filter("age > 3")
        }
        try check(property, says: ["'age'", "Plain values", "'self'"])
        let count = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.grove().numbers.filter("self.@count > 3")
        }
        try check(count, says: ["Plain values", "'self'"])
        let type = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.grove().counts.filter("self BEGINSWITH 'a'")
        }
        try check(type, says: ["BEGINSWITH", "Int"])
    }

    @Test func arithmeticTakesNumbers() async throws {
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().filter("text + 1 == 2")
        }
        try check(text, says: ["'+'", "numbers", "String"])
        let link = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().filter("age * parent == 2")
        }
        try check(link, says: ["'*'", "numbers", "'GroveTree'"])
        let goingOn = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().where { ($0.age + 1).max == 3 }
        }
        try check(goingOn, says: ["arithmetic", "only be compared"])
    }

    @Test func patterns() async throws {
        let malformed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().filter("text MATCHES 'a('")
        }
        try check(
            malformed, says: ["malformed", "position 13", "'a(' is no regular expression", "expected ')'"])
        let typed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().where { $0.text.matches("[") }
        }
        try check(typed, says: ["'['", "no regular expression"])
        let number = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().filter("age MATCHES 'a'")
        }
        try check(number, says: ["MATCHES compares strings", "Int"])
    }

    @Test func places() async throws {
        let property = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().filter("text GEOWITHIN geoBox([0, 0], [1, 1])")
        }
        try check(property, says: ["'text'", "no location", "GEOWITHIN"])
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.trees().filter("parent GEOWITHIN geoBox([0, 0], [1, 1])")
        }
        try check(other, says: ["'GroveTree'", "'type'", "'coordinates'", "List<Double>"])
        let shape = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "planted"))
            _ = realm.objects(GrovePlace.self).filter("location GEOWITHIN geoBox([0, 2], [1, 1])")
        }
        try check(shape, says: ["makes no sense", "bottom of the box is above its top"])
    }

    @Test func positionsOutsideOfACollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Planted.grove().numbers.sorted().objects(at: [0])
        }
        try check(result, says: ["Index 0"])
    }
}

private enum Planted {
    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "planted"))
    }

    static func trees() throws -> Results<GroveTree> { try realm().objects(GroveTree.self) }

    static func grove() throws -> Grove {
        let realm = try realm()
        return try realm.write { realm.create(Grove.self) }
    }
}
#endif
